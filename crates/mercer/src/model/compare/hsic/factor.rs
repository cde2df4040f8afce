//! Low-rank factors of both variables, when they are short enough to pay.

use crate::error::Result;
use crate::run::Run;

use crate::model::compare::variable::{Centred, Short};

/// Multiply-adds of a matrix product in the time of one gather from a row in the nearest cache: a permutation costs
/// n·p·q of the former or n²/2 of the latter.
const PER_GATHER: usize = 16;

/// K̃ ≈ ΨΨᵀ and L̃ ≈ ΦΦᵀ.
pub(super) struct Factors {
    pub(super) left: Short,
    pub(super) right: Short,
    /// A bound of |F − F̂| for every permutation.
    pub(super) error: f64,
}

/// Factors of ranks p and q with p·q small enough, or none.
pub(super) fn factors(k: &Centred, l: &Centred, run: &Run) -> Result<Option<Factors>> {
    let most = k.n() * PER_GATHER / 2;
    let first = (most as f64).sqrt().ceil() as usize;
    let (mut left, mut right) = (k.short(first, run)?, l.short(first, run)?);
    // A short factor allows the other one to be longer.
    match (&left, &right) {
        (Some(a), None) => right = l.short(most / a.rank.max(1), run)?,
        (None, Some(b)) => left = k.short(most / b.rank.max(1), run)?,
        _ => {}
    }
    Ok(left.zip(right).map(|(left, right)| {
        // |tr(K̃·PL̃Pᵀ) − tr(ΨΨᵀ·PΦΦᵀPᵀ)| ≤ ‖K̃ − ΨΨᵀ‖·‖L̃‖ + ‖L̃ − ΦΦᵀ‖·‖ΨΨᵀ‖, in Frobenius norms.
        let error = left.remainder * l.norm() + right.remainder * (k.norm() + left.remainder);
        Factors { left, right, error }
    }))
}
