//! A working set that settles among itself while all other variables stand still.

use rayon::prelude::*;

use super::pick::{BestFall, Falling, Rising, Top, best_fall, drop_pair, drop_pulls, largest};
use super::{Program, Row, Sums};

/// The share of the first violation at which variables have settled.
const SETTLED: f64 = 0.1;
/// Moves for each variable, after which the rest is told of them.
const MOVES: u64 = 20;

/// Rows of K between variables that a thread fills at a time.
const ROWS: usize = 16;

/// The variables of a working set, with K between their rows.
pub(super) struct Block {
    pub(super) v: Vec<f64>,
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
    /// The diagonal in single precision, to choose by.
    single: Vec<f32>,
    /// One over the size of the pulls.
    unit: f64,
    /// For each sum, the variable that is pulled up most of those that may rise.
    top: [Top; 2],
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
    /// Of variables with their kernel rows, and the working set before.
    pub(super) fn new(
        program: &Program<'_>,
        chosen: &[u32],
        (kernel, before): (&[&Row], Option<&Between>),
        (v, pulls): (&[f64], &[f64]),
    ) -> Self {
        let own = |j: &u32| program.kernel.diagonal()[program.row[*j as usize] as usize];
        let diagonal: Vec<f64> = chosen.iter().map(own).collect();
        let each = |of: &[f64]| chosen.iter().map(|j| of[*j as usize]).collect();
        let size = chosen.len();
        let pull: Vec<f64> = each(pulls);
        let widest = pull.iter().fold(f64::MIN_POSITIVE, |m, p| m.max(p.abs()));
        let mut block = Block {
            v: each(v),
            low: each(&program.low),
            high: each(&program.high),
            pull,
            side: chosen.iter().map(|j| program.side(*j as usize) as u8).collect(),
            sums: program.sums,
            rising: [vec![f64::NEG_INFINITY; size], vec![f64::NEG_INFINITY; size]],
            falling: [vec![f64::INFINITY; size], vec![f64::INFINITY; size]],
            kernel: between(program, chosen, kernel, before),
            single: diagonal.iter().map(|k| *k as f32).collect(),
            diagonal,
            unit: 0.5 / widest.min(1e300),
            top: [Top::NONE; 2],
        };
        (0..size).for_each(|j| block.mark(j));
        (0..2).for_each(|side| block.look_up(side));
        block
    }

    /// K between these variables, for the next working set.
    pub(super) fn into_between(self, chosen: Vec<u32>) -> Between {
        let mut by_number: Vec<(u32, usize)> = chosen.iter().copied().zip(0..).collect();
        by_number.sort_unstable();
        Between { chosen, by_number, kernel: self.kernel }
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
    fn best(&self) -> Option<Move> {
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

    /// Finds the variable of a sum that is pulled up most.
    fn look_up(&mut self, side: usize) {
        if self.sums == Sums::BySide || (self.sums == Sums::Together && side == 0) {
            largest(&self.pull, &self.rising[side], &mut self.top[side]);
        }
    }

    /// The variable that is pulled up most, and the one that gains most by falling as much as it rises.
    fn pair(&self, side: usize) -> Option<Move> {
        let (m, Top { value, place: up }) = (self.v.len(), self.top[side]);
        if value == f64::NEG_INFINITY {
            return None;
        }
        let row = &self.kernel[up * m..(up + 1) * m];
        let rising = Rising { pull: value, diagonal: self.single[up], unit: self.unit };
        let falling = Falling { pull: &self.pull, mask: &self.falling[side], diagonal: &self.single, row };
        let mut best = BestFall::default();
        best_fall(rising, falling, &mut best);
        let found = Move { up: Some(up), down: Some(best.place), apart: best.apart, gain: f64::from(best.gain) };
        (best.gain > 0.0).then_some(found)
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
        let Block { kernel, pull, rising, top, .. } = self;
        let row = |at: usize| &kernel[at * m..(at + 1) * m];
        match (up, down) {
            (Some(i), Some(j)) => drop_pair(by, (row(i), row(j)), pull, &rising[0], &mut top[0]),
            (Some(i), None) => drop_pulls(by, row(i), pull),
            (None, Some(j)) => drop_pulls(-by, row(j), pull),
            (None, None) => {}
        }
        self.look_up(1);
        moved
    }
}

/// The curvature of the objective along a rise and an equal fall; kept above 0, where equal points would leave none.
fn curvature(up: f64, down: f64, both: f64) -> f64 {
    let size = up + down;
    (size - 2.0 * both).max(1e-12 * size).max(f64::MIN_POSITIVE)
}

/// K between the variables of a working set, row-major. What the working set before had is taken from there, which is nearer than kernel
/// rows; K is symmetric, so that only the rows of new variables are read.
fn between(program: &Program<'_>, chosen: &[u32], kernel: &[&Row], before: Option<&Between>) -> Vec<f32> {
    let m = chosen.len().max(1);
    let known = before.map_or_else(|| vec![None; m], |before| before.places_of(chosen));
    let new: Vec<usize> = (0..chosen.len()).filter(|at| known[*at].is_none()).collect();
    let parts = places(program, chosen);
    let mut fresh = vec![0.0; new.len() * m];
    let read = |(out, at): (&mut [f32], &usize)| {
        let mut rest = out;
        for (part, places) in kernel[*at].iter().zip(&parts) {
            let (here, after) = rest.split_at_mut(places.len());
            here.iter_mut().zip(places).for_each(|(to, place)| *to = part[*place as usize]);
            rest = after;
        }
    };
    fresh.par_chunks_mut(m).zip(&new).with_min_len(ROWS).for_each(read);
    let Some(before) = before else { return fresh };
    let mut values = vec![0.0; chosen.len() * m];
    let fill = |(chunk, out): (usize, &mut [f32])| {
        let first = chunk * ROWS;
        for (out, old) in out.chunks_mut(m).zip(&known[first..]) {
            let own = old.map(|old| before.row(old));
            out.iter_mut().zip(&known).for_each(|(to, j)| *to = own.zip(*j).map_or(0.0, |(own, j)| own[j]));
        }
        for (row, j) in fresh.chunks(m).zip(&new) {
            out.chunks_mut(m).zip(&row[first..]).for_each(|(out, k)| out[*j] = *k);
            if let Some(out) = j.checked_sub(first).and_then(|at| out.chunks_mut(m).nth(at)) {
                out.copy_from_slice(row);
            }
        }
    };
    values.par_chunks_mut(ROWS * m).enumerate().for_each(fill);
    values
}

/// For each part of a kernel row, where in it the values of variables stand; these are sorted by their rows.
fn places(program: &Program<'_>, chosen: &[u32]) -> Vec<Vec<u32>> {
    let (mut start, mut rest) = (0, chosen);
    let mut parts = Vec::new();
    for width in program.kernel.parts() {
        let row = |j: &u32| program.row[*j as usize] as usize;
        let (here, after) = rest.split_at(rest.partition_point(|j| row(j) < start + width));
        parts.push(here.iter().map(|j| (row(j) - start) as u32).collect());
        (start, rest) = (start + width, after);
    }
    parts
}

/// A working set with K between its variables.
pub(super) struct Between {
    chosen: Vec<u32>,
    by_number: Vec<(u32, usize)>,
    kernel: Vec<f32>,
}

impl Between {
    fn row(&self, at: usize) -> &[f32] {
        &self.kernel[at * self.chosen.len()..(at + 1) * self.chosen.len()]
    }

    /// Where these variables stand, if they are there.
    fn places_of(&self, chosen: &[u32]) -> Vec<Option<usize>> {
        let find = |j: &u32| self.by_number.binary_search_by_key(j, |(number, _)| *number).ok();
        chosen.iter().map(|j| find(j).map(|at| self.by_number[at].1)).collect()
    }
}
