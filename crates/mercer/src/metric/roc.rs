//! How well scores tell one class from the rest, whatever the threshold.

use crate::data::Weights;
use crate::error::{Error, Result};

/// The receiver operating characteristic: what share of the true is found at each share of false alarms.
///
/// A row is called positive if its score is at least the threshold. The first point is (0, 0) with the threshold ∞; each
/// distinct score after it, from the largest down, adds one.
#[derive(Clone, Debug, PartialEq)]
pub struct Roc {
    /// Σ w over the negative rows called positive, over all of them.
    pub false_positive: Vec<f64>,
    /// Σ w over the positive rows called positive, over all of them.
    pub true_positive: Vec<f64>,
    /// The thresholds, descending.
    pub thresholds: Vec<f64>,
    /// The area under the curve, by trapezia: the share of pairs of a positive and a negative row that the scores put in
    /// order, a tie counting half.
    pub area: f64,
}

/// The curve of scores for rows of which `truth` says whether they are positive.
///
/// ```
/// use mercer::metric::roc;
/// let curve = roc(&[false, false, true, true], &[0.1, 0.4, 0.35, 0.8], None)?;
/// assert_eq!(curve.false_positive, [0.0, 0.0, 0.5, 0.5, 1.0]);
/// assert_eq!(curve.true_positive, [0.0, 0.5, 0.5, 1.0, 1.0]);
/// assert_eq!(curve.area, 0.75); // three of the four pairs are in order
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn roc(truth: &[bool], scores: &[f64], weights: Option<&Weights>) -> Result<Roc> {
    check(truth, scores, weights)?;
    let weight: Vec<f64> = match weights {
        Some(weights) => weights.relative().collect(),
        None => vec![1.0; truth.len()],
    };
    let total =
        |wanted: bool| -> f64 { truth.iter().zip(&weight).filter(|(t, _)| **t == wanted).map(|(_, w)| w).sum() };
    let (positive, negative) = (total(true), total(false));
    if !(positive > 0.0 && negative > 0.0) {
        return Err(Error::Unsupported {
            what: "a ROC curve of rows of one kind".into(),
            alternative: "judge rows of which some are positive and some are not".into(),
        });
    }
    let mut order: Vec<usize> = (0..truth.len()).filter(|i| weight[*i] > 0.0).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let mut curve =
        Roc { false_positive: vec![0.0], true_positive: vec![0.0], thresholds: vec![f64::INFINITY], area: 0.0 };
    let (mut alarms, mut found) = (0.0, 0.0);
    for (at, row) in order.iter().enumerate() {
        if truth[*row] {
            found += weight[*row]
        } else {
            alarms += weight[*row]
        }
        // Rows of equal scores are called positive together; −0 and 0 are equal.
        if order.get(at + 1).is_none_or(|next| scores[*next] != scores[*row]) {
            curve.add(alarms / negative, found / positive, scores[*row]);
        }
    }
    Ok(curve)
}

impl Roc {
    fn add(&mut self, false_positive: f64, true_positive: f64, threshold: f64) {
        // Sums that are cut differently may pass the whole by rounding.
        let (x, y) = (false_positive.min(1.0), true_positive.min(1.0));
        let last = |list: &[f64]| list.last().copied().unwrap_or(0.0);
        self.area += (x - last(&self.false_positive)) * (y + last(&self.true_positive)) / 2.0;
        self.false_positive.push(x);
        self.true_positive.push(y);
        self.thresholds.push(threshold);
    }
}

/// Fails unless there is a finite number, and a weight, for each row.
pub(super) fn check(truth: &[bool], numbers: &[f64], weights: Option<&Weights>) -> Result<()> {
    if truth.len() != numbers.len() {
        return Err(Error::shape("scores", format!("{}, one a row", truth.len()), numbers.len()));
    }
    weights.map_or(Ok(()), |w| w.check_len(truth.len()))?;
    match numbers.iter().position(|v| v.is_nan()) {
        Some(first_row) => Err(Error::NonFinite {
            place: "the scores".into(),
            count: numbers.iter().filter(|v| v.is_nan()).count(),
            total: numbers.len(),
            first_row,
            what: "NaN".into(),
        }),
        None => Ok(()),
    }
}
