//! Kernel ridge regression.
//!
//! Minimises Σ wᵢ·½(yᵢ − f(xᵢ) − b)² + (alpha/2)‖f‖² over the functions f of the kernel's space and,
//! if asked for, the unpenalised number b. The minimum is f = Σ αᵢk(xᵢ, ·) with
//! (K + alpha·W⁻¹)α + b·1 = y and Σαᵢ = 0. At alpha = 0 it is the limit: of all functions that fit
//! the targets best, the one of least norm. It is unique even where its coefficients are not.
//!
//! `problem` scales and checks, `choose` picks a solver, `exact`, `iterative` and `landmarks` solve,
//! `certify` computes the residual again, `zero` stands in where rounding leaves nothing better,
//! `verify` certifies a model that was saved, `left_out` leaves out one row at a time by a factor.

mod certify;
mod choose;
mod exact;
mod explicit;
mod interval;
mod iterative;
mod landmarks;
mod left_out;
mod leverage;
mod path;
mod problem;
mod report;
mod selection;
mod verify;
mod zero;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::approx::NystromParams;
use crate::data::TargetKind;
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::model::penalized::{FIT_INTERCEPT, SEED};
use crate::model::{
    Answer, Certified, Choice, Complexity, Fitted, Learn, LearnerSpec, Model, Sample, SettingSpec, SettingValues, Tune,
    has_kernel,
};
use crate::run::Run;
use crate::solver::CgParams;

pub(crate) use interval::Penalised;
use problem::Problem;

/// Rows up to which alpha is chosen by exact leave-one-out on all of them.
const EXACT_ROWS: usize = 3000;

/// How much the norm of f costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Alpha {
    /// A number ≥ 0.
    Value(f64),
    /// The number of a list with the least leave-one-out error Σ wᵢeᵢ²/Σ wᵢ.
    Loo(#[serde(deserialize_with = "list_or_grid")] Vec<f64>),
    /// The number of a list with the least n·Σ wᵢrᵢ²/(n − tr H)².
    Gcv(#[serde(deserialize_with = "list_or_grid")] Vec<f64>),
}

/// A list; `{}`, which a word alone is short for, stands for the grid.
fn list_or_grid<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Vec<f64>, D::Error> {
    match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::Object(fields) if fields.is_empty() => Ok(Alpha::grid()),
        list => Vec::deserialize(list).map_err(D::Error::custom),
    }
}

impl Alpha {
    /// Twenty-five numbers from 1e-8 to 1e4, in equal steps of the logarithm.
    pub fn grid() -> Vec<f64> {
        (0..25).map(|i| 10f64.powf(f64::from(i) / 2.0 - 8.0)).collect()
    }

    pub(crate) fn list(&self) -> &[f64] {
        match self {
            Alpha::Value(value) => std::slice::from_ref(value),
            Alpha::Loo(list) | Alpha::Gcv(list) => list,
        }
    }

    pub(crate) fn validate(&self) -> Result<()> {
        if self.list().is_empty() {
            return Err(Error::invalid(KernelRidge::SPEC.title(), "alpha", "an empty list", "at least one number"));
        }
        match self.list().iter().find(|a| !(**a >= 0.0 && a.is_finite())) {
            Some(bad) => Err(Error::invalid(KernelRidge::SPEC.title(), "alpha", bad, "a finite number ≥ 0")),
            None => Ok(()),
        }
    }
}

/// How the system is solved. All but `Nystrom` give the same function.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RidgeSolver {
    /// By size, memory, time and alpha; the report says which and why.
    #[default]
    Auto,
    /// One eigendecomposition: all alphas, leave-one-out residuals, alpha = 0.
    Eigen,
    /// A Cholesky factor in the memory of the kernel matrix.
    Cholesky,
    /// Conjugate gradients with a preconditioner, alpha > 0.
    Cg(CgParams),
    /// Landmarks: an approximation for very many rows.
    Nystrom(NystromParams),
    /// In a feature space of fewer dimensions than rows, where the kernel has one.
    Primal,
}

/// The choices of a kernel ridge regression.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, model::regress::{Alpha, KernelRidge}};
/// let x: Inputs = Rows::new(vec![0.0, 1.0, 2.0], 3, 1)?.into();
/// let y = Targets::new(vec![1.0, 3.0, 5.0], 1)?;
/// let ridge = KernelRidge { kernel: KernelExpr::parse("linear")?, alpha: Alpha::Value(0.0), fit_intercept: true,
///     ..KernelRidge::default() };
/// let model = ridge.fit(&x, &y, None, &Run::new())?.model;
/// let at: Inputs = Rows::new(vec![10.0], 1, 1)?.into();
/// assert!((model.predict(&at, &Run::new())?[0] - 21.0).abs() < 1e-12); // 1 + 2x
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelRidge {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// alpha, or a list to choose it from.
    #[serde(deserialize_with = "crate::model::short::short")]
    pub alpha: Alpha,
    /// Whether to add a number b that the norm does not count.
    pub fit_intercept: bool,
    /// The solver.
    #[serde(deserialize_with = "crate::model::short::short")]
    pub solver: RidgeSolver,
    /// Where chance begins: of the preconditioner and of the landmarks.
    pub seed: u64,
}

impl Default for KernelRidge {
    fn default() -> Self {
        KernelRidge {
            kernel: KernelExpr::default(),
            alpha: Alpha::Value(1.0),
            fit_intercept: false,
            solver: RidgeSolver::Auto,
            seed: 0,
        }
    }
}

impl Alpha {
    /// To be chosen by leave-one-out: near what the evidence says, or from the whole grid without it; for very many rows
    /// what the evidence says.
    pub(crate) fn near(evidence: Option<f64>, rows: usize) -> (Self, Choice) {
        match evidence {
            None => (Alpha::Loo(Alpha::grid()), Choice::LeaveOneOut),
            Some(alpha) if rows <= EXACT_ROWS => (Alpha::Loo(Alpha::beside(alpha)), Choice::LeaveOneOut),
            Some(alpha) => (Alpha::Value(alpha), Choice::Evidence),
        }
    }

    /// Three powers of ten to both sides.
    fn beside(alpha: f64) -> Vec<f64> {
        (-12..=12).map(|i| alpha * 10f64.powf(f64::from(i) / 4.0)).collect()
    }

    fn value(&self) -> Option<f64> {
        match self {
            Alpha::Value(alpha) => Some(*alpha),
            _ => None,
        }
    }
}

impl Tune for KernelRidge {
    fn complexity(&self) -> Option<Complexity> {
        Some(Complexity::alpha(self.alpha.value()))
    }

    fn with_complexity(&self, alpha: f64, _: f64) -> Self {
        KernelRidge { alpha: Alpha::Value(alpha), ..self.clone() }
    }

    fn choosing(&self, evidence: Option<f64>, rows: usize) -> Option<(Self, Choice)> {
        // One decomposition of the landmarks gives generalised cross-validation for every alpha.
        if let (RidgeSolver::Nystrom(_), Some(alpha)) = (&self.solver, evidence) {
            return Some((KernelRidge { alpha: Alpha::Gcv(Alpha::beside(alpha)), ..self.clone() }, Choice::Gcv));
        }
        // Solvers without leave-one-out have it chosen by folds.
        if !matches!(self.solver, RidgeSolver::Auto | RidgeSolver::Eigen) {
            return None;
        }
        let (alpha, choice) = Alpha::near(evidence, rows);
        Some((KernelRidge { alpha, ..self.clone() }, choice))
    }

    fn told(&self) -> Choice {
        if matches!(self.alpha, Alpha::Gcv(_)) { Choice::Gcv } else { Choice::Given }
    }

    fn usual_for(&self, _: TargetKind) -> Self {
        KernelRidge { fit_intercept: true, ..self.clone() }
    }
}

impl Learn for KernelRidge {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "ridge",
        class: "KernelRidge",
        summary: "kernel ridge regression, on numbers or on the codes of classes",
        targets: &[TargetKind::Numbers, TargetKind::Classes],
        answers: &[Answer::Numbers, Answer::Intervals, Answer::Classes],
        weights: true,
        for_classes: None,
        settings: &[
            SettingSpec {
                name: "alpha",
                summary: "what the squared norm costs, or a list to choose it from",
                values: SettingValues::Other("a number ≥ 0, or `loo` or `gcv`, perhaps with a list"),
            },
            FIT_INTERCEPT,
            SettingSpec {
                name: "solver",
                summary: "how the system is solved",
                values: SettingValues::Other("auto, eigen, cholesky, cg, nystrom or primal"),
            },
            SEED,
        ],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        self.alpha.validate()?;
        match &self.solver {
            RidgeSolver::Cg(params) => params.validate(),
            RidgeSolver::Nystrom(params) => params.validate(),
            _ => Ok(()),
        }
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        let (problem, solved) = self.solve(sample, run)?;
        let learner = KernelRidge { alpha: Alpha::Value(solved.alpha), ..self.clone() };
        report::assemble(learner.with_kernel(sample.space.kernel().clone()).into(), problem, solved, run)
    }

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        let alpha = self.alpha.list()[0];
        Ok(verify::certify(model, &Problem::new(sample, self.fit_intercept, self.seed)?, alpha, run)?.into())
    }
}

impl KernelRidge {
    /// Solves by the solver that was asked for, or by the best.
    pub(crate) fn solve(&self, sample: &Sample, run: &Run) -> Result<(Problem, report::Solved)> {
        let problem = Problem::new(sample, self.fit_intercept, self.seed)?;
        let choice = choose::choose(self, &problem, run)?;
        let solved = choose::solve(self, &problem, choice, run)?;
        Ok((problem, solved))
    }
}

/// The model of ridge regression under another name: the same problem, solved and certified in the same way.
pub(crate) mod shared {
    pub(crate) use super::left_out::left_out;
    pub(crate) use super::problem::Problem;
    pub(crate) use super::report::assemble;
    pub(crate) use super::verify::certify;
}
