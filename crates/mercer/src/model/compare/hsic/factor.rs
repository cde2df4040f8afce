//! Low-rank factors of both variables, when they are short enough to pay.

use crate::error::Result;
use crate::gram::KernelColumns;
use crate::linalg::{PivotedCholesky, PivotedParams, PivotedStop, pivoted_cholesky};
use crate::run::Run;

use crate::model::compare::variable::Centred;

/// Multiply-adds of a matrix product in the time of one gather from a row in the nearest cache: a permutation costs
/// n·p·q of the former or n²/2 of the latter.
const PER_GATHER: usize = 8;

/// K̃ ≈ ΨΨᵀ and L̃ ≈ ΦΦᵀ.
pub(super) struct Factors {
    /// Ψ, row-major: n×p.
    pub(super) left: Vec<f64>,
    /// Φ, row-major: n×q.
    pub(super) right: Vec<f64>,
    pub(super) ranks: [usize; 2],
    /// A bound of |F − F̂| for every permutation.
    pub(super) error: f64,
}

/// Factors with p·q small enough, or none.
pub(super) fn factors(k: &Centred, l: &Centred, run: &Run) -> Result<Option<Factors>> {
    let n = k.n();
    let most = n * PER_GATHER / 2;
    let first = (most as f64).sqrt().ceil() as usize;
    let (mut a, mut b) = (factor(k, first, run)?, factor(l, first, run)?);
    // A short factor allows the other one to be longer.
    match (is_whole(&a), is_whole(&b)) {
        (false, false) => return Ok(None),
        (true, false) => b = factor(l, most / a.rank().max(1), run)?,
        (false, true) => a = factor(k, most / b.rank().max(1), run)?,
        (true, true) => {}
    }
    if !(is_whole(&a) && is_whole(&b)) {
        return Ok(None);
    }
    let ranks = [a.rank(), b.rank()];
    Ok(Some(Factors { left: a.rows(), right: b.rows(), ranks, error: error(k, l, &a, &b) }))
}

fn factor(side: &Centred, most: usize, run: &Run) -> Result<PivotedCholesky> {
    let params = PivotedParams { max_rank: Some(most.min(side.n())), tolerance: None };
    let factor = pivoted_cholesky(&KernelColumns(&side.gram), &params, run)?;
    match factor.stop() {
        PivotedStop::Deadline | PivotedStop::Interrupted => {
            run.task("factor", None).step_or_cancel()?;
            Ok(factor)
        }
        _ => Ok(factor),
    }
}

fn is_whole(factor: &PivotedCholesky) -> bool {
    matches!(factor.stop(), PivotedStop::Tolerance | PivotedStop::FullRank)
}

/// |tr(K̃·PL̃Pᵀ) − tr(ΨΨᵀ·PΦΦᵀPᵀ)| ≤ ‖E_K‖·‖L̃‖_F + ‖E_L‖·‖K̃‖_F for the remainders E, whose norm is at most their trace
/// and what rounding hides of it.
fn error(k: &Centred, l: &Centred, a: &PivotedCholesky, b: &PivotedCholesky) -> f64 {
    let remainder = |side: &Centred, f: &PivotedCholesky| f.residual_trace().abs() + side.n() as f64 * side.rounding();
    remainder(k, a) * l.norm() + remainder(l, b) * k.norm()
}
