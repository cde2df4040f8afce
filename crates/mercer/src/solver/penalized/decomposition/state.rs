//! Slopes with what follows from them.

use rayon::prelude::*;

use crate::run::Run;

use super::super::Penalized;
use super::super::pieces::Pieces;
use super::block::Block;

/// Rows that a thread brings up to date at a time.
const PART: usize = 1024;

/// How far slopes have come, in the units of the pieces.
pub(super) struct Measured {
    pub(super) b: f64,
    pub(super) primal: f64,
    /// ½VᵀQV + Σ (½dv² + shift·v), which rounds lower.
    pub(super) dual: f64,
    pub(super) gap: f64,
}

/// The slopes v, and Q·V.
pub(super) struct State<'a> {
    pub(super) problem: &'a Penalized<'a>,
    pub(super) pieces: &'a Pieces,
    /// Q = scale·K.
    pub(super) scale: f64,
    pub(super) v: Vec<f64>,
    /// Q·V, one a row.
    pub(super) product: Vec<f64>,
}

impl<'a> State<'a> {
    pub(super) fn new(problem: &'a Penalized<'a>, pieces: &'a Pieces, scale: f64) -> Self {
        let (v, product) = (vec![0.0; pieces.len()], vec![0.0; problem.n()]);
        State { problem, pieces, scale, v, product }
    }

    /// Minus the derivative by v: up is down.
    pub(super) fn pull(&self, j: usize) -> f64 {
        -(self.product[self.pieces.row[j]] + self.pieces.piece[j].shift + self.pieces.softness(j) * self.v[j])
    }

    pub(super) fn may_rise(&self, j: usize) -> bool {
        self.v[j] < self.pieces.bounds(j).1
    }

    pub(super) fn may_fall(&self, j: usize) -> bool {
        self.v[j] > self.pieces.bounds(j).0
    }

    /// Whether a slope lies between its bounds.
    pub(super) fn is_free(&self, j: usize) -> bool {
        self.may_rise(j) && self.may_fall(j)
    }

    /// Q between two rows.
    pub(super) fn q(&self, i: usize, j: usize) -> f64 {
        self.scale * self.problem.kernel[i * self.problem.n() + j]
    }

    pub(super) fn measure(&self) -> Measured {
        let b = self.intercept();
        let z: Vec<f64> = self.product.iter().map(|q| b - q).collect();
        let mut slopes = vec![0.0; self.problem.n()];
        self.pieces.by_row(|j| self.v[j], &mut slopes);
        let square: f64 = slopes.iter().zip(&self.product).map(|(v, q)| v * q).sum();
        let unbalanced = if self.problem.intercept { (b * slopes.iter().sum::<f64>()).abs() } else { 0.0 };
        Measured {
            b,
            primal: self.pieces.loss(&z) + 0.5 * square,
            dual: self.dual(),
            gap: self.pieces.slack(&z, &self.v) + unbalanced,
        }
    }

    /// ½VᵀQV + Σ (½dv² + shift·v).
    pub(super) fn dual(&self) -> f64 {
        let of = |j: usize| {
            let around = self.product[self.pieces.row[j]] + self.pieces.softness(j) * self.v[j];
            (0.5 * around + self.pieces.piece[j].shift) * self.v[j]
        };
        (0..self.v.len()).map(of).sum()
    }

    /// b at which free slopes are pulled nowhere: their mean, or the middle of what the others allow.
    fn intercept(&self) -> f64 {
        if !self.problem.intercept {
            return 0.0;
        }
        let free: Vec<f64> = (0..self.v.len()).filter(|j| self.is_free(*j)).map(|j| self.pull(j)).collect();
        if !free.is_empty() {
            return -free.iter().sum::<f64>() / free.len() as f64;
        }
        let (low, high) = self.reach();
        match (low.is_finite(), high.is_finite()) {
            (true, true) => -(low + 0.5 * (high - low)),
            (true, false) => -low,
            (false, true) => -high,
            (false, false) => 0.0,
        }
    }

    /// The largest pull of what may rise, and the least of what may fall.
    fn reach(&self) -> (f64, f64) {
        let all = || 0..self.v.len();
        let up = all().filter(|j| self.may_rise(*j)).map(|j| self.pull(j)).fold(f64::NEG_INFINITY, f64::max);
        let down = all().filter(|j| self.may_fall(*j)).map(|j| self.pull(j)).fold(f64::INFINITY, f64::min);
        (up, down)
    }

    /// Moves the slopes that break the conditions most.
    pub(super) fn move_block(&mut self, size: usize, run: &Run) {
        let chosen = self.violators(size);
        let mut block = Block::new(self, &chosen);
        block.settle(self.problem.intercept);
        let moved = block.into_values();
        self.take(&chosen, &moved, run);
    }

    /// The slopes pulled furthest from where they should be: half of them up and half down with an intercept, which
    /// makes them pay for each other.
    fn violators(&self, size: usize) -> Vec<usize> {
        let pulls: Vec<f64> = (0..self.v.len()).map(|j| self.pull(j)).collect();
        let most = |allowed: &dyn Fn(usize) -> bool, sign: f64, count: usize| -> Vec<usize> {
            let mut all: Vec<usize> = (0..pulls.len()).filter(|j| allowed(*j)).collect();
            let order = |a: &usize, b: &usize| (sign * pulls[*b]).total_cmp(&(sign * pulls[*a])).then(a.cmp(b));
            if all.len() > count {
                all.select_nth_unstable_by(count, order);
                all.truncate(count);
            }
            all.sort_unstable_by(order);
            all
        };
        let up = most(&|j| self.may_rise(j) && (self.problem.intercept || pulls[j] > 0.0), 1.0, size / 2);
        let down = most(&|j| self.may_fall(j) && (self.problem.intercept || pulls[j] < 0.0), -1.0, size / 2);
        let mut chosen: Vec<usize> = up.into_iter().chain(down).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    /// Takes new values of some slopes, and brings Q·V up to date.
    pub(super) fn take(&mut self, chosen: &[usize], values: &[f64], run: &Run) {
        let mut moved: Vec<(usize, f64)> = Vec::new();
        for (&j, &value) in chosen.iter().zip(values) {
            let by = value - self.v[j];
            if by != 0.0 {
                moved.push((self.pieces.row[j], by * self.scale));
                self.v[j] = value;
            }
        }
        let (n, kernel) = (self.problem.n(), self.problem.kernel);
        // Cut the same way whatever the number of threads, and added in the same order.
        let part = |(at, out): (usize, &mut [f64])| {
            let first = at * PART;
            for (row, by) in &moved {
                let values = &kernel[row * n + first..row * n + first + out.len()];
                out.iter_mut().zip(values).for_each(|(q, k)| *q = by.mul_add(*k, *q));
            }
        };
        let product = &mut self.product;
        run.install(|| product.par_chunks_mut(PART).enumerate().for_each(part));
    }
}
