//! The error to be expected on new rows, from rows that chose nothing.
//!
//! Every choice of a job (kernel, parameters, alpha, scales, fillings) is made again without the rows
//! that judge it. Beside it stand the mean or the most frequent class, and a linear model. Rows count by their weights, on both sides.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::data::{Categories, Column, Dataset, Weights};
use crate::error::{Error, Result};
use crate::kernel::{KernelExpr, Kind};
use crate::metric::{Confusion, Times, accuracy, coverage, log_loss, mae, mean_pinball, r2, rmse};
use crate::model::classify::KernelLogisticRegression;
use crate::model::pipeline::{Pipeline, Prediction, Prepared, Task};
use crate::model::regress::{Alpha, KernelQuantileRegressor, KernelRidge};
use crate::model::{Complexity, Learner, Model};
use crate::run::Run;

use super::choose::{Search, by_folds};
use super::class_scores::ClassScores;
use super::job::Job;
use super::rows::Rows;
use super::split::{Fold, Split};

/// Rows on which alpha of a linear model of classes is chosen.
const LINEAR_ROWS: usize = 200;

/// Measures of error, in which a weight is a number of repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Scores {
    /// Of numbers.
    Regression {
        /// √(mean of squares).
        rmse: f64,
        /// Mean of absolute values.
        mae: f64,
        /// Share of the variance that is explained.
        r2: f64,
    },
    /// Of several quantiles.
    Quantiles {
        /// The pinball loss, mean over rows and quantiles.
        pinball: f64,
        /// The share of rows between the first and the last quantile; of one quantile, below it.
        coverage: f64,
        /// What that share is meant to be.
        nominal: f64,
    },
    /// Of classes.
    Classification {
        /// Share of rows whose class is right.
        accuracy: f64,
        /// −mean of ln P(true class), where the model has probabilities.
        log_loss: Option<f64>,
    },
}

/// The error on rows that chose nothing.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// How rows were split.
    pub split: Split,
    /// Rows that were judged, each counted once.
    pub rows: usize,
    /// The job's own error.
    pub model: Scores,
    /// Of the mean, or of the most frequent class.
    pub constant: Scores,
    /// Of a linear model, logistic where the model has probabilities and ridge elsewhere, with alpha chosen
    /// likewise; none where there is no number to be linear in.
    pub linear: Option<Scores>,
    /// Why there is no linear model, where there is none.
    pub no_linear: Option<String>,
    /// Truth and prediction of each judged row, of a regression: to be drawn.
    #[serde(skip)]
    pub pairs: Vec<(f64, f64)>,
    /// Which classes were taken for which, of a classification: to be drawn.
    #[serde(skip)]
    pub confusion: Option<Confusion>,
    /// What every judged row was given for every class, of a classification whose model gives numbers: to be drawn.
    #[serde(skip)]
    pub scores: Option<ClassScores>,
}

/// Judges a job by its split.
pub(super) fn estimate(job: &Job, data: &Dataset, prepared: &Prepared, run: &Run) -> Result<Estimate> {
    // Rows that training leaves out for a missing value cannot be judged either.
    let data = data.take(&prepared.kept);
    let groups = job.groups.as_ref().map(|g| prepared.kept.iter().map(|i| g[*i]).collect::<Vec<_>>());
    let split = job.split.clone().unwrap_or_else(|| Split::usual(data.len()));
    let classes = classes(&data, &prepared.task);
    let folds = split.folds(data.len(), classes.as_deref(), groups.as_deref(), job.seed)?;
    let task = run.task("estimate", Some(folds.len() as u64));
    let (mut model, mut constant, mut linear, mut no_linear) = (Vec::new(), Vec::new(), Vec::new(), None);
    let mut scores = Vec::new();
    for fold in &folds {
        let sides = Sides::new(&data, prepared.weights.as_ref(), fold)?;
        let learnt = job.prepare.fit(&sides.train, sides.weights.as_ref())?;
        let fitted = job.learn(&learnt, run)?.model;
        let shares = fitted.has_probabilities();
        let own = fitted.learner().get::<KernelQuantileRegressor>();
        let quantiles = own.map_or_else(Vec::new, |own| own.quantiles.clone());
        constant.push(sides.judge_constant(&learnt.task, shares, &quantiles)?);
        match sides.linear(&learnt, &fitted, job, run) {
            Ok(judged) => linear.push(judged),
            Err(stop @ Error::Cancelled { .. }) => return Err(stop),
            Err(problem) => no_linear = no_linear.or(Some(problem.to_string())),
        }
        let (judged, given) = sides.judge_scored(&learnt.pipeline(fitted)?, prepared.task.classes(), run)?;
        model.push(judged);
        scores.push(given);
        task.step_or_cancel()?;
    }
    let judged: Vec<usize> = folds.iter().flat_map(|f| f.test.iter().copied()).collect();
    let weights = prepared.weights.as_ref().map(|w| w.take(&judged)).transpose()?;
    let weights = weights.as_ref();
    Ok(Estimate {
        rows: judged.len(),
        constant: joined(&constant, weights),
        linear: no_linear.is_none().then(|| joined(&linear, weights)),
        no_linear,
        pairs: model.iter().flat_map(Judged::pairs).collect(),
        confusion: prepared.task.classes().map(|classes| confusion(&model, classes, weights)),
        scores: ClassScores::joined(scores, weights),
        model: joined(&model, weights),
        split,
    })
}

/// Truth and answers of some rows.
enum Judged {
    Numbers(Vec<f64>, Vec<f64>),
    /// And the quantiles, of which the answers have all in each row.
    Quantiles(Vec<f64>, Vec<f64>, Vec<f64>),
    /// And the probabilities of the truth, where there are any.
    Classes(Vec<String>, Vec<String>, Option<Vec<f64>>),
}

impl Judged {
    fn pairs(&self) -> Vec<(f64, f64)> {
        match self {
            Judged::Numbers(truth, predicted) => truth.iter().copied().zip(predicted.iter().copied()).collect(),
            Judged::Classes(..) | Judged::Quantiles(..) => Vec::new(),
        }
    }
}

/// The confusion of all folds together.
fn confusion(parts: &[Judged], classes: &[String], weights: Option<&Weights>) -> Confusion {
    let labels = |part: &Judged| match part {
        Judged::Classes(truth, answers, _) => (truth.clone(), answers.clone()),
        Judged::Numbers(..) | Judged::Quantiles(..) => Default::default(),
    };
    let (truth, answers): (Vec<_>, Vec<_>) = parts.iter().map(labels).unzip();
    let [truth, answers] = [&truth, &answers].map(|side| side.iter().flatten().map(String::as_str));
    Confusion::count(truth, answers, classes, weights)
}

/// The scores of all folds together.
fn joined(parts: &[Judged], weights: Option<&Weights>) -> Scores {
    let (mut truth, mut predicted, mut levels) = (Vec::new(), Vec::new(), Vec::new());
    let (mut labels, mut answers, mut shares) = (Vec::new(), Vec::new(), Some(Vec::new()));
    for part in parts {
        match part {
            Judged::Numbers(y, f) => {
                truth.extend_from_slice(y);
                predicted.extend_from_slice(f);
            }
            Judged::Quantiles(y, f, quantiles) => {
                truth.extend_from_slice(y);
                predicted.extend_from_slice(f);
                levels.clone_from(quantiles);
            }
            Judged::Classes(y, f, of_truth) => {
                labels.extend(y);
                answers.extend(f);
                shares = shares.zip(of_truth.as_ref()).map(|(all, some)| [&all[..], some].concat());
            }
        }
    }
    if let (Some(low), Some(high)) = (levels.first(), levels.last()) {
        let nominal = if levels.len() == 1 { *low } else { high - low };
        let pinball = mean_pinball(&levels, &truth, &predicted, weights);
        let coverage = coverage(levels.len(), &truth, &predicted, weights);
        return Scores::Quantiles { pinball, coverage, nominal };
    }
    match labels.is_empty() {
        true => Scores::Regression {
            rmse: rmse(&truth, &predicted, weights),
            mae: mae(&truth, &predicted, weights),
            r2: r2(&truth, &predicted, weights),
        },
        false => Scores::Classification {
            accuracy: accuracy(&labels, &answers, weights),
            log_loss: shares.map(|shares| log_loss(&shares, weights)),
        },
    }
}

/// The class of each row, as a number, to keep their shares alike.
fn classes(data: &Dataset, task: &Task) -> Option<Vec<usize>> {
    let known = task.classes()?;
    let (name, column) = data.target.as_ref()?;
    let words = Task::words(name, column).ok()?;
    let number: BTreeMap<&str, usize> = known.iter().enumerate().map(|(at, class)| (class.as_str(), at)).collect();
    (0..words.len()).map(|i| number.get(words.get(i)?).copied()).collect()
}

/// The classes of all rows that have one.
fn present(words: &Categories) -> Vec<String> {
    (0..words.len()).filter_map(|i| words.get(i)).map(str::to_owned).collect()
}

/// The two sides of a fold.
struct Sides {
    train: Dataset,
    /// The weights of `train`.
    weights: Option<Weights>,
    test: Dataset,
}

impl Sides {
    fn new(data: &Dataset, weights: Option<&Weights>, fold: &Fold) -> Result<Self> {
        let weights = weights.map(|w| w.take(&fold.train)).transpose()?;
        Ok(Sides { train: data.take(&fold.train), weights, test: data.take(&fold.test) })
    }

    fn target(side: &Dataset) -> Result<&(String, Column)> {
        side.target.as_ref().ok_or_else(|| Error::Unsupported {
            what: "judging without a target".into(),
            alternative: "name the column to predict".into(),
        })
    }

    fn truth(side: &Dataset, task: &Task) -> Result<Judged> {
        let (name, column) = Self::target(side)?;
        Ok(match (task.classes(), column) {
            (None, Column::Number(v)) => Judged::Numbers(v.to_vec(), Vec::new()),
            _ => Judged::Classes(present(&Task::words(name, column)?), Vec::new(), None),
        })
    }

    fn judge(&self, pipeline: &Pipeline, run: &Run) -> Result<Judged> {
        Ok(self.judge_scored(pipeline, None, run)?.0)
    }

    /// And what every row was given for each of these classes.
    fn judge_scored(
        &self,
        pipeline: &Pipeline,
        classes: Option<&[String]>,
        run: &Run,
    ) -> Result<(Judged, Option<ClassScores>)> {
        let answers = pipeline.predict(&self.test.inputs, run)?;
        let judged = match (Self::truth(&self.test, pipeline.task())?, &answers.labels) {
            (Judged::Classes(truth, ..), Some(labels)) => {
                let named = (0..truth.len()).map(|i| labels.get(i).unwrap_or_default().to_owned()).collect();
                let shares = shares_of_truth(&truth, &answers, pipeline.task());
                Judged::Classes(truth, named, shares)
            }
            (Judged::Numbers(truth, _), _) => match pipeline.task() {
                Task::Quantiles { quantiles, .. } => {
                    Judged::Quantiles(truth, answers.values.clone(), quantiles.clone())
                }
                _ => Judged::Numbers(truth, answers.values.clone()),
            },
            (other, _) => other,
        };
        let scores = match (&judged, classes) {
            (Judged::Classes(truth, ..), Some(classes)) => ClassScores::of(truth, &answers, pipeline.task(), classes),
            _ => None,
        };
        Ok((judged, scores))
    }

    /// The mean of the training rows, or their most frequent class, for every row. With `shares`, its
    /// probabilities are the shares of the classes. Quantiles are those of the training rows.
    fn judge_constant(&self, task: &Task, shares: bool, quantiles: &[f64]) -> Result<Judged> {
        let (weights, times) = (self.weights.as_ref(), Times::new(self.train.len(), self.weights.as_ref()));
        Ok(match (Self::truth(&self.train, task)?, Self::truth(&self.test, task)?) {
            (Judged::Numbers(known, _), Judged::Numbers(truth, _)) if !quantiles.is_empty() => {
                let same = vec![plain_quantiles(&known, weights, quantiles); truth.len()].concat();
                Judged::Quantiles(truth, same, quantiles.to_vec())
            }
            (Judged::Numbers(known, _), Judged::Numbers(truth, _)) => {
                let same = vec![times.mean(known.iter().copied()); truth.len()];
                Judged::Numbers(truth, same)
            }
            (Judged::Classes(known, ..), Judged::Classes(truth, ..)) => {
                let counts = class_counts(&known, weights);
                // Of classes that are equally frequent, the first.
                let frequent = counts.iter().rev().max_by(|a, b| a.1.total_cmp(b.1));
                let same = vec![frequent.map_or_else(String::new, |(class, _)| (*class).clone()); truth.len()];
                let share = |class: &String| counts.get(class).map_or(0.0, |count| count / times.total());
                let of_truth = shares.then(|| truth.iter().map(share).collect());
                Judged::Classes(truth, same, of_truth)
            }
            (_, truth) => truth,
        })
    }

    /// A linear model of the numbers, judged; an error if there are none, or if it cannot be fitted.
    fn linear(&self, prepared: &Prepared, model: &Model, job: &Job, run: &Run) -> Result<Judged> {
        let kernel = KernelExpr::of(Kind::Linear);
        let quantiles = model.learner().get::<KernelQuantileRegressor>();
        let learner: Learner = match (model.has_probabilities(), quantiles) {
            (true, _) => KernelLogisticRegression { kernel, ..Default::default() }.into(),
            (false, Some(own)) => KernelQuantileRegressor { kernel, calibrate: false, ..own.clone() }.into(),
            (false, None) => {
                let few = prepared.inputs.len() <= 3000;
                let alpha = if few { Alpha::Loo(Alpha::grid()) } else { Alpha::Value(1e-3) };
                let ridge = KernelRidge { kernel, alpha, fit_intercept: true, ..KernelRidge::default() };
                let fitted = Rows::of(prepared).fit(&ridge.into(), run)?;
                return self.judge(&prepared.clone().pipeline(fitted.model)?, run);
            }
        };
        let fitted = linear_by_folds(&learner, &Rows::of(prepared), job.seed, run)?;
        self.judge(&prepared.clone().pipeline(fitted)?, run)
    }
}

/// How much the rows of each class count, in the unit of the weights: whole weights add up exactly, so that ties are ties.
fn class_counts<'a>(classes: &'a [String], weights: Option<&Weights>) -> BTreeMap<&'a String, f64> {
    let mut counts: BTreeMap<&String, f64> = BTreeMap::new();
    for (i, class) in classes.iter().enumerate() {
        *counts.entry(class).or_default() += weights.map_or(1.0, |w| w.relative_at(i));
    }
    counts
}

/// The quantiles of some numbers: the least values at or below which the share τ of their weight lies, where their pinball loss
/// is least.
fn plain_quantiles(known: &[f64], weights: Option<&Weights>, quantiles: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..known.len()).collect();
    order.sort_by(|a, b| known[*a].total_cmp(&known[*b]));
    let mut below = 0.0;
    let reached: Vec<f64> = order
        .iter()
        .map(|i| {
            below += weights.map_or(1.0, |w| w.relative_at(*i));
            below
        })
        .collect();
    let place = |q: &f64| reached.partition_point(|r| *r < q * below).min(known.len().saturating_sub(1));
    quantiles.iter().map(|q| order.get(place(q)).map_or(f64::NAN, |i| known[*i])).collect()
}

/// A learner with a linear kernel and alpha by cross-validation.
fn linear_by_folds(learner: &Learner, rows: &Rows, seed: u64, run: &Run) -> Result<Model> {
    let search = Search { learner, complexity: Complexity::alpha(None), start: 1.0, seed };
    let chosen = by_folds(&search, rows, LINEAR_ROWS, run)?;
    Ok(rows.fit(&learner.with_complexity(chosen.value, rows.total()), run)?.model)
}

/// The probability of the true class of each row; 0 for a class that training had not.
fn shares_of_truth(truth: &[String], answers: &Prediction, task: &Task) -> Option<Vec<f64>> {
    let (shares, classes) = (answers.probabilities.as_ref()?, task.classes()?);
    let of = |(i, class): (usize, &String)| {
        classes.iter().position(|c| c == class).map_or(0.0, |at| shares[i * classes.len() + at])
    };
    Some(truth.iter().enumerate().map(of).collect())
}
