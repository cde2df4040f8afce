//! What only some models can be asked: bounds of new observations, predictions without a row.

use crate::data::{Inputs, Target, Weights};
use crate::error::{Error, Result};
use crate::run::Run;

use super::regress::{KernelRidge, Penalised};
use super::{Certified, Extra, Interval, LeastSquaresSvm, LeaveOneOut, Model};

impl Model {
    /// Bounds of new observations: of ridge regression that keeps all its rows by jackknife+, of a Gaussian process by its
    /// variance and noise.
    ///
    /// Jackknife+ (Barber, Candès, Ramdas, Tibshirani, Predictive inference with the jackknife+, Annals of Statistics 49
    /// (2021)) goes from the ⌊(1 − level)(n + 1)⌋-th smallest f₋ᵢ(x) − |eᵢ| to the ⌈level·(n + 1)⌉-th smallest
    /// f₋ᵢ(x) + |eᵢ|. For exchangeable rows of equal weight, a new target lies inside with probability at least
    /// 2·level − 1, and close to `level` in practice. A process has mean ± z·√(variance of the function + noise) with z the
    /// normal quantile of (1 + level)/2, which is right if its kernel and noise are.
    ///
    /// ```
    /// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, kernel::{Param, Transform}};
    /// use mercer::model::gp::GaussianProcessRegressor;
    /// let run = Run::new();
    /// let x: Inputs = Rows::new(vec![0.0], 1, 1)?.into();
    /// let alpha = Param::new(0.5, Transform::Log).fixed();
    /// let gp = GaussianProcessRegressor { kernel: KernelExpr::parse("2*rbf(length_scale=1)")?, alpha, tuning: None,
    ///     ..Default::default() };
    /// let model = gp.fit(&x, &Targets::new(vec![3.0], 1)?, None, &run)?.model;
    /// // Mean 2·3/2.5, variance 2 − 4/2.5 and noise 0.5; P(|Z| ≤ 1.959964) = 0.95.
    /// let bounds = model.interval(&x, 0.95, &run)?;
    /// assert!((bounds.upper[0] - (2.4 + 1.959964 * (0.4f64 + 0.5).sqrt())).abs() < 1e-6);
    /// assert!((bounds.lower[0] + bounds.upper[0] - 4.8).abs() < 1e-12);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn interval(&self, x: &Inputs, level: f64, run: &Run) -> Result<Interval> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::invalid("an interval", "level", level, "above 0 and below 1"));
        }
        match (self.extra(), self.penalised()) {
            (Extra::Process(_), _) => self.observed(x, level, run),
            (_, Some(penalised)) => penalised.interval(x, level, run),
            _ => Err(Error::Unsupported {
                what: format!("an interval from `{}`", self.learner().spec().name),
                alternative: "predict without an interval, or fit with the model `ridge` or `gp`".into(),
            }),
        }
    }

    /// Exact leave-one-out residuals and predictions of the rows kept. Of ridge regression by `eigen`,
    /// [`loo`](Self::loo) has them already, for all rows; else by a Cholesky factor: 2n³/3 multiplications and 8n² bytes.
    pub fn leave_one_out(&self, run: &Run) -> Result<LeaveOneOut> {
        match (self.extra(), self.penalised()) {
            (Extra::LeaveOneOut(loo), _) => Ok(loo.clone()),
            (Extra::Process(_), _) => self.process_leave_one_out(run).map(|loo| loo.errors),
            (_, Some(penalised)) => penalised.leave_one_out(run),
            _ => Err(Error::Unsupported {
                what: format!("leave-one-out of `{}`", self.learner().spec().name),
                alternative: "use cross-validation, or fit with the model `ridge` or `gp`".into(),
            }),
        }
    }

    /// The certificate computed again from the points, targets and weights of the fit, row by row as they were given to
    /// it; without weights, those that the model keeps count. How the answer was found is copied.
    pub fn certify(&self, x: &Inputs, y: impl Into<Target>, weights: Option<&Weights>, run: &Run) -> Result<Certified> {
        let learner = self.learner().with_kernel(self.kernel().clone());
        let sample = learner.sample(x, y.into(), weights.or(self.weights()), run)?;
        learner.certify(self, &sample, run)
    }

    /// As least squares with a penalty on the norm, if that is what it minimises.
    fn penalised(&self) -> Option<Penalised<'_>> {
        let intercept = match (self.learner().get::<KernelRidge>(), self.learner().get::<LeastSquaresSvm>()) {
            (Some(ridge), _) => ridge.fit_intercept,
            (None, Some(_)) => true,
            (None, None) => return None,
        };
        Some(Penalised { model: self, alpha: self.alpha()?, fit_intercept: intercept })
    }
}
