//! A working set that settles among itself while all other variables stand still.

use super::between::Between;
use super::pick::{BestFall, Falling, Rising, Top, best_fall, drop_pair, drop_pulls, largest};
use super::{Program, Sums};

/// The share of the first violation at which variables have settled.
const SETTLED: f64 = 0.1;
/// Moves for each variable, after which the rest is told of them.
const MOVES: u64 = 20;

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
    between: Between,
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
    /// Of variables with K between them.
    pub(super) fn new(program: &Program<'_>, between: Between, (v, pulls): (&[f64], &[f64])) -> Self {
        let chosen = &between.chosen;
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
            single: diagonal.iter().map(|k| *k as f32).collect(),
            diagonal,
            unit: 0.5 / widest.min(1e300),
            top: [Top::NONE; 2],
            between,
        };
        (0..size).for_each(|j| block.mark(j));
        (0..2).for_each(|side| block.look_up(side));
        block
    }

    /// The variables, in the order of their values.
    pub(super) fn chosen(&self) -> &[u32] {
        &self.between.chosen
    }

    /// K between these variables, for the next working set.
    pub(super) fn into_between(self) -> Between {
        self.between
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
        let row = &self.between.kernel[up * m..(up + 1) * m];
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
        let both = up.zip(down).map_or(0.0, |(i, j)| f64::from(self.between.kernel[i * m + j]));
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
        let Block { between, pull, rising, top, .. } = self;
        let row = |at: usize| &between.kernel[at * m..(at + 1) * m];
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
