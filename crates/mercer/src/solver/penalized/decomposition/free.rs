//! The slopes between their bounds, all at once.

use crate::error::{Error, Result};
use crate::linalg::{cholesky_in_place_with_jitter, solve_cholesky};
use crate::run::Run;

use super::state::State;

/// Free slopes whose system is still cheap beside the rounds that it saves.
const MOST: usize = 4096;
/// Systems that are solved in a row, each with the slopes that the last one led to a bound left out.
const STEPS: usize = 12;

impl State<'_> {
    /// Solves for the free slopes and goes there, those that would pass a bound to that bound; where that raises the dual
    /// objective, only as far as all may go. Again without those that reached a bound.
    pub(super) fn solve_free(&mut self, run: &Run) -> Result<()> {
        for _ in 0..STEPS {
            let free: Vec<usize> = (0..self.v.len()).filter(|j| self.is_free(*j)).collect();
            if free.len() < 2 || free.len() > MOST {
                return Ok(());
            }
            let Some(step) = self.newton_step(&free, run)? else { return Ok(()) };
            let (before, dual) = (free.iter().map(|j| self.v[*j]).collect::<Vec<_>>(), self.dual());
            let there = self.projected(&free, &step);
            self.take(&free, &there, run);
            if self.dual() > dual {
                self.take(&free, &before, run);
                let (length, there) = self.first_bound(&free, &step);
                self.take(&free, &there, run);
                if length == 1.0 {
                    return Ok(());
                }
            } else if free.iter().all(|j| self.is_free(*j)) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The ends of a step, none beyond its bound; with an intercept, those within take back what the others lack of the sum.
    fn projected(&self, free: &[usize], step: &[f64]) -> Vec<f64> {
        let bounds: Vec<(f64, f64)> = free.iter().map(|j| self.pieces.bounds(*j)).collect();
        let end = |((j, by), (low, high)): ((&usize, &f64), &(f64, f64))| (self.v[*j] + by).clamp(*low, *high);
        let mut there: Vec<f64> = free.iter().zip(step).zip(&bounds).map(end).collect();
        if !self.problem.intercept {
            return there;
        }
        for _ in 0..4 {
            let over: f64 = there.iter().zip(free).map(|(to, j)| to - self.v[*j]).sum();
            let room = |to: f64, (low, high): (f64, f64)| if over > 0.0 { to - low } else { high - to };
            let within = |to: f64, bounds: (f64, f64)| {
                if to > bounds.0 && to < bounds.1 { room(to, bounds).min(1e300) } else { 0.0 }
            };
            let total: f64 = there.iter().zip(&bounds).map(|(to, b)| within(*to, *b)).sum();
            if over == 0.0 || total <= over.abs() {
                break;
            }
            for (to, b) in there.iter_mut().zip(&bounds) {
                *to -= over * (within(*to, *b) / total);
            }
        }
        there
    }

    /// The share of a step up to the first bound, at most 1, and where it leads: what limits it lands on its bound to the last
    /// digit.
    fn first_bound(&self, free: &[usize], step: &[f64]) -> (f64, Vec<f64>) {
        let length = self.room(free, step);
        let to = |(j, by): (&usize, &f64)| {
            let (low, high) = self.pieces.bounds(*j);
            match *by {
                by if by > 0.0 && (high - self.v[*j]) / by <= length => high,
                by if by < 0.0 && (low - self.v[*j]) / by <= length => low,
                by => (self.v[*j] + length * by).clamp(low, high),
            }
        };
        (length, free.iter().zip(step).map(to).collect())
    }

    /// The step to the minimum over the free slopes, which keeps their sum where there is an intercept; nothing where their
    /// system has no good solution.
    fn newton_step(&self, free: &[usize], run: &Run) -> Result<Option<Vec<f64>>> {
        let m = free.len();
        // Without the memory for it, pairs go on.
        let Ok(_reserved) = run.reserve(8 * (m as u128).pow(2), "the system of free slopes", "raise alpha") else {
            return Ok(None);
        };
        let mut system = vec![0.0; m * m];
        for (row, &i) in system.chunks_mut(m).zip(free) {
            let own = self.pieces.row[i];
            row.iter_mut().zip(free).for_each(|(q, &j)| *q = self.q(own, self.pieces.row[j]));
        }
        (0..m).for_each(|at| system[at * m + at] += self.pieces.softness(free[at]));
        // A stop is seen after the round, which ends without this step.
        match cholesky_in_place_with_jitter(&mut system, m, run) {
            Ok(_) => {}
            Err(Error::Memory { .. } | Error::Cancelled { .. } | Error::NotPositiveDefinite { .. }) => return Ok(None),
            Err(other) => return Err(other),
        }
        let pulls: Vec<f64> = free.iter().map(|&j| self.pull(j)).collect();
        let mut right: Vec<f64> = pulls.iter().flat_map(|p| [*p, 1.0]).collect();
        if let Err(stop) = solve_cholesky(&system, m, &mut right, 2, run) {
            return if matches!(stop, Error::Cancelled { .. }) { Ok(None) } else { Err(stop) };
        }
        let (step, ones): (Vec<f64>, Vec<f64>) = right.chunks(2).map(|pair| (pair[0], pair[1])).unzip();
        if !self.problem.intercept {
            return Ok(Some(step).filter(|s| s.iter().all(|v| v.is_finite())));
        }
        let b = step.iter().sum::<f64>() / ones.iter().sum::<f64>();
        let balanced: Vec<f64> = step.iter().zip(&ones).map(|(s, o)| s - b * o).collect();
        Ok(Some(balanced).filter(|s| s.iter().all(|v| v.is_finite())))
    }

    /// The share of a step up to the first bound, at most 1.
    fn room(&self, free: &[usize], step: &[f64]) -> f64 {
        let until = |(j, by): (&usize, &f64)| {
            let (low, high) = self.pieces.bounds(*j);
            match *by {
                by if by > 0.0 => (high - self.v[*j]) / by,
                by if by < 0.0 => (low - self.v[*j]) / by,
                _ => f64::INFINITY,
            }
        };
        free.iter().zip(step).map(until).fold(1.0, f64::min)
    }
}
