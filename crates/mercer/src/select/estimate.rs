//! The error to be expected on new rows, from rows that chose nothing.
//!
//! Every choice of a job (kernel, parameters, alpha, scales, fillings) is made again without the rows
//! that judge it. Beside it stand the mean or the most frequent class, and a linear model. Rows count by their weights, on both sides.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::{Column, ColumnType, Dataset, Inputs, Weights};
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::KernelExpr;
use crate::metric::{Calibration, ClassResult, Confusion, Times};
use crate::model::classify::KernelLogisticRegression;
use crate::model::pipeline::{Pipeline, Prepared, Task};
use crate::model::regress::{Alpha, KernelQuantileRegressor, KernelRidge};
use crate::model::{Complexity, Learner, Model};
use crate::run::{Run, Work};

use super::answered::{Answered, Drawn};
use super::choose::{Search, by_folds};
use super::class_scores::ClassScores;
use super::default_kernel::count;
use super::importance::{Importance, Shuffler};
use super::job::Job;
use super::rows::Rows;
use super::scores::{Scores, StandardErrors};
use super::split::{Fold, Split};
use super::verdict::Verdict;

/// Rows on which alpha of a linear model of classes is chosen.
const LINEAR_ROWS: usize = 200;
/// The least alpha of a linear model whose columns depend on each other.
const LEAST_ALPHA: f64 = 1e-3;

/// Rows for each coordinate from which on a linear model of classes is fitted in coordinates.
const FEW: usize = 4;

/// The error on rows that chose nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Estimate {
    /// How rows were split.
    pub split: Split,
    /// Rows that were judged, each counted once.
    pub rows: usize,
    /// The learner of each part of the split, by name.
    #[serde(default)]
    pub learners: Vec<String>,
    /// The job's own error.
    pub model: Scores,
    /// Of the mean, or of the most frequent class.
    pub constant: Scores,
    /// Of a linear model, logistic where the model has probabilities and ridge elsewhere, with alpha chosen
    /// likewise; categories count as one number for each. None where there is neither number nor category.
    pub linear: Option<Scores>,
    /// Why there is no linear model, where there is none.
    pub no_linear: Option<String>,
    /// How far these measures may be off.
    #[serde(default)]
    pub standard_errors: StandardErrors,
    /// What there is to conclude.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// What the columns are worth; nothing for points without columns, and of very few rows.
    #[serde(default)]
    pub importance: Option<Importance>,
    /// How well each class is found, of a classification.
    #[serde(default)]
    pub classes: Vec<ClassResult>,
    /// The area under the ROC curve: of two classes, or the mean over all classes, each against the rest.
    #[serde(default)]
    pub roc_area: Option<f64>,
    /// Whether what is given a probability happens as often: of the second of two classes, or of all classes together.
    #[serde(default)]
    pub calibration: Option<Calibration>,
    /// How far probabilities are from what happens, in the mean.
    #[serde(default)]
    pub calibration_error: Option<f64>,
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

/// Rows up to which folds are learnt from at the same time.
const TOGETHER: usize = 3000;

/// Judges a job by its split; each part of it is a step of the whole.
pub(super) fn estimate(
    job: &Job,
    data: &Dataset,
    prepared: &Prepared,
    whole: &Work<'_>,
    run: &Run,
) -> Result<Estimate> {
    // Rows that training leaves out for a missing value cannot be judged either.
    let data = data.take(&prepared.kept);
    let groups = job.groups.as_ref().map(|g| prepared.kept.iter().map(|i| g[*i]).collect::<Vec<_>>());
    let split = job.split.clone().unwrap_or_else(|| Split::usual(data.len()));
    let classes = classes(&data, &prepared.task);
    let folds = split.folds(data.len(), classes.as_deref(), groups.as_deref(), job.seed)?;
    let mut found = Found::new(&data.inputs, &folds, job.seed);
    let taught = |fold: &Fold| -> Result<(Sides, Taught)> {
        let sides = Sides::new(&data, prepared.weights.as_ref(), fold)?;
        let taught = Taught::new(&sides, job, run)?;
        whole.step_or_cancel()?;
        Ok((sides, taught))
    };
    // Fits of few rows are too small for several threads, and folds are not; those of many would need as much memory each.
    let at_once = if data.len() <= TOGETHER { folds.len() } else { 1 };
    for some in folds.chunks(at_once.max(1)) {
        let all: Vec<Result<(Sides, Taught)>> = some.par_iter().map(taught).collect();
        for one in all {
            let (sides, taught) = one?;
            found.judge(&sides, taught, prepared.task.classes(), run)?;
        }
    }
    // Rows of one group are drawn together.
    let groups = groups.filter(|_| matches!(split, Split::Groups(_)));
    found.estimate(split, &folds, prepared, groups.as_deref())
}

/// What the rows of one fold taught.
struct Taught {
    learnt: Prepared,
    model: Model,
    linear: Result<Answered>,
    /// Its kernel, where it has one.
    linear_kernel: String,
}

impl Taught {
    fn new(sides: &Sides, job: &Job, run: &Run) -> Result<Self> {
        let learnt = job.prepared(&sides.train, sides.weights.as_ref(), run)?;
        let model = job.learn(&learnt, run)?.model;
        let kernel = linear_kernel(&learnt.inputs);
        let name = kernel.as_ref().map_or_else(|_| String::new(), ToString::to_string);
        let linear = match kernel.and_then(|kernel| sides.linear(kernel, &learnt, &model, job, run)) {
            Err(stop @ Error::Cancelled { .. }) => return Err(stop),
            judged => judged,
        };
        Ok(Taught { learnt, model, linear, linear_kernel: name })
    }
}

/// The answers of all folds so far.
struct Found {
    learners: Vec<String>,
    model: Vec<Answered>,
    constant: Vec<Answered>,
    linear: Vec<Answered>,
    no_linear: Option<String>,
    linear_kernel: String,
    scores: Vec<Option<ClassScores>>,
    shuffler: Option<Shuffler>,
}

impl Found {
    fn new(x: &Inputs, folds: &[Fold], seed: u64) -> Self {
        Found {
            learners: Vec::new(),
            model: Vec::new(),
            constant: Vec::new(),
            linear: Vec::new(),
            no_linear: None,
            linear_kernel: String::new(),
            scores: Vec::new(),
            shuffler: Shuffler::new(x, folds, seed),
        }
    }

    fn judge(&mut self, sides: &Sides, taught: Taught, classes: Option<&[String]>, run: &Run) -> Result<()> {
        let Taught { learnt, model, linear, linear_kernel } = taught;
        self.learners.push(model.learner().spec().name.to_owned());
        let shares = model.has_probabilities();
        let own = model.learner().get::<KernelQuantileRegressor>();
        let quantiles = own.map_or_else(Vec::new, |own| own.quantiles.clone());
        self.constant.push(sides.judge_constant(&learnt.task, shares, &quantiles)?);
        self.linear_kernel = linear_kernel;
        match linear {
            Ok(judged) => self.linear.push(judged),
            Err(problem) => {
                self.no_linear = self.no_linear.take().or(problem.to_string().lines().next().map(str::to_owned))
            }
        }
        let pipeline = learnt.pipeline(model)?;
        let (judged, given) = sides.judge_scored(&pipeline, classes, run)?;
        if let Some(shuffler) = &mut self.shuffler {
            shuffler.look(&sides.test.inputs, &judged, &pipeline, run)?;
        }
        self.model.push(judged);
        self.scores.push(given);
        Ok(())
    }

    fn estimate(self, split: Split, folds: &[Fold], prepared: &Prepared, groups: Option<&[usize]>) -> Result<Estimate> {
        let judged: Vec<usize> = folds.iter().flat_map(|f| f.test.iter().copied()).collect();
        let weights = prepared.weights.as_ref().map(|w| w.take(&judged)).transpose()?;
        let weights = weights.as_ref();
        let of_judged: Option<Vec<usize>> = groups.map(|g| judged.iter().map(|i| g[*i]).collect());
        let drawn = Drawn { weights, groups: of_judged.as_deref() };
        let joined = |parts: &[Answered]| {
            Answered::joined(parts).ok_or_else(|| Error::shape("the folds", "answers of one kind", "several"))
        };
        let (model, constant) = (joined(&self.model)?, joined(&self.constant)?);
        let linear = if self.no_linear.is_none() { Some(joined(&self.linear)?) } else { None };
        let confusion = prepared.task.classes().and_then(|classes| model.confusion(classes, weights));
        let scores = ClassScores::joined(self.scores, weights);
        let calibration = scores.as_ref().and_then(ClassScores::calibration);
        Ok(Estimate {
            rows: judged.len(),
            learners: self.learners,
            model: model.scores(weights),
            constant: constant.scores(weights),
            linear: linear.as_ref().map(|linear| linear.scores(weights)),
            no_linear: self.no_linear,
            standard_errors: StandardErrors {
                model: model.standard_errors(drawn),
                constant: constant.standard_errors(drawn),
                linear: linear.as_ref().and_then(|linear| linear.standard_errors(drawn)),
            },
            verdict: Some(Verdict::of(
                &model,
                &constant,
                linear.as_ref().map(|linear| (linear, self.linear_kernel.as_str())),
                drawn,
            )),
            importance: self.shuffler.and_then(|s| s.found(folds, prepared.weights.as_ref(), groups)),
            classes: confusion.as_ref().map_or_else(Vec::new, Confusion::per_class),
            roc_area: scores.as_ref().and_then(ClassScores::roc_area),
            calibration_error: calibration.as_ref().map(Calibration::error),
            calibration,
            pairs: model.pairs(),
            confusion,
            scores,
            split,
        })
    }
}

/// The kernel of a linear model: numbers as they are, and categories as one number for each of them, 1 where a row has it.
fn linear_kernel(x: &Inputs) -> Result<KernelExpr> {
    // The share of categories in common times their number is the dot product of the ones.
    KernelExpr::parse(&match (count(x, ColumnType::Number), count(x, ColumnType::Category)) {
        (0, 0) => return Err(Error::shape("the columns of a linear model", "numbers or categories", "neither")),
        (0, 1) => "hamming".into(),
        (0, some) => format!("{some}*hamming"),
        (_, 0) => "linear".into(),
        (_, 1) => "linear + hamming".into(),
        (_, some) => format!("linear + {some}*hamming"),
    })
}

/// Rows that stand for all in a linear model without leaving anything out: one for each number of a row, where those are few beside the
/// rows. A function of so many coordinates costs their square where one of all rows costs their cube.
fn coordinates(x: &Inputs) -> Option<usize> {
    let of = |column: &Column| match column {
        Column::Number(_) => 1,
        Column::Category(words) => words.levels().len(),
        _ => 0,
    };
    let all = match x {
        Inputs::Dense(rows) => rows.ncols(),
        Inputs::Table(table) => table.iter().map(|(_, column)| of(column)).sum(),
        Inputs::Sparse(_) | Inputs::Precomputed(_) => return None,
    };
    (FEW * all <= x.len()).then_some(all)
}

/// The class of each row, as a number, to keep their shares alike.
fn classes(data: &Dataset, task: &Task) -> Option<Vec<usize>> {
    let known = task.classes()?;
    let (name, column) = data.target.as_ref()?;
    let words = Task::words(name, column).ok()?;
    let number: BTreeMap<&str, usize> = known.iter().enumerate().map(|(at, class)| (class.as_str(), at)).collect();
    (0..words.len()).map(|i| number.get(words.get(i)?).copied()).collect()
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

    fn judge(&self, pipeline: &Pipeline, run: &Run) -> Result<Answered> {
        Ok(self.judge_scored(pipeline, None, run)?.0)
    }

    /// And what every row was given for each of these classes.
    fn judge_scored(
        &self,
        pipeline: &Pipeline,
        classes: Option<&[String]>,
        run: &Run,
    ) -> Result<(Answered, Option<ClassScores>)> {
        let answers = pipeline.predict(&self.test.inputs, run)?;
        let judged = Answered::truth(&self.test, pipeline.task())?.with(&answers, pipeline.task());
        let scores = match (&judged, classes) {
            (Answered::Classes(truth, ..), Some(classes)) => ClassScores::of(truth, &answers, pipeline.task(), classes),
            _ => None,
        };
        Ok((judged, scores))
    }

    /// The mean of the training rows, or their most frequent class, for every row. With `shares`, its
    /// probabilities are the shares of the classes. Quantiles are those of the training rows.
    fn judge_constant(&self, task: &Task, shares: bool, quantiles: &[f64]) -> Result<Answered> {
        let (weights, times) = (self.weights.as_ref(), Times::new(self.train.len(), self.weights.as_ref()));
        Ok(match (Answered::truth(&self.train, task)?, Answered::truth(&self.test, task)?) {
            (Answered::Numbers(known, _), Answered::Numbers(truth, _)) if !quantiles.is_empty() => {
                let same = vec![plain_quantiles(&known, weights, quantiles); truth.len()].concat();
                Answered::Quantiles(truth, same, quantiles.to_vec())
            }
            (Answered::Numbers(known, _), Answered::Numbers(truth, _)) => {
                let same = vec![times.mean(known.iter().copied()); truth.len()];
                Answered::Numbers(truth, same)
            }
            (Answered::Classes(known, ..), Answered::Classes(truth, ..)) => {
                let counts = class_counts(&known, weights);
                // Of classes that are equally frequent, the first.
                let frequent = counts.iter().rev().max_by(|a, b| a.1.total_cmp(b.1));
                let same = vec![frequent.map_or_else(String::new, |(class, _)| (*class).clone()); truth.len()];
                let share = |class: &String| counts.get(class).map_or(0.0, |count| count / times.total());
                let of_truth = shares.then(|| truth.iter().map(share).collect());
                Answered::Classes(truth, same, of_truth)
            }
            (_, truth) => truth,
        })
    }

    /// A linear model, judged; an error if it cannot be fitted.
    fn linear(&self, kernel: KernelExpr, prepared: &Prepared, model: &Model, job: &Job, run: &Run) -> Result<Answered> {
        let quantiles = model.learner().get::<KernelQuantileRegressor>();
        let learner: Learner = match (model.has_probabilities(), quantiles) {
            (true, _) => {
                let landmarks = coordinates(&prepared.inputs);
                KernelLogisticRegression { kernel, landmarks, ..Default::default() }.into()
            }
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
    let from = |least: f64| -> Result<Model> {
        let usual = Complexity::alpha(None);
        let complexity = Complexity { range: (usual.range.0.max(least), usual.range.1), ..usual };
        let search = Search { learner, complexity, start: 1.0, seed };
        let chosen = by_folds(&search, rows, LINEAR_ROWS, run)?;
        Ok(rows.fit(&learner.with_complexity(chosen.value, rows.total()), run)?.model)
    };
    // Ones of categories add up to a constant, which the intercept is as well: without a price nothing tells them apart.
    let depend = count(&rows.x, ColumnType::Category) > 0;
    match from(if depend { LEAST_ALPHA } else { 0.0 }) {
        Err(problem) if problem.kind() == ErrorKind::Numeric => from(LEAST_ALPHA),
        found => found,
    }
}
