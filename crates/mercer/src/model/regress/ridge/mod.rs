//! Kernel ridge regression.
//!
//! Minimises Σ wᵢ·½(yᵢ − f(xᵢ) − b)² + (alpha/2)‖f‖² over the functions f of the kernel's space and,
//! if asked for, the unpenalised number b. The minimum is f = Σ αᵢk(xᵢ, ·) with
//! (K + alpha·W⁻¹)α + b·1 = y and Σαᵢ = 0. At alpha = 0 it is the limit: of all functions that fit
//! the targets best, the one of least norm. It is unique even where its coefficients are not.
//!
//! `problem` scales and checks, `choose` picks a solver, `exact`, `iterative` and `landmarks` solve,
//! `certify` computes the residual again, `zero` stands in where rounding leaves nothing better, `model` predicts,
//! `verify` certifies a model that was saved.

mod certify;
mod choose;
mod exact;
mod explicit;
mod interval;
mod iterative;
mod landmarks;
mod leverage;
mod model;
mod path;
mod problem;
mod report;
mod selection;
mod verify;
mod zero;

use serde::{Deserialize, Serialize};

use crate::approx::NystromParams;
use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::kernel::{KernelExpr, Kind, Registry};
use crate::model::Fitted;
use crate::run::Run;
use crate::solver::CgParams;

pub use interval::Interval;
pub use model::{KernelRidgeModel, RidgeParts};
pub use report::{AlphaScore, Considered, LeaveOneOut, RidgeReport};

/// How much the norm of f costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Alpha {
    /// A number ≥ 0.
    Value(f64),
    /// The number of a list with the least leave-one-out error Σ wᵢeᵢ²/Σ wᵢ.
    Loo(Vec<f64>),
    /// The number of a list with the least n·Σ wᵢrᵢ²/(n − tr H)².
    Gcv(Vec<f64>),
}

impl Alpha {
    /// Twenty-five numbers from 1e-8 to 1e4, in equal steps of the logarithm.
    pub fn grid() -> Vec<f64> {
        (0..25).map(|i| 10f64.powf(f64::from(i) / 2.0 - 8.0)).collect()
    }

    fn list(&self) -> &[f64] {
        match self {
            Alpha::Value(value) => std::slice::from_ref(value),
            Alpha::Loo(list) | Alpha::Gcv(list) => list,
        }
    }

    fn validate(&self) -> Result<()> {
        if self.list().is_empty() {
            return Err(Error::invalid("KernelRidge", "alphas", "an empty list", "at least one number"));
        }
        match self.list().iter().find(|a| !(**a >= 0.0 && a.is_finite())) {
            Some(bad) => Err(Error::invalid("KernelRidge", "alpha", bad, "a finite number ≥ 0")),
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
pub struct KernelRidge {
    /// The kernel; rules such as `median` are resolved on the training points.
    pub kernel: KernelExpr,
    /// alpha, or a list to choose it from.
    pub alpha: Alpha,
    /// Whether to add a number b that the norm does not count.
    pub fit_intercept: bool,
    /// The solver.
    pub solver: RidgeSolver,
    /// Where chance begins: of the preconditioner and of the landmarks.
    pub seed: u64,
}

impl Default for KernelRidge {
    fn default() -> Self {
        KernelRidge {
            kernel: KernelExpr::of(Kind::Rbf),
            alpha: Alpha::Value(1.0),
            fit_intercept: false,
            solver: RidgeSolver::Auto,
            seed: 0,
        }
    }
}

impl KernelRidge {
    /// Fits to points, targets and weights ≥ 0, one a row; a row of weight 0 is as good as absent.
    pub fn fit(&self, x: &Inputs, y: &Targets, weights: Option<&[f64]>, run: &Run) -> Result<Fitted<KernelRidgeModel>> {
        self.fit_with(x, y, weights, &Registry::new(), run)
    }

    /// As [`fit`](Self::fit), with a kernel that may name the kernels of `registry`.
    pub fn fit_with(
        &self,
        x: &Inputs,
        y: &Targets,
        weights: Option<&[f64]>,
        registry: &Registry,
        run: &Run,
    ) -> Result<Fitted<KernelRidgeModel>> {
        self.validate()?;
        let problem = problem::Problem::new(self, x, y, weights, registry, run)?;
        let choice = choose::choose(self, &problem, run)?;
        let solved = choose::solve(self, &problem, choice, run)?;
        report::assemble(problem, solved, run)
    }

    fn validate(&self) -> Result<()> {
        self.alpha.validate()?;
        match &self.solver {
            RidgeSolver::Cg(params) => params.validate(),
            RidgeSolver::Nystrom(params) => params.validate(),
            _ => Ok(()),
        }
    }
}
