//! Quadratic programs of losses with corners and without softness, by working sets.
//!
//! **Solves** the same program as `interior_point`, with [`dual`]: min ½VᵀQV + Σⱼ shiftⱼ·vⱼ over lowⱼ ≤ vⱼ ≤ highⱼ, with one v a piece,
//! Vᵢ the sum over the pieces of row i, Q = K/alpha and, with an intercept, ΣV = 0, whose multiplier is −b. What ends at a bound is there
//! to the last digit: a row without a slope is no support vector.
//!
//! **Stops when** the gap is small enough; where rounds do not get there, it has no answer.

use std::sync::OnceLock;

use crate::certificate::Stop;
use crate::error::Result;
use crate::linalg::{Shared, multiply};
use crate::loss::Loss;
use crate::run::{Reservation, Run};
use crate::solver::dual::{self, DualParams, KernelRows, Program, Row, Sums};

use super::constant::constant;
use super::interior::{Best, finish};
use super::pieces::Pieces;
use super::{Penalized, PenalizedAnswer, PenalizedParams};

/// The violation at which the gap is looked at first, in the unit of the values.
const VIOLATION: f64 = 1e-6;
/// Moves for each step that the caller allows, some and more for each row: one is a very small part of the work of a Newton step.
const MOVES: (u64, u64) = (500, 5);
/// Values of Q that single precision holds with room for sums.
const SINGLE: std::ops::Range<f64> = 1e-30..1e30;

/// What working sets made of a problem.
#[derive(Debug)]
pub enum Attempt {
    /// They solved it, or were stopped on the way.
    Answered(Box<PenalizedAnswer>),
    /// The loss has other pieces than a hinge or a tube.
    OtherLoss,
    /// They have no answer, and this is why.
    GaveUp(&'static str),
}

impl Attempt {
    /// The answer, if there is one.
    pub fn answer(self) -> Option<PenalizedAnswer> {
        match self {
            Attempt::Answered(answer) => Some(*answer),
            _ => None,
        }
    }
}

/// Minimises a hinge or a tube, weighted or not; has no answer where rounds do not get there.
pub fn working_sets(
    problem: &Penalized<'_>,
    loss: &dyn Loss,
    y: &[f64],
    params: &PenalizedParams,
    run: &Run,
) -> Result<Attempt> {
    problem.validate(y.len())?;
    params.validate()?;
    let pieces = Pieces::new(loss, y, problem.weights)?;
    if !is_sparse(&pieces) {
        return Ok(Attempt::OtherLoss);
    }
    let scale = 1.0 / problem.alpha / pieces.unit;
    problem.check_range(scale)?;
    let of_zero = constant(problem, loss, y, &pieces);
    if of_zero.residual <= params.tolerance {
        return Ok(Attempt::Answered(Box::new(PenalizedAnswer { stop: Stop::Tolerance, ..of_zero })));
    }
    let stored = Stored::new(problem, scale, run);
    if !SINGLE.contains(&stored.diagonal.iter().fold(0.0, |m: f64, q| m.max(q.abs()))) {
        return Ok(Attempt::GaveUp("K/alpha lies outside of 1e-30 to 1e30, which single precision has room for"));
    }
    let program = program(&stored, &pieces, problem.intercept);
    let most = (MOVES.0 + MOVES.1 * y.len() as u64).saturating_mul(params.max_iterations as u64);
    let wanted = DualParams { tolerance: VIOLATION, gap: params.tolerance, max_iterations: most, exact: true };
    let settled = dual::solve(&program, vec![0.0; pieces.len()], &wanted, run)?;
    let stop = match settled.stop {
        Stop::MaxIterations => return Ok(Attempt::GaveUp("they took too many moves")),
        Stop::Stagnation => return Ok(Attempt::GaveUp("their gap stopped falling")),
        other => other,
    };
    // Slopes at a bound stay there: zeros are zeros.
    let at = settled.v.clone();
    let room = |j: usize| {
        let (low, high) = pieces.bounds(j);
        if at[j] > low && at[j] < high { (low, high) } else { (at[j], at[j]) }
    };
    let b = if problem.intercept { -settled.offsets[0] } else { 0.0 };
    let best = Best { gap: settled.gap, v: settled.v, b, since: 0 };
    let answer = finish(problem, &pieces, scale, best, room, run)?;
    // Where alpha is tiny beside K, rounding of Q·V has hidden the gap.
    if stop == Stop::Tolerance && answer.residual > params.tolerance {
        return Ok(Attempt::GaveUp("rounding hides their gap, as alpha is tiny beside the kernel"));
    }
    let worse = stop != Stop::Tolerance && answer.primal(problem.alpha) > of_zero.primal(problem.alpha);
    let answer = if worse { of_zero } else { answer };
    let history = vec![answer.primal(problem.alpha)];
    let iters = usize::try_from(settled.iterations).unwrap_or(usize::MAX);
    Ok(Attempt::Answered(Box::new(PenalizedAnswer { iters, stop, history, ..answer })))
}

/// Whether every piece is without softness and flat on one side, as in a hinge or a tube: then many rows have no slope, and
/// few slopes are moved.
fn is_sparse(pieces: &Pieces) -> bool {
    let flat = |j: usize| pieces.bounds(j).0 == 0.0 || pieces.bounds(j).1 == 0.0;
    (0..pieces.len()).all(|j| flat(j) && pieces.softness(j) == 0.0)
}

fn program<'a>(stored: &'a Stored<'a>, pieces: &Pieces, intercept: bool) -> Program<'a> {
    let bounds: Vec<(f64, f64)> = (0..pieces.len()).map(|j| pieces.bounds(j)).collect();
    Program {
        kernel: stored,
        row: pieces.row.iter().map(|i| *i as u32).collect(),
        low: bounds.iter().map(|(low, _)| *low).collect(),
        high: bounds.iter().map(|(_, high)| *high).collect(),
        shift: pieces.piece.iter().map(|p| p.shift).collect(),
        sums: if intercept { Sums::Together } else { Sums::None },
    }
}

/// Q as a stored matrix, with rows in single precision that are made when they are asked for.
struct Stored<'a> {
    kernel: &'a [f64],
    scale: f64,
    diagonal: Vec<f64>,
    rows: Vec<OnceLock<Shared>>,
    /// Memory for all rows; without it, none is kept.
    kept: Option<Reservation>,
}

impl<'a> Stored<'a> {
    fn new(problem: &Penalized<'a>, scale: f64, run: &Run) -> Self {
        let n = problem.n();
        Stored {
            kernel: problem.kernel,
            scale,
            diagonal: (0..n).map(|i| scale * problem.kernel[i * n + i]).collect(),
            rows: (0..n).map(|_| OnceLock::new()).collect(),
            kept: run.reserve(4 * (n as u128).pow(2), "kernel rows in single precision", "").ok(),
        }
    }

    fn n(&self) -> usize {
        self.diagonal.len()
    }

    fn exact(&self, i: usize) -> &[f64] {
        &self.kernel[i * self.n()..(i + 1) * self.n()]
    }

    fn single(&self, i: usize) -> Shared {
        let make = || Shared::from(self.exact(i).iter().map(|k| (self.scale * k) as f32).collect::<Vec<f32>>());
        if self.kept.is_some() { self.rows[i].get_or_init(make).clone() } else { make() }
    }
}

impl KernelRows for Stored<'_> {
    fn parts(&self) -> Vec<usize> {
        vec![self.n()]
    }

    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn rows(&self, rows: &[usize], _: &Run) -> Result<Vec<Row>> {
        Ok(rows.iter().map(|i| vec![self.single(*i)]).collect())
    }

    fn product(&self, rows: &[usize], v: &[f64], out: &mut [f64], run: &Run) -> Result<()> {
        let mut all = vec![0.0; self.n()];
        rows.iter().zip(v).for_each(|(i, v)| all[*i] = self.scale * v);
        multiply(self.kernel, &all, [self.n(), self.n(), 1], out, run)
    }

    fn between(&self, rows: &[usize], _: &Run) -> Result<Vec<f64>> {
        let row = |i: &usize| {
            let own = self.exact(*i);
            rows.iter().map(move |j| self.scale * own[*j])
        };
        Ok(rows.iter().flat_map(row).collect())
    }

    fn room(&self) -> usize {
        self.n()
    }
}
