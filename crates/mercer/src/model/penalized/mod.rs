//! What the learners with a loss share: the penalty, one fit an output, certificates.

mod bound;
mod certify;
mod fit;
mod measure;
mod point;
mod starts;

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::error::{Error, Result};
use crate::loss::Loss;

pub(crate) use certify::certify;
pub(crate) use fit::{Assembled, LossFit, Starts};
pub(crate) use measure::Claim;
pub(crate) use point::Rows;

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

/// The loss with its parameters, and the form of the penalty.
pub(crate) fn settings(loss: &dyn Loss, penalty: Penalty) -> Map<String, serde_json::Value> {
    let mut settings = Map::new();
    settings.insert("loss".into(), json!(loss.name()));
    for (name, value) in loss.parameters() {
        settings.insert(name.into(), json!(value));
    }
    if let Penalty::NormBound(bound) = penalty {
        settings.insert("norm_bound".into(), json!(bound));
    }
    settings
}
