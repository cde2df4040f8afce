//! How far predictions are from the truth.

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

fn squares(truth: &[f64], predicted: &[f64]) -> f64 {
    truth.iter().zip(predicted).map(|(y, f)| (y - f).powi(2)).sum()
}
