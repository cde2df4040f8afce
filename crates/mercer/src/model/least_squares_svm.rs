//! Least-squares support vector machines.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::{Target, TargetKind, Weights};
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::loss::Squared;
use crate::note::Note;
use crate::run::Run;

use super::classify::{CLASS_WEIGHT, ClassWeight};
use super::penalized::SEED;
use super::regress::{Alpha, KernelRidge, RidgeSolver, shared};
use super::slope::LeftOut;
use super::{
    Answer, Certified, Choice, Complexity, Extra, Fitted, Learn, LearnerSpec, Model, ModelParts, OwnLoss, Sample,
    SettingSpec, SettingValues, Tune, has_kernel,
};

/// The share by which a slope that is found again may differ: the same sums over a kernel that is computed again.
const SAME: f64 = 1e-6;

/// The choices of a least-squares support vector machine (Suykens & Vandewalle 1999).
///
/// Minimises ½‖f‖² + (gamma/2)·Σ wᵢ(yᵢ − f(xᵢ) − b)²: kernel ridge regression with an intercept and
/// alpha = 1/gamma, and solved as such. Of classes, the targets are −1 and 1, one column for two classes
/// and a column each for several.
///
/// With `probability`, classes have probabilities exp(s·f_c(x))/Σ exp(s·f_j(x)), where s suits best what the fits without each
/// row say there, exactly: f₋ᵢ(xᵢ) = yᵢ − αᵢ/Cᵢᵢ, C the matrix that takes y to α.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, model::LeastSquaresSvm};
/// let x: Inputs = Rows::new(vec![0.0, 1.0, 2.0], 3, 1)?.into();
/// let svm = LeastSquaresSvm { kernel: KernelExpr::parse("linear")?, gamma: 4.0, ..Default::default() };
/// let model = svm.fit(&x, &Targets::new(vec![-1.0, 1.0, 1.0], 1)?, None, &Run::new())?.model;
/// assert_eq!(model.alpha(), Some(0.25));
/// // The optimum: w = Σ(x − x̄)(y − ȳ)/(Σ(x − x̄)² + 1/gamma) = 2/2.25.
/// let f = model.predict(&Rows::new(vec![0.0, 1.0], 2, 1)?.into(), &Run::new())?;
/// assert!((f[1] - f[0] - 2.0 / 2.25).abs() < 1e-12);
/// let labels = mercer::data::Labels::new(vec![0, 1, 1], 2)?;
/// let model = LeastSquaresSvm { probability: true, ..svm }.fit(&x, &labels, None, &Run::new())?.model;
/// assert!(model.probabilities(&x, &Run::new())?[1] < 0.5); // of the second class at the first point
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LeastSquaresSvm {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// What a unit of squared error costs.
    pub gamma: f64,
    /// Values of alpha = 1/gamma to choose from by exact leave-one-out; none to take gamma as it is.
    pub alphas: Vec<f64>,
    /// Factors on the weights of the rows, by class.
    #[serde(deserialize_with = "crate::model::short::short")]
    pub class_weight: ClassWeight,
    /// Whether to find probabilities of classes, from rows left out one at a time.
    pub probability: bool,
    /// Where chance begins: of the preconditioner and of the landmarks.
    pub seed: u64,
}

impl Default for LeastSquaresSvm {
    fn default() -> Self {
        LeastSquaresSvm {
            kernel: KernelExpr::default(),
            gamma: 1.0,
            alphas: Vec::new(),
            class_weight: ClassWeight::Equal,
            probability: false,
            seed: 0,
        }
    }
}

impl Tune for LeastSquaresSvm {
    fn complexity(&self) -> Option<Complexity> {
        Some(Complexity::alpha(self.alphas.is_empty().then_some(1.0 / self.gamma)))
    }

    fn with_complexity(&self, alpha: f64, _: f64) -> Self {
        LeastSquaresSvm { gamma: 1.0 / alpha, alphas: Vec::new(), ..self.clone() }
    }

    fn choosing(&self, evidence: Option<f64>, rows: usize) -> Option<(Self, Choice)> {
        // Leave-one-out would choose by the squared error, and probabilities are judged by their log-loss.
        if self.probability {
            return None;
        }
        Some(match Alpha::near(evidence, rows) {
            (Alpha::Value(alpha), choice) => (self.with_complexity(alpha, rows as f64), choice),
            (list, choice) => (LeastSquaresSvm { alphas: list.list().to_vec(), ..self.clone() }, choice),
        })
    }

    fn own_loss(&self) -> Result<OwnLoss> {
        Ok(if self.probability { OwnLoss::Log } else { OwnLoss::Of(Arc::new(Squared)) })
    }
}

impl Learn for LeastSquaresSvm {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "lssvm",
        class: "LeastSquaresSvm",
        summary: "the least-squares support vector machine, which is ridge with gamma = 1/alpha",
        targets: &[TargetKind::Numbers, TargetKind::Classes],
        answers: &[Answer::Numbers, Answer::Intervals, Answer::Classes, Answer::Probabilities],
        weights: true,
        for_classes: None,
        settings: &[
            SettingSpec {
                name: "gamma",
                summary: "what a unit of squared error costs",
                values: SettingValues::Above(0.0),
            },
            SettingSpec {
                name: "alphas",
                summary: "values of 1/gamma to choose from by leave-one-out",
                values: SettingValues::Other("a list of numbers > 0"),
            },
            CLASS_WEIGHT,
            SettingSpec {
                name: "probability",
                summary: "whether to find probabilities of classes, from rows left out one at a time",
                values: SettingValues::Flag,
            },
            SEED,
        ],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        // One becomes the other and comes back.
        let good = |v: f64| v > 0.0 && v.is_finite() && (1.0 / v).is_normal();
        if !good(self.gamma) {
            let must = "a finite number above 0, as 1/gamma must be";
            return Err(Error::invalid(Self::SPEC.title(), "gamma", self.gamma, must));
        }
        match self.alphas.iter().find(|a| !good(**a)) {
            Some(bad) => {
                let must = "finite numbers above 0, as 1/alpha must be";
                Err(Error::invalid(Self::SPEC.title(), "alphas", bad, must))
            }
            None => Ok(()),
        }
    }

    fn weigh(&self, target: &Target, own: Option<&Weights>) -> Result<Option<Weights>> {
        match target {
            Target::Classes(labels) => self.class_weight.rows(&Self::SPEC.title(), labels, own),
            _ => Ok(own.cloned()),
        }
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        if self.probability && sample.target().kind() != TargetKind::Classes {
            let must = "left out: only classes have probabilities";
            return Err(Error::invalid(Self::SPEC.title(), "probability", true, must));
        }
        let (problem, solved) = self.ridge().solve(sample, run)?;
        let alpha = solved.alpha;
        let learner = self.with_complexity(alpha, 0.0).with_kernel(sample.space.kernel().clone());
        let Fitted { model, mut report } = shared::assemble(learner.into(), problem, solved, run)?;
        if !self.probability {
            return Ok(Fitted { model, report });
        }
        let (slope, log_loss) = self.slope(&model, sample, alpha, run)?;
        report.notes.push(Note::ProbabilitiesLeftOut { slope, log_loss });
        let model = Model::from_parts(ModelParts { extra: Extra::Slope(slope), ..model.parts().clone() })?;
        Ok(Fitted { model, report })
    }

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        let alpha = 1.0 / self.gamma;
        let certificate = shared::certify(model, &self.problem(sample)?, alpha, run)?;
        let broken = match (self.probability, model.slope()) {
            (false, None) => None,
            (false, Some(_)) => Some("it has probabilities, and was not asked for any".into()),
            (true, None) => Some("it has no probabilities, and was asked for them".into()),
            (true, Some(claimed)) => {
                let found = self.slope(model, sample, alpha, run)?.0;
                // A slope that is no number is not near, either.
                let near = (claimed - found).abs() <= SAME * found;
                (!near).then(|| {
                    format!("the slope of its probabilities is {found:.9e}, and the model claims {claimed:.9e}")
                })
            }
        };
        Ok(Certified { certificate, broken })
    }
}

impl LeastSquaresSvm {
    fn problem(&self, sample: &Sample) -> Result<shared::Problem> {
        shared::Problem::new(sample, true, self.seed)
    }

    /// The slope of the probabilities, and the log-loss of the rows that are left out with it.
    fn slope(&self, model: &Model, sample: &Sample, alpha: f64, run: &Run) -> Result<(f64, f64)> {
        let values = shared::left_out(&self.problem(sample)?, model, alpha, run)?;
        let (labels, weights) = (sample.labels()?, sample.weights.as_ref());
        let left_out = LeftOut { values: &values, outputs: model.outputs(), labels: &labels, weights };
        let slope = left_out.slope();
        Ok((slope, left_out.log_loss(slope)))
    }

    fn ridge(&self) -> KernelRidge {
        let alpha = match self.alphas.is_empty() {
            true => Alpha::Value(1.0 / self.gamma),
            false => Alpha::Loo(self.alphas.clone()),
        };
        // Leaving rows out takes a factor in any case.
        let factored = self.probability && self.alphas.is_empty();
        KernelRidge {
            kernel: self.kernel.clone(),
            alpha,
            fit_intercept: true,
            solver: if factored { RidgeSolver::Cholesky } else { RidgeSolver::Auto },
            seed: self.seed,
        }
    }
}
