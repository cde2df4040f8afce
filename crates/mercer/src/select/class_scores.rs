//! What rows that chose nothing were given for each class.

use crate::data::Weights;
use crate::metric::{Calibration, calibration, roc};
use crate::model::pipeline::{Prediction, Task};

/// Groups of probabilities.
const BINS: usize = 10;

/// What rows that chose nothing were given for each class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassScores {
    /// The classes.
    pub classes: Vec<String>,
    /// The class of each row, as its place among them.
    pub truth: Vec<usize>,
    /// Row-major, rows×classes: probabilities, or of two classes the decision value and its negative.
    pub values: Vec<f64>,
    /// Whether they are probabilities.
    pub probabilities: bool,
    /// The weights of the rows.
    pub weights: Option<Weights>,
}

impl ClassScores {
    /// Whether each row is of this class, and what it was given for it.
    pub fn of_class(&self, class: usize) -> (Vec<bool>, Vec<f64>) {
        let given = self.values.chunks(self.classes.len().max(1)).filter_map(|row| row.get(class));
        (self.truth.iter().map(|truth| *truth == class).collect(), given.copied().collect())
    }

    /// Each row once for each class: whether it is of that class, what it was given for it, its weight.
    pub fn pooled(&self) -> (Vec<bool>, Vec<f64>, Option<Weights>) {
        let (mut truth, mut given, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..self.classes.len() {
            let (is, values) = self.of_class(at);
            truth.extend(is);
            given.extend(values);
            weights.extend(self.weights.iter().flat_map(|w| w.iter().copied()));
        }
        let weights = self.weights.as_ref().and_then(|_| Weights::new(weights).ok());
        (truth, given, weights)
    }

    /// The calibration of the second of two classes, or of all classes together, in ten groups; nothing without probabilities.
    pub fn calibration(&self) -> Option<Calibration> {
        if !self.probabilities {
            return None;
        }
        let (truth, given, weights) = match self.classes.len() {
            2 => {
                let (truth, given) = self.of_class(1);
                (truth, given, self.weights.clone())
            }
            _ => self.pooled(),
        };
        // Sums of probabilities may pass 1 by rounding.
        let given: Vec<f64> = given.iter().map(|p| p.clamp(0.0, 1.0)).collect();
        calibration(&truth, &given, BINS, weights.as_ref()).ok()
    }

    /// The area under the ROC curve of the second of two classes, or the mean of those of all classes against the rest, leaving out
    /// classes that no row is of.
    pub fn roc_area(&self) -> Option<f64> {
        let area = |at: usize| {
            let (truth, given) = self.of_class(at);
            Some(roc(&truth, &given, self.weights.as_ref()).ok()?.area)
        };
        if self.classes.len() == 2 {
            return area(1);
        }
        let areas: Vec<f64> = (0..self.classes.len()).filter_map(area).collect();
        (!areas.is_empty()).then(|| areas.iter().sum::<f64>() / areas.len() as f64)
    }

    /// The scores of several folds together; nothing if a fold has none, or of another kind.
    pub(super) fn joined(parts: Vec<Option<Self>>, weights: Option<&Weights>) -> Option<Self> {
        let mut parts = parts.into_iter();
        let mut all = parts.next()??;
        for part in parts {
            let part = part.filter(|p| p.probabilities == all.probabilities)?;
            all.truth.extend(part.truth);
            all.values.extend(part.values);
        }
        Some(ClassScores { weights: weights.cloned(), ..all })
    }

    /// What the answers give each row for each of `classes`, some of which the fold may not have seen.
    pub(crate) fn of(truth: &[String], answers: &Prediction, task: &Task, classes: &[String]) -> Option<Self> {
        let seen = task.classes()?;
        let values = match &answers.probabilities {
            Some(shares) => shares.clone(),
            None if seen.len() == 2 && answers.outputs == 1 => answers.values.iter().flat_map(|f| [-f, *f]).collect(),
            None => return None,
        };
        let place = |class: &String| classes.iter().position(|c| c == class);
        let columns: Vec<Option<usize>> = classes.iter().map(|c| seen.iter().position(|s| s == c)).collect();
        let row = |given: &[f64]| columns.iter().map(|at| at.map_or(0.0, |at| given[at])).collect::<Vec<_>>();
        Some(ClassScores {
            classes: classes.to_vec(),
            truth: truth.iter().map(place).collect::<Option<_>>()?,
            values: values.chunks(seen.len()).flat_map(row).collect(),
            probabilities: answers.probabilities.is_some(),
            weights: None,
        })
    }
}
