//! Variables with what follows from them.

use crate::certificate::Stop;
use crate::error::{Error, Result};
use crate::run::Run;

use super::between::Between;
use super::block::Block;
use super::free::Free;
use super::pace::Pace;
use super::pulls::{Reach, largest};
use super::update::add_rows;
use super::{DualParams, Program, Row, Settled, Sums};

/// Variables of a working set: at most so many, of few variables this part of them, and at least so many.
const SIZE: usize = 512;
const PART: usize = 8;
const LEAST: usize = 256;
/// The share of the widest violation below which working sets are smaller.
const NARROW: f64 = 0.03;
/// The cube of the number of variables whose system is cheap beside rounds, for each row.
const CHEAP: u128 = 1_000_000;
/// The unit of rounding of single precision.
const SINGLE: f64 = 1.0 / (1u64 << 24) as f64;
/// Standard deviations that no error of many is likely to exceed.
const DEVIATIONS: f64 = 6.0;

/// The variables v, and K·V.
pub(super) struct State<'a> {
    program: &'a Program<'a>,
    v: Vec<f64>,
    product: Vec<f64>,
    roots: Vec<f64>,
    /// By how much K·V is off by chance, over √K's diagonal, squared: single precision rounds every value of K by itself.
    variance: f64,
    /// Whether K·V is as exact as double precision has it.
    exact: bool,
    /// The working set of the round before, the newest first.
    working: Vec<u32>,
    /// K between its variables.
    between: Option<Between>,
    pace: Pace,
    iterations: u64,
}

impl<'a> State<'a> {
    pub(super) fn new(program: &'a Program<'a>, v: Vec<f64>, run: &Run) -> Result<Self> {
        let diagonal = program.kernel.diagonal();
        let roots = diagonal.iter().map(|k| k.abs().sqrt()).collect();
        let product = vec![0.0; diagonal.len()];
        let mut state = State {
            program,
            v,
            product,
            roots,
            variance: 0.0,
            exact: true,
            working: Vec::new(),
            between: None,
            pace: Pace::START,
            iterations: 0,
        };
        if state.v.iter().any(|v| *v != 0.0) {
            state.refresh(run)?;
        }
        Ok(state)
    }

    /// V, one a row.
    fn by_row(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.product.len()];
        self.program.row.iter().zip(&self.v).for_each(|(i, v)| sums[*i as usize] += v);
        sums
    }

    /// Computes K·V again, in double precision.
    pub(super) fn refresh(&mut self, run: &Run) -> Result<()> {
        let sums = self.by_row();
        let rows: Vec<usize> = (0..sums.len()).filter(|i| sums[*i] != 0.0).collect();
        let v: Vec<f64> = rows.iter().map(|i| sums[*i]).collect();
        self.program.kernel.product(&rows, &v, &mut self.product, run)?;
        self.variance = 0.0;
        self.exact = true;
        self.pace.refreshed();
        Ok(())
    }

    /// By how much a pull is likely to be off at most.
    pub(super) fn error(&self) -> f64 {
        DEVIATIONS * self.variance.sqrt() * self.roots.iter().fold(0.0, |m: f64, r| m.max(*r))
    }

    /// Below this no violation can be told from rounding.
    pub(super) fn rounding(&self) -> f64 {
        16.0 * f64::EPSILON * self.product.iter().fold(1.0, |m: f64, f| m.max(f.abs()))
    }

    pub(super) fn is_exact(&self) -> bool {
        self.exact
    }

    fn pulls(&self) -> Vec<f64> {
        let pull = |(i, shift): (&u32, &f64)| -self.product[*i as usize] - shift;
        self.program.row.iter().zip(&self.program.shift).map(pull).collect()
    }

    pub(super) fn reach(&self) -> Reach {
        Reach::of(self.program, &self.v, &self.pulls())
    }

    /// Takes rounds until the violation is small, the moves are used up, or the run stops them.
    pub(super) fn rounds(&mut self, tolerance: f64, params: &DualParams, run: &Run) -> Result<Stop> {
        let task = run.task("support vectors", None);
        loop {
            let pulls = self.pulls();
            let reach = Reach::of(self.program, &self.v, &pulls);
            let violation = reach.violation();
            if violation <= tolerance {
                return Ok(Stop::Tolerance);
            }
            if self.iterations >= params.max_iterations {
                return Ok(Stop::MaxIterations);
            }
            if let Some(reason) = task.step(Some(violation)) {
                return Ok(reason.into());
            }
            self.pace.widest = self.pace.widest.max(violation);
            let moves = params.max_iterations - self.iterations;
            let moved = match self.pace.is_free_due(violation) {
                true => self.solve_free(&pulls, run),
                false => {
                    let moved = self.round((&pulls, &reach), self.size(violation), (tolerance, moves), run);
                    moved.map(|moved| moved > 0)
                }
            };
            match moved {
                // The rows were under way.
                Err(Error::Cancelled { .. }) => return Ok(run.stop_reason().map_or(Stop::Interrupted, Stop::from)),
                Err(other) => return Err(other),
                // Rounding keeps the best pair from moving.
                Ok(false) => return Ok(Stop::Stagnation),
                Ok(true) => {}
            }
        }
    }

    /// Variables of the next working set: many while the violations are wide, which settle quickly and bring many rows in.
    fn size(&self, violation: f64) -> usize {
        let part = (self.v.len() / PART).max(LEAST);
        let most = if violation > NARROW * self.pace.widest { 2 * SIZE } else { SIZE };
        most.min(part).min(self.program.kernel.room()).max(2)
    }

    /// Moves a working set; how many moves there were.
    fn round(
        &mut self,
        (pulls, reach): (&[f64], &Reach),
        size: usize,
        (tolerance, moves): (f64, u64),
        run: &Run,
    ) -> Result<u64> {
        let newest_first = self.choose((pulls, reach), size, run);
        let rows: Vec<usize> = distinct(&newest_first, &self.program.row);
        let kernel = self.program.kernel.rows(&rows, run)?;
        // Every row of theirs is among these.
        let own = |j: u32| &kernel[rows.binary_search(&(self.program.row[j as usize] as usize)).unwrap_or(0)];
        let before = self.between.take();
        let between = Between::new(self.program, &newest_first, own, before, run)?;
        let mut block = Block::new(self.program, between, (&self.v, pulls));
        let moved = block.settle(tolerance, moves);
        self.iterations += moved;
        self.take(block.chosen(), &block.v, (&rows, &kernel), run);
        self.between = Some(block.into_between());
        self.working = newest_first;
        Ok(moved)
    }

    /// Gives variables their new values, and brings K·V up to date by the kernel rows of those.
    fn take(&mut self, chosen: &[u32], values: &[f64], (rows, kernel): (&[usize], &[Row]), run: &Run) {
        let mut by = vec![0.0; rows.len()];
        for (j, value) in chosen.iter().map(|j| *j as usize).zip(values) {
            // Every row of theirs is among these.
            let at = rows.binary_search(&(self.program.row[j] as usize)).unwrap_or(0);
            by[at] += value - self.v[j];
            self.v[j] = *value;
        }
        self.variance += rows.iter().zip(&by).map(|(i, by)| (by * self.roots[*i] * SINGLE).powi(2)).sum::<f64>();
        self.exact &= by.iter().all(|by| *by == 0.0);
        add_rows(kernel, &by, &self.program.kernel.parts(), &mut self.product, run);
    }

    /// Solves for all variables between their bounds at once, if they are few enough. Always true: pairs go on where this does not.
    fn solve_free(&mut self, pulls: &[f64], run: &Run) -> Result<bool> {
        let p = self.program;
        let inside = |j: &u32| {
            let j = *j as usize;
            self.v[j] > p.low[j] && self.v[j] < p.high[j]
        };
        let mut chosen: Vec<u32> = (0..self.v.len() as u32).filter(inside).collect();
        chosen.sort_unstable_by_key(|j| p.row[*j as usize]);
        let (rows, m) = (distinct(&chosen, &p.row), chosen.len() as u128);
        // Two variables of one row that are both free are a matter for pairs.
        let alone = rows.len() == chosen.len();
        let few = m.pow(3) <= CHEAP * self.product.len() as u128 && rows.len() <= p.kernel.room();
        if m < 2 || !alone || !few {
            return Ok(true);
        }
        let Ok(_reserved) = run.reserve(24 * m.pow(2), "the system of free variables", "") else { return Ok(true) };
        let mut free = Free::new(p, &chosen, p.kernel.between(&rows, run)?, (&self.v, pulls));
        self.iterations += free.settle(run)?;
        let kernel = p.kernel.rows(&rows, run)?;
        self.take(&chosen, &free.v, (&rows, &kernel), run);
        Ok(true)
    }

    /// Half of the working set are the variables that break the conditions most, the other half stood in it before.
    fn choose(&self, (pulls, reach): (&[f64], &Reach), size: usize, run: &Run) -> Vec<u32> {
        let sides = if self.program.sums == Sums::BySide { 2 } else { 1 };
        let fresh = if self.working.is_empty() { size } else { size / 2 };
        let mut chosen: Vec<u32> = Vec::with_capacity(size);
        let mut taken = vec![false; self.v.len()];
        let mut take = |list: Vec<u32>, chosen: &mut Vec<u32>, most: usize| {
            for j in list {
                if chosen.len() < most && !std::mem::replace(&mut taken[j as usize], true) {
                    chosen.push(j);
                }
            }
        };
        for side in 0..sides {
            let count = (fresh / (2 * sides)).max(1);
            let pulled = |sign: f64| self.pulled((pulls, reach), side, sign, count);
            let (up, down) = run.install(|| rayon::join(|| pulled(1.0), || pulled(-1.0)));
            take(up, &mut chosen, size);
            take(down, &mut chosen, size);
        }
        take(self.working.clone(), &mut chosen, size);
        chosen
    }

    /// The variables of a side that are pulled up most, or down, and may go there: those that have a partner.
    fn pulled(&self, (pulls, reach): (&[f64], &Reach), side: usize, sign: f64, count: usize) -> Vec<u32> {
        let p = self.program;
        let may = |j: usize| if sign > 0.0 { self.v[j] < p.high[j] } else { self.v[j] > p.low[j] };
        let least = sign * reach.partner(side, sign);
        let keyed = |j: usize| (sign * pulls[j], j as u32);
        let of_side = |j: &usize| sign * pulls[*j] > least && may(*j) && p.side(*j) == side;
        largest((0..self.v.len()).filter(of_side).map(keyed).collect(), count)
    }

    /// The multipliers: what free variables are pulled to in the mean, or the middle of where they may lie.
    fn offsets(&self) -> [f64; 2] {
        let pulls = self.pulls();
        let reach = Reach::of(self.program, &self.v, &pulls);
        let of = |side: usize| {
            let free = |j: &usize| {
                self.program.side(*j) == side && self.v[*j] > self.program.low[*j] && self.v[*j] < self.program.high[*j]
            };
            let free: Vec<f64> = (0..self.v.len()).filter(free).map(|j| pulls[j]).collect();
            if free.is_empty() { reach.middle(side) } else { free.iter().sum::<f64>() / free.len() as f64 }
        };
        match self.program.sums {
            Sums::None => [0.0; 2],
            Sums::Together => [of(0), 0.0],
            Sums::BySide => [of(0), of(1)],
        }
    }

    /// The gap over the size of the objective.
    pub(super) fn relative_gap(&self) -> f64 {
        let (offsets, pulls) = (self.offsets(), self.pulls());
        let (mut gap, mut value) = (0.0, 0.0);
        for (j, pull) in pulls.iter().enumerate() {
            let (p, v) = (self.program, self.v[j]);
            let over = pull - offsets[p.side(j)];
            let room = if over > 0.0 { p.high[j] - v } else { v - p.low[j] };
            // Nothing pulls where 0·∞ would be.
            gap += if room > 0.0 { over.abs() * room } else { 0.0 };
            value += v * (0.5 * self.product[p.row[j] as usize] + p.shift[j]);
        }
        match gap {
            gap if gap <= 0.0 => 0.0,
            gap => gap / (gap - value).abs().max(value.abs()).max(f64::MIN_POSITIVE),
        }
    }

    /// The answer; with K·V in double precision if what is said of it is to rest on that.
    pub(super) fn finish(mut self, stop: Stop, exact: bool, run: &Run) -> Result<Settled> {
        if exact && !self.exact {
            self.refresh(&run.without_stops())?;
        }
        let (offsets, gap) = (self.offsets(), self.relative_gap());
        let State { v, product, iterations, .. } = self;
        Ok(Settled { v, product, offsets, gap, iterations, stop })
    }
}

/// The rows of these variables, each once, in increasing order.
fn distinct(chosen: &[u32], row: &[u32]) -> Vec<usize> {
    let mut rows: Vec<usize> = chosen.iter().map(|j| row[*j as usize] as usize).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}
