//! A working set that settles among itself while all other variables stand still.

use rayon::prelude::*;

use super::pick::{gains, largest, place_of};
use super::update::{drop_pair, drop_pulls};
use super::{Program, Row, Sums};

/// The share of the first violation at which variables have settled.
const SETTLED: f64 = 0.1;
/// Moves for each variable, after which the rest is told of them.
const MOVES: u64 = 20;

/// The variables of a working set, with K between their rows.
pub(super) struct Block {
    pub(super) v: Vec<f64>,
    /// The row of each variable, counted among the rows of the working set.
    pub(super) row: Vec<usize>,
    low: Vec<f64>,
    high: Vec<f64>,
    pull: Vec<f64>,
    side: Vec<u8>,
    sums: Sums,
    /// For each sum, 0 for variables of it that may rise and −∞ for all others; and 0 or ∞ for those that may fall.
    rising: [Vec<f64>; 2],
    falling: [Vec<f64>; 2],
    /// K between the variables, row-major.
    kernel: Vec<f32>,
    diagonal: Vec<f64>,
    /// What each fall beside the largest rise would gain.
    gain: Vec<f64>,
}

/// Two variables that move against each other, or one alone.
#[derive(Clone, Copy)]
struct Move {
    up: Option<usize>,
    down: Option<usize>,
    /// The difference of their pulls.
    apart: f64,
    /// What the objective falls by, bounds aside.
    gain: f64,
}

impl Block {
    pub(super) fn new(
        program: &Program<'_>,
        chosen: &[u32],
        rows: &[usize],
        kernel: &[Row],
        (v, pulls): (&[f64], &[f64]),
    ) -> Self {
        let row_of = |j: u32| program.row[j as usize] as usize;
        // Every row of the working set is among them.
        let row: Vec<usize> = chosen.iter().map(|j| rows.binary_search(&row_of(*j)).unwrap_or(0)).collect();
        let between = between(program, rows, kernel);
        let diagonal: Vec<f64> = chosen.iter().map(|j| program.kernel.diagonal()[row_of(*j)]).collect();
        let each = |of: &[f64]| chosen.iter().map(|j| of[*j as usize]).collect();
        let size = chosen.len();
        let mut block = Block {
            v: each(v),
            low: each(&program.low),
            high: each(&program.high),
            pull: each(pulls),
            side: chosen.iter().map(|j| program.side(*j as usize) as u8).collect(),
            sums: program.sums,
            rising: [vec![f64::NEG_INFINITY; size], vec![f64::NEG_INFINITY; size]],
            falling: [vec![f64::INFINITY; size], vec![f64::INFINITY; size]],
            kernel: by_variable(between, &row, rows.len()),
            row,
            diagonal,
            gain: vec![0.0; size],
        };
        (0..size).for_each(|j| block.mark(j));
        block
    }

    /// Notes where a variable may go.
    fn mark(&mut self, j: usize) {
        let side = usize::from(self.side[j]);
        self.rising[side][j] = if self.v[j] < self.high[j] { 0.0 } else { f64::NEG_INFINITY };
        self.falling[side][j] = if self.v[j] > self.low[j] { 0.0 } else { f64::INFINITY };
    }

    /// Moves variables until they agree; how many moves there were.
    pub(super) fn settle(&mut self, tolerance: f64, most: u64) -> u64 {
        let most = most.min(MOVES * self.v.len() as u64);
        let mut enough = 0.0;
        for done in 0..most {
            let Some(best) = self.best() else { return done };
            if done == 0 {
                enough = (SETTLED * best.apart).max(0.5 * tolerance);
            } else if best.apart <= enough {
                return done;
            }
            if !self.shift(best) {
                return done;
            }
        }
        most
    }

    /// The best move, by the second order.
    fn best(&mut self) -> Option<Move> {
        match self.sums {
            Sums::None => self.single(),
            Sums::Together => self.pair(0),
            Sums::BySide => match (self.pair(0), self.pair(1)) {
                (Some(one), Some(two)) => {
                    let apart = one.apart.max(two.apart);
                    Some(Move { apart, ..if one.gain >= two.gain { one } else { two } })
                }
                (one, two) => one.or(two),
            },
        }
    }

    /// The variable that is pulled up most, and the one that gains most by falling as much as it rises.
    fn pair(&mut self, side: usize) -> Option<Move> {
        let m = self.v.len();
        let mut top = f64::NEG_INFINITY;
        largest(&self.pull, &self.rising[side], &mut top);
        let up = place_of(&self.pull, &self.rising[side], top)?;
        let row = &self.kernel[up * m..(up + 1) * m];
        let (mut best, mut apart) = (0.0, 0.0);
        let own = (top, self.diagonal[up]);
        gains(own, (&self.pull, &self.falling[side]), (&self.diagonal, row), &mut self.gain, (&mut best, &mut apart));
        let down = self.gain.iter().position(|g| *g == best).filter(|_| best > 0.0)?;
        Some(Move { up: Some(up), down: Some(down), apart, gain: best })
    }

    /// The variable that gains most by itself.
    fn single(&self) -> Option<Move> {
        let mut best: Option<Move> = None;
        let mut apart: f64 = 0.0;
        for i in 0..self.v.len() {
            let pull = self.pull[i];
            let rises = pull > 0.0 && self.v[i] < self.high[i];
            if !(rises || pull < 0.0 && self.v[i] > self.low[i]) {
                continue;
            }
            apart = apart.max(pull.abs());
            let gain = pull * pull / self.diagonal[i].max(f64::MIN_POSITIVE);
            if best.is_none_or(|b| gain > b.gain) {
                let (up, down) = if rises { (Some(i), None) } else { (None, Some(i)) };
                best = Some(Move { up, down, apart: 0.0, gain });
            }
        }
        best.map(|best| Move { apart, ..best })
    }

    /// Moves as far as the objective falls and bounds allow; whether that is anywhere.
    fn shift(&mut self, Move { up, down, .. }: Move) -> bool {
        let m = self.v.len();
        let own = |at: Option<usize>| at.map_or(0.0, |i| self.diagonal[i]);
        let pull = |at: Option<usize>| at.map_or(0.0, |i| self.pull[i]);
        let both = up.zip(down).map_or(0.0, |(i, j)| f64::from(self.kernel[i * m + j]));
        let room_up = up.map_or(f64::INFINITY, |i| self.high[i] - self.v[i]);
        let room_down = down.map_or(f64::INFINITY, |j| self.v[j] - self.low[j]);
        let wanted = (pull(up) - pull(down)) / curvature(own(up), own(down), both);
        let by = wanted.min(room_up).min(room_down);
        // What reaches a bound is there to the last digit.
        let mut moved = false;
        if let Some(i) = up {
            let to = if by == room_up { self.high[i] } else { self.v[i] + by };
            moved |= std::mem::replace(&mut self.v[i], to) != to;
            self.mark(i);
        }
        if let Some(j) = down {
            let to = if by == room_down { self.low[j] } else { self.v[j] - by };
            moved |= std::mem::replace(&mut self.v[j], to) != to;
            self.mark(j);
        }
        let Block { kernel, pull, .. } = self;
        let row = |at: usize| &kernel[at * m..(at + 1) * m];
        match (up, down) {
            (Some(i), Some(j)) => drop_pair(by, row(i), row(j), pull),
            (Some(i), None) => drop_pulls(by, row(i), pull),
            (None, Some(j)) => drop_pulls(-by, row(j), pull),
            (None, None) => {}
        }
        moved
    }
}

/// The curvature of the objective along a rise and an equal fall; kept above 0, where equal points would leave none.
#[inline(always)]
pub(super) fn curvature(up: f64, down: f64, both: f64) -> f64 {
    let size = up + down;
    (size - 2.0 * both).max(1e-12 * size).max(f64::MIN_POSITIVE)
}

/// K between variables, from that between their rows.
fn by_variable(between: Vec<f32>, row: &[usize], m: usize) -> Vec<f32> {
    if row.iter().enumerate().all(|(at, i)| at == *i) {
        return between;
    }
    let mut kernel = Vec::with_capacity(row.len() * row.len());
    for i in row {
        let own = &between[i * m..(i + 1) * m];
        kernel.extend(row.iter().map(|j| own[*j]));
    }
    kernel
}

/// K between the rows of a working set, row-major; the rows ascend.
fn between(program: &Program<'_>, rows: &[usize], kernel: &[Row]) -> Vec<f32> {
    let mut start = 0;
    // The places of the rows in each part.
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for width in program.kernel.parts() {
        let inside = rows.partition_point(|i| *i < start)..rows.partition_point(|i| *i < start + width);
        parts.push(rows[inside].iter().map(|i| i - start).collect());
        start += width;
    }
    let mut values = vec![0.0; rows.len() * rows.len()];
    let fill = |(out, row): (&mut [f32], &Row)| {
        let mut rest = out;
        for (part, places) in row.iter().zip(&parts) {
            let (here, after) = rest.split_at_mut(places.len());
            here.iter_mut().zip(places).for_each(|(to, at)| *to = part[*at]);
            rest = after;
        }
    };
    values.par_chunks_mut(rows.len().max(1)).zip(kernel).with_min_len(64).for_each(fill);
    values
}
