//! The residual of an answer, computed again with the true kernel values.

use crate::certificate::{Algorithm, Certificate, Stop};
use crate::error::Result;
use crate::linalg::LinearOperator;
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
    /// Whether alpha counts as 0.
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

/// The numbers of one output.
#[derive(Default)]
struct Sums {
    /// ‖√w·(y − Kα − b − alpha·α/w)‖².
    residual: f64,
    /// ‖√w·y‖².
    target: f64,
    /// Σ w·(y − Kα − b).
    balance: f64,
    primal: f64,
    dual: f64,
}

/// Computes K·α again, and from it the residual and both objectives.
///
/// With an intercept, the residuals must also add up to 0; the larger of both errors counts.
pub(super) fn certify(
    problem: &Problem,
    kernel: &dyn LinearOperator,
    answer: Answer<'_>,
    story: Story,
    run: &Run,
) -> Result<Certificate> {
    let c = problem.outputs;
    let mut fitted = vec![0.0; problem.n * c];
    kernel.apply(answer.coefficients, c, &mut fitted, run)?;
    let weight: f64 = (0..problem.n).map(|i| problem.weight(i)).sum();
    let sums: Vec<Sums> = (0..c).map(|o| output(problem, answer, &fitted, o)).collect();
    let relative = |s: &Sums| {
        let balance = if problem.intercept { s.balance.abs() / weight.sqrt() } else { 0.0 };
        quotient(s.residual.sqrt().max(balance), s.target.sqrt())
    };
    let mut relative_residual = sums.iter().map(relative).fold(0.0, f64::max);
    let mut system = if problem.intercept { "(K + alpha/w)·a + b = y, sum of a = 0" } else { "(K + alpha/w)·a = y" };
    if answer.interpolates {
        relative_residual = normal_residual(problem, kernel, answer, &fitted, run)?;
        system = "K·w·(y − K·a − b) = 0";
    }
    let unit = |o: usize| problem.weight_unit * problem.units[o] * problem.units[o];
    let total = |of: fn(&Sums) -> f64| sums.iter().enumerate().map(|(o, s)| unit(o) * of(s)).sum::<f64>();
    Ok(Certificate {
        primal: Some(total(|s| s.primal)),
        dual: (!answer.interpolates).then(|| total(|s| s.dual)),
        iterations: story.iterations,
        jitter: story.jitter,
        rank: story.rank,
        condition: story.condition,
        ..Certificate::new(story.algorithm, story.reason, story.stop).of_system(system, relative_residual)
    })
}

fn output(problem: &Problem, answer: Answer<'_>, fitted: &[f64], o: usize) -> Sums {
    let c = problem.outputs;
    let mut s = Sums::default();
    for i in 0..problem.n {
        let (w, a, f, y) = (problem.weight(i), answer.coefficients[i * c + o], fitted[i * c + o], problem.y[i * c + o]);
        let r = y - f - answer.intercept[o];
        let rest = r - answer.alpha / w * a;
        s.residual += w * rest * rest;
        s.target += w * y * y;
        s.balance += w * r;
        s.primal += 0.5 * w * r * r + 0.5 * answer.alpha * a * f;
        s.dual += answer.alpha * a * (y - 0.5 * f - 0.5 * answer.alpha / w * a);
    }
    s
}

/// ‖√w·K·w·(y − Kα − b)‖/‖√w·K·w·y‖: the residual of least squares, which also has a solution where
/// the targets cannot be met.
fn normal_residual(
    problem: &Problem,
    kernel: &dyn LinearOperator,
    answer: Answer<'_>,
    fitted: &[f64],
    run: &Run,
) -> Result<f64> {
    let c = problem.outputs;
    let mut both = vec![0.0; 2 * problem.n * c];
    for i in 0..problem.n {
        let w = problem.weight(i);
        for o in 0..c {
            let y = problem.y[i * c + o];
            both[2 * i * c + o] = w * (y - fitted[i * c + o] - answer.intercept[o]);
            both[(2 * i + 1) * c + o] = w * y;
        }
    }
    let mut products = vec![0.0; both.len()];
    kernel.apply(&both, 2 * c, &mut products, run)?;
    let norm = |first: usize| {
        let of_row =
            |i: usize| (0..c).map(|o| problem.weight(i) * products[2 * i * c + first + o].powi(2)).sum::<f64>();
        (0..problem.n).map(of_row).sum::<f64>().sqrt()
    };
    Ok(quotient(norm(0), norm(c)))
}

/// a/b, and 0 of nothing.
pub(super) fn quotient(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b.max(f64::MIN_POSITIVE) }
}
