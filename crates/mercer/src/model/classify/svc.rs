//! Support vector machines for classes.

use serde::{Deserialize, Serialize};

use crate::data::{Labels, TargetKind};
use crate::error::Result;
use crate::kernel::KernelExpr;
use crate::model::penalized::{FIT_INTERCEPT, SEED};
use crate::model::support::{
    COST, Classes, Cost, DEFAULTS, Form, GAP, MAX_MOVES, MULTI_CLASS, MultiClass, PROBABILITY, VIOLATION, classes_near,
    learns_classes, params,
};
use crate::model::{Answer, Complexity, Learn, LearnerSpec, OwnLoss, Tune, has_kernel};

use super::ClassWeight;
use super::class_weight::{CLASS_WEIGHT, check_classes};

/// The choices of a support vector machine for classes.
///
/// For two classes it minimises ½‖f‖² + C·Σ wᵢ·max(0, 1 − yᵢ(f(xᵢ) + b)) with yᵢ = ±1, which is the hinge loss with alpha = 1/C;
/// with C = ∞ it looks for the largest margin, and finds it or weights that prove there is none
/// ([`Error::NotSeparable`](crate::Error::NotSeparable)). Without b this is the form of the least squared norm through the origin.
/// Several classes are a machine for each pair of classes, which vote, or one for each class against the rest.
///
/// The dual is max Σ yᵢvᵢ − ½Σ vᵢvⱼk(xᵢ, xⱼ) over 0 ≤ yᵢvᵢ ≤ C·wᵢ, and Σ vᵢ = 0 where b is free; f = Σ vᵢk(xᵢ, ·).
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Labels, Rows}, model::classify::Svc};
/// let x: Inputs = Rows::new(vec![-2.0, -1.0, 1.0, 4.0], 4, 1)?.into();
/// let labels = Labels::new(vec![0, 0, 1, 1], 2)?;
/// let svc = Svc { kernel: KernelExpr::parse("linear")?, ..Default::default() };
/// let model = svc.fit(&x, &labels, None, &Run::new())?.model;
/// let f = model.predict(&x, &Run::new())?;
/// assert!((f[1] + 1.0).abs() < 1e-3 && (f[2] - 1.0).abs() < 1e-3); // the margin
/// assert_eq!(model.points().len(), 2); // the rows on it alone
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Svc {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// What a unit of slack costs.
    #[serde(rename = "C")]
    pub c: Cost,
    /// Whether to add a number b that the norm does not count.
    pub fit_intercept: bool,
    /// Factors on the weights of the rows, by class.
    #[serde(deserialize_with = "crate::model::short::short")]
    pub class_weight: ClassWeight,
    /// What becomes of several classes.
    pub multi_class: MultiClass,
    /// Whether to find probabilities, from functions that are fitted without a fifth of the rows.
    pub probability: bool,
    /// Where the chance of the fifths begins.
    pub seed: u64,
    /// The largest violation of the conditions at which to stop.
    pub tolerance: f64,
    /// The gap over the objective at which to stop.
    pub gap: f64,
    /// The largest number of moves.
    pub max_iterations: u64,
}

impl Default for Svc {
    fn default() -> Self {
        let (tolerance, gap, max_iterations) = DEFAULTS;
        Svc {
            kernel: KernelExpr::default(),
            c: Cost::default(),
            fit_intercept: true,
            class_weight: ClassWeight::Equal,
            multi_class: MultiClass::default(),
            probability: false,
            seed: 0,
            tolerance,
            gap,
            max_iterations,
        }
    }
}

impl Tune for Svc {
    fn complexity(&self) -> Option<Complexity> {
        Some(Complexity::alpha(Some(1.0 / self.c.0).filter(|alpha| *alpha > 0.0)))
    }

    fn with_complexity(&self, alpha: f64, _: f64) -> Self {
        Svc { c: Cost(1.0 / alpha), ..self.clone() }
    }

    fn own_loss(&self) -> Result<OwnLoss> {
        Ok(OwnLoss::Errors)
    }

    fn comparing(&self) -> Self {
        Svc { probability: false, ..self.clone() }
    }
}

impl Learn for Svc {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "svc",
        class: "Svc",
        summary: "the support vector machine for classes",
        targets: &[TargetKind::Classes],
        answers: &[Answer::Classes, Answer::Probabilities],
        weights: true,
        for_classes: None,
        settings: &[COST, FIT_INTERCEPT, CLASS_WEIGHT, MULTI_CLASS, PROBABILITY, SEED, VIOLATION, GAP, MAX_MOVES],
    };

    has_kernel!();
    learns_classes!();

    fn validate(&self) -> Result<()> {
        self.c.validate(&Self::SPEC, true)?;
        params(&Self::SPEC, self.tolerance, self.gap, self.max_iterations).map(drop)
    }
}

impl Svc {
    classes_near!();

    fn classes(&self, labels: &Labels) -> Result<Classes> {
        let classes = Classes {
            form: Form::Margin,
            nu: None,
            lowers: false,
            cost: self.c.0,
            intercept: self.fit_intercept,
            multi_class: self.multi_class,
            probability: self.probability.then_some(self.seed),
        };
        classes.check(&Self::SPEC, labels)?;
        Ok(classes)
    }
}
