//! The residual of an answer, computed again with the true kernel values.

use crate::certificate::{Algorithm, Certificate, Measure, Stop};
use crate::error::Result;
use crate::gram::{KernelMatrix, doubled_product};
use crate::linalg::Ball;
use crate::model::squares::{Held, Squares, in_units, uncertainty};
use crate::run::Run;

use super::problem::Problem;

/// An answer in the units of the problem.
#[derive(Clone, Copy)]
pub(super) struct Answer<'a> {
    /// α, row-major: n×outputs.
    pub(super) coefficients: &'a [f64],
    /// b, one an output.
    pub(super) intercept: &'a [f64],
    /// alpha over the unit of the weights.
    pub(super) alpha: f64,
    /// Whether alpha counted as 0 when it was found.
    pub(super) interpolates: bool,
}

/// What is known of how an answer was found.
#[derive(Clone)]
pub(super) struct Story {
    pub(super) algorithm: Algorithm,
    pub(super) reason: String,
    pub(super) stop: Stop,
    pub(super) iterations: Option<usize>,
    pub(super) jitter: f64,
    pub(super) rank: Option<usize>,
    pub(super) condition: Option<f64>,
}

impl From<&Certificate> for Story {
    fn from(c: &Certificate) -> Self {
        Story {
            algorithm: c.algorithm,
            reason: c.reason.clone(),
            stop: c.stop,
            iterations: c.iterations(),
            jitter: c.jitter(),
            rank: c.rank(),
            condition: c.get(Measure::Condition),
        }
    }
}

/// The system of the limit alpha = 0, which has no dual bound.
pub(super) const NORMAL: &str = "K·w·(y − K·a − b) = 0";

/// Computes K·α again, in doubled precision, and from it the residual and bounds of both objectives.
///
/// With an intercept, the residuals must also add up to 0; the larger of both errors counts.
pub(super) fn certify(
    problem: &Problem,
    kernel: &dyn KernelMatrix,
    answer: Answer<'_>,
    story: Story,
    run: &Run,
) -> Result<Certificate> {
    let y: Vec<Ball> = problem.y.iter().map(|y| Ball::from(*y)).collect();
    let squares = Squares {
        kernel,
        y: &y,
        outputs: problem.outputs,
        weights: problem.weights.as_deref(),
        alpha: answer.alpha,
        coefficients: answer.coefficients,
        intercept: problem.intercept.then_some(answer.intercept),
        weighted_residual: true,
    };
    let found = squares.certify(answer.interpolates, run)?;
    let (residual, system) = match (found.normal_residual, problem.intercept) {
        (Some(normal), _) => (normal, NORMAL),
        (None, true) => (largest(&found.outputs), "(K + alpha/w)·a + b = y, sum of a = 0"),
        (None, false) => (largest(&found.outputs), "(K + alpha/w)·a = y"),
    };
    let total = |of: fn(&Held) -> f64| {
        in_units(found.outputs.iter().map(of).zip(problem.units.iter().copied()), problem.weight_unit)
    };
    let dual = total(|h| h.dual).1;
    Ok(Certificate::new(story.algorithm, story.reason, story.stop)
        .of_system(system, residual)
        .with(Measure::Primal, total(|h| h.primal).0)
        .with(Measure::Dual, (!answer.interpolates && problem.has_minimum()).then_some(dual))
        .with(Measure::Rounding, total(|h| h.rounding).0)
        .count(Measure::Iterations, story.iterations)
        .with(Measure::Jitter, Some(story.jitter).filter(|j| *j > 0.0))
        .count(Measure::Rank, story.rank)
        .with(Measure::Condition, story.condition))
}

fn largest(outputs: &[Held]) -> f64 {
    outputs.iter().map(|h| h.residual).fold(0.0, f64::max)
}

/// Not below the objective of a function on landmarks, and how much of that is there for rounding: kernel values of all
/// rows against the landmarks, of the landmarks among themselves, and the matrix of all rows for its diagonal alone.
pub(super) fn landmark_objective(
    problem: &Problem,
    cross: &dyn KernelMatrix,
    own: &dyn KernelMatrix,
    answer: Answer<'_>,
    run: &Run,
) -> Result<(f64, f64)> {
    let c = problem.outputs;
    let a: Vec<Ball> = answer.coefficients.iter().map(|a| Ball::from(*a)).collect();
    let fitted = doubled_product(cross, &a, c, run)?;
    let at_landmarks = doubled_product(own, &a, c, run)?;
    let delta = uncertainty(&problem.training.space.gram(&problem.training.x, run)?);
    let of_output = |o: usize| {
        let rest = |i: usize| Ball::from(problem.y[i * c + o]) - fitted[i * c + o] - Ball::from(answer.intercept[o]);
        let left: Vec<Ball> = (0..problem.n).map(rest).collect();
        let sum = |power: i32| -> Ball {
            left.iter().enumerate().map(|(i, r)| *r * *r * problem.weight(i).powi(power)).sum()
        };
        let own = a.iter().zip(&at_landmarks).skip(o).step_by(c);
        let norm: Ball = own.map(|(a, f)| *a * *f).sum();
        let square: Ball = a.iter().skip(o).step_by(c).map(|a| *a * *a).sum();
        let heaviest = (0..problem.n).map(|i| problem.weight(i)).fold(0.0, f64::max);
        let e = Ball::from(square.root_above()) * delta;
        // The second power of a weight is rounded.
        let steep = Ball::from(sum(2).root_above() * (1.0 + 4.0 * f64::EPSILON));
        let moved = steep * e + e * e * (0.5 * heaviest) + square * (0.5 * delta) * answer.alpha;
        let value = (sum(1) + norm * answer.alpha) * 0.5;
        let above = (value + moved).above();
        (above, (above - value.value()).max(0.0))
    };
    let found: Vec<(f64, f64)> = (0..c).map(of_output).collect();
    let total = |of: fn(&(f64, f64)) -> f64| {
        in_units(found.iter().map(of).zip(problem.units.iter().copied()), problem.weight_unit).0
    };
    Ok((total(|f| f.0), total(|f| f.1)))
}
