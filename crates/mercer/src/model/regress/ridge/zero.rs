//! f = 0 with the best intercept: the answer where the kernel is 0 on all rows, and the one that none may be worse than.

use crate::certificate::{Algorithm, Certificate, Measure, Stop};
use crate::error::Result;
use crate::gram::{KernelMatrix, Streamed};
use crate::linalg::LinearOperator;
use crate::model::Considered;
use crate::run::Run;

use super::Alpha;
use super::certify::{Answer, Story, certify};
use super::problem::Problem;
use super::report::Solved;

/// The relative residual from which on an answer is compared with f = 0.
pub(super) const FAR: f64 = 1e-3;
/// Share by which rounding may make the objective of f = 0 come out too small.
const ROUNDING: f64 = 1e-9;
/// What the certificate says then.
pub(super) const NOTE: &str = "; what it reached is worse than f = 0, so f = 0 is the answer";

/// b and ½·Σ w(y − b)² of output `o` for f = 0: the weighted mean, or 0 without an intercept.
pub(super) fn of_zero(problem: &Problem, o: usize) -> (f64, f64) {
    let c = problem.outputs;
    let y = |i: usize| problem.y[i * c + o];
    let total: f64 = (0..problem.n).map(|i| problem.weight(i)).sum();
    let mean = (0..problem.n).map(|i| problem.weight(i) * y(i)).sum::<f64>() / total;
    let b = if problem.intercept { mean } else { 0.0 };
    (b, 0.5 * (0..problem.n).map(|i| problem.weight(i) * (y(i) - b).powi(2)).sum::<f64>())
}

/// Whether an objective of output `o` is above that of f = 0; what is no number is, too.
pub(super) fn is_worse(problem: &Problem, o: usize, objective: f64) -> bool {
    objective.is_nan() || objective > of_zero(problem, o).1 * (1.0 + ROUNDING)
}

/// An answer that can still be changed.
pub(super) struct Reached {
    pub(super) coefficients: Vec<f64>,
    pub(super) intercept: Vec<f64>,
}

impl Reached {
    fn answer(&self, (alpha, interpolates): (f64, bool)) -> Answer<'_> {
        Answer { coefficients: &self.coefficients, intercept: &self.intercept, alpha, interpolates }
    }

    /// Makes output `o` of coefficients with so many outputs 0.
    pub(super) fn clear(&mut self, problem: &Problem, o: usize) {
        let c = problem.outputs;
        self.coefficients.iter_mut().skip(o).step_by(c).for_each(|a| *a = 0.0);
        self.intercept[o] = of_zero(problem, o).0;
    }

    /// Makes every output 0 whose objective is above that of f = 0; whether there was one.
    fn clear_worse(&mut self, problem: &Problem, kernel: &dyn KernelMatrix, alpha: f64, run: &Run) -> Result<bool> {
        let c = problem.outputs;
        let mut fitted = vec![0.0; problem.n * c];
        Streamed(kernel).apply(&self.coefficients, c, &mut fitted, run)?;
        let mut any = false;
        for o in 0..c {
            let term = |i: usize| {
                let (a, f) = (self.coefficients[i * c + o], fitted[i * c + o]);
                let r = problem.y[i * c + o] - f - self.intercept[o];
                0.5 * problem.weight(i) * r * r + 0.5 * alpha * a * f
            };
            if is_worse(problem, o, (0..problem.n).map(term).sum()) {
                self.clear(problem, o);
                any = true;
            }
        }
        Ok(any)
    }
}

/// The certificate of an answer or, where its residual is large, of what is left of it once outputs that are worse than
/// f = 0 are f = 0. `limit` is alpha in the units of the problem, and whether it counts as 0.
pub(super) fn certify_or_clear(
    problem: &Problem,
    kernel: &dyn KernelMatrix,
    reached: &mut Reached,
    limit: (f64, bool),
    story: Story,
    run: &Run,
) -> Result<Certificate> {
    let certificate = certify(problem, kernel, reached.answer(limit), story.clone(), run)?;
    if certificate.residual() <= FAR || !reached.clear_worse(problem, kernel, limit.0, run)? {
        return Ok(certificate);
    }
    let reason = format!("{}{NOTE}", story.reason);
    certify(problem, kernel, reached.answer(limit), Story { reason, ..story }, run)
}

/// The solution where the kernel is 0 on all rows: one of them stands for all, with the coefficient 0.
pub(super) fn solution(
    problem: &Problem,
    alpha: &Alpha,
    algorithm: Algorithm,
    considered: Vec<Considered>,
    reason: String,
) -> Solved {
    let c = problem.outputs;
    Solved {
        coefficients: vec![0.0; c],
        intercept: (0..c).map(|o| of_zero(problem, o).0).collect(),
        support: Some(vec![0]),
        alpha: alpha.list()[0],
        certificate: certificate(problem, Certificate::new(algorithm, reason, Stop::Direct)).count(Measure::Rank, 0),
        loo: None,
        path: Vec::new(),
        considered,
    }
}

/// Residual and objective of that solution.
pub(super) fn certificate(problem: &Problem, story: Certificate) -> Certificate {
    let unit = |o: usize| problem.weight_unit * problem.units[o] * problem.units[o];
    let system = "the gradient at the landmarks, in the norm of the space, over that of f = 0";
    let objective: f64 = (0..problem.outputs).map(|o| unit(o) * of_zero(problem, o).1).sum();
    // Sums of squares: each of the n terms carries a few roundings, and each sum one more.
    let rounding = objective * (problem.n + 16) as f64 * 2.0 * f64::EPSILON;
    story
        .of_system(system, 0.0)
        .with(Measure::Primal, objective + rounding)
        .with(Measure::Rounding, rounding)
        .with(Measure::Dual, None)
}
