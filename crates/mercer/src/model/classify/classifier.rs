//! Classes by any loss of a margin.

use std::sync::Arc;

use crate::data::{Inputs, Labels};
use crate::error::{Error, Result};
use crate::kernel::{KernelExpr, Kind, Registry};
use crate::loss::{Against, Hinge, Loss, LossSpec};
use crate::model::penalized::{Assembled, LossFit, Penalty, Starts, settings};
use crate::model::training::{NamedKernel, Training};
use crate::model::{FittedMachine, Link};
use crate::run::Run;
use crate::solver::penalized::PenalizedParams;

use super::ClassWeight;
use super::class_weight::check_classes;
use super::logistic::signs;

/// The name in errors.
const NAME: &str = "KernelClassifier";

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
/// let f = machine.decision(&x, &Run::new())?;
/// assert!((f[1] + 1.0).abs() < 1e-4 && (f[2] - 1.0).abs() < 1e-4); // the margin
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct KernelClassifier {
    /// The kernel; rules such as `median` are resolved on the training points.
    pub kernel: KernelExpr,
    /// The loss, Mercer's or the user's own.
    pub loss: Arc<dyn Loss>,
    /// alpha, or a bound of the norm.
    pub penalty: Penalty,
    /// Whether to add a number b that the norm does not count.
    pub fit_intercept: bool,
    /// Factors on the weights of the rows, by class.
    pub class_weight: ClassWeight,
    /// Starts, for losses without a conjugate.
    pub starts: usize,
    /// Where the chance of the starts begins.
    pub seed: u64,
    /// When to stop.
    pub params: PenalizedParams,
}

impl Default for KernelClassifier {
    fn default() -> Self {
        KernelClassifier {
            kernel: KernelExpr::of(Kind::Rbf),
            loss: Arc::new(Hinge),
            penalty: Penalty::default(),
            fit_intercept: true,
            class_weight: ClassWeight::Equal,
            starts: 5,
            seed: 0,
            params: PenalizedParams::default(),
        }
    }
}

impl KernelClassifier {
    /// Fits to points, classes and weights ≥ 0, one a row; a row of weight 0 is as good as absent.
    pub fn fit(&self, x: &Inputs, labels: &Labels, weights: Option<&[f64]>, run: &Run) -> Result<FittedMachine> {
        self.fit_with(x, labels, weights, &Registry::new(), run)
    }

    /// As [`fit`](Self::fit), with a kernel that may name the kernels of `registry`.
    pub fn fit_with(
        &self,
        x: &Inputs,
        labels: &Labels,
        weights: Option<&[f64]>,
        registry: &Registry,
        run: &Run,
    ) -> Result<FittedMachine> {
        self.validate()?;
        let weights = self.class_weight.rows(NAME, labels, weights)?;
        check_classes(NAME, labels, weights.as_deref())?;
        let kernel = NamedKernel { kernel: &self.kernel, registry };
        let training = Training::new(NAME, kernel, x, labels.codes().len(), weights.as_deref(), run)?;
        let fit = LossFit::new(&training, self.fit_intercept, self.params, run)?;
        let codes: Vec<usize> = (0..training.n).map(|i| labels.codes()[training.row(i)]).collect();
        let starts = Starts { count: self.starts, seed: self.seed };
        let first = usize::from(labels.count() == 2);
        let mut found = Assembled::new();
        for class in first..labels.count() {
            fit.scalar((&*self.loss, &signs(&codes, class)), self.penalty, starts, &mut found, run)?;
        }
        let is_probability = self.loss.name() == "logistic" && labels.count() == 2;
        let link = if is_probability { Link::Logistic } else { Link::Identity };
        let mut settings = settings(&*self.loss, self.penalty);
        settings.insert("class_weight".into(), serde_json::json!(self.class_weight));
        fit.machine("kernel_classifier", found, link, settings)
    }

    fn validate(&self) -> Result<()> {
        self.penalty.validate(NAME)?;
        if self.starts == 0 {
            return Err(Error::invalid(NAME, "starts", 0, "at least 1"));
        }
        // Least squares on ±1, and a user's own loss of numbers, are classifiers too.
        match self.loss.against() {
            Against::Signs => Ok(()),
            Against::Numbers if LossSpec::find(self.loss.name()).is_some_and(|spec| !spec.classifies) => {
                let must = "a loss of classes, such as hinge, squared_hinge, logistic, squared or tanh";
                Err(Error::invalid(NAME, "loss", format!("`{}`", self.loss.name()), must))
            }
            Against::Numbers => Ok(()),
        }
    }
}
