//! A learner with every choice but the one number that keeps its function simple.

use crate::data::{Inputs, Labels, Targets};
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::loss::{Logistic, Loss, NamedLoss, Squared};
use crate::metric::{log_loss, mean_pinball};
use crate::model::classify::{KernelBarycentre, KernelClassifier, KernelLogisticRegression};
use crate::model::descent::{KernelGradientDescent, KernelSgd, Outcome, SpectralFilter, Stopping};
use crate::model::pipeline::Prepared;
use crate::model::regress::{KernelQuantileRegressor, KernelRegressor};
use crate::model::{AnyModel, FittedMachine, MachineReport, Penalty};
use crate::run::Run;
use crate::solver::Filter;
use crate::solver::penalized::PenalizedParams;

use super::learner::Learner;
use super::split::Split;

/// The share of rows on which a descent finds when to stop, and its largest number of iterations.
pub(super) const HELD_OUT: f64 = 0.2;
const MOST_ITERATIONS: usize = 2000;

/// Rows to learn from.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) x: Inputs,
    pub(super) y: Targets,
    pub(super) weights: Option<Vec<f64>>,
}

impl Sample {
    /// All rows of prepared data.
    pub(super) fn of(prepared: &Prepared) -> Self {
        Sample { x: prepared.inputs.clone(), y: prepared.targets.clone(), weights: prepared.weights.clone() }
    }

    /// Rows drawn by chance, `most` of them where there are more; those of classes keep their shares.
    pub(super) fn some(&self, most: usize, classes: bool, seed: u64) -> Result<Vec<usize>> {
        let n = self.x.len();
        if n <= most {
            return Ok((0..n).collect());
        }
        let labels = if classes { Some(Labels::from_targets(&self.y)?) } else { None };
        let codes = labels.as_ref().map(Labels::codes);
        Ok(Split::HoldOut(most as f64 / n as f64).folds(n, codes, None, seed)?.swap_remove(0).test)
    }

    /// The number of rows, each as often as its weight says.
    fn total(&self) -> f64 {
        self.weights.as_ref().map_or(self.x.len() as f64, |w| w.iter().sum())
    }

    /// These rows of it.
    pub(super) fn take(&self, rows: &[usize]) -> Result<Sample> {
        let y: Vec<f64> = rows.iter().flat_map(|i| self.y.row(*i).iter().copied()).collect();
        let weights = self.weights.as_ref().map(|w| rows.iter().map(|i| w[*i]).collect());
        Ok(Sample { x: self.x.take(rows), y: Targets::new(y, self.y.outputs())?, weights })
    }
}

/// A learner other than ridge, which chooses its number by itself.
#[derive(Clone, Debug)]
pub(super) struct Fitting {
    pub(super) learner: Learner,
    pub(super) loss: Option<NamedLoss>,
    pub(super) kernel: KernelExpr,
    /// Whether targets are codes of classes.
    pub(super) classes: bool,
    /// The gap over the objective at which to stop.
    pub(super) tolerance: f64,
    pub(super) seed: u64,
    /// Of the model `filter`: which, and its order.
    pub(super) filter: Filter,
    /// Of the pinball loss: several at once, and whether they are sorted.
    pub(super) quantiles: Vec<f64>,
    pub(super) non_crossing: bool,
    /// Whether they are calibrated.
    pub(super) calibrate: bool,
}

impl Fitting {
    /// Fits with this alpha, number of passes, or largest number of iterations.
    pub(super) fn fit(&self, value: f64, rows: &Sample, run: &Run) -> Result<(AnyModel, MachineReport)> {
        let Sample { x, y, weights } = rows;
        let weights = weights.as_deref();
        let fitted: FittedMachine = match self.learner {
            Learner::Logistic => self.logistic(value).fit(x, &Labels::from_targets(y)?, weights, run)?,
            Learner::Regressor if !self.quantiles.is_empty() => self.several(value).fit(x, y, weights, run)?,
            Learner::Regressor => self.regressor(value)?.fit(x, y, weights, run)?,
            Learner::Classifier => self.classifier(value)?.fit(x, &Labels::from_targets(y)?, weights, run)?,
            Learner::Descent => self.descent().fit(x, y, weights, run)?,
            Learner::Sgd => self.sgd(value).fit(x, y, run)?,
            Learner::Filter => self.filter(value, rows.total())?.fit(x, y, weights, run)?,
            Learner::Barycentre => KernelBarycentre { kernel: self.kernel.clone() }.fit(x, y, weights, run)?,
            Learner::Auto | Learner::Ridge | Learner::Lssvm | Learner::Gp => {
                return Err(Error::Unsupported {
                    what: format!("a fit of `{}` with a given number", self.learner.name()),
                    alternative: "fit it by itself".into(),
                });
            }
        };
        Ok((fitted.model.into(), fitted.report))
    }

    fn params(&self) -> PenalizedParams {
        PenalizedParams { tolerance: self.tolerance, ..PenalizedParams::default() }
    }

    fn logistic(&self, alpha: f64) -> KernelLogisticRegression {
        let tolerance = self.tolerance;
        KernelLogisticRegression { kernel: self.kernel.clone(), alpha, tolerance, ..Default::default() }
    }

    fn regressor(&self, alpha: f64) -> Result<KernelRegressor> {
        let usual = KernelRegressor::default();
        Ok(KernelRegressor {
            kernel: self.kernel.clone(),
            loss: self.loss.map_or(Ok(usual.loss.clone()), NamedLoss::build)?,
            penalty: Penalty::Alpha(alpha),
            params: self.params(),
            ..usual
        })
    }

    fn several(&self, alpha: f64) -> KernelQuantileRegressor {
        KernelQuantileRegressor {
            kernel: self.kernel.clone(),
            quantiles: self.quantiles.clone(),
            alpha,
            non_crossing: self.non_crossing,
            tolerance: self.tolerance,
            calibrate: self.calibrate,
            seed: self.seed,
            ..KernelQuantileRegressor::default()
        }
    }

    fn classifier(&self, alpha: f64) -> Result<KernelClassifier> {
        let usual = KernelClassifier::default();
        Ok(KernelClassifier {
            kernel: self.kernel.clone(),
            loss: self.loss.map_or(Ok(usual.loss.clone()), NamedLoss::build)?,
            penalty: Penalty::Alpha(alpha),
            seed: self.seed,
            params: self.params(),
            ..usual
        })
    }

    fn descent(&self) -> KernelGradientDescent {
        KernelGradientDescent {
            kernel: self.kernel.clone(),
            stopping: Stopping::HoldOut { share: HELD_OUT, max_iterations: MOST_ITERATIONS },
            seed: self.seed,
            ..KernelGradientDescent::default()
        }
    }

    fn sgd(&self, passes: f64) -> KernelSgd {
        let usual = NamedLoss::of(if self.classes { &Logistic::SPEC } else { &Squared::SPEC });
        KernelSgd {
            kernel: self.kernel.clone(),
            loss: self.loss.unwrap_or(usual),
            passes: passes.clamp(1.0, 1e6) as usize,
            seed: self.seed,
            ..KernelSgd::default()
        }
    }

    /// So many iterations; or λ = alpha/n, as of ridge.
    fn filter(&self, value: f64, rows: f64) -> Result<SpectralFilter> {
        if !(value > 0.0 && value.is_finite()) {
            return Err(Error::invalid("the model `filter`", "alpha", value, "a finite number above 0"));
        }
        let strength = if self.filter.iterates() { value } else { value / rows };
        Ok(SpectralFilter { kernel: self.kernel.clone(), filter: self.filter.with_strength(strength) })
    }

    /// What keeps the function simple, by name.
    pub(super) fn parameter(&self) -> Option<&'static str> {
        match self.learner {
            Learner::Filter if self.filter.iterates() => Some("iterations"),
            other => other.parameter(self.classes),
        }
    }

    /// Whether that is a number of steps or passes.
    pub(super) fn is_counted(&self) -> bool {
        self.parameter().is_some_and(|name| name != "alpha")
    }

    /// The least and the largest value worth trying.
    pub(super) fn range(&self) -> (f64, f64) {
        match (self.learner, self.filter) {
            (Learner::Sgd, _) => (1.0, 100.0),
            (Learner::Filter, Filter::Landweber { .. }) => (1.0, 1e6),
            // As many steps as the square root of Landweber's do the same, and each is computed.
            (Learner::Filter, Filter::NuMethod { .. }) => (1.0, 1e4),
            _ => (1e-9, 1e6),
        }
    }

    /// Where a search begins that the evidence says nothing about.
    pub(super) fn usual(&self) -> Option<f64> {
        match (self.learner, self.filter) {
            (Learner::Sgd, _) => Some(10.0),
            (Learner::Filter, Filter::Landweber { .. }) => Some(100.0),
            (Learner::Filter, Filter::NuMethod { .. }) => Some(10.0),
            _ => None,
        }
    }

    /// What a descent says of its function on the rows of the fit, so that it can be held to it.
    pub(super) fn claimed(&self, model: AnyModel, rows: &Sample, run: &Run) -> Result<AnyModel> {
        match model {
            AnyModel::Machine(mut machine) if self.learner == Learner::Sgd => {
                Outcome::of(&machine, &rows.x, &rows.y, &run.without_stops())?.claim(&mut machine);
                Ok(machine.into())
            }
            other => Ok(other),
        }
    }

    /// The name of the learner's own loss.
    pub(super) fn loss_name(&self) -> Result<String> {
        Ok(match self.learner {
            Learner::Logistic => "log-loss".into(),
            _ if !self.quantiles.is_empty() => "pinball loss".into(),
            _ => format!("{} loss", self.own_loss()?.name()),
        })
    }

    fn own_loss(&self) -> Result<std::sync::Arc<dyn Loss>> {
        match self.learner {
            Learner::Regressor => Ok(self.regressor(1.0)?.loss),
            Learner::Classifier => Ok(self.classifier(1.0)?.loss),
            Learner::Sgd => self.sgd(1.0).loss.build(),
            _ => Ok(std::sync::Arc::new(Squared)),
        }
    }

    /// The mean of the learner's own loss over rows: of what it says of their targets.
    pub(super) fn mean_loss(&self, model: &AnyModel, rows: &Sample, run: &Run) -> Result<f64> {
        let values = model.predict(&rows.x, run)?;
        if self.learner == Learner::Logistic
            && let Some(shares) = model.link().probabilities(&values, rows.y.outputs())
        {
            let labels = Labels::from_targets(&rows.y)?;
            let of_truth = labels.codes().iter().enumerate().map(|(i, c)| shares[i * labels.count() + c]);
            return Ok(log_loss(&of_truth.collect::<Vec<_>>()));
        }
        if !self.quantiles.is_empty() {
            return Ok(mean_pinball(&self.quantiles, rows.y.values(), &values));
        }
        let loss = self.own_loss()?;
        let sum: f64 = rows.y.values().iter().zip(&values).map(|(y, f)| loss.value(*y, *f)).sum();
        Ok(sum / values.len().max(1) as f64)
    }
}
