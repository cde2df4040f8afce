//! How far predictions are from the truth.
//!
//! A weight is a number of repetitions: sums over rows are Σ wᵢ…, their number is Σ wᵢ, and rows of weight 0 are not looked at. Weights
//! that are all equal give the digits of none. A measure is NaN unless there is one weight a row.

mod calibration;
mod confusion;
mod roc;
mod standard_error;
mod times;

use crate::data::Weights;

pub use calibration::{Calibration, calibration};
pub use confusion::{ClassResult, Confusion};
pub use roc::{Roc, roc};
pub use standard_error::standard_error;
pub(crate) use standard_error::{of_mean, of_r2, of_root_mean};
pub(crate) use times::Times;

/// √(Σ w(y − f)²/Σ w).
///
/// ```
/// use mercer::{data::Weights, metric::rmse};
/// assert_eq!(rmse(&[1.0, 2.0], &[4.0, -2.0], None), 12.5f64.sqrt());
/// let once_and_thrice = Weights::new([1.0, 3.0])?;
/// assert_eq!(rmse(&[1.0, 2.0], &[4.0, -2.0], Some(&once_and_thrice)), (57.0f64 / 4.0).sqrt());
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn rmse(truth: &[f64], predicted: &[f64], weights: Option<&Weights>) -> f64 {
    Times::new(truth.len(), weights).mean(squares(truth, predicted)).sqrt()
}

/// Σ w|y − f|/Σ w.
///
/// ```
/// use mercer::{data::Weights, metric::mae};
/// assert_eq!(mae(&[1.0, 2.0], &[4.0, -2.0], None), 3.5);
/// assert_eq!(mae(&[1.0, 2.0], &[4.0, -2.0], Some(&Weights::new([1.0, 3.0])?)), 15.0 / 4.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn mae(truth: &[f64], predicted: &[f64], weights: Option<&Weights>) -> f64 {
    Times::new(truth.len(), weights).mean(truth.iter().zip(predicted).map(|(y, f)| (y - f).abs()))
}

/// 1 − Σ w(y − f)²/Σ w(y − ȳ)² with ȳ = Σ wy/Σ w: the share of the variance that is explained; 0 of a constant truth.
///
/// ```
/// use mercer::{data::Weights, metric::r2};
/// assert_eq!(r2(&[1.0, 2.0, 3.0], &[1.0, 2.0, 4.0], None), 0.5);
/// // The mean is 10/4, the sum of squares about it 2.25 + 0.25 + 2·1.
/// assert_eq!(r2(&[1.0, 2.0, 3.5], &[1.0, 2.0, 4.5], Some(&Weights::new([1.0, 1.0, 2.0])?)), 1.0 - 2.0 / 4.5);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn r2(truth: &[f64], predicted: &[f64], weights: Option<&Weights>) -> f64 {
    let times = Times::new(truth.len(), weights);
    let mean = times.mean(truth.iter().copied());
    let counts = |i: &usize| weights.is_none_or(|w| w.get(*i) != Some(&0.0));
    let mut counting = (0..truth.len()).filter(counts).map(|i| truth[i]);
    let first = counting.next().unwrap_or_default();
    // Exact equality: rounding in the mean must not make a variance out of a constant.
    if !mean.is_nan() && counting.all(|y| y == first) {
        return 0.0;
    }
    let total = times.sum(truth.iter().map(|y| (y - mean).powi(2)));
    if total == 0.0 { 0.0 } else { 1.0 - times.sum(squares(truth, predicted)) / total }
}

/// The share of labels that are right, Σ w[c = ĉ]/Σ w.
///
/// ```
/// use mercer::{data::Weights, metric::accuracy};
/// assert_eq!(accuracy(&["a", "b", "b"], &["a", "a", "b"], None), 2.0 / 3.0);
/// assert_eq!(accuracy(&["a", "b", "b"], &["a", "a", "b"], Some(&Weights::new([1.0, 5.0, 2.0])?)), 3.0 / 8.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn accuracy<T: PartialEq>(truth: &[T], predicted: &[T], weights: Option<&Weights>) -> f64 {
    Times::new(truth.len(), weights).mean(truth.iter().zip(predicted).map(|(a, b)| one_if(a == b)))
}

/// −Σ w·ln p/Σ w over the probabilities p that were given to what came true. A p below 2⁻⁵² counts as
/// that, so that one row of which a model was too sure costs 36 and not ∞.
///
/// ```
/// use mercer::{data::Weights, metric::log_loss};
/// assert!((log_loss(&[0.5, 0.25], None) - 1.5 * 2f64.ln()).abs() < 1e-15);
/// assert!((log_loss(&[0.5, 0.25], Some(&Weights::new([1.0, 3.0])?)) - 1.75 * 2f64.ln()).abs() < 1e-15);
/// assert!((log_loss(&[0.0], None) - 52.0 * 2f64.ln()).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn log_loss(of_truth: &[f64], weights: Option<&Weights>) -> f64 {
    Times::new(of_truth.len(), weights).mean(of_truth.iter().map(|p| -p.max(f64::EPSILON).ln()))
}

/// The mean over rows and quantiles τ of max(τ·(y − q), (τ − 1)·(y − q)), predictions q row-major; with weights
/// Σ w·(mean over the quantiles)/Σ w.
///
/// ```
/// use mercer::{data::Weights, metric::mean_pinball};
/// // y = 1 and quantiles 0.1 and 0.9 predicted as 0 and 3: 0.1·1 and 0.1·2; then y = 0, which is 0 and 0.1·3.
/// let loss = |weights| mean_pinball(&[0.1, 0.9], &[1.0, 0.0], &[0.0, 3.0, 0.0, 3.0], weights);
/// assert!((loss(None) - 0.15).abs() < 1e-15);
/// assert!((loss(Some(&Weights::new([2.0, 0.0])?)) - 0.15).abs() < 1e-15);
/// assert!((mean_pinball(&[0.5], &[1.0, 0.0], &[0.0, 3.0], Some(&Weights::new([1.0, 3.0])?)) - 1.25).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn mean_pinball(quantiles: &[f64], truth: &[f64], predicted: &[f64], weights: Option<&Weights>) -> f64 {
    let (times, c) = (Times::new(truth.len(), weights), quantiles.len().max(1));
    let one = |(tau, q): (&f64, &f64), y: f64| f64::max(tau * (y - q), (tau - 1.0) * (y - q));
    let rows = predicted.chunks(c).zip(truth);
    times.mean(rows.map(|(row, y)| quantiles.iter().zip(row).map(|pair| one(pair, *y)).sum())) / c as f64
}

/// The share of rows that lie between the first and the last predicted quantile, both included; of one
/// quantile, at or below it. With weights, their share of Σ w.
///
/// ```
/// use mercer::{data::Weights, metric::coverage};
/// let predicted = [0.0, 2.0, 0.0, 2.0]; // two quantiles of two rows
/// assert_eq!(coverage(2, &[1.0, 3.0], &predicted, None), 0.5);
/// assert_eq!(coverage(2, &[1.0, 3.0], &predicted, Some(&Weights::new([1.0, 3.0])?)), 0.25);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn coverage(quantiles: usize, truth: &[f64], predicted: &[f64], weights: Option<&Weights>) -> f64 {
    let inside = |(row, y): (&[f64], &f64)| match row {
        [only] => y <= only,
        [low, .., high] => low <= y && y <= high,
        [] => false,
    };
    let rows = predicted.chunks(quantiles.max(1)).zip(truth);
    Times::new(truth.len(), weights).mean(rows.map(|row| one_if(inside(row))))
}

fn one_if(is: bool) -> f64 {
    f64::from(u8::from(is))
}

fn squares(truth: &[f64], predicted: &[f64]) -> impl Iterator<Item = f64> {
    truth.iter().zip(predicted).map(|(y, f)| (y - f).powi(2))
}
