//! Pivoted Cholesky: K ≈ B·Bᵀ with as few columns as the tolerance allows.
//!
//! The pivot of every step is the point whose remaining diagonal value is largest, the first of
//! them where several tie. Two ways lead to the same pivots: [`pivoted_cholesky`] asks for one
//! column of K a step and stores B alone; [`pivoted_cholesky_dense`] works in a stored matrix,
//! which is faster when the rank is near n.
//!
//! Reference: Harbrecht, Peters, Schneider, On the low-rank approximation by the pivoted Cholesky
//! decomposition, Applied Numerical Mathematics 62 (2012); for the blocks, Lucas, LAPACK-style
//! codes for level 2 and 3 pivoted Cholesky factorizations, LAPACK Working Note 161 (2004).

mod progress;
mod stored;
mod streamed;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::run::{Reservation, Run, StopReason};

pub use stored::pivoted_cholesky_dense;
pub use streamed::pivoted_cholesky;

/// A symmetric matrix whose columns can be asked for.
pub trait ColumnSource: Sync {
    /// Number of rows.
    fn dim(&self) -> usize;

    /// Writes the diagonal.
    fn diag(&self, out: &mut [f64]);

    /// Writes column `j`.
    fn column(&self, j: usize, out: &mut [f64], run: &Run) -> Result<()>;
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct PivotedParams {
    /// The largest rank; all of n without one.
    pub max_rank: Option<usize>,
    /// Stops when no remaining diagonal value is above this times the largest diagonal value.
    /// n·ε without one, which is where rounding begins.
    pub tolerance: Option<f64>,
}

/// Why the factor has the rank it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PivotedStop {
    /// Nothing above the tolerance is left: this is the numerical rank.
    Tolerance,
    /// The largest rank that was asked for is reached, with more left.
    MaxRank,
    /// Every point is a pivot: the matrix has full rank.
    FullRank,
    /// The deadline passed; the factor is of the rank reached by then.
    Deadline,
    /// An interrupt; the factor is of the rank reached by then.
    Interrupted,
}

impl PivotedStop {
    /// The reason as a sentence.
    pub fn describe(self) -> &'static str {
        match self {
            PivotedStop::Tolerance => "no remaining diagonal value is above the tolerance",
            PivotedStop::MaxRank => "the largest rank that was asked for is reached",
            PivotedStop::FullRank => "every point is a pivot",
            PivotedStop::Deadline => "the deadline passed",
            PivotedStop::Interrupted => "an interrupt",
        }
    }
}

impl From<StopReason> for PivotedStop {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::Deadline => PivotedStop::Deadline,
            StopReason::Interrupted => PivotedStop::Interrupted,
        }
    }
}

/// B of K ≈ B·Bᵀ, and how its rank was decided.
#[derive(Debug)]
pub struct PivotedCholesky {
    pub(super) n: usize,
    /// The columns of B, one after the other.
    pub(super) columns: Vec<f64>,
    pub(super) pivots: Vec<usize>,
    pub(super) trace: f64,
    pub(super) residual: Vec<f64>,
    pub(super) tolerance: f64,
    pub(super) stop: PivotedStop,
    pub(super) _reserved: Vec<Reservation>,
}

impl PivotedCholesky {
    /// Number of rows.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Number of columns of B.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// The pivots, in the order they were chosen.
    pub fn pivots(&self) -> &[usize] {
        &self.pivots
    }

    /// Column `c` of B. It is zero at the pivots of the columns before it.
    pub fn column(&self, c: usize) -> &[f64] {
        &self.columns[c * self.n..(c + 1) * self.n]
    }

    /// B, row-major: n×rank.
    pub fn rows(&self) -> Vec<f64> {
        let r = self.rank();
        let mut rows = vec![0.0; self.n * r];
        for (c, column) in self.columns.chunks(self.n.max(1)).enumerate() {
            column.iter().enumerate().for_each(|(i, b)| rows[i * r + c] = *b);
        }
        rows
    }

    /// The rows of B at the pivots, row-major: a lower triangular r×r matrix L with L·Lᵀ = K there.
    pub fn triangle(&self) -> Vec<f64> {
        let r = self.rank();
        let entry = |at: usize| if at % r > at / r { 0.0 } else { self.column(at % r)[self.pivots[at / r]] };
        (0..r * r).map(entry).collect()
    }

    /// The trace of K.
    pub fn trace(&self) -> f64 {
        self.trace
    }

    /// The diagonal of K − B·Bᵀ. Of a positive semi-definite K, it bounds every entry:
    /// |K − B·Bᵀ|ᵢⱼ ≤ √(residualᵢ·residualⱼ), with residuals known to n·ε times the largest value of K.
    pub fn residual(&self) -> &[f64] {
        &self.residual
    }

    /// The trace of K − B·Bᵀ, which is its nuclear norm when K is positive semi-definite.
    pub fn residual_trace(&self) -> f64 {
        self.residual.iter().sum()
    }

    /// The tolerance, in units of the diagonal.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Why it stopped.
    pub fn stop(&self) -> PivotedStop {
        self.stop
    }
}

/// A remaining diagonal value so far below zero that it cannot be rounding.
fn indefinite(pivot: usize, value: f64) -> Error {
    Error::NotPositiveDefinite {
        stage: "the pivoted Cholesky factor of a matrix that is not positive semi-definite".into(),
        pivot,
        value,
        jitter: 0.0,
    }
}
