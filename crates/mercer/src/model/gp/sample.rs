//! Functions drawn from a process.

use crate::chance::Chance;
use crate::error::{Error, Result};
use crate::gram::DenseGram;
use crate::linalg::{cholesky_in_place_with_jitter, filled, multiply_cholesky_lower};
use crate::run::Run;

/// Values of drawn functions at some points.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// The values: sample by sample, in each point by point, in each output by output.
    pub values: Vec<f64>,
    /// Number of functions.
    pub count: usize,
    /// Number of points.
    pub points: usize,
    /// Number of outputs.
    pub outputs: usize,
    /// What was added to the diagonal of the covariance (of a process of scale 1) because it was not
    /// positive definite to rounding; 0 if nothing was.
    pub jitter: f64,
}

impl Samples {
    /// The values of one function, row-major: points×outputs.
    pub fn sample(&self, s: usize) -> &[f64] {
        let size = self.points * self.outputs;
        &self.values[s * size..(s + 1) * size]
    }
}

/// How many functions to draw, and of which chance.
#[derive(Clone, Copy)]
pub(super) struct Draw<'a> {
    pub(super) count: usize,
    pub(super) seed: u64,
    /// The scale of the process, one an output.
    pub(super) prior: &'a [f64],
    /// The mean, row-major: points×outputs; 0 if there is none.
    pub(super) mean: Option<&'a [f64]>,
}

/// mean + prior·L·z with L·Lᵀ the covariance and z standard normal. `trace` is that of the covariance
/// before any point was seen: its rounding is what a posterior covariance may be off by.
///
/// Numbers are drawn sample by sample, so that more samples begin with the same ones.
pub(super) fn draw(mut covariance: DenseGram<f64>, trace: f64, what: Draw<'_>, run: &Run) -> Result<Samples> {
    let (m, c) = (covariance.nrows(), what.prior.len());
    let k = what.count.checked_mul(c).ok_or_else(|| Error::shape("samples", "fewer", what.count))?;
    let alternative = "draw fewer functions, or at fewer points";
    let size = 2 * m as u128 * k as u128;
    let (mut memory, _reserved) = filled(size, 0.0, "functions drawn from a process", alternative, run)?;
    let jitter = factor(covariance.values_mut(), m, trace, run)?;
    let (z, drawn) = memory.split_at_mut(m * k);
    let mut chance = Chance::new(what.seed);
    for column in 0..k {
        (0..m).for_each(|i| z[i * k + column] = chance.normal());
    }
    multiply_cholesky_lower(covariance.values(), m, z, k, drawn, run)?;
    let (mut values, _) = filled(m as u128 * k as u128, 0.0, "functions drawn from a process", alternative, run)?;
    for (at, value) in values.iter_mut().enumerate() {
        let (s, i, o) = (at / (m * c), at / c % m, at % c);
        *value = what.mean.map_or(0.0, |mean| mean[i * c + o]) + what.prior[o] * drawn[i * k + s * c + o];
    }
    Ok(Samples { values, count: what.count, points: m, outputs: c, jitter })
}

/// A factor in place. The covariance near the points seen may be nothing but rounding of the prior's,
/// beyond the ladder that starts at its own trace: then one that starts at the prior's.
fn factor(values: &mut [f64], m: usize, trace: f64, run: &Run) -> Result<f64> {
    let diagonal: Vec<f64> = (0..m).map(|i| values[i * m + i]).collect();
    let mut failed = match cholesky_in_place_with_jitter(values, m, run) {
        Ok(info) => return Ok(info.jitter),
        Err(error) => error,
    };
    for rung in 0..6 {
        let shift = f64::EPSILON * trace * 10f64.powi(rung);
        // The part below the diagonal is as it was.
        for i in 0..m {
            values[i * m + i] = diagonal[i] + shift;
            (0..i).for_each(|j| values[j * m + i] = values[i * m + j]);
        }
        match cholesky_in_place_with_jitter(values, m, run) {
            Ok(info) => return Ok(shift + info.jitter),
            Err(error @ Error::NotPositiveDefinite { .. }) => failed = error,
            Err(other) => return Err(other),
        }
    }
    Err(failed)
}
