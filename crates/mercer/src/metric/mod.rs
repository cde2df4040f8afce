//! How far predictions are from the truth.

use std::collections::HashMap;

/// √(mean of (y − f)²).
///
/// ```
/// assert_eq!(mercer::metric::rmse(&[1.0, 2.0], &[4.0, -2.0]), 12.5f64.sqrt());
/// ```
pub fn rmse(truth: &[f64], predicted: &[f64]) -> f64 {
    (squares(truth, predicted) / truth.len().max(1) as f64).sqrt()
}

/// Mean of |y − f|.
///
/// ```
/// assert_eq!(mercer::metric::mae(&[1.0, 2.0], &[4.0, -2.0]), 3.5);
/// ```
pub fn mae(truth: &[f64], predicted: &[f64]) -> f64 {
    truth.iter().zip(predicted).map(|(y, f)| (y - f).abs()).sum::<f64>() / truth.len().max(1) as f64
}

/// 1 − Σ(y − f)²/Σ(y − ȳ)²: the share of the variance that is explained; 0 of a constant truth.
///
/// ```
/// assert_eq!(mercer::metric::r2(&[1.0, 2.0, 3.0], &[1.0, 2.0, 4.0]), 0.5);
/// ```
pub fn r2(truth: &[f64], predicted: &[f64]) -> f64 {
    let mean = truth.iter().sum::<f64>() / truth.len().max(1) as f64;
    let total: f64 = truth.iter().map(|y| (y - mean).powi(2)).sum();
    if total > 0.0 { 1.0 - squares(truth, predicted) / total } else { 0.0 }
}

/// The share of labels that are right.
///
/// ```
/// assert_eq!(mercer::metric::accuracy(&["a", "b", "b"], &["a", "a", "b"]), 2.0 / 3.0);
/// ```
pub fn accuracy<T: PartialEq>(truth: &[T], predicted: &[T]) -> f64 {
    truth.iter().zip(predicted).filter(|(a, b)| a == b).count() as f64 / truth.len().max(1) as f64
}

/// −mean of ln p over the probabilities p that were given to what came true. A p below 2⁻⁵² counts as
/// that, so that one row of which a model was too sure costs 36 and not ∞.
///
/// ```
/// let loss = mercer::metric::log_loss(&[0.5, 0.25]);
/// assert!((loss - 1.5 * 2f64.ln()).abs() < 1e-15);
/// assert!((mercer::metric::log_loss(&[0.0]) - 52.0 * 2f64.ln()).abs() < 1e-12);
/// ```
pub fn log_loss(of_truth: &[f64]) -> f64 {
    of_truth.iter().map(|p| -p.max(f64::EPSILON).ln()).sum::<f64>() / of_truth.len().max(1) as f64
}

/// The mean over rows and quantiles τ of max(τ·(y − q), (τ − 1)·(y − q)), predictions q row-major.
///
/// ```
/// // y = 1 and quantiles 0.1 and 0.9 predicted as 0 and 3: 0.1·1 and 0.1·2.
/// let loss = mercer::metric::mean_pinball(&[0.1, 0.9], &[1.0], &[0.0, 3.0]);
/// assert!((loss - 0.15).abs() < 1e-15);
/// ```
pub fn mean_pinball(quantiles: &[f64], truth: &[f64], predicted: &[f64]) -> f64 {
    let rows = predicted.chunks(quantiles.len().max(1)).zip(truth);
    let one = |(tau, q): (&f64, &f64), y: f64| f64::max(tau * (y - q), (tau - 1.0) * (y - q));
    let sum: f64 = rows.flat_map(|(row, y)| quantiles.iter().zip(row).map(move |pair| one(pair, *y))).sum();
    sum / predicted.len().max(1) as f64
}

/// The share of rows that lie between the first and the last predicted quantile, both included; of one
/// quantile, at or below it.
///
/// ```
/// let predicted = [0.0, 2.0, 0.0, 2.0]; // two quantiles of two rows
/// assert_eq!(mercer::metric::coverage(2, &[1.0, 3.0], &predicted), 0.5);
/// ```
pub fn coverage(quantiles: usize, truth: &[f64], predicted: &[f64]) -> f64 {
    let inside = |(row, y): &(&[f64], &f64)| match row {
        [only] => *y <= only,
        [low, .., high] => low <= *y && *y <= high,
        [] => false,
    };
    predicted.chunks(quantiles.max(1)).zip(truth).filter(inside).count() as f64 / truth.len().max(1) as f64
}

/// How often each class was taken for each class.
///
/// ```
/// let classes = ["a".to_string(), "b".to_string()];
/// let confusion = mercer::metric::Confusion::count(["a", "b", "b"], ["a", "a", "b"], &classes);
/// assert_eq!(confusion.counts, [1, 0, 1, 1]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    /// The classes.
    pub classes: Vec<String>,
    /// classes×classes, row-major: a row is a true class, a column what it was taken for.
    pub counts: Vec<usize>,
}

impl Confusion {
    /// Counts pairs of truth and prediction; a pair with a label that is no class is left out.
    pub fn count<'a>(
        truth: impl IntoIterator<Item = &'a str>,
        predicted: impl IntoIterator<Item = &'a str>,
        classes: &[String],
    ) -> Self {
        let places: HashMap<&str, usize> = classes.iter().enumerate().map(|(i, c)| (c.as_str(), i)).collect();
        let mut counts = vec![0; classes.len() * classes.len()];
        for (truth, predicted) in truth.into_iter().zip(predicted) {
            if let (Some(i), Some(j)) = (places.get(truth), places.get(predicted)) {
                counts[i * classes.len() + j] += 1;
            }
        }
        Confusion { classes: classes.to_vec(), counts }
    }
}

fn squares(truth: &[f64], predicted: &[f64]) -> f64 {
    truth.iter().zip(predicted).map(|(y, f)| (y - f).powi(2)).sum()
}
