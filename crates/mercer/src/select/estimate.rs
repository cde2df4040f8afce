//! The error to be expected on new rows, from rows that chose nothing.
//!
//! Every choice of a job (kernel, parameters, alpha, scales, fillings) is made again without the rows
//! that judge it. Beside it stand the mean or the most frequent class, and a linear model.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::data::{Categories, Column, Dataset};
use crate::error::{Error, Result};
use crate::kernel::{KernelExpr, Kind};
use crate::metric::{Confusion, accuracy, mae, r2, rmse};
use crate::model::pipeline::{Pipeline, Prepared, Task};
use crate::model::regress::{Alpha, KernelRidge};
use crate::run::Run;

use super::job::Job;
use super::split::{Fold, Split};

/// Measures of error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
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
    /// Of classes.
    Classification {
        /// Share of rows whose class is right.
        accuracy: f64,
    },
}

/// The error on rows that chose nothing.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// How rows were split.
    pub split: Split,
    /// Rows that were judged.
    pub rows: usize,
    /// The job's own error.
    pub model: Scores,
    /// Of the mean, or of the most frequent class.
    pub constant: Scores,
    /// Of a linear model with alpha by leave-one-out; none where there is no number to be linear in.
    pub linear: Option<Scores>,
    /// Why there is no linear model, where there is none.
    pub no_linear: Option<String>,
    /// Truth and prediction of each judged row, of a regression: to be drawn.
    #[serde(skip)]
    pub pairs: Vec<(f64, f64)>,
    /// Which classes were taken for which, of a classification: to be drawn.
    #[serde(skip)]
    pub confusion: Option<Confusion>,
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
    for fold in &folds {
        let sides = Sides::new(&data, fold);
        let learnt = job.prepare.fit(&sides.train, None)?;
        let fitted = job.learn(&learnt, run)?.fitted.model;
        constant.push(sides.judge_constant(&learnt.task)?);
        match sides.linear(&learnt, run) {
            Ok(judged) => linear.push(judged),
            Err(stop @ Error::Cancelled { .. }) => return Err(stop),
            Err(problem) => no_linear = no_linear.or(Some(problem.to_string())),
        }
        model.push(sides.judge(&learnt.pipeline(fitted)?, run)?);
        task.step_or_cancel()?;
    }
    Ok(Estimate {
        rows: folds.iter().map(|f| f.test.len()).sum(),
        constant: joined(&constant),
        linear: no_linear.is_none().then(|| joined(&linear)),
        no_linear,
        pairs: model.iter().flat_map(Judged::pairs).collect(),
        confusion: prepared.task.classes().map(|classes| confusion(&model, classes)),
        model: joined(&model),
        split,
    })
}

/// Truth and answers of some rows.
enum Judged {
    Numbers(Vec<f64>, Vec<f64>),
    Classes(Vec<String>, Vec<String>),
}

impl Judged {
    fn pairs(&self) -> Vec<(f64, f64)> {
        match self {
            Judged::Numbers(truth, predicted) => truth.iter().copied().zip(predicted.iter().copied()).collect(),
            Judged::Classes(..) => Vec::new(),
        }
    }
}

/// The confusion of all folds together.
fn confusion(parts: &[Judged], classes: &[String]) -> Confusion {
    let labels = |part: &Judged| match part {
        Judged::Classes(truth, answers) => (truth.clone(), answers.clone()),
        Judged::Numbers(..) => Default::default(),
    };
    let (truth, answers): (Vec<_>, Vec<_>) = parts.iter().map(labels).unzip();
    Confusion::count(truth.iter().flatten().map(String::as_str), answers.iter().flatten().map(String::as_str), classes)
}

/// The scores of all folds together.
fn joined(parts: &[Judged]) -> Scores {
    let (mut truth, mut predicted) = (Vec::new(), Vec::new());
    let (mut labels, mut answers) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Judged::Numbers(y, f) => {
                truth.extend_from_slice(y);
                predicted.extend_from_slice(f);
            }
            Judged::Classes(y, f) => {
                labels.extend(y);
                answers.extend(f);
            }
        }
    }
    match labels.is_empty() {
        true => Scores::Regression {
            rmse: rmse(&truth, &predicted),
            mae: mae(&truth, &predicted),
            r2: r2(&truth, &predicted),
        },
        false => Scores::Classification { accuracy: accuracy(&labels, &answers) },
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
    test: Dataset,
}

impl Sides {
    fn new(data: &Dataset, fold: &Fold) -> Self {
        Sides { train: data.take(&fold.train), test: data.take(&fold.test) }
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
            _ => Judged::Classes(present(&Task::words(name, column)?), Vec::new()),
        })
    }

    fn judge(&self, pipeline: &Pipeline, run: &Run) -> Result<Judged> {
        let answers = pipeline.predict(&self.test.inputs, run)?;
        Ok(match (Self::truth(&self.test, pipeline.task())?, answers.labels) {
            (Judged::Classes(truth, _), Some(labels)) => {
                let named = (0..truth.len()).map(|i| labels.get(i).unwrap_or_default().to_owned()).collect();
                Judged::Classes(truth, named)
            }
            (Judged::Numbers(truth, _), _) => Judged::Numbers(truth, answers.values),
            (other, None) => other,
        })
    }

    /// The mean of the training rows, or their most frequent class, for every row.
    fn judge_constant(&self, task: &Task) -> Result<Judged> {
        Ok(match (Self::truth(&self.train, task)?, Self::truth(&self.test, task)?) {
            (Judged::Numbers(known, _), Judged::Numbers(truth, _)) => {
                let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
                let same = vec![mean; truth.len()];
                Judged::Numbers(truth, same)
            }
            (Judged::Classes(known, _), Judged::Classes(truth, _)) => {
                let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
                known.iter().for_each(|class| *counts.entry(class).or_default() += 1);
                let frequent = counts.iter().max_by_key(|(class, count)| (**count, std::cmp::Reverse(**class)));
                let same = vec![frequent.map_or_else(String::new, |(class, _)| (*class).clone()); truth.len()];
                Judged::Classes(truth, same)
            }
            (_, truth) => truth,
        })
    }

    /// A linear model of the numbers, judged; an error if there are none, or if it cannot be fitted.
    fn linear(&self, prepared: &Prepared, run: &Run) -> Result<Judged> {
        let ridge = KernelRidge {
            kernel: KernelExpr::of(Kind::Linear),
            alpha: if prepared.inputs.len() <= 3000 { Alpha::Loo(Alpha::grid()) } else { Alpha::Value(1e-3) },
            fit_intercept: true,
            ..KernelRidge::default()
        };
        let fitted = ridge.fit(&prepared.inputs, &prepared.targets, prepared.weights.as_deref(), run)?;
        self.judge(&prepared.clone().pipeline(fitted.model)?, run)
    }
}
