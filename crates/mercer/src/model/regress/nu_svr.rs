//! Support vector machines for numbers, by the share of support vectors.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::TargetKind;
use crate::error::Result;
use crate::kernel::KernelExpr;
use crate::loss::Absolute;
use crate::model::support::{
    COST, Cost, DEFAULTS, GAP, MAX_MOVES, NU, Numbers, VIOLATION, Width, check_nu, learns_numbers, numbers_near, params,
};
use crate::model::{Answer, Complexity, Learn, LearnerSpec, OwnLoss, Tune, has_kernel};

/// The choices of a support vector machine for numbers with ν in place of ε (Schölkopf, Smola, Williamson, Bartlett 2000).
///
/// Minimises ½‖f‖² + C·(ν·W·ε + Σ wᵢ·max(0, |yᵢ − f(xᵢ) − b| − ε)) over f, b and ε ≥ 0, with W = Σ wᵢ: at most the share ν of the weight lies
/// outside of the tube. With the ε that it finds it is [`Svr`](super::Svr), which is how it is certified.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, model::regress::NuSvr};
/// let x: Inputs = Rows::new(vec![0.0, 1.0, 2.0], 3, 1)?.into();
/// let svr = NuSvr { kernel: KernelExpr::parse("linear")?, nu: 1.0, ..Default::default() };
/// let model = svr.fit(&x, &Targets::new(vec![0.0, 1.0, 2.0], 1)?, None, &Run::new())?.model;
/// assert!(model.support().is_some_and(|support| support.widths[0] < 1e-3)); // the line goes through all points
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NuSvr {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// What a unit of slack costs.
    #[serde(rename = "C")]
    pub c: Cost,
    /// The share of support vectors.
    pub nu: f64,
    /// The largest violation of the conditions at which to stop.
    pub tolerance: f64,
    /// The gap over the objective at which to stop.
    pub gap: f64,
    /// The largest number of moves.
    pub max_iterations: u64,
}

impl Default for NuSvr {
    fn default() -> Self {
        let (tolerance, gap, max_iterations) = DEFAULTS;
        NuSvr { kernel: KernelExpr::default(), c: Cost::default(), nu: 0.5, tolerance, gap, max_iterations }
    }
}

impl Tune for NuSvr {
    fn complexity(&self) -> Option<Complexity> {
        Some(Complexity::alpha(Some(1.0 / self.c.0)))
    }

    fn with_complexity(&self, alpha: f64, _: f64) -> Self {
        NuSvr { c: Cost(1.0 / alpha), ..self.clone() }
    }

    fn own_loss(&self) -> Result<OwnLoss> {
        Ok(OwnLoss::Of(Arc::new(Absolute)))
    }
}

impl Learn for NuSvr {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "nu_svr",
        class: "NuSvr",
        summary: "the support vector machine for numbers, by the share of support vectors",
        targets: &[TargetKind::Numbers],
        answers: &[Answer::Numbers],
        weights: true,
        for_classes: Some("nu_svc"),
        settings: &[COST, NU, VIOLATION, GAP, MAX_MOVES],
    };

    has_kernel!();
    learns_numbers!();

    fn validate(&self) -> Result<()> {
        self.c.validate(&Self::SPEC, false)?;
        check_nu(&Self::SPEC, self.nu)?;
        params(&Self::SPEC, self.tolerance, self.gap, self.max_iterations).map(drop)
    }
}

impl NuSvr {
    fn machine(&self) -> Numbers {
        Numbers { width: Width::Nu(self.nu), cost: self.c.0, intercept: true }
    }

    numbers_near!();
}
