//! Weights of rows, and sums that stay in range.

use crate::error::{Error, Result};

/// One weight a row, checked; without any, every row counts 1.
pub(super) struct Weights<'a> {
    weights: Option<&'a [f64]>,
    /// Weights are divided by the largest, so that their sum cannot overflow.
    largest: f64,
}

impl<'a> Weights<'a> {
    /// Checks that there is one weight a row, none negative, NaN or infinite, not all zero.
    pub(super) fn new(weights: Option<&'a [f64]>, nrows: usize) -> Result<Self> {
        let Some(given) = weights else { return Ok(Weights { weights, largest: 1.0 }) };
        if given.len() != nrows {
            return Err(Error::shape("`weights`", format!("{nrows} values, one a row"), given.len()));
        }
        let bad = |must: &str, value: String| Err(Error::invalid("the data", "weights", value, must));
        if let Some(i) = given.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return bad("finite and not negative", format!("{} at row {i}", given[i]));
        }
        let largest = given.iter().copied().fold(0.0, f64::max);
        match largest > 0.0 {
            true => Ok(Weights { weights, largest }),
            false => bad("positive somewhere", "only zeros".into()),
        }
    }

    /// The weight of row `i`, at most 1.
    pub(super) fn at(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[i] / self.largest)
    }

    /// The weighted mean of the given rows' values, which must be finite.
    ///
    /// Values are first divided by a power of two near the largest, which is exact and keeps sums
    /// of values near 1e308 finite; a second pass takes out the rounding of the first.
    pub(super) fn mean(&self, rows: &[usize], value: impl Fn(usize) -> f64) -> f64 {
        let unit = power_of_two(rows.iter().map(|&i| value(i).abs()).fold(0.0, f64::max));
        let total: f64 = rows.iter().map(|&i| self.at(i)).sum();
        let average = |f: &dyn Fn(usize) -> f64| rows.iter().map(|&i| self.at(i) / total * f(i)).sum::<f64>();
        let first = average(&|i| value(i) / unit);
        (first + average(&|i| value(i) / unit - first)) * unit
    }

    /// The weighted standard deviation about `mean` (divided by the sum of the weights).
    pub(super) fn deviation(&self, rows: &[usize], mean: f64, value: impl Fn(usize) -> f64) -> f64 {
        let half = |i: usize| value(i) / 2.0 - mean / 2.0;
        let unit = power_of_two(rows.iter().map(|&i| half(i).abs()).fold(0.0, f64::max));
        let total: f64 = rows.iter().map(|&i| self.at(i)).sum();
        let variance: f64 = rows.iter().map(|&i| self.at(i) / total * (half(i) / unit).powi(2)).sum();
        variance.sqrt() * unit * 2.0
    }
}

/// The largest power of two that is not above `x`, within the normal numbers; 1 for zero.
pub(super) fn power_of_two(x: f64) -> f64 {
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
    fn means_and_deviations_survive_every_scale() {
        let weights = Weights::new(None, 4).expect("none");
        for scale in [1e-300, 1e-150, 1.0, 1e150, 1e307] {
            let x = [1.0 * scale, 2.0 * scale, 3.0 * scale, 6.0 * scale];
            let mean = weights.mean(&[0, 1, 2, 3], |i| x[i]);
            let deviation = weights.deviation(&[0, 1, 2, 3], mean, |i| x[i]);
            assert!((mean / scale - 3.0).abs() < 1e-14, "{scale}: {mean}");
            assert!((deviation / scale - 3.5f64.sqrt()).abs() < 1e-14, "{scale}: {deviation}");
        }
    }

    #[test]
    fn bad_weights_are_refused() {
        assert!(Weights::new(Some(&[1.0]), 2).is_err());
        assert!(Weights::new(Some(&[1.0, -1.0]), 2).is_err());
        assert!(Weights::new(Some(&[1.0, f64::NAN]), 2).is_err());
        assert!(Weights::new(Some(&[0.0, 0.0]), 2).is_err());
    }
}
