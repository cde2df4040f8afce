//! How well a model does on rows whose target is known.

use serde::Serialize;

use crate::data::{Column, Dataset, Weights};
use crate::error::{Error, Result, counted};
use crate::metric::{Calibration, ClassResult, Confusion, Times, of_mean};
use crate::model::pipeline::{Pipeline, Task};
use crate::note::Note;
use crate::run::Run;
use crate::select::{Answered, ClassScores, Drawn, Estimate, Scores, StandardErrors};

use super::HasSchema;
use super::fit::task_name;

/// A model judged on some rows.
#[derive(Clone, Debug, Serialize)]
pub struct ScoreReport {
    /// The file of the model.
    pub model: String,
    /// The name of the data set.
    pub data: String,
    /// The column that is predicted.
    pub target: String,
    /// `regression`, `quantiles` or `classification`.
    pub task: &'static str,
    /// Rows that were judged.
    pub rows: usize,
    /// Rows that were not, for their target is missing or their weight 0.
    pub left_out: usize,
    /// The measures of an estimate.
    pub scores: Scores,
    /// Their standard errors over the rows, each in its place.
    pub standard_errors: Option<Scores>,
    /// All measures by name.
    pub measures: Vec<Measured>,
    /// What the fit expected, where the model's file says so.
    pub expected: Option<Scores>,
    /// The standard errors of that.
    pub expected_standard_errors: Option<Scores>,
    /// How well each class is found.
    pub classes: Vec<ClassResult>,
    /// Which classes were taken for which.
    pub confusion: Option<Confusion>,
    /// Whether what is given a probability happens as often.
    pub calibration: Option<Calibration>,
    /// The file of the picture.
    pub plot: Option<String>,
    /// What the user should know.
    pub notes: Vec<Note>,
    /// Truth and prediction of each row, of a regression: to be drawn.
    #[serde(skip)]
    pub pairs: Vec<(f64, f64)>,
    /// What every row was given for every class: to be drawn.
    #[serde(skip)]
    pub class_scores: Option<ClassScores>,
}

/// A measure with its name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Its name: `rmse`, `mae`, `r2`, `bias`, `largest_error`; `pinball`, `coverage`; `accuracy`, `balanced_accuracy`, `macro_f1`,
    /// `log_loss`, `brier`, `roc_area`, `calibration_error`.
    pub name: &'static str,
    /// In words.
    pub words: &'static str,
    /// Its value.
    pub value: f64,
    /// Its standard error over the rows, where it is known.
    pub standard_error: Option<f64>,
}

impl HasSchema for ScoreReport {
    const SCHEMA: &'static str = "mercer.score/1";
}

/// Judges a model on rows that have its target, each as often as its weight says. Rows without a target, or without an answer since a
/// value is missing, are left out; a class that training had not is a mistake.
///
/// ```
/// use mercer::{KernelExpr, Run, data, model::{pipeline::Prepare, regress::KernelRidge}, report::score, select::Scores};
/// let iris = data::load("iris")?.with_target("petal_width_cm")?;
/// let prepared = Prepare::default().fit(&iris, None)?;
/// let ridge = KernelRidge { kernel: KernelExpr::parse("rbf + delta(species)")?, ..KernelRidge::default() };
/// let model = ridge.fit(&prepared.inputs, &prepared.target, None, &Run::new())?.model;
/// let report = score(&prepared.pipeline(model)?, &iris, None, &Run::new())?;
/// let Scores::Regression { r2, .. } = report.scores else { panic!("numbers") };
/// assert!(report.rows == 150 && r2 > 0.9);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn score(pipeline: &Pipeline, data: &Dataset, weights: Option<&Weights>, run: &Run) -> Result<ScoreReport> {
    let task = pipeline.task();
    let target = match (task, &task.targets()[..]) {
        (Task::Regression { .. } | Task::Quantiles { .. } | Task::Classification { .. }, [target]) => *target,
        (Task::Regression { .. }, several) => {
            return Err(unsupported(format!("scoring {} targets at once", several.len())));
        }
        _ => return Err(unsupported("scoring a model that predicts no target".into())),
    };
    let all = with_target(data, target)?;
    let (answerable, gaps) = pipeline.answerable(&pipeline.inputs_of(&all)?)?;
    let (data, weights) = known(&all, &answerable, weights)?;
    let answers = pipeline.predict_data(&data, run)?;
    let judged = Answered::truth(&data, task)?.with(&answers, task);
    let drawn = Drawn { weights: weights.as_ref(), groups: None };
    let mut notes: Vec<Note> = gaps.into_iter().chain(answers.notes.iter().cloned()).collect();
    let classes = task.classes().map(|known| {
        let strange = strangers(&judged, known);
        notes.extend(unknown_classes(&judged, &strange));
        [known, &strange[..]].concat()
    });
    let class_scores = match (&judged, &classes) {
        (Answered::Classes(truth, ..), Some(classes)) => {
            let found = ClassScores::of(truth, &answers, task, classes);
            found.map(|scores| ClassScores { weights: weights.clone(), ..scores })
        }
        _ => None,
    };
    let confusion = classes.as_ref().and_then(|classes| judged.confusion(classes, drawn.weights));
    let per_class = confusion.as_ref().map_or_else(Vec::new, Confusion::per_class);
    let estimate = Estimate::of(pipeline);
    Ok(ScoreReport {
        model: String::new(),
        data: data.name.clone(),
        target: target.to_owned(),
        task: task_name(task),
        rows: data.len(),
        left_out: all.len() - data.len(),
        scores: judged.scores(drawn.weights),
        standard_errors: judged.standard_errors(drawn),
        measures: measures(&judged, &per_class, class_scores.as_ref(), drawn),
        expected: estimate.as_ref().map(|e| e.model),
        expected_standard_errors: estimate.and_then(|e| e.standard_errors.model),
        classes: per_class,
        confusion,
        calibration: class_scores.as_ref().and_then(ClassScores::calibration),
        plot: None,
        notes,
        pairs: judged.pairs(),
        class_scores,
    })
}

fn unsupported(what: String) -> Error {
    Error::Unsupported { what, alternative: "score a model of one target".into() }
}

/// The data with this target, which may stand among their columns.
fn with_target(data: &Dataset, name: &str) -> Result<Dataset> {
    let there = data.target.as_ref().is_some_and(|(own, _)| own == name);
    let has_names = data.inputs.columns().find(name).is_some();
    match (there, has_names, &data.target) {
        (true, ..) => Ok(data.clone()),
        (false, true, _) => data.with_target(name),
        // The target of sparse rows has a name that says nothing.
        (false, false, Some((_, column)))
            if data.inputs.columns().is_empty() || matches!(data.inputs, crate::data::Inputs::Sparse(_)) =>
        {
            Ok(Dataset { target: Some((name.to_owned(), column.clone())), ..data.clone() })
        }
        _ => Err(Error::column(
            name,
            "the target of the model",
            "no column of this name",
            "give rows whose target is known",
        )),
    }
}

/// The rows with an answer and a target that count, and their weights.
fn known(data: &Dataset, answerable: &[usize], weights: Option<&Weights>) -> Result<(Dataset, Option<Weights>)> {
    weights.map_or(Ok(()), |w| w.check_len(data.len()))?;
    let missing = |i: usize| data.target.as_ref().is_none_or(|(_, column): &(String, Column)| column.is_missing(i));
    let counts = |i: usize| weights.is_none_or(|w| w[i] > 0.0);
    let kept: Vec<usize> = answerable.iter().copied().filter(|i| !missing(*i) && counts(*i)).collect();
    if kept.is_empty() {
        let needed = "at least 1 with a target, and with all values that the model needs";
        return Err(Error::shape("the rows to score", needed, 0));
    }
    let weights = weights.map(|w| w.take(&kept)).transpose()?;
    Ok((if kept.len() == data.len() { data.clone() } else { data.take(&kept) }, weights))
}

/// Classes of the truth that training had not, in order.
fn strangers(judged: &Answered, known: &[String]) -> Vec<String> {
    let Answered::Classes(truth, ..) = judged else { return Vec::new() };
    let mut strange: Vec<String> = truth.iter().filter(|class| !known.contains(class)).cloned().collect();
    strange.sort();
    strange.dedup();
    strange
}

fn unknown_classes(judged: &Answered, strange: &[String]) -> Option<Note> {
    let Answered::Classes(truth, ..) = judged else { return None };
    let rows = truth.iter().filter(|class| strange.contains(class)).count();
    let rows = counted(rows, "row is", "rows are");
    (!strange.is_empty())
        .then(|| Note::Remark { remark: format!("{rows} of a class that training had not, and counted as wrong") })
}

fn measures(
    judged: &Answered,
    classes: &[ClassResult],
    scores: Option<&ClassScores>,
    drawn: Drawn<'_>,
) -> Vec<Measured> {
    let errors = judged.standard_errors(drawn);
    let of = |name, words, value, standard_error| Measured { name, words, value, standard_error };
    let mean = |values: &[f64]| {
        let mean = Times::new(values.len(), drawn.weights).mean(values.iter().copied());
        (mean, drawn.error(&of_mean(values, drawn.weights)))
    };
    match judged.scores(drawn.weights) {
        Scores::Regression { rmse, mae, r2 } => {
            let known = |pick: fn(f64, f64, f64) -> f64| match errors {
                Some(Scores::Regression { rmse, mae, r2 }) => Some(pick(rmse, mae, r2)),
                _ => None,
            };
            let off: Vec<f64> = judged.pairs().iter().map(|(truth, predicted)| predicted - truth).collect();
            let (bias, bias_error) = mean(&off);
            let largest = off.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            vec![
                of("rmse", "RMSE", rmse, known(|rmse, _, _| rmse)),
                of("mae", "MAE", mae, known(|_, mae, _| mae)),
                of("r2", "R²", r2, known(|_, _, r2| r2)),
                of("bias", "mean of predicted − true", bias, bias_error),
                of("largest_error", "largest error", largest, None),
            ]
        }
        Scores::Quantiles { pinball, coverage, .. } => {
            let known = match errors {
                Some(Scores::Quantiles { pinball, coverage, .. }) => (Some(pinball), Some(coverage)),
                _ => (None, None),
            };
            vec![of("pinball", "pinball loss", pinball, known.0), of("coverage", "coverage", coverage, known.1)]
        }
        Scores::Classification { accuracy, log_loss } => {
            let known = match errors {
                Some(Scores::Classification { accuracy, log_loss }) => (Some(accuracy), log_loss),
                _ => (None, None),
            };
            let over =
                |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
            let balanced = over(classes.iter().filter_map(|c| c.recall).collect());
            let f1 = over(classes.iter().filter(|c| c.rows > 0.0).map(|c| c.f1.unwrap_or(0.0)).collect());
            let brier = scores.filter(|s| s.probabilities).map(|s| mean(&brier(s)));
            let calibration = scores.and_then(ClassScores::calibration).map(|c| c.error());
            let first = of("accuracy", "accuracy", accuracy, known.0);
            let more = [
                balanced.map(|v| of("balanced_accuracy", "balanced accuracy", v, None)),
                f1.map(|v| of("macro_f1", "F1, mean over classes", v, None)),
                log_loss.map(|v| of("log_loss", "log-loss", v, known.1)),
                brier.map(|(v, e)| of("brier", "Brier score", v, e)),
                scores.and_then(ClassScores::roc_area).map(|v| of("roc_area", "area under ROC", v, None)),
                calibration.map(|v| of("calibration_error", "calibration error", v, None)),
            ];
            std::iter::once(first).chain(more.into_iter().flatten()).collect()
        }
    }
}

/// Brier's score of each row: the squared distance of the probabilities from the truth, of two classes that of the second.
fn brier(scores: &ClassScores) -> Vec<f64> {
    let c = scores.classes.len();
    let row = |(given, truth): (&[f64], &usize)| -> f64 {
        let square = |k: usize| (given[k] - f64::from(u8::from(k == *truth))).powi(2);
        if c == 2 { square(1) } else { (0..c).map(square).sum() }
    };
    scores.values.chunks(c.max(1)).zip(&scores.truth).map(row).collect()
}

impl ScoreReport {
    /// The standard errors in the form of an estimate.
    pub fn errors(&self) -> StandardErrors {
        StandardErrors { model: self.standard_errors, ..StandardErrors::default() }
    }
}
