//! Support vector machines for numbers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::TargetKind;
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::loss::EpsilonInsensitive;
use crate::model::penalized::FIT_INTERCEPT;
use crate::model::support::{
    COST, Cost, DEFAULTS, GAP, MAX_MOVES, Numbers, TUBE, VIOLATION, Width, learns_numbers, numbers_near, params,
};
use crate::model::{Answer, Complexity, Learn, LearnerSpec, OwnLoss, Tune, has_kernel};

/// The choices of a support vector machine for numbers.
///
/// Minimises ½‖f‖² + C·Σ wᵢ·max(0, |yᵢ − f(xᵢ) − b| − ε): the ε-insensitive loss with alpha = 1/C. Rows inside of the tube have no
/// part in f. Several outputs are a machine each. The dual is max Σ yᵢvᵢ − ε·Σ|vᵢ| − ½Σ vᵢvⱼk(xᵢ, xⱼ) over |vᵢ| ≤ C·wᵢ, and Σ vᵢ = 0 where
/// b is free.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, model::regress::Svr};
/// let x: Inputs = Rows::new(vec![0.0, 1.0, 2.0], 3, 1)?.into();
/// let svr = Svr { kernel: KernelExpr::parse("linear")?, epsilon: 0.5, ..Default::default() };
/// let model = svr.fit(&x, &Targets::new(vec![0.0, 1.0, 2.0], 1)?, None, &Run::new())?.model;
/// let f = model.predict(&x, &Run::new())?;
/// assert!((f[0] - 0.5).abs() < 1e-3 && (f[2] - 1.5).abs() < 1e-3); // the flattest line in the tube
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Svr {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
    pub kernel: KernelExpr,
    /// What a unit of slack costs.
    #[serde(rename = "C")]
    pub c: Cost,
    /// ε.
    pub epsilon: f64,
    /// Whether to add a number b that the norm does not count.
    pub fit_intercept: bool,
    /// The largest violation of the conditions at which to stop.
    pub tolerance: f64,
    /// The gap over the objective at which to stop.
    pub gap: f64,
    /// The largest number of moves.
    pub max_iterations: u64,
}

impl Default for Svr {
    fn default() -> Self {
        let (tolerance, gap, max_iterations) = DEFAULTS;
        Svr {
            kernel: KernelExpr::default(),
            c: Cost::default(),
            epsilon: 0.1,
            fit_intercept: true,
            tolerance,
            gap,
            max_iterations,
        }
    }
}

impl Tune for Svr {
    fn complexity(&self) -> Option<Complexity> {
        Some(Complexity::alpha(Some(1.0 / self.c.0)))
    }

    fn with_complexity(&self, alpha: f64, _: f64) -> Self {
        Svr { c: Cost(1.0 / alpha), ..self.clone() }
    }

    fn own_loss(&self) -> Result<OwnLoss> {
        Ok(OwnLoss::Of(Arc::new(EpsilonInsensitive::new(self.epsilon)?)))
    }
}

impl Learn for Svr {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "svr",
        class: "Svr",
        summary: "the support vector machine for numbers",
        targets: &[TargetKind::Numbers],
        answers: &[Answer::Numbers],
        weights: true,
        for_classes: Some("svc"),
        settings: &[COST, TUBE, FIT_INTERCEPT, VIOLATION, GAP, MAX_MOVES],
    };

    has_kernel!();
    learns_numbers!();

    fn validate(&self) -> Result<()> {
        self.c.validate(&Self::SPEC, false)?;
        if !(self.epsilon >= 0.0 && self.epsilon.is_finite()) {
            return Err(Error::invalid(Self::SPEC.title(), "epsilon", self.epsilon, "a finite number ≥ 0"));
        }
        params(&Self::SPEC, self.tolerance, self.gap, self.max_iterations).map(drop)
    }
}

impl Svr {
    fn machine(&self) -> Numbers {
        Numbers { width: Width::Epsilon(self.epsilon), cost: self.c.0, intercept: self.fit_intercept }
    }

    numbers_near!();
}
