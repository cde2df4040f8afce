//! What every answer carries: how it was found, and how far it is from what was asked for.
//!
//! The numbers are computed again from the answer itself and the true kernel matrix, not taken from
//! the algorithm that found it, and they hold in floating point: objectives and residuals are bounds from above, lower
//! bounds are bounds from below, whatever rounding does. docs/decisions/0009 says of which problem.

use serde::{Deserialize, Serialize};

use crate::run::StopReason;

/// The algorithm that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Algorithm {
    /// One eigendecomposition of the kernel matrix.
    Eigen,
    /// A Cholesky factor of the kernel matrix.
    Cholesky,
    /// Conjugate gradients, preconditioned by a randomly pivoted Cholesky factor.
    Cg,
    /// Landmarks among randomly drawn pivots, chosen by the targets: an approximation.
    Nystrom,
    /// Coordinates in a feature space that is smaller than the data: exact.
    Primal,
    /// Newton's method with step control: iteratively reweighted ridge regression.
    Newton,
    /// A primal-dual interior point method for quadratic programs.
    InteriorPoint,
    /// Gradient descent in the RKHS.
    GradientDescent,
    /// Stochastic gradient descent in the RKHS.
    StochasticGradientDescent,
    /// A sum over the points, with nothing to solve.
    Direct,
    /// Newton's method for the mode of a classifier's posterior, whose curvature is its covariance.
    Laplace,
}

impl Algorithm {
    /// Its name, as in formulas and reports.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Eigen => "eigen",
            Algorithm::Cholesky => "cholesky",
            Algorithm::Cg => "cg",
            Algorithm::Nystrom => "nystrom",
            Algorithm::Primal => "primal",
            Algorithm::Newton => "newton",
            Algorithm::InteriorPoint => "interior_point",
            Algorithm::GradientDescent => "gradient_descent",
            Algorithm::StochasticGradientDescent => "stochastic_gradient_descent",
            Algorithm::Direct => "direct",
            Algorithm::Laplace => "laplace",
        }
    }
}

/// Why the work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stop {
    /// A direct method went through to its end.
    Direct,
    /// The tolerance was reached, or all that rounding leaves open.
    Tolerance,
    /// The largest number of iterations was reached before the tolerance.
    MaxIterations,
    /// Rounding kept the residual from falling further before the tolerance.
    Stagnation,
    /// The deadline passed; the answer is the best by then.
    Deadline,
    /// An interrupt; the answer is the best by then.
    Interrupted,
}

impl Stop {
    /// Its name, as in reports.
    pub fn name(self) -> &'static str {
        match self {
            Stop::Direct => "direct",
            Stop::Tolerance => "tolerance",
            Stop::MaxIterations => "max_iterations",
            Stop::Stagnation => "stagnation",
            Stop::Deadline => "deadline",
            Stop::Interrupted => "interrupted",
        }
    }

    /// Whether the answer is what was asked for, and not the best that was reached.
    pub fn is_complete(self) -> bool {
        matches!(self, Stop::Direct | Stop::Tolerance)
    }
}

impl From<StopReason> for Stop {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::Deadline => Stop::Deadline,
            StopReason::Interrupted => Stop::Interrupted,
        }
    }
}

/// What was changed, before the fit, in a matrix of kernel values that no kernel gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repaired {
    /// `clip`, `flip` or `shift`.
    pub method: String,
    /// The smallest eigenvalue before.
    pub smallest_eigenvalue: f64,
    /// How many eigenvalues were negative.
    pub negative: usize,
    /// How much the eigenvalues were moved in all, over the sum of their sizes.
    pub moved_share: f64,
}

/// How an answer was found and how far it is from what was asked for.
///
/// What is measured depends on what was asked for: the solution of a system has a residual, the
/// iterate of a descent and the answer of a filter have a discrepancy, which is not to be 0, and a
/// stochastic descent has the loss of rows that it had not yet learnt from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Why this one, as a sentence.
    pub reason: String,
    /// Why it ended.
    pub stop: Stop,
    /// ‖right-hand side − system·answer‖ over ‖right-hand side‖, the largest over the outputs,
    /// computed again with the true kernel values; nothing where no system is solved.
    pub relative_residual: Option<f64>,
    /// The system that this is the residual of.
    pub system: Option<String>,
    /// ½·Σ p·(y − f)² over the rows of the fit with their shares p, summed over the outputs, of a
    /// descent or a filter.
    pub empirical_risk: Option<f64>,
    /// ‖y − f‖ over ‖y‖ on the rows of the fit, counted by their shares: the square root of the
    /// empirical risk over that of f = 0. It is what early stopping and filters keep away from 0.
    pub discrepancy: Option<f64>,
    /// ‖(y − f) − r(T)(y − f⁰)‖ over ‖y‖: how far the residuals are from what the filter r, or the
    /// closed form of the descent from f⁰, makes them.
    pub filter_error: Option<f64>,
    /// The mean loss of rows just before they were learnt from, of a stochastic descent: of the
    /// last 1024 rows or so, where older ones fade.
    pub running_loss: Option<f64>,
    /// The objective at the answer, summed over the outputs: not below it.
    pub primal: Option<f64>,
    /// A lower bound of the least objective, where duality gives one: not above it.
    pub dual: Option<f64>,
    /// How much of primal and dual stands there for rounding: that of the kernel values first, as if each were good to
    /// four units of rounding, and that of the sums. No solver can make the gap smaller than this.
    pub rounding: Option<f64>,
    /// Iterations, of an iterative method.
    pub iterations: Option<usize>,
    /// What was added to the diagonal because the matrix was not positive definite to rounding. It
    /// changes the answer; 0 if nothing was.
    pub jitter: f64,
    /// Rank of the factor or the preconditioner, or the numerical rank of the matrix.
    pub rank: Option<usize>,
    /// An estimate of the condition number of the system that was solved, from below.
    pub condition: Option<f64>,
    /// What was changed in a matrix of kernel values before; all else is of the changed matrix.
    pub repaired: Option<Repaired>,
}

impl Certificate {
    /// One that says how the answer was found, and has measured nothing yet.
    pub fn new(algorithm: Algorithm, reason: impl Into<String>, stop: Stop) -> Self {
        Certificate {
            algorithm,
            reason: reason.into(),
            stop,
            relative_residual: None,
            system: None,
            empirical_risk: None,
            discrepancy: None,
            filter_error: None,
            running_loss: None,
            primal: None,
            dual: None,
            rounding: None,
            iterations: None,
            jitter: 0.0,
            rank: None,
            condition: None,
            repaired: None,
        }
    }

    /// With the relative residual of the system that was solved.
    pub fn of_system(self, system: impl Into<String>, relative_residual: f64) -> Self {
        Certificate { relative_residual: Some(relative_residual), system: Some(system.into()), ..self }
    }

    /// primal − dual, rounded up: how far the objective can be above its minimum.
    pub fn gap(&self) -> Option<f64> {
        self.primal.zip(self.dual).map(|(p, d)| if p == d { 0.0 } else { (p - d).next_up() })
    }

    /// The relative residual; NaN, which is below no tolerance, where no system is solved.
    pub fn residual(&self) -> f64 {
        self.relative_residual.unwrap_or(f64::NAN)
    }

    /// What was measured, in words, beside objectives.
    pub fn measured(&self) -> impl Iterator<Item = (&'static str, f64)> + use<> {
        let all = [
            ("relative residual", self.relative_residual),
            ("discrepancy", self.discrepancy),
            ("empirical risk", self.empirical_risk),
            ("filter error", self.filter_error),
            ("running loss", self.running_loss),
        ];
        all.into_iter().filter_map(|(name, value)| value.map(|value| (name, value)))
    }
}
