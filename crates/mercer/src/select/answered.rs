//! Rows with the truth beside what a model says of them.

use crate::data::{Column, Dataset, Weights};
use crate::error::{Error, Result};
use crate::metric::{
    Confusion, Times, accuracy, coverage, log_loss, mae, mean_pinball, of_mean, of_r2, of_root_mean, r2, rmse,
    standard_error,
};
use crate::model::pipeline::{Prediction, Task};

use super::importance::Leading;
use super::scores::Scores;

/// What rows are weighed and drawn by.
#[derive(Clone, Copy, Default)]
pub(crate) struct Drawn<'a> {
    /// How much each row counts.
    pub(crate) weights: Option<&'a Weights>,
    /// Rows that were drawn together, as a number each.
    pub(crate) groups: Option<&'a [usize]>,
}

impl Drawn<'_> {
    /// The standard error of what each row has this influence on, where it is a number.
    pub(crate) fn error(&self, influence: &[f64]) -> Option<f64> {
        Some(standard_error(influence, self.groups, self.weights)).filter(|e| e.is_finite())
    }
}

/// Truth and answers of some rows.
#[derive(Clone, Debug)]
pub(crate) enum Answered {
    Numbers(Vec<f64>, Vec<f64>),
    /// And the quantiles, of which the answers have all in each row.
    Quantiles(Vec<f64>, Vec<f64>, Vec<f64>),
    /// And the probabilities of the truth, where there are any.
    Classes(Vec<String>, Vec<String>, Option<Vec<f64>>),
}

impl Answered {
    /// The truth of a side, without answers.
    pub(crate) fn truth(side: &Dataset, task: &Task) -> Result<Self> {
        let (name, column) = side.target.as_ref().ok_or_else(|| Error::Unsupported {
            what: "judging without a target".into(),
            alternative: "name the column to predict".into(),
        })?;
        Ok(match (task.classes(), column) {
            (None, Column::Number(v)) => Answered::Numbers(v.to_vec(), Vec::new()),
            (None, other) => {
                let hint = format!("read the column `{name}` as number, as in training");
                return Err(Error::column(name, "numbers", other.column_type(), hint));
            }
            _ => {
                let words = Task::words(name, column)?;
                let present = (0..words.len()).filter_map(|i| words.get(i)).map(str::to_owned);
                Answered::Classes(present.collect(), Vec::new(), None)
            }
        })
    }

    /// The truth with these answers.
    pub(crate) fn with(self, answers: &Prediction, task: &Task) -> Self {
        match (self, &answers.labels, task) {
            (Answered::Classes(truth, ..), Some(labels), _) => {
                let named = (0..truth.len()).map(|i| labels.get(i).unwrap_or_default().to_owned()).collect();
                let shares = shares_of_truth(&truth, answers, task);
                Answered::Classes(truth, named, shares)
            }
            (Answered::Numbers(truth, _), _, Task::Quantiles { quantiles, .. }) => {
                Answered::Quantiles(truth, answers.values.clone(), quantiles.clone())
            }
            (Answered::Numbers(truth, _), ..) => Answered::Numbers(truth, answers.values.clone()),
            (other, ..) => other,
        }
    }

    /// The truth of these rows, some perhaps several times.
    pub(crate) fn truth_of(&self, rows: &[usize]) -> Self {
        let numbers = |all: &[f64]| rows.iter().map(|i| all[*i]).collect();
        match self {
            Answered::Numbers(truth, _) | Answered::Quantiles(truth, ..) => {
                Answered::Numbers(numbers(truth), Vec::new())
            }
            Answered::Classes(truth, ..) => {
                Answered::Classes(rows.iter().map(|i| truth[*i].clone()).collect(), Vec::new(), None)
            }
        }
    }

    /// These rows, with their answers.
    pub(crate) fn take(&self, rows: &[usize]) -> Self {
        let some = |all: &[f64]| rows.iter().map(|i| all[*i]).collect::<Vec<f64>>();
        let words = |all: &[String]| rows.iter().map(|i| all[*i].clone()).collect();
        match self {
            Answered::Numbers(truth, predicted) => Answered::Numbers(some(truth), some(predicted)),
            Answered::Quantiles(truth, predicted, levels) => {
                let c = levels.len();
                let predicted = rows.iter().flat_map(|i| predicted[i * c..(i + 1) * c].iter().copied()).collect();
                Answered::Quantiles(some(truth), predicted, levels.clone())
            }
            Answered::Classes(truth, named, shares) => {
                Answered::Classes(words(truth), words(named), shares.as_ref().map(|shares| some(shares)))
            }
        }
    }

    /// The rows of several parts together; nothing of no parts.
    pub(crate) fn joined(parts: &[Self]) -> Option<Self> {
        let mut parts = parts.iter();
        let mut all = parts.next()?.clone();
        for part in parts {
            match (&mut all, part) {
                (Answered::Numbers(y, f), Answered::Numbers(more, given))
                | (Answered::Quantiles(y, f, _), Answered::Quantiles(more, given, _)) => {
                    y.extend_from_slice(more);
                    f.extend_from_slice(given);
                }
                (Answered::Classes(y, f, shares), Answered::Classes(more, given, some)) => {
                    y.extend_from_slice(more);
                    f.extend_from_slice(given);
                    *shares = shares.take().zip(some.as_ref()).map(|(all, some)| [&all[..], some].concat());
                }
                _ => return None,
            }
        }
        Some(all)
    }

    /// Truth and prediction of each row, of one number.
    pub(crate) fn pairs(&self) -> Vec<(f64, f64)> {
        match self {
            Answered::Numbers(truth, predicted) => truth.iter().copied().zip(predicted.iter().copied()).collect(),
            Answered::Classes(..) | Answered::Quantiles(..) => Vec::new(),
        }
    }

    /// Which of these classes were taken for which.
    pub(crate) fn confusion(&self, classes: &[String], weights: Option<&Weights>) -> Option<Confusion> {
        let Answered::Classes(truth, answers, _) = self else { return None };
        let [truth, answers] = [truth, answers].map(|side| side.iter().map(String::as_str));
        Some(Confusion::count(truth, answers, classes, weights))
    }

    /// All measures.
    pub(crate) fn scores(&self, weights: Option<&Weights>) -> Scores {
        match self {
            Answered::Numbers(y, f) => {
                Scores::Regression { rmse: rmse(y, f, weights), mae: mae(y, f, weights), r2: r2(y, f, weights) }
            }
            Answered::Quantiles(y, f, levels) => Scores::Quantiles {
                pinball: mean_pinball(levels, y, f, weights),
                coverage: coverage(levels.len(), y, f, weights),
                nominal: match &levels[..] {
                    [only] => *only,
                    [low, .., high] => high - low,
                    [] => f64::NAN,
                },
            },
            Answered::Classes(y, f, shares) => Scores::Classification {
                accuracy: accuracy(y, f, weights),
                log_loss: shares.as_ref().map(|shares| log_loss(shares, weights)),
            },
        }
    }

    /// The standard errors of all measures, each in its place; nothing where one is not known.
    pub(crate) fn standard_errors(&self, drawn: Drawn<'_>) -> Option<Scores> {
        let weights = drawn.weights;
        let mean = |values: &[f64]| drawn.error(&of_mean(values, weights));
        Some(match self {
            Answered::Numbers(y, f) => {
                let absolute: Vec<f64> = y.iter().zip(f).map(|(y, f)| (y - f).abs()).collect();
                Scores::Regression {
                    rmse: drawn.error(&of_root_mean(&self.losses(), weights))?,
                    mae: mean(&absolute)?,
                    r2: drawn.error(&of_r2(y, &self.losses(), weights))?,
                }
            }
            Answered::Quantiles(y, f, levels) => {
                let rows = f.chunks(levels.len().max(1)).zip(y);
                let inside: Vec<f64> = rows.map(|(row, y)| coverage(levels.len(), &[*y], row, None)).collect();
                Scores::Quantiles { pinball: mean(&self.losses())?, coverage: mean(&inside)?, nominal: 0.0 }
            }
            Answered::Classes(_, _, shares) => Scores::Classification {
                accuracy: mean(&self.mistakes())?,
                log_loss: shares.as_ref().and_then(|_| mean(&self.losses())),
            },
        })
    }

    /// 1 for each row whose class is wrong.
    fn mistakes(&self) -> Vec<f64> {
        let Answered::Classes(truth, named, _) = self else { return Vec::new() };
        truth.iter().zip(named).map(|(y, f)| f64::from(u8::from(y != f))).collect()
    }

    /// The loss of each row by which models are compared: its squared error, its pinball loss, −ln of the probability of the truth, or
    /// without probabilities whether its class is wrong.
    pub(crate) fn losses(&self) -> Vec<f64> {
        match self {
            Answered::Numbers(y, f) => y.iter().zip(f).map(|(y, f)| (y - f).powi(2)).collect(),
            Answered::Quantiles(y, f, levels) => {
                let rows = f.chunks(levels.len().max(1)).zip(y);
                rows.map(|(row, y)| mean_pinball(levels, &[*y], row, None)).collect()
            }
            Answered::Classes(_, _, Some(shares)) => shares.iter().map(|p| log_loss(&[*p], None)).collect(),
            Answered::Classes(..) => self.mistakes(),
        }
    }

    /// The measure that goes with these losses.
    pub(crate) fn leading(&self) -> Leading {
        match self {
            Answered::Numbers(..) => Leading::Rmse,
            Answered::Quantiles(..) => Leading::Pinball,
            Answered::Classes(_, _, Some(_)) => Leading::LogLoss,
            Answered::Classes(..) => Leading::ErrorRate,
        }
    }

    /// What predicts the same for every row.
    pub(crate) fn constant_words(&self) -> &'static str {
        match self {
            Answered::Numbers(..) => "the mean of the target",
            Answered::Quantiles(..) => "the quantiles of the target",
            Answered::Classes(_, _, Some(_)) => "the shares of the classes",
            Answered::Classes(..) => "the most frequent class",
        }
    }

    /// By how much the mean loss of `other` on the same rows is above that of this, and the standard error of that.
    pub(crate) fn gain_over(&self, other: &Self, drawn: Drawn<'_>) -> (f64, Option<f64>) {
        let gains: Vec<f64> = other.losses().iter().zip(self.losses()).map(|(theirs, own)| theirs - own).collect();
        let mean = Times::new(gains.len(), drawn.weights).mean(gains.iter().copied());
        (mean, drawn.error(&of_mean(&gains, drawn.weights)))
    }
}

/// The probability of the true class of each row; 0 for a class that training had not.
fn shares_of_truth(truth: &[String], answers: &Prediction, task: &Task) -> Option<Vec<f64>> {
    let (shares, classes) = (answers.probabilities.as_ref()?, task.classes()?);
    let of = |(i, class): (usize, &String)| {
        classes.iter().position(|c| c == class).map_or(0.0, |at| shares[i * classes.len() + at])
    };
    Some(truth.iter().enumerate().map(of).collect())
}
