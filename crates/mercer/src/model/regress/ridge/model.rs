//! The result: a function, self-contained.

use crate::certificate::{Algorithm, Certificate};
use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::model::Expansion;
use crate::run::Run;

use super::LeaveOneOut;

/// f(x) = Σ αᵢk(xᵢ, x) + b, with all that is needed to evaluate and check it.
#[derive(Clone, Debug)]
pub struct KernelRidgeModel {
    parts: RidgeParts,
}

/// The parts of a model, for files.
#[derive(Clone, Debug)]
pub struct RidgeParts {
    /// The functions: of all points of positive weight, or of the landmarks.
    pub expansion: Expansion,
    /// Whether b was fitted.
    pub fit_intercept: bool,
    /// alpha.
    pub alpha: f64,
    /// The weights of the rows that count, where they are not all 1.
    pub weights: Option<Vec<f64>>,
    /// How far it is from the solution.
    pub certificate: Certificate,
    /// Exact leave-one-out residuals, where the solver gives them.
    pub leave_one_out: Option<LeaveOneOut>,
}

impl KernelRidgeModel {
    /// Puts a model together, checking that its parts fit.
    pub fn from_parts(parts: RidgeParts) -> Result<Self> {
        if let (Some(weights), true) = (&parts.weights, keeps_all_rows(&parts)) {
            let m = parts.expansion.points().len();
            if weights.len() != m {
                return Err(Error::shape(
                    "the weights of a ridge model",
                    format!("{m} values, one a point"),
                    weights.len(),
                ));
            }
        }
        Ok(KernelRidgeModel { parts })
    }

    /// Its parts, to be saved.
    pub fn parts(&self) -> &RidgeParts {
        &self.parts
    }

    pub(super) fn set_leave_one_out(&mut self, loo: LeaveOneOut) {
        self.parts.leave_one_out = Some(loo);
    }

    /// The kernel, without rules.
    pub fn kernel(&self) -> &KernelExpr {
        self.parts.expansion.kernel()
    }

    /// The points kept.
    pub fn points(&self) -> &Inputs {
        self.parts.expansion.points()
    }

    /// α, row-major: points×outputs.
    pub fn coefficients(&self) -> &[f64] {
        self.parts.expansion.coefficients()
    }

    /// b, one an output.
    pub fn intercept(&self) -> &[f64] {
        self.parts.expansion.intercept()
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.parts.expansion.outputs()
    }

    /// alpha, as given or chosen.
    pub fn alpha(&self) -> f64 {
        self.parts.alpha
    }

    /// How far it is from the solution.
    pub fn certificate(&self) -> &Certificate {
        &self.parts.certificate
    }

    /// Exact leave-one-out residuals, where the solver gave them on its way (`eigen` does);
    /// [`leave_one_out`](Self::leave_one_out) computes them for other exact solvers.
    pub fn loo(&self) -> Option<&LeaveOneOut> {
        self.parts.leave_one_out.as_ref()
    }

    /// The functions.
    pub fn expansion(&self) -> &Expansion {
        &self.parts.expansion
    }

    pub(super) fn keeps_all_rows(&self) -> bool {
        keeps_all_rows(&self.parts)
    }

    /// f(x) + b for every point x, row-major: m×outputs. Kernel values are streamed, never stored.
    pub fn predict(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        self.parts.expansion.evaluate(x, run)
    }
}

/// Whether every row that counts is kept, so that leave-one-out can be computed from the model.
fn keeps_all_rows(parts: &RidgeParts) -> bool {
    !matches!(parts.certificate.algorithm, Algorithm::Nystrom | Algorithm::Primal)
        && !matches!(parts.expansion.points(), Inputs::Precomputed(_))
}
