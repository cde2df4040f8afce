//! Several quantiles at once.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::kernel::{KernelExpr, Kind, Registry};
use crate::loss::Pinball;
use crate::model::penalized::{Assembled, LossFit, Penalty, Starts};
use crate::model::training::{NamedKernel, Training};
use crate::model::{FittedMachine, Link};
use crate::run::Run;
use crate::solver::penalized::PenalizedParams;

use super::calibrate::{Scored, calibrate};

/// The name in errors.
const NAME: &str = "KernelQuantileRegressor";

/// For every τ of a list, minimises Σ wᵢℓ_τ(yᵢ, f_τ(xᵢ) + b) + (alpha/2)‖f_τ‖² with the pinball loss.
///
/// Fitted apart, curves may cross. With `non_crossing` the values of a row are sorted when they are
/// predicted: no curve crosses another anywhere, and the pinball losses, summed over the quantiles, are
/// never larger than unsorted (Chernozhukov, Fernández-Val & Galichon 2010, *Quantile and probability
/// curves without crossing*, Econometrica 78, proposition 4).
///
/// With a fixed alpha, new rows lie outside of the outer curves more often than their quantiles say: the curves follow
/// the rows of the fit. With `calibrate` they are shifted by scores of rows that were left out, as conformal prediction
/// does it, so that about the share of rows that was asked for lies between.
///
/// ```
/// use mercer::{Run, data::{Inputs, Rows, Targets}, model::regress::KernelQuantileRegressor};
/// let x: Inputs = Rows::new((0..20).map(|i| f64::from(i) * 0.3).collect::<Vec<_>>(), 20, 1)?.into();
/// let y = Targets::new((0..20).map(|i| f64::from(i * 7 % 20)).collect::<Vec<_>>(), 1)?;
/// let learner = KernelQuantileRegressor { quantiles: vec![0.1, 0.5, 0.9], alpha: 0.1, ..Default::default() };
/// let machine = learner.fit(&x, &y, None, &Run::new())?.model;
/// assert!(machine.decision(&x, &Run::new())?.chunks(3).all(|q| q[0] <= q[1] && q[1] <= q[2]));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelQuantileRegressor {
    /// The kernel; rules such as `median` are resolved on the training points.
    pub kernel: KernelExpr,
    /// The quantiles, increasing, between 0 and 1; one output each.
    pub quantiles: Vec<f64>,
    /// alpha > 0.
    pub alpha: f64,
    /// Whether to add a number b that the norm does not count.
    pub fit_intercept: bool,
    /// Whether to sort the predicted values of a row.
    pub non_crossing: bool,
    /// The gap over the objective at which to stop.
    pub tolerance: f64,
    /// The largest number of steps.
    pub max_iters: usize,
    /// Whether to shift the curves by what rows leave that they were not fitted to: five folds, fitted beside.
    #[serde(default)]
    pub calibrate: bool,
    /// Where chance begins: of the folds.
    #[serde(default)]
    pub seed: u64,
}

impl Default for KernelQuantileRegressor {
    fn default() -> Self {
        let PenalizedParams { tolerance, max_iters } = PenalizedParams::default();
        KernelQuantileRegressor {
            kernel: KernelExpr::of(Kind::Rbf),
            quantiles: vec![0.05, 0.5, 0.95],
            alpha: 1.0,
            fit_intercept: true,
            non_crossing: true,
            tolerance,
            max_iters,
            calibrate: false,
            seed: 0,
        }
    }
}

impl KernelQuantileRegressor {
    /// Fits to points, one target and weights ≥ 0; a row of weight 0 is as good as absent.
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
        let losses = self.losses()?;
        Penalty::Alpha(self.alpha).validate(NAME)?;
        if y.outputs() != 1 {
            return Err(Error::shape("the target of quantiles", "1 output", y.outputs()));
        }
        let kernel = NamedKernel { kernel: &self.kernel, registry };
        let training = Training::new(NAME, kernel, x, y.nrows(), weights, run)?;
        let params = PenalizedParams { tolerance: self.tolerance, max_iters: self.max_iters };
        let fit = LossFit::new(&training, self.fit_intercept, params, run)?;
        let target: Vec<f64> = (0..training.n).map(|i| y.row(training.row(i))[0]).collect();
        let (mut found, once) = (Assembled::new(), Starts { count: 1, seed: 0 });
        for loss in &losses {
            fit.scalar((loss, &target), Penalty::Alpha(self.alpha), once, &mut found, run)?;
        }
        let link = if self.non_crossing { Link::Sorted } else { Link::Identity };
        let mut settings = Map::new();
        settings.insert("loss".into(), json!("pinball"));
        settings.insert("quantiles".into(), json!(self.quantiles));
        settings.insert("non_crossing".into(), json!(self.non_crossing));
        let mut fitted = fit.machine("kernel_quantile_regressor", found, link, settings)?;
        if self.calibrate {
            let rows = Scored { x: &training.x, y: &target, weights: training.weights.as_deref() };
            fitted.report.notes.push(calibrate(self, &mut fitted.model, &rows, run)?);
        }
        Ok(fitted)
    }

    fn losses(&self) -> Result<Vec<Pinball>> {
        Pinball::several(NAME, &self.quantiles)
    }
}
