//! (scale·K + S⁻¹)⁻¹ for a diagonal S > 0, by the factor of B = I + scale·√S·K·√S.
//!
//! B is positive definite with no eigenvalue below 1, however small the entries of S are; reference:
//! Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, equation 3.26.

use rayon::prelude::*;

use crate::error::Result;
use crate::linalg::{cholesky_in_place_with_jitter, filled, solve_cholesky};
use crate::run::{Reservation, Run};

/// The factor, in memory that is used again for every S.
pub(super) struct Shifted {
    factor: Vec<f64>,
    roots: Vec<f64>,
    _reservation: Reservation,
    /// The largest jitter so far.
    pub(super) jitter: f64,
}

impl Shifted {
    /// Reserves the memory.
    pub(super) fn reserve(n: usize, run: &Run) -> Result<Self> {
        let alternative = "use fewer rows, or raise the memory limit";
        let purpose = format!("the factor of a {n}×{n} system");
        let (factor, reservation) = filled(n as u128 * n as u128, 0.0, &purpose, alternative, run)?;
        Ok(Shifted { factor, roots: vec![0.0; n], _reservation: reservation, jitter: 0.0 })
    }

    /// Factors B for a new S.
    pub(super) fn refactor(&mut self, kernel: &[f64], scale: f64, s: &[f64], run: &Run) -> Result<()> {
        let n = s.len();
        self.roots.iter_mut().zip(s).for_each(|(r, s)| *r = s.sqrt());
        let roots = &self.roots;
        let rows = self.factor.par_chunks_mut(n).zip(kernel.par_chunks(n)).enumerate();
        run.install(|| {
            rows.for_each(|(i, (out, row))| {
                let own = scale * roots[i];
                out.iter_mut().zip(row.iter().zip(roots)).for_each(|(o, (k, r))| *o = own * k * r);
                out[i] += 1.0;
            })
        });
        let info = cholesky_in_place_with_jitter(&mut self.factor, n, run)?;
        self.jitter = self.jitter.max(info.jitter);
        Ok(())
    }

    /// Replaces R: n×k by (scale·K + S⁻¹)⁻¹·R = √S·B⁻¹·√S·R.
    pub(super) fn solve(&self, r: &mut [f64], k: usize, run: &Run) -> Result<()> {
        self.scale_rows(r, k);
        solve_cholesky(&self.factor, self.roots.len(), r, k, run)?;
        self.scale_rows(r, k);
        Ok(())
    }

    fn scale_rows(&self, r: &mut [f64], k: usize) {
        for (row, root) in r.chunks_mut(k).zip(&self.roots) {
            row.iter_mut().for_each(|v| *v *= root);
        }
    }
}
