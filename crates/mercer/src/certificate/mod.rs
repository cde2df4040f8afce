//! What every answer carries: how it was found, and how far it is from what was asked for.
//!
//! The numbers are computed again from the answer itself and the true kernel matrix, not taken from
//! the algorithm that found it, and they hold in floating point: objectives and residuals are bounds from above, lower
//! bounds are bounds from below, whatever rounding does. docs/decisions/0009 says of which problem.

mod measure;
mod written;

use serde::{Deserialize, Serialize};

use crate::run::StopReason;

pub use measure::Measure;
pub(crate) use written::Real;

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
    /// Working sets of a quadratic program: a few slopes at a time, and all free ones at the end.
    WorkingSets,
    /// Gradient descent in the RKHS.
    GradientDescent,
    /// Stochastic gradient descent in the RKHS.
    StochasticGradientDescent,
    /// A sum over the points, with nothing to solve.
    Direct,
    /// Newton's method for the mode of a classifier's posterior, whose curvature is its covariance.
    Laplace,
    /// Lloyd's algorithm for clusters from several starts, and moves of single rows where it stands still.
    Lloyd,
    /// The largest eigenvalues from products with blocks of vectors.
    BlockLanczos,
}

impl Algorithm {
    /// Whether it solves a quadratic program, whose gap is its residual.
    pub(crate) fn is_program(self) -> bool {
        matches!(self, Algorithm::InteriorPoint | Algorithm::WorkingSets)
    }

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
            Algorithm::WorkingSets => "working_sets",
            Algorithm::GradientDescent => "gradient_descent",
            Algorithm::StochasticGradientDescent => "stochastic_gradient_descent",
            Algorithm::Direct => "direct",
            Algorithm::Laplace => "laplace",
            Algorithm::Lloyd => "lloyd",
            Algorithm::BlockLanczos => "block_lanczos",
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

    /// Whether someone or something ended the work from outside.
    pub(crate) fn is_from_outside(self) -> bool {
        matches!(self, Stop::Deadline | Stop::Interrupted)
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

impl std::fmt::Display for Repaired {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let were = crate::error::counted(self.negative, "eigenvalue was", "eigenvalues were");
        let share = 100.0 * self.moved_share;
        write!(
            f,
            "kernel values were repaired by {}: {were} negative, the least {:.3e}; ",
            self.method, self.smallest_eigenvalue
        )?;
        write!(f, "{share:.2} % of their sum was moved")
    }
}

/// How an answer was found and how far it is from what was asked for.
///
/// What is measured is what the learner solves: the solution of a system has a residual, the iterate of a descent and the
/// answer of a filter have a discrepancy, which is not to be 0, and a stochastic descent has the loss of rows that it had
/// not yet learnt from. Measures go by name ([`Measure`]), so that one more of them is one line.
///
/// ```
/// use mercer::certificate::{Algorithm, Certificate, Measure, Stop};
/// let certificate = Certificate::new(Algorithm::Newton, "the loss is smooth", Stop::Tolerance)
///     .with(Measure::Primal, 2.0).with(Measure::Dual, 1.75).with(Measure::Condition, None);
/// assert_eq!((certificate.get(Measure::Primal), certificate.get(Measure::Condition)), (Some(2.0), None));
/// assert_eq!(certificate.gap(), Some(0.25f64.next_up()));
/// let json = serde_json::to_string(&certificate).expect("text");
/// assert_eq!(serde_json::from_str::<Certificate>(&json).expect("the same"), certificate);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Why this one, as a sentence.
    pub reason: String,
    /// Why it ended.
    pub stop: Stop,
    /// The system that the relative residual is of; nothing where no system is solved.
    pub system: Option<String>,
    /// What was changed in a matrix of kernel values before; all else is of the changed matrix.
    pub repaired: Option<Repaired>,
    /// What was measured, in the order of [`Measure::ALL`].
    measures: Vec<(Measure, f64)>,
}

impl Certificate {
    /// One that says how the answer was found, and has measured nothing yet.
    pub fn new(algorithm: Algorithm, reason: impl Into<String>, stop: Stop) -> Self {
        Certificate { algorithm, reason: reason.into(), stop, system: None, repaired: None, measures: Vec::new() }
    }

    /// With the relative residual of the system that was solved.
    pub fn of_system(self, system: impl Into<String>, relative_residual: f64) -> Self {
        Certificate { system: Some(system.into()), ..self }.with(Measure::RelativeResidual, relative_residual)
    }

    /// With this measure, in place of one that was there; without it for nothing.
    pub fn with(mut self, measure: Measure, value: impl Into<Option<f64>>) -> Self {
        self.measures.retain(|(known, _)| *known != measure);
        if let Some(value) = value.into() {
            let at = self.measures.partition_point(|(known, _)| *known < measure);
            self.measures.insert(at, (measure, value));
        }
        self
    }

    /// As [`with`](Self::with), of a number of something.
    pub fn count(self, measure: Measure, value: impl Into<Option<usize>>) -> Self {
        self.with(measure, value.into().map(|v| v as f64))
    }

    /// What was measured by this name.
    pub fn get(&self, measure: Measure) -> Option<f64> {
        self.measures.iter().find(|(known, _)| *known == measure).map(|(_, value)| *value)
    }

    /// All measures, in their order.
    pub fn measures(&self) -> &[(Measure, f64)] {
        &self.measures
    }

    /// The objective at the answer, summed over the outputs: not below it.
    pub fn primal(&self) -> Option<f64> {
        self.get(Measure::Primal)
    }

    /// A lower bound of the least objective, where duality gives one: not above it.
    pub fn dual(&self) -> Option<f64> {
        self.get(Measure::Dual)
    }

    /// primal − dual, rounded up: how far the objective can be above its minimum.
    pub fn gap(&self) -> Option<f64> {
        self.primal().zip(self.dual()).map(|(p, d)| if p == d { 0.0 } else { (p - d).next_up() })
    }

    /// The relative residual; NaN, which is below no tolerance, where no system is solved.
    pub fn residual(&self) -> f64 {
        self.get(Measure::RelativeResidual).unwrap_or(f64::NAN)
    }

    /// The largest relative residual that upholds this claim on so many rows: ten times the claim, since rounding differs
    /// from machine to machine, or the rounding of a sum of n products, 16·n·ε.
    pub fn tolerance(&self, rows: usize) -> f64 {
        (10.0 * self.residual()).max(16.0 * rows as f64 * f64::EPSILON)
    }

    /// Iterations, of an iterative method.
    pub fn iterations(&self) -> Option<usize> {
        self.get(Measure::Iterations).map(|v| v as usize)
    }

    /// What was added to the diagonal because the matrix was not positive definite to rounding. It changes the
    /// answer; 0 if nothing was.
    pub fn jitter(&self) -> f64 {
        self.get(Measure::Jitter).unwrap_or(0.0)
    }

    /// Rank of the factor or the preconditioner, or the numerical rank of the matrix.
    pub fn rank(&self) -> Option<usize> {
        self.get(Measure::Rank).map(|v| v as usize)
    }

    /// The measures that say how good the answer is, beside objectives.
    pub fn judged(&self) -> impl Iterator<Item = (Measure, f64)> + '_ {
        self.measures.iter().copied().filter(|(measure, _)| measure.judges())
    }

    /// A sentence if the work ended far from its solution: the gap over the objective, or the relative residual, is
    /// above a thousandth.
    pub fn unsolved(&self) -> Option<String> {
        const FAR: f64 = 1e-3;
        let (gap, primal) = (self.gap(), self.primal().unwrap_or(0.0));
        let (off, how) = match (gap, self.get(Measure::RelativeResidual)) {
            (Some(gap), _) => (
                gap > FAR * primal.abs(),
                format!("the objective is {primal:.6e}, and up to {gap:.1e} above the least"),
            ),
            (None, Some(residual)) => (residual > FAR, format!("the relative residual is {residual:.1e}")),
            (None, None) => return None,
        };
        (off && !self.stop.is_complete())
            .then(|| format!("the fit is not solved (stopped by {}): {how}", self.stop.name()))
    }
}
