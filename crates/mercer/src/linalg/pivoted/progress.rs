//! The decision of every step: which pivot, or why none.

use crate::error::{Error, Result};
use crate::run::{Run, Work};

use super::{PivotedParams, PivotedStop, indefinite};

/// Values this many times the rounding of a full factor below zero are not rounding.
const CERTAIN: f64 = 100.0;

/// The remaining diagonal, and the limits that end the work.
pub(super) struct Progress<'a> {
    pub(super) residual: Vec<f64>,
    pub(super) trace: f64,
    pub(super) tolerance: f64,
    rounding: f64,
    max_rank: usize,
    task: Work<'a>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(diagonal: Vec<f64>, params: &PivotedParams, run: &'a Run) -> Result<Self> {
        if let Some(first_row) = diagonal.iter().position(|d| !d.is_finite()) {
            return Err(Error::NonFinite {
                place: "the diagonal of the matrix".into(),
                count: diagonal.iter().filter(|d| !d.is_finite()).count(),
                total: diagonal.len(),
                first_row,
                what: "NaN or infinite".into(),
            });
        }
        let n = diagonal.len();
        let largest = diagonal.iter().copied().fold(0.0, f64::max);
        let relative = params.tolerance.unwrap_or(n as f64 * f64::EPSILON);
        if !(0.0..1.0).contains(&relative) {
            return Err(Error::invalid("the pivoted Cholesky factor", "tolerance", relative, "from 0 to below 1"));
        }
        let max_rank = params.max_rank.unwrap_or(n).min(n);
        Ok(Progress {
            trace: diagonal.iter().sum(),
            tolerance: relative * largest,
            rounding: CERTAIN * n as f64 * f64::EPSILON * largest,
            residual: diagonal,
            max_rank,
            task: run.task("factor", Some(max_rank as u64)),
        })
    }

    /// The position from `first` on with the largest remaining value, or why to stop. `name` gives
    /// the point at a position.
    pub(super) fn next(
        &mut self,
        first: usize,
        rank: usize,
        name: impl Fn(usize) -> usize,
    ) -> Result<Result<usize, PivotedStop>> {
        let mut best: Option<usize> = None;
        for at in first..self.residual.len() {
            let d = self.residual[at];
            if d < -self.rounding {
                return Err(indefinite(name(at), d));
            }
            let better = |b: usize| d > self.residual[b] || (d == self.residual[b] && name(at) < name(b));
            if best.is_none_or(better) {
                best = Some(at);
            }
        }
        let Some(pivot) = best.filter(|_| rank < self.residual.len()) else {
            return Ok(Err(PivotedStop::FullRank));
        };
        if self.residual[pivot] <= self.tolerance {
            return Ok(Err(PivotedStop::Tolerance));
        }
        if rank == self.max_rank {
            return Ok(Err(PivotedStop::MaxRank));
        }
        match self.task.step(Some(self.residual[pivot])) {
            Some(reason) => Ok(Err(reason.into())),
            None => Ok(Ok(pivot)),
        }
    }

    /// Takes the squares of a new column off the remaining diagonal.
    pub(super) fn take_off(&mut self, first: usize, column: &[f64]) {
        self.residual[first..].iter_mut().zip(column).for_each(|(d, b)| *d -= b * b);
    }

    /// Magnitudes that rounding alone may leave.
    pub(super) fn rounding(&self) -> f64 {
        self.rounding
    }

    /// The remaining diagonal as it is reported: rounding below zero is zero.
    pub(super) fn finished(&mut self) -> Vec<f64> {
        let mut residual = std::mem::take(&mut self.residual);
        residual.iter_mut().for_each(|d| *d = d.max(0.0));
        residual
    }
}
