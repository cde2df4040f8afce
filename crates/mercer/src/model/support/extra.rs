//! What a support vector machine keeps beside its functions.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Which rows the points of a machine are, and what was found with its functions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Support {
    /// The row of the data that each point is, counted from 0.
    pub rows: Vec<usize>,
    /// Number of classes, or 0.
    pub classes: usize,
    /// ρ of each function of a machine with ν for classes, ε of each with ν for numbers; empty for others.
    pub widths: Vec<f64>,
    /// The slope of the probabilities of each function, where they were asked for: P = 1/(1 + exp(−slope·f)).
    pub slopes: Vec<f64>,
    /// Scores of rows that the function was not fitted to, ascending, for p-values of one class.
    pub scores: Vec<f64>,
}

impl Support {
    /// Fails unless it fits so many functions.
    pub(crate) fn validate(&self, functions: usize) -> Result<()> {
        let lists = [("widths", &self.widths), ("slopes", &self.slopes)];
        for (name, list) in lists {
            if !(list.is_empty() || list.len() == functions) || list.iter().any(|v| !(v.is_finite() && *v >= 0.0)) {
                let must = format!("none or {functions} numbers ≥ 0, one a function");
                return Err(Error::invalid("a support vector machine", name, format!("{} numbers", list.len()), must));
            }
        }
        let ascending = self.scores.windows(2).all(|pair| pair[0] <= pair[1]);
        match ascending && self.scores.iter().all(|s| s.is_finite()) {
            true => Ok(()),
            false => Err(Error::invalid("a support vector machine", "scores", "others", "ascending finite numbers")),
        }
    }
}
