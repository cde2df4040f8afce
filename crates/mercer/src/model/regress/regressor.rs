//! Numbers by any loss.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::TargetKind;
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::loss::{Against, Huber, Loss, NamedLoss};
use crate::model::penalized::{
    AnyLoss, Assembled, COMPARING, Claims, FIT_INTERCEPT, LOSS, LossFit, MAX_ITERATIONS, PENALTY, Part, Penalty,
    Starts, TOLERANCE, certify,
};
use crate::model::{
    Answer, Certified, Complexity, Fitted, Learn, LearnerSpec, Model, OwnLoss, Sample, Tune, has_kernel,
};
use crate::run::Run;
use crate::solver::penalized::PenalizedParams;

/// Minimises Σ wᵢℓ(yᵢ, f(xᵢ) + b) + (alpha/2)‖f‖², or Σ wᵢℓ over ‖f‖ ≤ B; several outputs one by one.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, loss::{Absolute, NamedLoss}, model::{Penalty, regress::KernelRegressor}};
/// // A line through four points; the fifth is an outlier that the absolute loss does not follow.
/// let x: Inputs = Rows::new(vec![0.0, 1.0, 2.0, 3.0, 1.5], 5, 1)?.into();
/// let y = Targets::new(vec![1.0, 3.0, 5.0, 7.0, 100.0], 1)?;
/// let regressor = KernelRegressor { kernel: KernelExpr::parse("linear")?, loss: NamedLoss::of(&Absolute::SPEC).into(),
///     penalty: Penalty::Alpha(1e-6), ..Default::default() };
/// let machine = regressor.fit(&x, &y, None, &Run::new())?.model;
/// let f = machine.predict(&x, &Run::new())?;
/// assert!((f[0] - 1.0).abs() < 1e-4 && (f[2] - 5.0).abs() < 1e-4 && (f[3] - 7.0).abs() < 1e-4);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelRegressor {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// The loss, Mercer's or the user's own.
    pub loss: AnyLoss,
    /// alpha, or a bound of the norm.
    pub penalty: Penalty,
    /// Whether to add a number b that the norm does not count.
    pub fit_intercept: bool,
    /// The gap over the objective at which to stop.
    pub tolerance: f64,
    /// The largest number of steps.
    pub max_iterations: usize,
}

impl Default for KernelRegressor {
    /// Huber's loss with δ = 1.35.
    fn default() -> Self {
        let PenalizedParams { tolerance, max_iterations } = PenalizedParams::default();
        KernelRegressor {
            kernel: KernelExpr::default(),
            loss: NamedLoss::of(&Huber::SPEC).into(),
            penalty: Penalty::default(),
            fit_intercept: true,
            tolerance,
            max_iterations,
        }
    }
}

impl Tune for KernelRegressor {
    fn complexity(&self) -> Option<Complexity> {
        Some(Complexity::alpha(self.penalty.alpha()))
    }

    fn with_complexity(&self, alpha: f64, _: f64) -> Self {
        KernelRegressor { penalty: Penalty::Alpha(alpha), ..self.clone() }
    }

    fn own_loss(&self) -> Result<OwnLoss> {
        self.loss.build().map(OwnLoss::Of)
    }

    fn comparing(&self) -> Self {
        KernelRegressor { tolerance: COMPARING, ..self.clone() }
    }

    fn with_own_loss(&self, loss: Arc<dyn Loss>) -> Option<Self> {
        Some(KernelRegressor { loss: loss.into(), ..self.clone() })
    }
}

impl Learn for KernelRegressor {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "regressor",
        class: "KernelRegressor",
        summary: "numbers by any loss",
        targets: &[TargetKind::Numbers],
        answers: &[Answer::Numbers],
        weights: true,
        for_classes: None,
        settings: &[LOSS, PENALTY, FIT_INTERCEPT, TOLERANCE, MAX_ITERATIONS],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        self.penalty.validate(&Self::SPEC.title())?;
        self.params().validate()?;
        let loss = self.loss.build()?;
        if loss.against() == Against::Signs {
            let must = "a loss of numbers; losses of classes belong to the model `classifier`";
            return Err(Error::invalid(Self::SPEC.title(), "loss", format!("`{}`", loss.name()), must));
        }
        Ok(())
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        let fit = LossFit::new(sample, self.fit_intercept, self.params(), run)?;
        let mut found = Assembled::new();
        for part in self.parts(sample)? {
            fit.add(&part, self.penalty, Starts::ONE, &mut found, run)?;
        }
        fit.finish(self.clone(), found)
    }

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        let claims = Claims { parts: self.parts(sample)?, penalty: self.penalty, free: self.fit_intercept };
        certify(model, sample, &claims, run)
    }
}

impl KernelRegressor {
    fn params(&self) -> PenalizedParams {
        PenalizedParams { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn parts(&self, sample: &Sample) -> Result<Vec<Part>> {
        let (y, loss) = (sample.numbers()?, self.loss.build()?);
        let column = |o: usize| (0..sample.n).map(|i| y.row(i)[o]).collect();
        Ok((0..y.outputs()).map(|o| Part::One(Arc::clone(&loss), column(o))).collect())
    }
}
