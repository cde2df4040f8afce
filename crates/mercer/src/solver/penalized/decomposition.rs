//! Quadratic programs of piecewise losses, a few slopes at a time.
//!
//! **Solves** the same program as `interior_point`: min ½VᵀQV + Σⱼ (½dⱼvⱼ² + shiftⱼ·vⱼ) over lowⱼ ≤ vⱼ ≤ highⱼ, with one v a
//! piece, Vᵢ the sum over the pieces of row i, Q = K/alpha and, with an intercept, ΣV = 0, whose multiplier is b.
//!
//! **How** The pull of a slope is minus its derivative. A round takes the slopes whose pulls break the conditions of a minimum most,
//! moves them two at a time (one without an intercept) until they agree among themselves, and brings Q·V up to date. Near the
//! end, the slopes between their bounds solve their linear system at once. What ends at a bound is there to the last digit: a
//! row without a slope is no support vector.
//!
//! **Stops when** the gap is small enough; where rounds no longer lower the dual objective, it has no answer.
//!
//! **Cost** a round reads the rows of K that moved: of a hinge with few support vectors, a small part of the matrix.
//!
//! **Reference** Fan, Chen, Lin (2005), *Working set selection using second order information for training support vector
//! machines*, JMLR 6; Joachims (1999), *Making large-scale SVM learning practical*; Vishwanathan, Smola, Murty (2003),
//! *SimpleSVM*, for the step on all free slopes.

mod block;
mod free;
mod state;

use crate::certificate::Stop;
use crate::error::Result;
use crate::loss::Loss;
use crate::run::Run;

use super::constant::constant;
use super::interior::{Best, finish};
use super::pieces::Pieces;
use super::{Penalized, PenalizedAnswer, PenalizedParams};
use state::{Measured, State};

/// Slopes that a round moves.
const BLOCK: usize = 256;
/// Rounds for each step that the caller allows: one is a small part of the work of a Newton step.
const ROUNDS: usize = 20;
/// Rounds in which the dual objective hardly falls, after which the method is left, and what counts as hardly.
const PATIENCE: usize = 30;
const HARDLY: f64 = 1e-14;
/// The gap over the objective below which it is known which slopes are free, but for a few.
const NEARLY: f64 = 1e-3;
/// Rounds between two systems of all free slopes.
const PAUSE: usize = 8;

/// Minimises a hinge, weighted or not; nothing for losses of other pieces, and where rounds do not get there.
pub fn decomposition(
    problem: &Penalized<'_>,
    loss: &dyn Loss,
    y: &[f64],
    params: &PenalizedParams,
    run: &Run,
) -> Result<Option<PenalizedAnswer>> {
    problem.validate(y.len())?;
    params.validate()?;
    let pieces = Pieces::new(loss, y, problem.weights)?;
    if !is_sparse(&pieces, y.len()) {
        return Ok(None);
    }
    let scale = 1.0 / problem.alpha / pieces.unit;
    problem.check_range(scale)?;
    let of_zero = constant(problem, loss, y, &pieces);
    if of_zero.residual <= params.tolerance {
        return Ok(Some(PenalizedAnswer { stop: Stop::Tolerance, ..of_zero }));
    }
    let walked = walk(State::new(problem, &pieces, scale), params, run)?;
    let Some(stop) = walked.stop else { return Ok(None) };
    // Slopes at a bound stay there: zeros are zeros.
    let at: Vec<f64> = walked.best.v.clone();
    let room = |j: usize| {
        let (low, high) = pieces.bounds(j);
        if at[j] > low && at[j] < high { (low, high) } else { (at[j], at[j]) }
    };
    let answer = finish(problem, &pieces, scale, walked.best, room, run)?;
    // Where alpha is tiny beside K, rounding of Q·V has hidden the gap.
    if stop == Stop::Tolerance && answer.residual > params.tolerance {
        return Ok(None);
    }
    let worse = stop != Stop::Tolerance && answer.primal(problem.alpha) > of_zero.primal(problem.alpha);
    let answer = if worse { of_zero } else { answer };
    Ok(Some(PenalizedAnswer { iters: walked.history.len(), stop, history: walked.history, ..answer }))
}

/// Where rounds have led: the point with the smallest gap, and why they ended, if not for want of progress.
struct Walked {
    best: Best,
    stop: Option<Stop>,
    history: Vec<f64>,
}

/// Takes rounds until the gap is small, the run stops them, or they lead nowhere.
fn walk(mut state: State<'_>, params: &PenalizedParams, run: &Run) -> Result<Walked> {
    let best = Best { gap: f64::INFINITY, v: state.v.clone(), b: 0.0, since: 0 };
    let mut walked = Walked { best, stop: None, history: Vec::new() };
    let (mut least, mut solved) = (f64::MAX, 0);
    let task = run.task("working sets", None);
    for round in 0..ROUNDS * params.max_iterations {
        let measured = state.measure();
        let Measured { primal, dual, gap, .. } = measured;
        walked.history.push(primal * state.pieces.unit);
        let since = if dual < least - HARDLY * least.abs() { 0 } else { walked.best.since + 1 };
        least = least.min(dual);
        walked.best = match gap < walked.best.gap {
            true => Best { gap, v: state.v.clone(), b: measured.b, since },
            false => Best { since, ..walked.best },
        };
        if gap <= params.tolerance * primal.max(state.pieces.nothing()) {
            walked.stop = Some(Stop::Tolerance);
            break;
        }
        if since > PATIENCE {
            break;
        }
        let nearly = gap <= NEARLY * primal || since > 2;
        if nearly && round >= solved + PAUSE {
            solved = round;
            state.solve_free(run)?;
        } else {
            state.move_block(BLOCK, run);
        }
        if let Some(reason) = task.step(Some(gap / primal.max(f64::MIN_POSITIVE))) {
            walked.stop = Some(reason.into());
            break;
        }
    }
    Ok(walked)
}

/// Whether every row has one piece without softness that is flat on one side, as a hinge: then most rows are no support vectors, and
/// few slopes are moved. Of numbers with a tube around them, the interior point method needs less time to twelve digits.
fn is_sparse(pieces: &Pieces, rows: usize) -> bool {
    let flat = |j: usize| pieces.bounds(j).0 == 0.0 || pieces.bounds(j).1 == 0.0;
    pieces.len() == rows && (0..rows).all(|j| flat(j) && pieces.softness(j) == 0.0)
}
