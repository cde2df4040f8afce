//! Classes by any loss of a margin.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::{Labels, Target, TargetKind, Weights};
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::loss::{Against, Hinge, Loss, LossSpec, NamedLoss};
use crate::model::penalized::{
    AnyLoss, Assembled, COMPARING, Claims, FIT_INTERCEPT, LOSS, LossFit, MAX_ITERATIONS, PENALTY, Part, Penalty, SEED,
    STARTS, Starts, TOLERANCE, certify,
};
use crate::model::{
    Answer, Certified, Complexity, Fitted, Learn, LearnerSpec, Link, Model, OwnLoss, Sample, Tune, has_kernel,
};
use crate::run::Run;
use crate::solver::penalized::PenalizedParams;

use super::ClassWeight;
use super::class_weight::{CLASS_WEIGHT, check_classes};
use super::logistic::signs;

/// Minimises Σ wᵢℓ(yᵢ, f(xᵢ) + b) + (alpha/2)‖f‖², or Σ wᵢℓ over ‖f‖ ≤ B, with yᵢ = ±1.
///
/// Two classes have one function, positive for the second. Several have one each, fitted to that class
/// against the rest. Losses without a conjugate, such as `tanh`, which is not convex, are fitted from
/// several starts; the best is kept and the spread of the objectives reported.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Labels, Rows}, model::classify::KernelClassifier};
/// let x: Inputs = Rows::new(vec![-2.0, -1.0, 1.0, 4.0], 4, 1)?.into();
/// let labels = Labels::new(vec![0, 0, 1, 1], 2)?;
/// let svm = KernelClassifier { kernel: KernelExpr::parse("linear")?, ..Default::default() };
/// let machine = svm.fit(&x, &labels, None, &Run::new())?.model;
/// let f = machine.predict(&x, &Run::new())?;
/// assert!((f[1] + 1.0).abs() < 1e-4 && (f[2] - 1.0).abs() < 1e-4); // the margin
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelClassifier {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// The loss, Mercer's or the user's own.
    pub loss: AnyLoss,
    /// alpha, or a bound of the norm.
    pub penalty: Penalty,
    /// Whether to add a number b that the norm does not count.
    pub fit_intercept: bool,
    /// Factors on the weights of the rows, by class.
    #[serde(deserialize_with = "crate::model::short::short")]
    pub class_weight: ClassWeight,
    /// Starts, for losses without a conjugate.
    pub starts: usize,
    /// Where the chance of the starts begins.
    pub seed: u64,
    /// The gap over the objective at which to stop.
    pub tolerance: f64,
    /// The largest number of steps.
    pub max_iterations: usize,
}

impl Default for KernelClassifier {
    fn default() -> Self {
        let PenalizedParams { tolerance, max_iterations } = PenalizedParams::default();
        KernelClassifier {
            kernel: KernelExpr::default(),
            loss: NamedLoss::of(&Hinge::SPEC).into(),
            penalty: Penalty::default(),
            fit_intercept: true,
            class_weight: ClassWeight::Equal,
            starts: 5,
            seed: 0,
            tolerance,
            max_iterations,
        }
    }
}

impl Tune for KernelClassifier {
    fn complexity(&self) -> Option<Complexity> {
        Some(Complexity::alpha(self.penalty.alpha()))
    }

    fn with_complexity(&self, alpha: f64, _: f64) -> Self {
        KernelClassifier { penalty: Penalty::Alpha(alpha), ..self.clone() }
    }

    fn own_loss(&self) -> Result<OwnLoss> {
        self.loss.build().map(OwnLoss::Of)
    }

    fn comparing(&self) -> Self {
        KernelClassifier { tolerance: COMPARING, ..self.clone() }
    }

    fn with_own_loss(&self, loss: Arc<dyn Loss>) -> Option<Self> {
        Some(KernelClassifier { loss: loss.into(), ..self.clone() })
    }
}

impl Learn for KernelClassifier {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "classifier",
        class: "KernelClassifier",
        summary: "classes by any loss of a margin",
        targets: &[TargetKind::Classes],
        answers: &[Answer::Classes, Answer::Probabilities],
        weights: true,
        for_classes: None,
        settings: &[LOSS, PENALTY, FIT_INTERCEPT, CLASS_WEIGHT, STARTS, SEED, TOLERANCE, MAX_ITERATIONS],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        let name = &Self::SPEC.title();
        self.penalty.validate(name)?;
        self.params().validate()?;
        if self.starts == 0 {
            return Err(Error::invalid(name, "starts", 0, "at least 1"));
        }
        // Least squares on ±1, and a user's own loss of numbers, are classifiers too.
        let loss = self.loss.build()?;
        match loss.against() {
            Against::Signs => Ok(()),
            Against::Numbers if LossSpec::find(loss.name()).is_some_and(|spec| !spec.classifies) => {
                let must = "a loss of classes, such as hinge, squared_hinge, logistic, squared or tanh";
                Err(Error::invalid(name, "loss", format!("`{}`", loss.name()), must))
            }
            Against::Numbers => Ok(()),
        }
    }

    fn weigh(&self, target: &Target, own: Option<&Weights>) -> Result<Option<Weights>> {
        self.class_weight.rows(&Self::SPEC.title(), &target.labels()?, own)
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        let labels = sample.labels()?;
        check_classes(&Self::SPEC.title(), &labels)?;
        let fit = LossFit::new(sample, self.fit_intercept, self.params(), run)?;
        let starts = Starts { count: self.starts, seed: self.seed };
        let mut found = Assembled::new();
        for part in self.parts(&labels)? {
            fit.add(&part, self.penalty, starts, &mut found, run)?;
        }
        fit.finish(self.clone(), found)
    }

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        let parts = self.parts(&sample.labels()?)?;
        certify(model, sample, &Claims { parts, penalty: self.penalty, free: self.fit_intercept }, run)
    }

    fn link(&self, outputs: usize) -> Link {
        if self.loss.name() == "logistic" && outputs == 1 { Link::Logistic } else { Link::Identity }
    }
}

impl KernelClassifier {
    fn params(&self) -> PenalizedParams {
        PenalizedParams { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    /// The second of two classes, or each class against the rest.
    fn parts(&self, labels: &Labels) -> Result<Vec<Part>> {
        let loss = self.loss.build()?;
        let first = usize::from(labels.count() == 2);
        Ok((first..labels.count()).map(|class| Part::One(Arc::clone(&loss), signs(labels.codes(), class))).collect())
    }
}
