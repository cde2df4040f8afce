//! The quadratic programs of support vector machines, a working set at a time.
//!
//! **Solves** min ½VᵀKV + Σⱼ shiftⱼ·vⱼ over lowⱼ ≤ vⱼ ≤ highⱼ, with one or two variables v a row, V their sums by row, and none, one or
//! two [`Sums`] of variables held where they start.
//!
//! **How** The pull of a variable is minus its derivative, −(K·V)ᵢ − shiftⱼ. At the solution the variables that are held by a sum are
//! pulled no further up than its multiplier where they may rise, and no further down where they may fall: the multipliers
//! are the offset b and what follows from it. A round takes the variables that break this most, together with those of the rounds
//! before, asks for their rows of K at once, lets them settle among themselves, and brings K·V up to date.
//!
//! **Precision** Rows are in single precision, K·V in double. What single precision is likely to have cost is known from how far
//! the variables moved; where that may matter, K·V is computed again in double precision, and rounds go on from there if that says
//! so. So the rows limit the speed, not the precision of an answer.
//!
//! **Stops when** the largest violation and the gap are small enough.
//!
//! **Cost** a row of K for every variable that ever moves, and a reading of it whenever it moves.
//!
//! **Reference** Fan, Chen, Lin (2005), *Working set selection using second order information for training support vector
//! machines*, JMLR 6; Joachims (1999), *Making large-scale SVM learning practical*.

mod between;
mod block;
mod free;
mod pace;
mod pick;
mod pulls;
mod state;
mod update;

use crate::certificate::Stop;
use crate::error::Result;
use crate::linalg::Shared;
use crate::run::Run;

use state::State;

/// A row of K in single precision, in parts that stand one after the other.
pub(crate) type Row = Vec<Shared>;

/// K, row by row.
pub(crate) trait KernelRows: Sync {
    /// The lengths of the parts of a row.
    fn parts(&self) -> Vec<usize>;

    /// K's diagonal.
    fn diagonal(&self) -> &[f64];

    /// Some rows.
    fn rows(&self, rows: &[usize], run: &Run) -> Result<Vec<Row>>;

    /// out = K[:, rows]·v in double precision.
    fn product(&self, rows: &[usize], v: &[f64], out: &mut [f64], run: &Run) -> Result<()>;

    /// K[rows, cols] in single precision, row-major, where computing it is cheaper than reading it out of rows that lie in memory.
    fn cheap(&self, _rows: &[usize], _cols: &[usize], _run: &Run) -> Result<Option<Vec<f32>>> {
        Ok(None)
    }

    /// K between some rows, row-major, in double precision.
    fn between(&self, rows: &[usize], run: &Run) -> Result<Vec<f64>>;

    /// How many rows may be held at a time.
    fn room(&self) -> usize;
}

/// Which sums of variables stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sums {
    /// None: there is no offset.
    None,
    /// That of all.
    Together,
    /// That of the variables ≥ 0, and that of those ≤ 0.
    BySide,
}

/// A program.
pub(crate) struct Program<'a> {
    pub(crate) kernel: &'a dyn KernelRows,
    /// The row of each variable.
    pub(crate) row: Vec<u32>,
    pub(crate) low: Vec<f64>,
    pub(crate) high: Vec<f64>,
    pub(crate) shift: Vec<f64>,
    pub(crate) sums: Sums,
}

impl Program<'_> {
    /// Which sum holds a variable.
    fn side(&self, j: usize) -> usize {
        usize::from(self.sums == Sums::BySide && self.high[j] <= 0.0)
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DualParams {
    /// The largest violation.
    pub(crate) tolerance: f64,
    /// The gap over the objective.
    pub(crate) gap: f64,
    /// The largest number of moves.
    pub(crate) max_iterations: u64,
    /// Whether to end with K·V in double precision.
    pub(crate) exact: bool,
}

/// What was found.
#[derive(Clone, Debug)]
pub(crate) struct Settled {
    pub(crate) v: Vec<f64>,
    /// K·V, one a row.
    pub(crate) product: Vec<f64>,
    /// The multipliers of the sums: the first one, or that of each side.
    pub(crate) offsets: [f64; 2],
    /// The gap over the objective.
    pub(crate) gap: f64,
    pub(crate) iterations: u64,
    pub(crate) stop: Stop,
}

/// Passes in double precision after which rounding has won.
const PASSES: usize = 30;
/// Passes that may end no nearer than the one before.
const PATIENCE: usize = 3;
/// The share of the tolerance that rounds go for, so that double precision finds it met.
const INNER: f64 = 0.9;
/// The least violation that a gap may ask for on rows in single precision alone.
const LEAST: f64 = 1e-6;
/// The least share of the tolerance that rounds go for at all.
const NO_LESS: f64 = 1e-8;
/// The share of the tolerance that single precision may cost without being looked at.
const UNSEEN: f64 = 0.05;

/// Minimises from a feasible start.
pub(crate) fn solve(program: &Program<'_>, start: Vec<f64>, params: &DualParams, run: &Run) -> Result<Settled> {
    // Rounds are short, and handing each of their parts to other threads takes as long as some of them.
    run.enter(|| solve_inside(program, start, params, run))
}

fn solve_inside(program: &Program<'_>, start: Vec<f64>, params: &DualParams, run: &Run) -> Result<Settled> {
    let mut state = State::new(program, start, run)?;
    let (mut stop, mut before, mut share, mut stuck) = (Stop::Stagnation, f64::INFINITY, INNER, 0);
    for _ in 0..PASSES {
        // An objective that goes to 0 has no gap that is small beside it, and would ask for violations below rounding.
        if share < NO_LESS || share < INNER && share * params.tolerance < state.rounding() {
            break;
        }
        let ended = state.rounds(share * params.tolerance, params, run)?;
        if !matches!(ended, Stop::Tolerance | Stop::Stagnation) {
            stop = ended;
            break;
        }
        // A gap that is still too wide asks for smaller violations; a product in double precision would say the same.
        let (gap, no_move) = (state.relative_gap(), ended == Stop::Stagnation);
        let wide = gap > params.gap && gap.is_finite();
        if wide && !no_move && !state.is_exact() && share * params.tolerance > LEAST {
            share *= (0.9 * params.gap / gap).clamp(0.1, 0.5);
            continue;
        }
        // Where nothing moves although K·V is exact, rounding has won.
        let won = no_move && state.is_exact();
        let unseen = state.error() > UNSEEN * params.tolerance || params.exact || no_move;
        if unseen && !state.is_exact() {
            state.refresh(&run.without_stops())?;
        }
        let violation = state.reach().violation();
        let gap = state.relative_gap();
        // No gap is asked for where bounds are infinite, and there is none.
        if violation <= params.tolerance && (gap <= params.gap || params.gap == f64::INFINITY) {
            stop = Stop::Tolerance;
            break;
        }
        if violation <= params.tolerance {
            share *= (params.gap / gap).clamp(0.1, 0.5);
        } else if violation >= before {
            stuck += 1;
        }
        if won || stuck > PATIENCE {
            break;
        }
        before = violation;
    }
    state.finish(stop, params.exact, run)
}
