//! A working set that settles among itself while all other variables stand still.

use super::between::Between;
use super::pick::{BestFall, Falling, Rising, Top, best_fall, drop_pair, drop_pulls, largest};
use super::{Program, Sums};

/// The share of the first violation at which variables have settled.
const SETTLED: f32 = 0.1;
/// Moves for each variable, after which the rest is told of them.
const MOVES: u64 = 20;

/// The variables of a working set, with K between their rows.
///
/// Pulls are kept in single precision, less the multiplier that they come to agree on and over the widest of what is left: so what is
/// small is as precise as what is large, and no rounding adds up beyond that of K itself, which is in single precision as
/// well. It decides which pair moves and how far; what the variables come to be is kept in double precision, and K·V follows from that.
pub(super) struct Block {
    pub(super) v: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    pull: Vec<f32>,
    side: Vec<u8>,
    sums: Sums,
    /// For each sum, 0 for variables of it that may rise and −∞ for all others; and 0 or ∞ for those that may fall.
    rising: [Vec<f32>; 2],
    falling: [Vec<f32>; 2],
    between: Between,
    diagonal: Vec<f32>,
    /// The unit of the pulls.
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
    apart: f32,
    /// What the objective falls by, bounds aside.
    gain: f32,
}

impl Block {
    /// Of variables with K between them.
    pub(super) fn new(program: &Program<'_>, between: Between, (v, pulls): (&[f64], &[f64])) -> Self {
        let chosen = &between.chosen;
        let own = |j: &u32| program.kernel.diagonal()[program.row[*j as usize] as usize];
        let diagonal = chosen.iter().map(|j| (own(j) * between.scale) as f32).collect();
        let each = |of: &[f64]| chosen.iter().map(|j| of[*j as usize]).collect();
        let size = chosen.len();
        let mut block = Block {
            v: each(v),
            low: each(&program.low),
            high: each(&program.high),
            pull: Vec::new(),
            side: chosen.iter().map(|j| program.side(*j as usize) as u8).collect(),
            sums: program.sums,
            rising: [vec![f32::NEG_INFINITY; size], vec![f32::NEG_INFINITY; size]],
            falling: [vec![f32::INFINITY; size], vec![f32::INFINITY; size]],
            diagonal,
            unit: 1.0,
            top: [Top::NONE; 2],
            between,
        };
        (0..size).for_each(|j| block.mark(j));
        let pulls: Vec<f64> = block.chosen().iter().map(|j| pulls[*j as usize]).collect();
        block.take_pulls(&pulls);
        (0..2).for_each(|side| block.look_up(side));
        block
    }

    /// Pulls less what those of each sum come to agree on, over the widest.
    fn take_pulls(&mut self, pulls: &[f64]) {
        let middles = [0, 1].map(|side| self.middle(side, pulls));
        let less: Vec<f64> =
            pulls.iter().zip(&self.side).map(|(pull, side)| pull - middles[usize::from(*side)]).collect();
        self.unit = less.iter().fold(f64::MIN_POSITIVE, |m, p| m.max(p.abs())).min(f64::MAX);
        self.pull = less.iter().map(|p| (p / self.unit) as f32).collect();
    }

    /// The middle between the largest pull of what may rise and the least of what may fall; 0 where no sum holds them.
    fn middle(&self, side: usize, pulls: &[f64]) -> f64 {
        if self.sums == Sums::None {
            return 0.0;
        }
        let of =
            |mask: &Vec<f32>| pulls.iter().zip(mask).filter(|(_, m)| **m == 0.0).map(|(p, _)| *p).collect::<Vec<_>>();
        let up = of(&self.rising[side]).into_iter().fold(f64::NEG_INFINITY, f64::max);
        let down = of(&self.falling[side]).into_iter().fold(f64::INFINITY, f64::min);
        let middle = up + 0.5 * (down - up);
        if middle.is_finite() { middle } else { 0.0 }
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
        self.rising[side][j] = if self.v[j] < self.high[j] { 0.0 } else { f32::NEG_INFINITY };
        self.falling[side][j] = if self.v[j] > self.low[j] { 0.0 } else { f32::INFINITY };
    }

    /// Moves variables until they agree; how many moves there were.
    pub(super) fn settle(&mut self, tolerance: f64, most: u64) -> u64 {
        let most = most.min(MOVES * self.v.len() as u64);
        let mut enough = 0.0;
        for done in 0..most {
            let Some(best) = self.best() else { return done };
            if done == 0 {
                enough = (SETTLED * best.apart).max((0.5 * tolerance / self.unit) as f32);
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
        if value == f32::NEG_INFINITY {
            return None;
        }
        let row = &self.between.kernel[up * m..(up + 1) * m];
        let rising = Rising { pull: value, diagonal: self.diagonal[up] };
        let falling = Falling { pull: &self.pull, mask: &self.falling[side], diagonal: &self.diagonal, row };
        let mut best = BestFall::default();
        best_fall(rising, falling, &mut best);
        let found = Move { up: Some(up), down: Some(best.place), apart: best.apart, gain: best.gain };
        (best.gain > 0.0).then_some(found)
    }

    /// The variable that gains most by itself.
    fn single(&self) -> Option<Move> {
        let mut best: Option<Move> = None;
        let mut apart: f32 = 0.0;
        for i in 0..self.v.len() {
            let pull = self.pull[i];
            let rises = pull > 0.0 && self.v[i] < self.high[i];
            if !(rises || pull < 0.0 && self.v[i] > self.low[i]) {
                continue;
            }
            apart = apart.max(pull.abs());
            let gain = pull * pull / self.diagonal[i].max(f32::MIN_POSITIVE);
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
        let own = |at: Option<usize>| at.map_or(0.0, |i| f64::from(self.diagonal[i]));
        let pull = |at: Option<usize>| at.map_or(0.0, |i| f64::from(self.pull[i]));
        let both = up.zip(down).map_or(0.0, |(i, j)| f64::from(self.between.kernel[i * m + j]));
        let room_up = up.map_or(f64::INFINITY, |i| self.high[i] - self.v[i]);
        let room_down = down.map_or(f64::INFINITY, |j| self.v[j] - self.low[j]);
        // From the units of pulls and K to that of the variables.
        let unit = self.unit * self.between.scale;
        let wanted = unit * ((pull(up) - pull(down)) / curvature(own(up), own(down), both));
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
        let by = (by / unit) as f32;
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
