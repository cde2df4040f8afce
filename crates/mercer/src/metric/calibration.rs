//! Whether what is given a probability happens as often.

use serde::{Deserialize, Serialize};

use crate::data::Weights;
use crate::error::{Error, Result};

use super::roc::check;

/// Probabilities in groups of equal width, beside how often the predicted came true; groups without rows are left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The mean probability of each group.
    pub predicted: Vec<f64>,
    /// The share of its rows that are positive.
    pub observed: Vec<f64>,
    /// Its share of all rows.
    pub share: Vec<f64>,
}

impl Calibration {
    /// The expected calibration error: how far probabilities are from what came true, the mean over all rows of |mean probability − share
    /// that is positive| of their group.
    ///
    /// ```
    /// let curve = mercer::metric::calibration(&[false, true, true, true], &[0.1, 0.3, 0.7, 0.9], 2, None)?;
    /// assert!((curve.error() - (0.5 * 0.3 + 0.5 * 0.2)).abs() < 1e-15);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn error(&self) -> f64 {
        let groups = self.predicted.iter().zip(&self.observed).zip(&self.share);
        groups.map(|((predicted, observed), share)| share * (predicted - observed).abs()).sum()
    }
}

/// Groups probabilities between 0 and 1 into `bins` of equal width, a number on an edge into the lower one. Rows count by
/// their weights.
///
/// ```
/// use mercer::metric::calibration;
/// let curve = calibration(&[false, true, true, true], &[0.1, 0.3, 0.7, 0.9], 2, None)?;
/// assert_eq!((curve.predicted, curve.observed), (vec![0.2, 0.8], vec![0.5, 1.0]));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn calibration(
    truth: &[bool],
    probabilities: &[f64],
    bins: usize,
    weights: Option<&Weights>,
) -> Result<Calibration> {
    check(truth, probabilities, weights)?;
    if bins == 0 {
        return Err(Error::invalid("a calibration curve", "bins", bins, "at least 1"));
    }
    if let Some(value) = probabilities.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(Error::invalid("a calibration curve", "probabilities", value, "between 0 and 1"));
    }
    let weight: Vec<f64> = weights.map_or_else(|| vec![1.0; truth.len()], |w| w.relative().collect());
    let mut sums = vec![[0.0; 3]; bins];
    for ((p, positive), weight) in probabilities.iter().zip(truth).zip(weight) {
        let sum = &mut sums[bin(*p, bins)];
        sum[0] += weight;
        sum[1] += weight * p;
        sum[2] += if *positive { weight } else { 0.0 };
    }
    let total: f64 = sums.iter().map(|s| s[0]).sum();
    let groups: Vec<[f64; 3]> = sums.into_iter().filter(|s| s[0] > 0.0).collect();
    Ok(Calibration {
        predicted: groups.iter().map(|s| s[1] / s[0]).collect(),
        observed: groups.iter().map(|s| s[2] / s[0]).collect(),
        share: groups.iter().map(|s| s[0] / total).collect(),
    })
}

/// How many edges between groups lie below p.
fn bin(p: f64, bins: usize) -> usize {
    let edge = |at: usize| at as f64 / bins as f64;
    let mut at = ((p * bins as f64) as usize).min(bins - 1);
    // Products round; the edges decide.
    while at > 0 && p <= edge(at) {
        at -= 1;
    }
    while at + 1 < bins && p > edge(at + 1) {
        at += 1;
    }
    at
}
