//! Means and deviations of rows that count by their weights, for values of any size.

use crate::error::Result;

use super::Weights;
use super::weights::power_of_two;

/// Rows that count by their weights, or once each.
pub(super) struct Moments<'a>(Option<&'a Weights>);

impl<'a> Moments<'a> {
    /// Of so many rows.
    pub(super) fn new(weights: Option<&'a Weights>, rows: usize) -> Result<Self> {
        weights.map_or(Ok(()), |w| w.check_len(rows))?;
        Ok(Moments(weights))
    }

    /// Of rows that count once each.
    pub(super) fn plain() -> Self {
        Moments(None)
    }

    /// How much row `i` counts, below 2.
    pub(super) fn at(&self, i: usize) -> f64 {
        self.0.map_or(1.0, |w| w.relative_at(i))
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

    /// The value that has more than half of the weight, if there is one.
    pub(super) fn majority(&self, rows: &[usize], value: impl Fn(usize) -> f64) -> Option<f64> {
        // Boyer and Moore's vote: whoever has more than half is left over when every row of another value cancels one.
        let (mut leader, mut lead) = (f64::NAN, 0.0);
        for &i in rows {
            lead += if value(i) == leader { self.at(i) } else { -self.at(i) };
            if lead < 0.0 {
                (leader, lead) = (value(i), -lead);
            }
        }
        let weight =
            |of: &dyn Fn(f64) -> bool| rows.iter().filter(|i| of(value(**i))).map(|i| self.at(*i)).sum::<f64>();
        Some(leader).filter(|leader| weight(&|v| v == *leader) > 0.5 * weight(&|_| true))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_majority_is_found_wherever_its_rows_stand() {
        let of = |x: &[f64]| Moments::plain().majority(&(0..x.len()).collect::<Vec<_>>(), |i| x[i]);
        assert_eq!(of(&[1.0, 2.0, 1.0, 3.0, 1.0]), Some(1.0));
        assert_eq!(of(&[4.0, 3.0, 0.0, 0.0, 0.0]), Some(0.0));
        assert_eq!(of(&[1.0, 1.0, 2.0, 2.0]), None);
        assert_eq!(of(&[1.0, 2.0, 3.0]), None);
        let weights = Weights::new([5.0, 1.0, 1.0]).expect("weights");
        let moments = Moments::new(Some(&weights), 3).expect("as many");
        assert_eq!(moments.majority(&[0, 1, 2], |i| i as f64), Some(0.0));
    }

    #[test]
    fn means_and_deviations_survive_every_scale() {
        let moments = Moments::plain();
        for scale in [1e-300, 1e-150, 1.0, 1e150, 1e307] {
            let x = [1.0 * scale, 2.0 * scale, 3.0 * scale, 6.0 * scale];
            let mean = moments.mean(&[0, 1, 2, 3], |i| x[i]);
            let deviation = moments.deviation(&[0, 1, 2, 3], mean, |i| x[i]);
            assert!((mean / scale - 3.0).abs() < 1e-14, "{scale}: {mean}");
            assert!((deviation / scale - 3.5f64.sqrt()).abs() < 1e-14, "{scale}: {deviation}");
        }
    }
}
