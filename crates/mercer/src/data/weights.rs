//! Weights of rows, checked once.

use std::ops::Deref;
use std::sync::Arc;

use crate::error::{Error, Result};

/// Weights of rows: finite, none negative, positive somewhere. A weight is a number of repetitions and need not be whole; a row of
/// weight 0 is as good as absent.
///
/// They are checked here and nowhere else: who takes them only compares their number with that of its rows. They read as a slice, and
/// clones share it.
///
/// ```
/// use mercer::data::Weights;
/// let weights = Weights::new([2.0, 0.0, 0.5])?;
/// assert_eq!((weights.len(), weights[2], weights.total()), (3, 0.5, 2.5));
/// assert_eq!(weights.shares(), [0.8, 0.0, 0.2]);
/// assert_eq!(weights.counting(), [0, 2]);
/// assert_eq!(weights.take(&[2, 2])?.values(), [0.5, 0.5]);
/// let refused = Weights::new(vec![1.0, -1.0]).unwrap_err().to_string();
/// assert_eq!(refused, "`weights` of the rows must be finite and not negative, got -1 at row 1 (rows count from 0)");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    values: Arc<[f64]>,
    /// What [`relative`](Self::relative) divides by.
    unit: f64,
}

impl Weights {
    /// Checks weights, one a row.
    pub fn new(values: impl Into<Arc<[f64]>>) -> Result<Self> {
        let values = values.into();
        let bad = |must: &str, got: String| Err(Error::invalid("the rows", "weights", got, must));
        if let Some(i) = values.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
            return bad("finite and not negative", format!("{} at row {i} (rows count from 0)", values[i]));
        }
        match unit(&values) {
            Some(unit) => Ok(Weights { values, unit }),
            None => bad("positive somewhere", if values.is_empty() { "none" } else { "only zeros" }.into()),
        }
    }

    /// The numbers.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Their sum, or the largest number there is where the sum is beyond it.
    pub fn total(&self) -> f64 {
        self.values.iter().sum::<f64>().min(f64::MAX)
    }

    /// The share of each row in all, w/Σw.
    pub fn shares(&self) -> Vec<f64> {
        let total: f64 = self.relative().sum();
        self.relative().map(|w| w / total).collect()
    }

    /// The same over their mean, and the mean.
    ///
    /// ```
    /// let (weights, mean) = mercer::data::Weights::new([1.0, 3.0])?.over_mean()?;
    /// assert_eq!((weights.values(), mean), (&[0.5, 1.5][..], 2.0));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn over_mean(&self) -> Result<(Self, f64)> {
        let n = self.len() as f64;
        let relative: f64 = self.relative().sum::<f64>() / n;
        let over = self.relative().map(|w| w / relative).collect::<Arc<[f64]>>();
        Ok((Self::new(over)?, (relative * self.unit).min(f64::MAX)))
    }

    /// The rows of positive weight, ascending.
    pub fn counting(&self) -> Vec<usize> {
        (0..self.values.len()).filter(|i| self.values[*i] > 0.0).collect()
    }

    /// The weights of these rows, which must be among them; fails if none is positive.
    pub fn take(&self, rows: &[usize]) -> Result<Self> {
        Self::new(rows.iter().map(|i| self.values[*i]).collect::<Arc<[f64]>>())
    }

    /// Weights over a unit that leaves them below 2, so that no sum of them overflows: where all that are positive are equal they
    /// become 1, and sums over rows are to the bit those without weights; else the unit is a power of two, which changes no digit, and
    /// whole numbers add up without rounding.
    pub(crate) fn relative(&self) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().map(|w| w / self.unit)
    }

    /// The weight of row `i` over the same unit.
    pub(crate) fn relative_at(&self, i: usize) -> f64 {
        self.values[i] / self.unit
    }

    /// Fails unless there is one a row.
    pub(crate) fn check_len(&self, rows: usize) -> Result<()> {
        match self.len() == rows {
            true => Ok(()),
            false => Err(Error::shape("the weights", format!("{rows} values, one a row"), self.len())),
        }
    }
}

impl Deref for Weights {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.values
    }
}

/// The share of each row: by its weight, or the same for all.
pub(crate) fn shares(weights: Option<&Weights>, rows: usize) -> Result<Vec<f64>> {
    let Some(weights) = weights else { return Ok(vec![1.0 / rows as f64; rows]) };
    weights.check_len(rows)?;
    Ok(weights.shares())
}

/// The unit of weights, nothing if none is positive.
fn unit(values: &[f64]) -> Option<f64> {
    let positive = || values.iter().copied().filter(|w| *w > 0.0);
    let largest = positive().fold(0.0, f64::max);
    match positive().all(|w| w == largest) {
        _ if largest == 0.0 => None,
        true => Some(largest),
        false => Some(power_of_two(largest)),
    }
}

/// The largest power of two that is not above `x`, within the normal numbers; 1 for zero.
pub(crate) fn power_of_two(x: f64) -> f64 {
    match x.is_normal() {
        true => f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000),
        false if x > 0.0 => f64::MIN_POSITIVE,
        false => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_weight_is_refused() {
        let refused = |values: &[f64]| Weights::new(values).expect_err("no weights").to_string();
        assert!(refused(&[1.0, f64::NAN]).contains("NaN at row 1"));
        assert!(refused(&[f64::INFINITY]).contains("inf at row 0"));
        assert!(refused(&[0.0, -0.0]).contains("only zeros"));
        assert!(refused(&[]).contains("got none"));
        assert!(Weights::new([1.0]).and_then(|w| w.check_len(2)).is_err());
        assert!(Weights::new([1.0, 0.0]).and_then(|w| w.take(&[1])).is_err());
    }

    #[test]
    fn sums_survive_every_size() {
        for size in [5e-324, 1e-310, 1e-300, 0.3, 1.0, 1e300, f64::MAX] {
            let equal = Weights::new([size, 0.0, size, size, size]).expect("weights");
            assert_eq!(equal.shares(), [0.25, 0.0, 0.25, 0.25, 0.25], "{size:e}");
            assert_eq!(equal.relative().collect::<Vec<_>>(), [1.0, 0.0, 1.0, 1.0, 1.0], "{size:e}");
            assert!(equal.total() > 0.0 && equal.total().is_finite(), "{size:e}");
        }
        let apart = Weights::new([5e-324, f64::MAX]).expect("weights");
        assert_eq!(apart.shares(), [0.0, 1.0]);
        let whole = Weights::new([3.0, 1.0, 5.0]).expect("weights");
        assert_eq!(whole.relative().collect::<Vec<_>>(), [0.75, 0.25, 1.25]);
    }
}
