//! Sums over rows, each as often as its weight says.

use crate::data::Weights;

/// Rows that count by their weights, or once each.
#[derive(Clone, Copy)]
pub(crate) struct Times<'a> {
    rows: usize,
    weights: Option<&'a Weights>,
}

impl<'a> Times<'a> {
    pub(crate) fn new(rows: usize, weights: Option<&'a Weights>) -> Self {
        Times { rows, weights }
    }

    /// Σ wᵢvᵢ over the unit of the weights. Rows of weight 0 are not looked at, whatever their value; NaN unless there is one
    /// weight a row.
    pub(crate) fn sum(&self, values: impl Iterator<Item = f64>) -> f64 {
        match self.weights {
            None => values.sum(),
            Some(weights) if weights.len() == self.rows => {
                weights.relative().zip(values).filter(|(w, _)| *w > 0.0).map(|(w, v)| w * v).sum()
            }
            Some(_) => f64::NAN,
        }
    }

    /// Σ wᵢ over the same unit; without weights the number of rows, and 1 for none.
    pub(crate) fn total(&self) -> f64 {
        self.weights.map_or(self.rows.max(1) as f64, |weights| weights.relative().sum())
    }

    /// Σ wᵢvᵢ/Σ wᵢ.
    pub(crate) fn mean(&self, values: impl Iterator<Item = f64>) -> f64 {
        self.sum(values) / self.total()
    }
}
