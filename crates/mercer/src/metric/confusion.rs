//! Which classes were taken for which.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

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
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// How well each class is found, in the order of the classes.
    ///
    /// ```
    /// use mercer::metric::Confusion;
    /// let classes = ["a".to_string(), "b".to_string()];
    /// let found = Confusion::count(["a", "b", "b", "b"], ["a", "a", "b", "b"], &classes, None).per_class();
    /// assert_eq!((found[0].precision, found[0].recall), (Some(0.5), Some(1.0)));
    /// assert_eq!((found[1].rows, found[1].predicted, found[1].f1), (3.0, 2.0, Some(0.8)));
    /// ```
    pub fn per_class(&self) -> Vec<ClassResult> {
        let c = self.classes.len();
        // Sums of weights may add up to more than the largest number; those of smaller ones stay whole.
        let largest = self.counts.iter().copied().fold(0.0, f64::max);
        let unit = if largest < 1e300 { 1.0 } else { largest };
        let share = |i: usize, j: usize| self.counts[i * c + j] / unit;
        let over = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let one = |(at, class): (usize, &String)| {
            let own: f64 = (0..c).map(|j| share(at, j)).sum();
            let called: f64 = (0..c).map(|i| share(i, at)).sum();
            ClassResult {
                class: class.clone(),
                rows: (own * unit).min(f64::MAX),
                predicted: (called * unit).min(f64::MAX),
                precision: over(share(at, at), called),
                recall: over(share(at, at), own),
                f1: over(2.0 * share(at, at), own + called),
            }
        };
        self.classes.iter().enumerate().map(one).collect()
    }
}

/// How well one class is found. Rows count by their weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassResult {
    /// The class.
    pub class: String,
    /// Rows that are of it.
    pub rows: f64,
    /// Rows that were taken for it.
    pub predicted: f64,
    /// Of the rows that were taken for it, the share that is of it; none where there are no such rows.
    pub precision: Option<f64>,
    /// Of the rows that are of it, the share that was taken for it.
    pub recall: Option<f64>,
    /// 2·precision·recall/(precision + recall).
    pub f1: Option<f64>,
}
