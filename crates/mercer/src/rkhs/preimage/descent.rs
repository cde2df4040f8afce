//! Pre-images by descent of k(z, z) − 2g(z).

use crate::certificate::Stop;
use crate::data::Rows;
use crate::error::Result;
use crate::linalg::dot;
use crate::run::Run;
use crate::solver::{LbfgsParams, lbfgs};

use super::Targets;
use super::slopes::Smooth;

impl Targets<'_> {
    pub(super) fn descent(
        &self,
        start: &[f64],
        beta: &[f64],
        rows: &Rows,
        smooth: Option<&Smooth>,
        run: &Run,
    ) -> Result<(Vec<f64>, usize, Stop)> {
        let d = start.len();
        // In units of the spread of each column, so that one tolerance fits all.
        let scales = scales(rows);
        let mut t = vec![0.0; d];
        let at = |t: &[f64]| -> Vec<f64> { t.iter().zip(&scales).zip(start).map(|((t, s), x)| x + t * s).collect() };
        let bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); d];
        let quiet = run.without_warnings();
        let mut objective = |t: &[f64], gradient: &mut [f64]| match smooth {
            Some(smooth) => {
                let value = smooth.energy(&at(t), beta, rows, gradient);
                gradient.iter_mut().zip(&scales).for_each(|(g, s)| *g *= s);
                Ok(value)
            }
            None => self.differences(t, &at, beta, gradient, &quiet),
        };
        let params = LbfgsParams { max_iterations: 200, tolerance: 1e-8, ..LbfgsParams::default() };
        let info = lbfgs(&mut t, &bounds, &mut objective, &params, &quiet)?;
        Ok((at(&t), info.iters, info.stop))
    }

    /// The energy of a kernel without slopes, and its gradient from central differences.
    fn differences(
        &self,
        t: &[f64],
        at: &dyn Fn(&[f64]) -> Vec<f64>,
        beta: &[f64],
        gradient: &mut [f64],
        run: &Run,
    ) -> Result<f64> {
        const STEP: f64 = 6e-6; // ε^⅓
        let d = t.len();
        let mut moved = Vec::with_capacity((2 * d + 1) * d);
        moved.extend(at(t));
        for j in 0..d {
            for side in [STEP, -STEP] {
                let mut other = t.to_vec();
                other[j] += side;
                moved.extend(at(&other));
            }
        }
        let values = self.energies(&Rows::new(moved, 2 * d + 1, d)?.into(), beta, run)?;
        (0..d).for_each(|j| gradient[j] = (values[2 * j + 1] - values[2 * j + 2]) / (2.0 * STEP));
        Ok(values[0])
    }
}

/// The standard deviation of every column, 1 where there is none.
fn scales(rows: &Rows) -> Vec<f64> {
    let n = rows.nrows() as f64;
    let column = |j: usize| (0..rows.nrows()).map(|i| rows.row(i)[j]).collect::<Vec<f64>>();
    let deviation = |j: usize| {
        let x = column(j);
        let mean = x.iter().sum::<f64>() / n;
        let centred: Vec<f64> = x.iter().map(|x| x - mean).collect();
        (dot(&centred, &centred) / n).sqrt()
    };
    (0..rows.ncols()).map(deviation).map(|s| if s > 0.0 && s.is_finite() { s } else { 1.0 }).collect()
}
