//! Kernel logistic regression.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::data::{Inputs, Labels};
use crate::error::Result;
use crate::kernel::{KernelExpr, Kind, Registry};
use crate::loss::{Logistic, SoftmaxRows};
use crate::model::penalized::{Assembled, LossFit, Penalty, Starts};
use crate::model::training::{NamedKernel, Training};
use crate::model::{FittedMachine, Link};
use crate::run::Run;
use crate::solver::penalized::PenalizedParams;

use super::ClassWeight;
use super::class_weight::check_classes;

/// The name in errors.
const NAME: &str = "KernelLogisticRegression";

/// Minimises −Σ wᵢ·ln P(cᵢ | xᵢ) + (alpha/2)‖f‖², for two classes with P(second | x) = 1/(1 + exp(−f(x) − b)),
/// for more with P(c | x) = exp(f_c(x) + b_c)/Σ exp and ‖f‖² the sum over the classes.
///
/// By Newton's method, which here is iteratively reweighted ridge regression; the gap is that of the
/// dual. The probabilities are the model's own.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Labels, Rows}, model::classify::KernelLogisticRegression};
/// let x: Inputs = Rows::new(vec![-1.0, 1.0], 2, 1)?.into();
/// let labels = Labels::new(vec![0, 1], 2)?;
/// let learner = KernelLogisticRegression { kernel: KernelExpr::parse("linear")?, ..Default::default() };
/// let model = learner.fit(&x, &labels, None, &Run::new())?.model;
/// // f(x) = s·x with s = 2/(1 + exp(s)), by symmetry b = 0.
/// let p = model.probabilities(&x, &Run::new())?;
/// let s = (p[3] / p[2]).ln();
/// assert!((s - 2.0 / (1.0 + s.exp())).abs() < 1e-5);
/// assert!(model.certificate.gap().is_some_and(|gap| gap < 1e-8));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelLogisticRegression {
    /// The kernel; rules such as `median` are resolved on the training points.
    pub kernel: KernelExpr,
    /// alpha > 0.
    pub alpha: f64,
    /// Whether to add numbers b that the norm does not count.
    pub fit_intercept: bool,
    /// Factors on the weights of the rows, by class.
    pub class_weight: ClassWeight,
    /// The gap over the objective at which to stop.
    pub tolerance: f64,
    /// The largest number of Newton steps.
    pub max_iters: usize,
}

impl Default for KernelLogisticRegression {
    fn default() -> Self {
        let PenalizedParams { tolerance, max_iters } = PenalizedParams::default();
        KernelLogisticRegression {
            kernel: KernelExpr::of(Kind::Rbf),
            alpha: 1.0,
            fit_intercept: true,
            class_weight: ClassWeight::Equal,
            tolerance,
            max_iters,
        }
    }
}

impl KernelLogisticRegression {
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
        Penalty::Alpha(self.alpha).validate(NAME)?;
        let weights = self.class_weight.rows(NAME, labels, weights)?;
        check_classes(NAME, labels, weights.as_deref())?;
        let kernel = NamedKernel { kernel: &self.kernel, registry };
        let training = Training::new(NAME, kernel, x, labels.codes().len(), weights.as_deref(), run)?;
        let params = PenalizedParams { tolerance: self.tolerance, max_iters: self.max_iters };
        let fit = LossFit::new(&training, self.fit_intercept, params, run)?;
        let codes: Vec<usize> = (0..training.n).map(|i| labels.codes()[training.row(i)]).collect();
        let mut found = Assembled::new();
        let link = if labels.count() == 2 {
            let y = signs(&codes, 1);
            let once = Starts { count: 1, seed: 0 };
            fit.scalar((&Logistic, &y), Penalty::Alpha(self.alpha), once, &mut found, run)?;
            Link::Logistic
        } else {
            fit.rows(&mut found, &SoftmaxRows::new(&codes, labels.count())?, self.alpha, run)?;
            Link::Softmax
        };
        let mut settings = Map::new();
        settings.insert("loss".into(), json!(if link == Link::Softmax { "softmax" } else { "logistic" }));
        settings.insert("class_weight".into(), json!(self.class_weight));
        fit.machine("kernel_logistic_regression", found, link, settings)
    }
}

/// 1 for the rows of a class, −1 for the others.
pub(super) fn signs(codes: &[usize], class: usize) -> Vec<f64> {
    codes.iter().map(|c| if *c == class { 1.0 } else { -1.0 }).collect()
}
