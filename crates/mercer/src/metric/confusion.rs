//! Which classes were taken for which.

use std::collections::HashMap;

use crate::data::Weights;

/// How often each class was taken for each class: numbers of rows, or sums of their weights.
///
/// ```
/// use mercer::{data::Weights, metric::Confusion};
/// let classes = ["a".to_string(), "b".to_string()];
/// let count = |weights| Confusion::count(["a", "b", "b"], ["a", "a", "b"], &classes, weights).counts;
/// assert_eq!(count(None), [1.0, 0.0, 1.0, 1.0]);
/// assert_eq!(count(Some(&Weights::new([1.0, 0.5, 3.0])?)), [1.0, 0.0, 0.5, 3.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Confusion {
    /// The classes.
    pub classes: Vec<String>,
    /// classes×classes, row-major: a row is a true class, a column what it was taken for.
    pub counts: Vec<f64>,
}

impl Confusion {
    /// Counts pairs of truth and prediction; a pair with a label that is no class, or without a weight where there are some, is left
    /// out. A sum beyond the largest number is that.
    pub fn count<'a>(
        truth: impl IntoIterator<Item = &'a str>,
        predicted: impl IntoIterator<Item = &'a str>,
        classes: &[String],
        weights: Option<&Weights>,
    ) -> Self {
        let places: HashMap<&str, usize> = classes.iter().enumerate().map(|(i, c)| (c.as_str(), i)).collect();
        let mut counts = vec![0.0f64; classes.len() * classes.len()];
        for (row, (truth, predicted)) in truth.into_iter().zip(predicted).enumerate() {
            let times = weights.map_or(Some(1.0), |w| w.get(row).copied());
            if let (Some(i), Some(j), Some(times)) = (places.get(truth), places.get(predicted), times) {
                let count = &mut counts[i * classes.len() + j];
                *count = (*count + times).min(f64::MAX);
            }
        }
        Confusion { classes: classes.to_vec(), counts }
    }
}
