//! A few slopes that settle among themselves while all others stand still.

use super::state::State;

/// Moves for each slope of the block, after which the rest is told of them.
const MOVES: usize = 40;
/// The share of the first disagreement at which slopes have settled.
const SETTLED: f64 = 0.05;

/// Slopes with their bounds, pulls, and Q between them.
pub(super) struct Block {
    v: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    pull: Vec<f64>,
    /// Q + softness, row-major.
    q: Vec<f64>,
}

impl Block {
    pub(super) fn new(state: &State<'_>, chosen: &[usize]) -> Self {
        let m = chosen.len();
        let mut q = Vec::with_capacity(m * m);
        for &i in chosen {
            let row = state.pieces.row[i];
            q.extend(chosen.iter().map(|&j| state.q(row, state.pieces.row[j])));
        }
        for (at, &j) in chosen.iter().enumerate() {
            q[at * m + at] += state.pieces.softness(j);
        }
        let (low, high) = chosen.iter().map(|&j| state.pieces.bounds(j)).unzip();
        let (v, pull) = chosen.iter().map(|&j| (state.v[j], state.pull(j))).unzip();
        Block { v, low, high, pull, q }
    }

    pub(super) fn into_values(self) -> Vec<f64> {
        self.v
    }

    /// Moves slopes until they agree, in pairs that keep the sum where there is an intercept.
    pub(super) fn settle(&mut self, in_pairs: bool) {
        let mut first = None;
        for _ in 0..MOVES * self.v.len() {
            let Some((up, down)) = (if in_pairs { self.pair() } else { self.single() }) else { return };
            let disagreement = up.map_or(0.0, |i| self.pull[i]) - down.map_or(0.0, |j| self.pull[j]);
            let first = *first.get_or_insert(disagreement);
            if disagreement <= SETTLED * first {
                return;
            }
            self.shift(up, down, disagreement);
        }
    }

    fn q(&self, i: usize, j: usize) -> f64 {
        self.q[i * self.v.len() + j]
    }

    /// The slope that is pulled up most, and the one that gains most by falling as much as it rises.
    fn pair(&self) -> Option<(Option<usize>, Option<usize>)> {
        let may_rise = (0..self.v.len()).filter(|&i| self.v[i] < self.high[i]);
        let up = may_rise.max_by(|a, b| self.pull[*a].total_cmp(&self.pull[*b]).then(b.cmp(a)))?;
        let gain = |j: usize| {
            let gap = self.pull[up] - self.pull[j];
            gap * gap / self.curvature(Some(up), Some(j))
        };
        let may_fall = (0..self.v.len()).filter(|&j| self.v[j] > self.low[j] && self.pull[j] < self.pull[up]);
        let down = may_fall.max_by(|a, b| gain(*a).total_cmp(&gain(*b)).then(b.cmp(a)))?;
        Some((Some(up), Some(down)))
    }

    /// The slope that gains most by itself.
    fn single(&self) -> Option<(Option<usize>, Option<usize>)> {
        let pulled = |i: usize| match self.pull[i] {
            p if p > 0.0 && self.v[i] < self.high[i] => p * p / self.q(i, i).max(f64::MIN_POSITIVE),
            p if p < 0.0 && self.v[i] > self.low[i] => p * p / self.q(i, i).max(f64::MIN_POSITIVE),
            _ => 0.0,
        };
        let best = (0..self.v.len()).max_by(|a, b| pulled(*a).total_cmp(&pulled(*b)).then(b.cmp(a)))?;
        match pulled(best) {
            gain if gain.is_nan() || gain <= 0.0 => None,
            _ if self.pull[best] > 0.0 => Some((Some(best), None)),
            _ => Some((None, Some(best))),
        }
    }

    /// The curvature of the objective along a rise and an equal fall; kept above 0, where equal points would leave none.
    fn curvature(&self, up: Option<usize>, down: Option<usize>) -> f64 {
        let own = |at: Option<usize>| at.map_or(0.0, |i| self.q(i, i));
        let both = up.zip(down).map_or(0.0, |(i, j)| self.q(i, j));
        let size = own(up) + own(down);
        (size - 2.0 * both).max(1e-12 * size).max(f64::MIN_POSITIVE)
    }

    fn shift(&mut self, up: Option<usize>, down: Option<usize>, disagreement: f64) {
        let room_up = up.map_or(f64::INFINITY, |i| self.high[i] - self.v[i]);
        let room_down = down.map_or(f64::INFINITY, |j| self.v[j] - self.low[j]);
        let by = (disagreement / self.curvature(up, down)).min(room_up).min(room_down);
        // What reaches a bound is there to the last digit.
        if let Some(i) = up {
            self.v[i] = if by == room_up { self.high[i] } else { self.v[i] + by };
        }
        if let Some(j) = down {
            self.v[j] = if by == room_down { self.low[j] } else { self.v[j] - by };
        }
        for l in 0..self.v.len() {
            let change = up.map_or(0.0, |i| self.q(i, l)) - down.map_or(0.0, |j| self.q(j, l));
            self.pull[l] -= by * change;
        }
    }
}
