//! Measures of error, and how far they may be off.

use serde::{Deserialize, Serialize};

/// Measures of error, in which a weight is a number of repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Scores {
    /// Of numbers.
    Regression {
        /// √(mean of squares).
        rmse: f64,
        /// Mean of absolute values.
        mae: f64,
        /// Share of the variance that is explained.
        r2: f64,
    },
    /// Of several quantiles.
    Quantiles {
        /// The pinball loss, mean over rows and quantiles.
        pinball: f64,
        /// The share of rows between the first and the last quantile; of one quantile, below it.
        coverage: f64,
        /// What that share is meant to be.
        nominal: f64,
    },
    /// Of classes.
    Classification {
        /// Share of rows whose class is right.
        accuracy: f64,
        /// −mean of ln P(true class), where the model has probabilities.
        log_loss: Option<f64>,
    },
}

/// Standard errors of measures, each in the place of its measure: over the rows that were judged, or over their groups where rows were
/// split by groups. That other rows might have been learnt from is not in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StandardErrors {
    /// Of the model; nothing where fewer than two rows were judged.
    pub model: Option<Scores>,
    /// Of the mean, or of the most frequent class.
    pub constant: Option<Scores>,
    /// Of the linear model.
    pub linear: Option<Scores>,
}
