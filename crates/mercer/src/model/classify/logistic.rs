//! Kernel logistic regression.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::{Labels, Target, TargetKind, Weights};
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::loss::Logistic;
use crate::model::penalized::{
    ALPHA, Assembled, COMPARING, Claims, FIT_INTERCEPT, LANDMARKS, LandmarkFit, LossFit, MAX_ITERATIONS, Part, Penalty,
    SEED, Starts, TOLERANCE, certify, certify_landmarks,
};
use crate::model::support::learns_near;
use crate::model::{
    Answer, Certified, Complexity, Fitted, Learn, LearnerSpec, Link, Model, OwnLoss, Sample, Tune, has_kernel,
};
use crate::run::Run;
use crate::solver::penalized::PenalizedParams;

use super::ClassWeight;
use super::class_weight::{CLASS_WEIGHT, check_classes};

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
/// assert!(model.certificate().gap().is_some_and(|gap| gap < 1e-8));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelLogisticRegression {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// alpha > 0.
    pub alpha: f64,
    /// Whether to add numbers b that the norm does not count.
    pub fit_intercept: bool,
    /// Factors on the weights of the rows, by class.
    #[serde(deserialize_with = "crate::model::short::short")]
    pub class_weight: ClassWeight,
    /// The gap over the objective at which to stop.
    pub tolerance: f64,
    /// The largest number of Newton steps.
    pub max_iterations: usize,
    /// How many rows stand for all: f is a sum over these alone. Nothing is all of them.
    pub landmarks: Option<usize>,
    /// Where chance begins, by which landmarks are drawn.
    pub seed: u64,
}

impl Default for KernelLogisticRegression {
    fn default() -> Self {
        KernelLogisticRegression {
            kernel: KernelExpr::default(),
            alpha: 1.0,
            fit_intercept: true,
            class_weight: ClassWeight::Equal,
            // Newton's method is at its end there: the next step would cost n³ for digits that no probability needs.
            tolerance: 1e-9,
            max_iterations: PenalizedParams::default().max_iterations,
            landmarks: None,
            seed: 0,
        }
    }
}

impl Tune for KernelLogisticRegression {
    fn complexity(&self) -> Option<Complexity> {
        Some(Complexity::alpha(Some(self.alpha)))
    }

    fn with_complexity(&self, alpha: f64, _: f64) -> Self {
        KernelLogisticRegression { alpha, ..self.clone() }
    }

    fn own_loss(&self) -> Result<OwnLoss> {
        Ok(OwnLoss::Log)
    }

    fn comparing(&self) -> Self {
        KernelLogisticRegression { tolerance: COMPARING, ..self.clone() }
    }
}

impl Learn for KernelLogisticRegression {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "logistic",
        class: "KernelLogisticRegression",
        summary: "kernel logistic regression, with probabilities",
        targets: &[TargetKind::Classes],
        answers: &[Answer::Classes, Answer::Probabilities],
        weights: true,
        for_classes: None,
        settings: &[ALPHA, FIT_INTERCEPT, CLASS_WEIGHT, TOLERANCE, MAX_ITERATIONS, LANDMARKS, SEED],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        Penalty::Alpha(self.alpha).validate(&Self::SPEC.title())?;
        if self.landmarks == Some(0) {
            return Err(Error::invalid(Self::SPEC.title(), "landmarks", 0, "at least 1, or null for all rows"));
        }
        self.params().validate()
    }

    fn weigh(&self, target: &Target, own: Option<&Weights>) -> Result<Option<Weights>> {
        self.class_weight.rows(&Self::SPEC.title(), &target.labels()?, own)
    }

    learns_near!();

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        let parts = self.parts(&sample.labels()?);
        let penalty = Penalty::Alpha(self.alpha);
        let claims = Claims { parts, penalty, free: self.fit_intercept };
        match model.keeps_all_rows() {
            true => certify(model, sample, &claims, run),
            false => certify_landmarks(model, sample, &claims, run),
        }
    }

    fn link(&self, outputs: usize) -> Link {
        if outputs == 1 { Link::Logistic } else { Link::Softmax }
    }
}

impl KernelLogisticRegression {
    fn learn_near(&self, near: Option<&Model>, sample: &Sample, run: &Run) -> Result<Fitted> {
        let labels = sample.labels()?;
        check_classes(&Self::SPEC.title(), &labels)?;
        if let Some(count) = self.landmarks.filter(|count| *count < sample.n) {
            let (params, fit_intercept) = (self.params(), self.fit_intercept);
            let fit = LandmarkFit { sample, fit_intercept, params, count, seed: self.seed };
            // One function of two classes, or one loss of all: never several parts.
            return fit.fit(&self.parts(&labels)[0], self.alpha, self.clone(), run);
        }
        let fit = LossFit::new(sample, self.fit_intercept, self.params(), run)?.near(near);
        let mut found = Assembled::new();
        for part in self.parts(&labels) {
            fit.add(&part, Penalty::Alpha(self.alpha), Starts::ONE, &mut found, run)?;
        }
        fit.finish(self.clone(), found)
    }

    fn params(&self) -> PenalizedParams {
        PenalizedParams { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    /// Two classes are one function of signs; several are functions that one loss looks at together.
    fn parts(&self, labels: &Labels) -> Vec<Part> {
        match labels.count() {
            2 => vec![Part::One(Arc::new(Logistic), signs(labels.codes(), 1))],
            count => vec![Part::Softmax(labels.codes().to_vec(), count)],
        }
    }
}

/// 1 for the rows of a class, −1 for the others.
pub(super) fn signs(codes: &[usize], class: usize) -> Vec<f64> {
    codes.iter().map(|c| if *c == class { 1.0 } else { -1.0 }).collect()
}
