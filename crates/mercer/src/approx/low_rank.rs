//! P = F·Fᵀ + shift·I, and its inverse.

use crate::error::{Error, Result};
use crate::linalg::{cholesky_in_place_with_jitter, filled, multiply, multiply_first_transposed, solve_cholesky};
use crate::run::{Reservation, Run};
use crate::solver::Preconditioner;

use super::RpCholesky;

/// P = F·Fᵀ + shift·I of a low-rank factor, inverted by Woodbury's identity:
/// P⁻¹v = (v − F·(shift·I + FᵀF)⁻¹·Fᵀv)/shift. 4n·rank multiplications a vector.
#[derive(Debug)]
pub struct LowRankPlusShift {
    factor: RpCholesky,
    shift: f64,
    /// The Cholesky factor of shift·I + FᵀF.
    inner: Vec<f64>,
    _reserved: Reservation,
}

impl LowRankPlusShift {
    /// Prepares the inverse; the shift must be positive.
    pub fn new(factor: RpCholesky, shift: f64, run: &Run) -> Result<Self> {
        if !(shift > 0.0 && shift.is_finite()) {
            return Err(Error::invalid("a preconditioner", "shift", shift, "a finite number > 0"));
        }
        let (n, r) = (factor.n(), factor.rank());
        let (mut inner, reserved) = filled((r * r) as u128, 0.0, "a preconditioner", "ask for a smaller rank", run)?;
        // The columns of F one after the other are Fᵀ, row-major.
        crate::linalg::multiply_transposed(factor.columns(), factor.columns(), [r, n, r], &mut inner, run)?;
        (0..r).for_each(|i| inner[i * r + i] += shift);
        cholesky_in_place_with_jitter(&mut inner, r, run)?;
        Ok(LowRankPlusShift { factor, shift, inner, _reserved: reserved })
    }

    /// Rank of the factor.
    pub fn rank(&self) -> usize {
        self.factor.rank()
    }
}

impl Preconditioner for LowRankPlusShift {
    fn solve(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let (n, r) = (self.factor.n(), self.factor.rank());
        if r == 0 {
            out.iter_mut().zip(v).for_each(|(o, v)| *o = v / self.shift);
            return Ok(());
        }
        let mut inner = vec![0.0; r * k];
        multiply(self.factor.columns(), v, [r, n, k], &mut inner, run)?;
        solve_cholesky(&self.inner, r, &mut inner, k, run)?;
        multiply_first_transposed(self.factor.columns(), &inner, [n, r, k], out, run)?;
        out.iter_mut().zip(v).for_each(|(o, v)| *o = (v - *o) / self.shift);
        Ok(())
    }
}
