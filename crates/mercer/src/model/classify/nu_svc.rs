//! Support vector machines for classes, by the share of support vectors.

use serde::{Deserialize, Serialize};

use crate::data::{Labels, TargetKind};
use crate::error::Result;
use crate::kernel::KernelExpr;
use crate::model::penalized::SEED;
use crate::model::support::{
    Classes, DEFAULTS, Form, GAP, MAX_MOVES, MULTI_CLASS, MultiClass, NU, PROBABILITY, VIOLATION, check_nu,
    classes_near, learns_classes, params,
};
use crate::model::{Answer, Complexity, Learn, LearnerSpec, OwnLoss, Tune, has_kernel};

use super::ClassWeight;
use super::class_weight::{CLASS_WEIGHT, check_classes};

/// The choices of a support vector machine with ν in place of C (Schölkopf, Smola, Williamson, Bartlett 2000).
///
/// For two classes it minimises ½‖f‖² − ν·W·ρ + Σ wᵢ·max(0, ρ − yᵢ(f(xᵢ) + b)) over f, b and ρ ≥ 0, with W = Σ wᵢ. At most the share ν
/// of the weight lies inside of the margin, at least that share are support vectors. The functions kept are f/ρ and b/ρ: those of
/// [`Svc`](super::Svc) with C = 1/ρ, which is how they are certified. ν is at most twice the share of the smaller class.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Labels, Rows}, model::classify::NuSvc};
/// let x: Inputs = Rows::new(vec![-2.0, -1.0, 1.0, 4.0], 4, 1)?.into();
/// let labels = Labels::new(vec![0, 0, 1, 1], 2)?;
/// let svc = NuSvc { kernel: KernelExpr::parse("linear")?, nu: 0.4, ..Default::default() };
/// let f = svc.fit(&x, &labels, None, &Run::new())?.model.predict(&x, &Run::new())?;
/// assert!((f[1] + 1.0).abs() < 1e-2 && (f[2] - 1.0).abs() < 1e-2); // the margin
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NuSvc {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// The share of support vectors.
    pub nu: f64,
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

impl Default for NuSvc {
    fn default() -> Self {
        let (tolerance, gap, max_iterations) = DEFAULTS;
        NuSvc {
            kernel: KernelExpr::default(),
            nu: 0.5,
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

impl Tune for NuSvc {
    fn complexity(&self) -> Option<Complexity> {
        Some(Complexity { name: "nu", range: (1e-3, 1.0), start: Some(0.5), counted: false, value: Some(self.nu) })
    }

    fn with_complexity(&self, nu: f64, _: f64) -> Self {
        NuSvc { nu, ..self.clone() }
    }

    fn own_loss(&self) -> Result<OwnLoss> {
        Ok(OwnLoss::Errors)
    }

    fn comparing(&self) -> Self {
        NuSvc { probability: false, ..self.clone() }
    }
}

impl Learn for NuSvc {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "nu_svc",
        class: "NuSvc",
        summary: "the support vector machine for classes, by the share of support vectors",
        targets: &[TargetKind::Classes],
        answers: &[Answer::Classes, Answer::Probabilities],
        weights: true,
        for_classes: None,
        settings: &[NU, CLASS_WEIGHT, MULTI_CLASS, PROBABILITY, SEED, VIOLATION, GAP, MAX_MOVES],
    };

    has_kernel!();
    learns_classes!();

    fn validate(&self) -> Result<()> {
        check_nu(&Self::SPEC, self.nu)?;
        params(&Self::SPEC, self.tolerance, self.gap, self.max_iterations).map(drop)
    }
}

impl NuSvc {
    classes_near!();

    fn classes(&self, labels: &Labels) -> Result<Classes> {
        let classes = Classes {
            form: Form::Margin,
            nu: Some(self.nu),
            lowers: self.class_weight != ClassWeight::Equal,
            cost: 1.0,
            intercept: true,
            multi_class: self.multi_class,
            probability: self.probability.then_some(self.seed),
        };
        classes.check(&Self::SPEC, labels)?;
        Ok(classes)
    }
}
