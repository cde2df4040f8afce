//! How far a measure may be off, because other rows might have been judged.

use std::collections::BTreeMap;

use crate::data::Weights;

use super::Times;

/// The standard error of a mean over rows, or of any measure whose `influence` each row has on it: the influence of row i is what a
/// little more weight of it changes, and for a mean it is its value less the mean.
///
/// √(g/(g − 1)·Σ_G(Σ_{i∈G} wᵢψᵢ)²)/Σ wᵢ over g groups G, each row its own without `groups`. Rows are what is drawn: a weight makes
/// one count more, and does not make more rows of it. NaN for fewer than two groups.
///
/// ```
/// use mercer::metric::standard_error;
/// // Values 1, 2, 3, 6 with the mean 3: the variance is (4 + 1 + 0 + 9)/3.
/// let found = standard_error(&[-2.0, -1.0, 0.0, 3.0], None, None);
/// assert!((found - (14.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-15);
/// assert!(standard_error(&[1.0], None, None).is_nan());
/// ```
pub fn standard_error(influence: &[f64], groups: Option<&[usize]>, weights: Option<&Weights>) -> f64 {
    let rows = influence.len();
    if weights.is_some_and(|w| w.len() != rows) || groups.is_some_and(|g| g.len() != rows) {
        return f64::NAN;
    }
    let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
    for (i, value) in influence.iter().enumerate() {
        let weight = weights.map_or(1.0, |w| w.relative_at(i));
        if weight > 0.0 {
            *sums.entry(groups.map_or(i, |g| g[i])).or_default() += weight * value;
        }
    }
    if sums.len() < 2 {
        return f64::NAN;
    }
    let g = sums.len() as f64;
    let squares: f64 = sums.values().map(|s| s * s).sum();
    (g / (g - 1.0) * squares).sqrt() / Times::new(rows, weights).total()
}

/// What each row adds to a mean: its value less the mean.
pub(crate) fn of_mean(values: &[f64], weights: Option<&Weights>) -> Vec<f64> {
    let mean = Times::new(values.len(), weights).mean(values.iter().copied());
    values.iter().map(|v| v - mean).collect()
}

/// What each row adds to the square root of a mean: its influence on the mean over twice the root.
pub(crate) fn of_root_mean(values: &[f64], weights: Option<&Weights>) -> Vec<f64> {
    let root = Times::new(values.len(), weights).mean(values.iter().copied()).sqrt();
    of_mean(values, weights).iter().map(|v| v / (2.0 * root)).collect()
}

/// What each row adds to R² = 1 − A/B, A the mean of squared errors and B that of squared distances from the mean of the truth:
/// −(a − A)/B + A(b − B)/B².
pub(crate) fn of_r2(truth: &[f64], squares: &[f64], weights: Option<&Weights>) -> Vec<f64> {
    let times = Times::new(truth.len(), weights);
    let mean = times.mean(truth.iter().copied());
    let apart: Vec<f64> = truth.iter().map(|y| (y - mean).powi(2)).collect();
    let (a, b) = (times.mean(squares.iter().copied()), times.mean(apart.iter().copied()));
    squares.iter().zip(&apart).map(|(s, d)| -(s - a) / b + a * (d - b) / (b * b)).collect()
}
