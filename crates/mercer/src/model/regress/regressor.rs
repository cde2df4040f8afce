//! Numbers by any loss.

use std::sync::Arc;

use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::kernel::{KernelExpr, Kind, Registry};
use crate::loss::{Against, Huber, Loss};
use crate::model::penalized::{Assembled, LossFit, Penalty, Starts, settings};
use crate::model::training::{NamedKernel, Training};
use crate::model::{FittedMachine, Link};
use crate::run::Run;
use crate::solver::penalized::PenalizedParams;

/// The name in errors.
const NAME: &str = "KernelRegressor";

/// Minimises Σ wᵢℓ(yᵢ, f(xᵢ) + b) + (alpha/2)‖f‖², or Σ wᵢℓ over ‖f‖ ≤ B; several outputs one by one.
///
/// ```
/// use std::sync::Arc;
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, loss::Absolute, model::{Penalty, regress::KernelRegressor}};
/// // A line through four points; the fifth is an outlier that the absolute loss does not follow.
/// let x: Inputs = Rows::new(vec![0.0, 1.0, 2.0, 3.0, 1.5], 5, 1)?.into();
/// let y = Targets::new(vec![1.0, 3.0, 5.0, 7.0, 100.0], 1)?;
/// let regressor = KernelRegressor { kernel: KernelExpr::parse("linear")?, loss: Arc::new(Absolute),
///     penalty: Penalty::Alpha(1e-6), ..Default::default() };
/// let machine = regressor.fit(&x, &y, None, &Run::new())?.model;
/// let f = machine.decision(&x, &Run::new())?;
/// assert!((f[0] - 1.0).abs() < 1e-4 && (f[2] - 5.0).abs() < 1e-4 && (f[3] - 7.0).abs() < 1e-4);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct KernelRegressor {
    /// The kernel; rules such as `median` are resolved on the training points.
    pub kernel: KernelExpr,
    /// The loss, Mercer's or the user's own.
    pub loss: Arc<dyn Loss>,
    /// alpha, or a bound of the norm.
    pub penalty: Penalty,
    /// Whether to add a number b that the norm does not count.
    pub fit_intercept: bool,
    /// When to stop.
    pub params: PenalizedParams,
}

impl Default for KernelRegressor {
    /// Huber's loss with δ = 1.35.
    fn default() -> Self {
        KernelRegressor {
            kernel: KernelExpr::of(Kind::Rbf),
            loss: Arc::new(Huber::usual()),
            penalty: Penalty::default(),
            fit_intercept: true,
            params: PenalizedParams::default(),
        }
    }
}

impl KernelRegressor {
    /// Fits to points, targets and weights ≥ 0, one a row; a row of weight 0 is as good as absent.
    pub fn fit(&self, x: &Inputs, y: &Targets, weights: Option<&[f64]>, run: &Run) -> Result<FittedMachine> {
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
    ) -> Result<FittedMachine> {
        self.penalty.validate(NAME)?;
        if self.loss.against() == Against::Signs {
            let must = "a loss of numbers; losses of classes belong to KernelClassifier";
            return Err(Error::invalid(NAME, "loss", format!("`{}`", self.loss.name()), must));
        }
        let kernel = NamedKernel { kernel: &self.kernel, registry };
        let training = Training::new(NAME, kernel, x, y.nrows(), weights, run)?;
        let fit = LossFit::new(&training, self.fit_intercept, self.params, run)?;
        let mut found = Assembled::new();
        for o in 0..y.outputs() {
            let column: Vec<f64> = (0..training.n).map(|i| y.row(training.row(i))[o]).collect();
            fit.scalar((&*self.loss, &column), self.penalty, Starts { count: 1, seed: 0 }, &mut found, run)?;
        }
        fit.machine("kernel_regressor", found, Link::Identity, settings(&*self.loss, self.penalty))
    }
}
