//! Least-squares support vector machines.

use serde::{Deserialize, Serialize};

use crate::data::{Target, TargetKind, Weights};
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::run::Run;

use super::classify::{CLASS_WEIGHT, ClassWeight};
use super::penalized::SEED;
use super::regress::{Alpha, KernelRidge, shared};
use super::{
    Answer, Certified, Choice, Complexity, Fitted, Learn, LearnerSpec, Model, Sample, SettingSpec, SettingValues, Tune,
    has_kernel,
};

/// The choices of a least-squares support vector machine (Suykens & Vandewalle 1999).
///
/// Minimises ½‖f‖² + (gamma/2)·Σ wᵢ(yᵢ − f(xᵢ) − b)²: kernel ridge regression with an intercept and
/// alpha = 1/gamma, and solved as such. Of classes, the targets are −1 and 1, one column for two classes
/// and a column each for several.
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
        Some(match Alpha::near(evidence, rows) {
            (Alpha::Value(alpha), choice) => (self.with_complexity(alpha, rows as f64), choice),
            (list, choice) => (LeastSquaresSvm { alphas: list.list().to_vec(), ..self.clone() }, choice),
        })
    }
}

impl Learn for LeastSquaresSvm {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "lssvm",
        class: "LeastSquaresSvm",
        summary: "the least-squares support vector machine, which is ridge with gamma = 1/alpha",
        targets: &[TargetKind::Numbers, TargetKind::Classes],
        answers: &[Answer::Numbers, Answer::Intervals, Answer::Classes],
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
        let (problem, solved) = self.ridge().solve(sample, run)?;
        let learner = self.with_complexity(solved.alpha, 0.0).with_kernel(sample.space.kernel().clone());
        shared::assemble(learner.into(), problem, solved, run)
    }

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        let problem = shared::Problem::new(sample, true, self.seed)?;
        Ok(shared::certify(model, &problem, 1.0 / self.gamma, run)?.into())
    }
}

impl LeastSquaresSvm {
    fn ridge(&self) -> KernelRidge {
        let alpha = match self.alphas.is_empty() {
            true => Alpha::Value(1.0 / self.gamma),
            false => Alpha::Loo(self.alphas.clone()),
        };
        KernelRidge {
            kernel: self.kernel.clone(),
            alpha,
            fit_intercept: true,
            seed: self.seed,
            ..KernelRidge::default()
        }
    }
}
