//! The variables between their bounds, all at once.
//!
//! Pairs come near the minimum quickly, and slowly to it where many variables are free. Here the free ones solve their system,
//! and those that would pass a bound stay at it.
//!
//! **Reference** Vishwanathan, Smola, Murty (2003), *SimpleSVM*, ICML.

use crate::error::{Error, Result};
use crate::linalg::{cholesky_in_place_with_jitter, dot, solve_cholesky};
use crate::run::Run;

use super::{Program, Sums};

/// Systems that are solved in a row, each without the variables that the last one led to a bound.
const STEPS: usize = 4;
/// How often what variables at a bound lack of a sum is spread over the others.
const SPREADS: usize = 8;

/// Some variables with K between them, in double precision.
pub(super) struct Free {
    pub(super) v: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    pull: Vec<f64>,
    /// Which variables each sum holds.
    sums: Vec<Vec<bool>>,
    /// Row-major.
    kernel: Vec<f64>,
}

impl Free {
    pub(super) fn new(program: &Program<'_>, chosen: &[u32], kernel: Vec<f64>, (v, pulls): (&[f64], &[f64])) -> Self {
        let each = |of: &[f64]| chosen.iter().map(|j| of[*j as usize]).collect();
        let sides = match program.sums {
            Sums::None => 0,
            Sums::Together => 1,
            Sums::BySide => 2,
        };
        let held = |side: usize| chosen.iter().map(|j| program.side(*j as usize) == side).collect();
        Free {
            v: each(v),
            low: each(&program.low),
            high: each(&program.high),
            pull: each(pulls),
            sums: (0..sides).map(held).collect(),
            kernel,
        }
    }

    /// Solves for the variables between their bounds and goes there, those that would pass a bound to that bound; where that raises
    /// the objective, only as far as all may go. Again without those that reached a bound. How many systems there were.
    pub(super) fn settle(&mut self, run: &Run) -> Result<u64> {
        for done in 0..STEPS {
            let inside: Vec<usize> = (0..self.v.len()).filter(|j| self.is_inside(*j)).collect();
            if inside.len() < 2 {
                return Ok(done as u64);
            }
            let Some(step) = self.newton_step(&inside, run)? else { return Ok(done as u64) };
            let whole = self.projected(&inside, &step).is_some_and(|there| self.take_if_lower(&inside, &there));
            let all_inside = inside.iter().all(|j| self.is_inside(*j));
            if whole && all_inside || !whole && !self.go_to_first_bound(&inside, &step) {
                return Ok(done as u64 + 1);
            }
        }
        Ok(STEPS as u64)
    }

    fn is_inside(&self, j: usize) -> bool {
        self.v[j] > self.low[j] && self.v[j] < self.high[j]
    }

    /// The step to the minimum over some variables that keeps their sums; nothing where their system has no good solution, or where
    /// there is no memory or time for it.
    fn newton_step(&self, inside: &[usize], run: &Run) -> Result<Option<Vec<f64>>> {
        let (m, all) = (inside.len(), self.v.len());
        let mut system = Vec::with_capacity(m * m);
        inside.iter().for_each(|i| system.extend(inside.iter().map(|j| self.kernel[i * all + j])));
        let factored = cholesky_in_place_with_jitter(&mut system, m, run);
        let columns = 1 + self.sums.len();
        let mut right = Vec::with_capacity(m * columns);
        for j in inside {
            right.push(self.pull[*j]);
            right.extend(self.sums.iter().map(|held| f64::from(u8::from(held[*j]))));
        }
        let solved = factored.and_then(|_| solve_cholesky(&system, m, &mut right, columns, run));
        match solved {
            Ok(_) => {}
            Err(Error::Memory { .. } | Error::Cancelled { .. } | Error::NotPositiveDefinite { .. }) => return Ok(None),
            Err(other) => return Err(other),
        }
        let step = self.balanced(inside, &right);
        Ok(Some(step).filter(|s| s.iter().all(|v| v.is_finite())))
    }

    /// The first column of the solutions, less as much of the others as keeps every sum.
    fn balanced(&self, inside: &[usize], solved: &[f64]) -> Vec<f64> {
        let columns = 1 + self.sums.len();
        let total = |side: usize, column: usize| -> f64 {
            let rows = inside.iter().zip(solved.chunks(columns));
            rows.filter(|(j, _)| self.sums[side][**j]).map(|(_, row)| row[column]).sum()
        };
        // A sum that holds none of them stays as it is.
        let safe = |x: f64| if x > 0.0 { x } else { 1.0 };
        let by: Vec<f64> = match self.sums.len() {
            0 => Vec::new(),
            1 => vec![total(0, 0) / safe(total(0, 1))],
            _ => {
                let (a, b, d) = (safe(total(0, 1)), total(0, 2), safe(total(1, 2)));
                let (r, s) = (total(0, 0), total(1, 0));
                let determinant = a * d - b * b;
                vec![(r * d - b * s) / determinant, (a * s - b * r) / determinant]
            }
        };
        let one = |row: &[f64]| row[0] - by.iter().zip(&row[1..]).map(|(by, x)| by * x).sum::<f64>();
        let mut step: Vec<f64> = solved.chunks(columns).map(one).collect();
        // Of a system that is nearly singular, solutions are so large that their rounding is a sum of its own.
        for held in self.sums.iter().chain(&self.sums) {
            let own: Vec<usize> = (0..inside.len()).filter(|at| held[inside[*at]]).collect();
            let mean = own.iter().map(|at| step[*at]).sum::<f64>() / own.len().max(1) as f64;
            own.iter().for_each(|at| step[*at] -= mean);
        }
        step
    }

    /// The ends of a step, none beyond its bound, with the same sums; nothing where those within have no room for that.
    fn projected(&self, inside: &[usize], step: &[f64]) -> Option<Vec<f64>> {
        let end = |(j, by): (&usize, &f64)| (self.v[*j] + by).clamp(self.low[*j], self.high[*j]);
        let mut there: Vec<f64> = inside.iter().zip(step).map(end).collect();
        for held in &self.sums {
            let own: Vec<usize> = (0..inside.len()).filter(|at| held[inside[*at]]).collect();
            for spread in 0.. {
                let over: f64 = own.iter().map(|at| there[*at] - self.v[inside[*at]]).sum();
                let room = |at: usize| {
                    let (to, low, high) = (there[at], self.low[inside[at]], self.high[inside[at]]);
                    let room = if over > 0.0 { to - low } else { high - to };
                    if to > low && to < high { room.min(1e300) } else { 0.0 }
                };
                let rooms: Vec<f64> = own.iter().map(|at| room(*at)).collect();
                let total: f64 = rooms.iter().sum();
                if over.abs() <= 1e-15 * own.iter().map(|at| there[*at].abs()).sum::<f64>() {
                    break;
                }
                if total <= over.abs() || spread == SPREADS {
                    return None;
                }
                own.iter().zip(&rooms).for_each(|(at, room)| there[*at] -= over * (room / total));
            }
        }
        Some(there)
    }

    /// Goes there if the objective falls by it; whether it does.
    fn take_if_lower(&mut self, inside: &[usize], there: &[f64]) -> bool {
        let mut by = vec![0.0; self.v.len()];
        inside.iter().zip(there).for_each(|(j, to)| by[*j] = to - self.v[*j]);
        let product: Vec<f64> = self.kernel.chunks(self.v.len()).map(|row| dot(row, &by)).collect();
        let falls = 0.5 * dot(&product, &by) < dot(&self.pull, &by);
        if !falls {
            return false;
        }
        inside.iter().zip(there).for_each(|(j, to)| self.v[*j] = *to);
        self.pull.iter_mut().zip(&product).for_each(|(pull, p)| *pull -= p);
        true
    }

    /// Goes as far as all may go: what limits the step lands on its bound to the last digit. Whether one is left to go on without it.
    fn go_to_first_bound(&mut self, inside: &[usize], step: &[f64]) -> bool {
        let until = |(j, by): (&usize, &f64)| match *by {
            by if by > 0.0 => (self.high[*j] - self.v[*j]) / by,
            by if by < 0.0 => (self.low[*j] - self.v[*j]) / by,
            _ => f64::INFINITY,
        };
        let length = inside.iter().zip(step).map(until).fold(1.0, f64::min);
        let end = |(j, by): (&usize, &f64)| match until((j, by)) <= length {
            true if *by > 0.0 => self.high[*j],
            true => self.low[*j],
            false => (self.v[*j] + length * by).clamp(self.low[*j], self.high[*j]),
        };
        let there: Vec<f64> = inside.iter().zip(step).map(end).collect();
        self.take_if_lower(inside, &there) && length < 1.0
    }
}
