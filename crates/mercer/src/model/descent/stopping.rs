//! When a descent ends.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// When a descent ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Stopping {
    /// After so many iterations.
    Iterations(usize),
    /// At the iteration with the least error on rows that were held out; the descent is then run
    /// again on all rows, that far.
    HoldOut {
        /// The share of rows to hold out.
        share: f64,
        /// Largest number of iterations.
        max_iterations: usize,
    },
    /// At the first iteration whose root mean squared residual is at most factor·noise (the
    /// discrepancy principle of Morozov).
    Discrepancy {
        /// The standard deviation of the noise.
        noise: f64,
        /// A number above 1.
        factor: f64,
        /// Largest number of iterations.
        max_iterations: usize,
    },
}

impl Default for Stopping {
    fn default() -> Self {
        Stopping::Iterations(100)
    }
}

impl Stopping {
    pub(super) fn validate(&self, estimator: &str) -> Result<()> {
        let bad = |name: &str, value: f64, must: &str| Err(Error::invalid(estimator, name, value, must));
        match *self {
            Stopping::HoldOut { share, .. } if !(share > 0.0 && share < 1.0) => {
                bad("share", share, "above 0 and below 1")
            }
            Stopping::Discrepancy { noise, .. } if !(noise > 0.0 && noise.is_finite()) => {
                bad("noise", noise, "a finite number above 0")
            }
            Stopping::Discrepancy { factor, .. } if !(factor >= 1.0 && factor.is_finite()) => {
                bad("factor", factor, "a finite number, at least 1")
            }
            _ => Ok(()),
        }
    }

    /// The largest number of iterations.
    pub(super) fn most(&self) -> usize {
        match *self {
            Stopping::Iterations(most) => most,
            Stopping::HoldOut { max_iterations, .. } | Stopping::Discrepancy { max_iterations, .. } => max_iterations,
        }
    }
}
