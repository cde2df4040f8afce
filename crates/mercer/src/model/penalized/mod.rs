//! What the learners with a loss share: the penalty, one fit an output, certificates.

mod bound;
mod certify;
mod fit;
mod landmarks;
mod measure;
mod own;
mod point;
mod settings;
mod starts;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

pub(crate) use certify::{Claims, certify};
pub(crate) use fit::{Assembled, LossFit, Part, Starts};
pub(crate) use landmarks::{LandmarkFit, certify as certify_landmarks};
pub(crate) use measure::Claim;
pub use own::AnyLoss;
pub(crate) use point::Rows;
pub(crate) use settings::{ALPHA, FIT_INTERCEPT, LANDMARKS, LOSS, MAX_ITERATIONS, PENALTY, SEED, STARTS, TOLERANCE};

/// The gap over the objective that is small enough to compare values of alpha by.
pub(crate) const COMPARING: f64 = 1e-4;

/// What keeps the function simple.
///
/// ```
/// use mercer::model::Penalty;
/// assert!(Penalty::Alpha(0.0).validate("KernelRegressor").is_err());
/// assert!(Penalty::NormBound(2.5).validate("KernelRegressor").is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Penalty {
    /// Σ wᵢℓᵢ + (alpha/2)‖f‖², alpha > 0.
    Alpha(f64),
    /// Σ wᵢℓᵢ over the functions with ‖f‖ ≤ B, B > 0.
    NormBound(f64),
}

impl Default for Penalty {
    fn default() -> Self {
        Penalty::Alpha(1.0)
    }
}

impl Penalty {
    /// alpha, if that is what is given.
    pub fn alpha(&self) -> Option<f64> {
        match self {
            Penalty::Alpha(alpha) => Some(*alpha),
            Penalty::NormBound(_) => None,
        }
    }

    /// The bound of the norm, if that is what is given.
    pub fn norm_bound(&self) -> Option<f64> {
        match self {
            Penalty::Alpha(_) => None,
            Penalty::NormBound(bound) => Some(*bound),
        }
    }

    /// Checks the number; `learner` is named in errors.
    pub fn validate(&self, learner: &str) -> Result<()> {
        let good = |v: f64| v > 0.0 && v.is_finite();
        match *self {
            Penalty::Alpha(alpha) if !good(alpha) => {
                let must = "a finite number > 0; at 0 there need not be a minimum, but a bound of the norm can be set";
                Err(Error::invalid(learner, "alpha", alpha, must))
            }
            Penalty::NormBound(bound) if !good(bound) => {
                Err(Error::invalid(learner, "norm_bound", bound, "a finite number > 0"))
            }
            _ => Ok(()),
        }
    }
}
