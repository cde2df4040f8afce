//! What a loss's file says of it.

use std::fmt;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use super::{Against, Loss};
use crate::error::{Error, Result};

/// A loss as data: what names, files, the command line and Python know of it.
///
/// ```
/// use mercer::loss::LossSpec;
/// let huber = LossSpec::find("huber").expect("in the catalogue");
/// assert_eq!(huber.parameter.map(|p| (p.name, p.default)), Some(("delta", 1.35)));
/// ```
#[derive(Clone, Copy)]
pub struct LossSpec {
    /// Its name everywhere.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// ℓ(y, z), as the documentation writes it.
    pub definition: &'static str,
    /// What the targets are.
    pub against: Against,
    /// Whether it makes a classifier of targets ±1.
    pub classifies: bool,
    /// Its parameter, where it has one.
    pub parameter: Option<LossParameter>,
    /// The largest curvature, where that is what limits the step of a descent: losses with kinks, and those that are
    /// not convex, have none.
    pub largest_curvature: Option<f64>,
    /// The loss with its parameter, checked; the number is 0 where there is none.
    pub build: fn(f64) -> Result<Arc<dyn Loss>>,
}

/// The parameter of a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossParameter {
    /// Its name.
    pub name: &'static str,
    /// What it is unless given.
    pub default: f64,
    /// Where it may lie: the least and the largest.
    pub bounds: (Bound<f64>, Bound<f64>),
}

impl LossParameter {
    /// The value, if it is finite and within the bounds; `owner` stands in the message.
    pub fn check(&self, owner: &str, value: f64) -> Result<f64> {
        match value.is_finite() && self.bounds.contains(&value) {
            true => Ok(value),
            false => Err(Error::invalid(owner, self.name, value, self.must())),
        }
    }

    fn must(&self) -> String {
        match self.bounds {
            (Bound::Included(low), Bound::Unbounded) => format!("a finite number ≥ {low}"),
            (Bound::Excluded(low), Bound::Unbounded) => format!("a finite number > {low}"),
            (Bound::Excluded(low), Bound::Excluded(high)) => format!("between {low} and {high}, both excluded"),
            other => format!("a finite number within {other:?}"),
        }
    }
}

impl fmt::Debug for LossSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LossSpec").field(&self.name).finish()
    }
}
