//! The cheapest segmentations, by dynamic programming over ends.

use crate::error::{Error, Result};
use crate::gram::KernelMatrix;
use crate::run::{Reservation, Run};

use super::line_table::LineTable;
use super::path::{CostPath, Segmentation, Segments};
use super::table::{Costs, Table, WIDTH, lower};

/// What is cut: a kernel matrix, what segments are, and the least number of points in one.
#[derive(Clone, Copy)]
pub(super) struct Problem<'a> {
    pub(super) matrix: &'a dyn KernelMatrix,
    pub(super) segments: Segments,
    pub(super) min_size: usize,
}

/// The cheapest segmentations with 0, 1, …, `most` changes and segments of `min_size` points or more.
///
/// V₀(t) = C(0, t) and Vₖ(t) = min Vₖ₋₁(s) + C(s, t) over s. O(n²·(kernel + most)) time, O(n·most) memory. Of equally cheap
/// ones, that with the earliest last change is found.
pub(super) fn path(problem: Problem<'_>, most: usize, run: &Run) -> Result<CostPath> {
    match problem.segments {
        Segments::Levels => path_of(Table::new(problem.matrix, problem.min_size, run)?, problem.min_size, most, run),
        Segments::Lines => path_of(LineTable::new(problem.matrix, problem.min_size, run)?, problem.min_size, most, run),
    }
}

fn path_of(costs: impl Costs, min_size: usize, most: usize, run: &Run) -> Result<CostPath> {
    let mut search = Search::new(costs, (most + 1, Next::Level), min_size, run)?;
    run.enter(|| search.run(run))?;
    let segmentations = (0..=most).map(|level| search.segmentation(level)).collect();
    Ok(CostPath::new(search.table.n(), segmentations))
}

/// The segmentation that minimises its cost and `penalty` for every change, with segments of `min_size` points or more.
///
/// F(t) = min F(s) + C(s, t) + penalty. If splitting never costs, which holds for every kernel that is positive definite, or
/// conditionally so, a start s with F(s) + C(s, t) ≥ F(t) is beaten by t in all segmentations in which t may begin a segment: for
/// ends from t + `min_size` on, and not before (Killick, Fearnhead & Eckley 2012, with the delay that `min_size` asks for). `prune` says
/// whether to use that; starts are left out only with all of those before them, since sums of kernel values run through the others.
pub(super) fn penalised(problem: Problem<'_>, (penalty, prune): (f64, bool), run: &Run) -> Result<Segmentation> {
    let next = Next::Paying { penalty, prune };
    match problem.segments {
        Segments::Levels => paying(Table::new(problem.matrix, problem.min_size, run)?, problem.min_size, next, run),
        Segments::Lines => paying(LineTable::new(problem.matrix, problem.min_size, run)?, problem.min_size, next, run),
    }
}

fn paying(costs: impl Costs, min_size: usize, next: Next, run: &Run) -> Result<Segmentation> {
    let mut search = Search::new(costs, (1, next), min_size, run)?;
    run.enter(|| search.run(run))?;
    Ok(search.segmentation(0))
}

/// What may follow a finished segmentation of the first points.
#[derive(Clone, Copy)]
enum Next {
    /// A segment of the next level.
    Level,
    /// A segment of the same level, for a penalty.
    Paying { penalty: f64, prune: bool },
}

/// Dynamic programming under way. Level k has what may stand before a segment that begins at s, `before`, and for every end
/// the cheapest start, `from`.
struct Search<C> {
    table: C,
    levels: usize,
    next: Next,
    min_size: usize,
    before: Vec<Vec<f64>>,
    from: Vec<Vec<u32>>,
    /// What the segments up to an end cost, level by level: without penalties.
    spent: Vec<Vec<f64>>,
    /// The first start that is not beaten for good, and from which end on others are.
    alive: usize,
    beaten: Vec<usize>,
    _reserved: Reservation,
}

/// The cheapest starts for the ends of a block, level by level.
struct Best {
    value: Vec<f64>,
    at: Vec<u64>,
}

impl Best {
    fn new(levels: usize) -> Self {
        Best { value: vec![f64::INFINITY; levels * WIDTH], at: vec![0; levels * WIDTH] }
    }

    fn lower(&mut self, level: usize, rows: &[f64], before: &[f64], first: usize) {
        let lanes = level * WIDTH..(level + 1) * WIDTH;
        lower(rows, before, first, &mut self.value[lanes.clone()], &mut self.at[lanes]);
    }

    /// Takes what is cheaper; the first of equal ones.
    fn join(&mut self, other: &Best) {
        for (i, value) in other.value.iter().enumerate() {
            if *value < self.value[i] {
                (self.value[i], self.at[i]) = (*value, other.at[i]);
            }
        }
    }
}

impl<C: Costs> Search<C> {
    fn new(table: C, (levels, next): (usize, Next), min_size: usize, run: &Run) -> Result<Self> {
        let n = table.n();
        if u32::try_from(n).is_err() {
            return Err(Error::Unsupported {
                what: format!("an exact search among {n} rows"),
                alternative: "use binary segmentation with landmarks".into(),
            });
        }
        let bytes = (20 * levels + 8) as u128 * (n + 1) as u128;
        let reserved = run.reserve(bytes, "the cheapest beginnings", "ask for fewer changes")?;
        let mut before = vec![vec![f64::INFINITY; n + 1]; levels];
        before[0][0] = 0.0;
        Ok(Search {
            table,
            levels,
            next,
            min_size,
            before,
            from: vec![vec![0; n + 1]; levels],
            spent: vec![vec![0.0; n + 1]; levels],
            alive: 0,
            beaten: vec![usize::MAX; n],
            _reserved: reserved,
        })
    }

    fn run(&mut self, run: &Run) -> Result<()> {
        let n = self.table.n();
        let task = run.task("segments", Some(n.div_ceil(WIDTH) as u64));
        for t0 in (0..n).step_by(WIDTH) {
            self.block(t0, (t0 + WIDTH).min(n));
            task.step_or_cancel()?;
        }
        self.table.check_finite()
    }

    /// The ends t0 + 1, …, t1.
    fn block(&mut self, t0: usize, t1: usize) {
        let levels = self.searched(t1);
        let before = &self.before;
        let tiles = self.table.advance(t0..t1, self.alive, |first, rows| {
            let mut best = Best::new(self.levels);
            for level in levels.clone() {
                // No segmentation into so many parts is shorter.
                let skip = (level * self.min_size).saturating_sub(first).min(rows.len() / WIDTH);
                let count = if level == 0 && self.levels > 1 { usize::from(first == 0) } else { rows.len() / WIDTH };
                if skip < count {
                    let before = &before[level][first + skip..first + count];
                    best.lower(level, &rows[skip * WIDTH..count * WIDTH], before, first + skip);
                }
            }
            best
        });
        let mut best = Best::new(self.levels);
        tiles.iter().for_each(|tile| best.join(tile));
        for start in t0..t1 {
            if start > t0 {
                self.settle(start, start - t0 - 1, &best);
            }
            for level in levels.clone() {
                let before = self.before[level][start];
                if before < f64::INFINITY {
                    best.lower(level, self.table.row(start), &[before], start);
                }
            }
        }
        self.settle(t1, t1 - t0 - 1, &best);
        self.prune(t0, t1, &best);
    }

    /// Levels whose answers are asked for: of the last one, only that for all points.
    fn searched(&self, t1: usize) -> std::ops::Range<usize> {
        match self.next {
            Next::Level if t1 < self.table.n() => 0..self.levels - 1,
            _ => 0..self.levels,
        }
    }

    /// What an end costs is what stands before the segments that begin there.
    fn settle(&mut self, end: usize, lane: usize, best: &Best) {
        for level in 0..self.levels {
            let (value, at) = (best.value[level * WIDTH + lane], best.at[level * WIDTH + lane]);
            self.from[level][end] = at as u32;
            let earlier = self.spent[self.level_before(level)][at as usize];
            self.spent[level][end] = earlier + self.table.row(at as usize)[lane];
            match self.next {
                Next::Paying { penalty, .. } => self.before[level][end] = value + penalty,
                Next::Level if level + 1 < self.levels => self.before[level + 1][end] = value,
                Next::Level => {}
            }
        }
    }

    /// Moves on to the first start that is not beaten before the next block.
    fn prune(&mut self, t0: usize, t1: usize, best: &Best) {
        let Next::Paying { penalty, prune: true } = self.next else { return };
        for start in self.alive..t0 {
            if self.beaten[start] == usize::MAX {
                let (before, row) = (self.before[0][start] - penalty, self.table.row(start));
                let beaten = (0..t1 - t0).find(|q| before + row[*q] >= best.value[*q] && row[*q] < f64::INFINITY);
                let Some(q) = beaten else { break };
                self.beaten[start] = t0 + q + 1 + self.min_size;
            }
        }
        while self.alive < t0 && self.beaten[self.alive] <= t1 + 1 {
            self.alive += 1;
        }
    }

    /// The level of what stands before a segment of this level.
    fn level_before(&self, level: usize) -> usize {
        match self.next {
            Next::Level => level.saturating_sub(1),
            Next::Paying { .. } => level,
        }
    }

    fn segmentation(&self, level: usize) -> Segmentation {
        let (mut at, mut end) = (level, self.table.n());
        let mut changes = Vec::new();
        while let start @ 1.. = self.from[at][end] as usize {
            changes.push(start);
            (at, end) = (self.level_before(at), start);
        }
        changes.reverse();
        Segmentation { changes, cost: self.spent[level][self.table.n()] }
    }
}
