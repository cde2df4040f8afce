//! One of two inputs: its rows in feature space, centred, and whitened as far as the penalty lets them be.

use crate::error::Result;
use crate::gram::KernelColumns;
use crate::gram::KernelMatrix;
use crate::linalg::{
    PivotedParams, cholesky_in_place_with_jitter, dot, filled, multiply_transposed, pivoted_cholesky,
    solve_cholesky_lower,
};
use crate::run::{Reservation, Run};

/// W with W·Wᵀ = A·(A + alpha·I)⁻¹ for the centred matrix A = P^(½)·K̃·P^(½) of an input, transposed: rank×rows.
pub(super) struct View {
    pub(super) whitened: Vec<f64>,
    pub(super) rank: usize,
    _reserved: Reservation,
}

impl View {
    /// From the kernel matrix and the shares of the rows. With A = B·Bᵀ and L·Lᵀ = BᵀB + alpha·I, W = B·L⁻ᵀ.
    pub(super) fn new(matrix: &dyn KernelMatrix, shares: &[f64], alpha: f64, run: &Run) -> Result<Self> {
        let n = shares.len();
        let task = run.task("the factor of an input", Some(1));
        let factor = pivoted_cholesky(&KernelColumns(matrix), &PivotedParams::default(), run)?;
        // A factor that was stopped half-way is of another matrix.
        task.step_or_cancel()?;
        let r = factor.rank();
        let alternative = "use fewer rows, or a smoother kernel";
        let size = n as u128 * r as u128;
        let (mut b, reserved) = filled(size, 0.0, "the factor of an input", alternative, run)?;
        for (c, row) in b.chunks_mut(n).enumerate() {
            let column = factor.column(c);
            let mean = dot(column, shares);
            row.iter_mut().zip(column.iter().zip(shares)).for_each(|(b, (v, p))| *b = p.sqrt() * (v - mean));
        }
        let (mut inner, _kept) = filled(r as u128 * r as u128, 0.0, "the covariance of an input", alternative, run)?;
        multiply_transposed(&b, &b, [r, n, r], &mut inner, run)?;
        (0..r).for_each(|l| inner[l * r + l] += alpha);
        cholesky_in_place_with_jitter(&mut inner, r, run)?;
        solve_cholesky_lower(&inner, r, &mut b, n, run)?;
        Ok(View { whitened: b, rank: r, _reserved: reserved })
    }

    /// W·u.
    pub(super) fn values(&self, u: &[f64]) -> Vec<f64> {
        let n = self.whitened.len() / self.rank.max(1);
        let mut values = vec![0.0; n];
        for (row, u) in self.whitened.chunks(n.max(1)).zip(u) {
            values.iter_mut().zip(row).for_each(|(v, w)| *v = u.mul_add(*w, *v));
        }
        values
    }
}
