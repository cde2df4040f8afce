//! The main job: from a table with a target to a model with its report.

use std::path::PathBuf;
use std::time::Instant;

use mercer::data::{self, ColumnType, Dataset, Origin, Weights};
use mercer::gram::RepairMethod;
use mercer::kernel::{KernelExpr, Registry};
use mercer::model::pipeline::{ExplainParams, Pipeline, Prepare};
use mercer::plot::{fit_page, fit_sheet, score_sheet};
use mercer::report::{FitReport, HasSchema, answers, score};
use mercer::select::{Asked, Finished, Job, Split};
use mercer::{Error, Note, Result, Run};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::{Map, Value};

use crate::arrays::{Vector, weights_of};
use crate::choices::{object, settings};
use crate::column::Column;
use crate::error::guard;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::machine::certificate;
use crate::plot::Figure;
use crate::rkhs::{array2, working};
use crate::run::Options;

/// A model with its preparation; with what was said of its fit, unless it was read.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Trained {
    pipeline: Pipeline,
    said: Option<(Finished, FitReport)>,
}

/// Named columns, and notes in words.
type Answers = (Vec<(String, Column)>, Vec<String>);
/// Values, classes, probabilities.
type Raw<'py> = (Bound<'py, PyArray2<f64>>, Option<Vec<Option<String>>>, Option<Bound<'py, PyArray2<f64>>>);

/// Does the whole job on points and a target column.
#[pyfunction]
#[pyo3(signature = (x, target, kernel, weights, groups, choices, options))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn train<'py>(
    py: Python<'py>,
    x: &Inputs,
    target: (String, Bound<'py, Column>),
    kernel: Option<&Expr>,
    weights: Option<Vector<'py>>,
    groups: Option<Vec<usize>>,
    choices: &Bound<'py, PyDict>,
    options: &Options,
) -> PyResult<Trained> {
    let (weights, choices) = (weights_of(py, weights)?, settings(choices)?);
    let kernel = kernel.map(|kernel| kernel.0.clone());
    let target = (target.0, target.1.get().0.clone());
    let own = kernel.clone().unwrap_or_default();
    working(py, &own, options, |run| trained(&x.0, target, Parts { kernel, weights, groups, choices }, run))
}

/// What a job is made of.
struct Parts {
    kernel: Option<KernelExpr>,
    weights: Option<Weights>,
    groups: Option<Vec<usize>>,
    choices: Map<String, Value>,
}

fn trained(x: &data::Inputs, target: (String, data::Column), parts: Parts, run: &Run) -> Result<Trained> {
    let start = Instant::now();
    let name = parts.choices.get("data").and_then(Value::as_str).unwrap_or("data").to_owned();
    let wanted = parts.choices.get("target_type").and_then(Value::as_str).map(str::to_owned);
    let job = job(parts)?;
    let origin = Origin::File(name.clone().into());
    let data = Dataset { name, inputs: x.clone(), target: Some(target), origin, notes: Vec::new() };
    let (data, guess) = typed(data, wanted.as_deref(), &job.learner);
    let done = job.fit(&data, run)?;
    let pipeline = done.described(&data.name, None, &job.learner)?;
    let report = FitReport { seconds: start.elapsed().as_secs_f64(), ..FitReport::new(&data, &done, &pipeline) };
    Ok(Trained { pipeline, said: Some((done, report.with_notes(guess.into_iter().collect()))) })
}

/// The target as numbers or classes, as it was told, or with classes for few whole numbers.
fn typed(data: Dataset, wanted: Option<&str>, asked: &Asked) -> (Dataset, Option<Note>) {
    match (wanted, &data.target) {
        (Some("category"), Some((name, column))) => {
            let classes = column.read_as(ColumnType::Category).unwrap_or_else(|| column.clone());
            (Dataset { target: Some((name.clone(), classes)), ..data }, None)
        }
        (None, _) if asked.takes_classes() => data.with_guessed_classes(),
        _ => (data, None),
    }
}

/// The job of choices by name; the Python side has checked their types.
fn job(parts: Parts) -> Result<Job> {
    let Parts { kernel, weights, groups, choices } = parts;
    let word = |name: &str| choices.get(name).and_then(Value::as_str);
    let flag = |name: &str| choices.get(name).and_then(Value::as_bool).unwrap_or(true);
    let whole = |name: &str| choices.get(name).and_then(Value::as_u64).map(|n| n as usize);
    let empty = Map::new();
    let given = choices.get("settings").and_then(Value::as_object).unwrap_or(&empty);
    let asked = Asked::named(word("model").unwrap_or(Asked::AUTO))?;
    Ok(Job {
        learner: given.iter().fold(asked, |asked, (name, value)| asked.with(name, value.clone())),
        kernel,
        alpha: choices.get("alpha").and_then(Value::as_f64),
        tune: flag("tune"),
        repair: word("repair").map(RepairMethod::by_name).transpose()?,
        tune_rows: whole("tune_rows"),
        prepare: Prepare {
            missing: word("missing").unwrap_or("error").parse()?,
            standardize: flag("standardize"),
            scale_target: flag("standardize"),
            ..Prepare::default()
        },
        weights,
        split: split(&choices)?,
        groups,
        estimate: flag("estimate"),
        seed: choices.get("seed").and_then(Value::as_u64).unwrap_or(0),
    })
}

/// How rows are split, by the one name that is given.
fn split(choices: &Map<String, Value>) -> Result<Option<Split>> {
    let folds = |name: &str| choices.get(name).and_then(Value::as_u64).map(|k| k as usize);
    let share = choices.get("hold_out").and_then(Value::as_f64);
    let ordered = choices.get("time_ordered").and_then(Value::as_bool).unwrap_or(false);
    let grouped = choices.get("grouped").and_then(Value::as_bool).unwrap_or(false);
    match (folds("cv"), share) {
        (Some(_), Some(_)) => Err(Error::invalid("the fit", "hold_out", share.unwrap_or(0.0), "left out beside `cv`")),
        (None, Some(share)) => Ok(Some(Split::HoldOut(share))),
        (k, None) if ordered => Ok(Some(Split::TimeOrdered(k.unwrap_or(5)))),
        (k, None) if grouped => Ok(Some(Split::Groups(k.unwrap_or(5)))),
        (k, None) => Ok(k.map(Split::Folds)),
    }
}

/// Reads a model file.
#[pyfunction]
pub(crate) fn trained_load(py: Python<'_>, path: PathBuf, options: &Options) -> PyResult<Trained> {
    let pipeline = working(py, &KernelExpr::default(), options, |run| Pipeline::load(&path, &Registry::new(), run))?;
    Ok(Trained { pipeline, said: None })
}

/// Reads a model from the bytes of its file.
#[pyfunction]
pub(crate) fn trained_from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Trained> {
    let pipeline = guard(py, || Pipeline::from_bytes(bytes, &Registry::new()))?;
    Ok(Trained { pipeline, said: None })
}

#[pymethods]
impl Trained {
    /// What is to be said of the fit, by field; nothing of a model that was read.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let written = |(_, report): &(Finished, FitReport)| serde_json::to_value(report.written()).unwrap_or_default();
        self.said.as_ref().map(|said| object(py, &written(said))).transpose()
    }

    /// The report as a page with its pictures; nothing of a model that was read.
    fn page(&self, py: Python<'_>, options: &Options) -> PyResult<Option<String>> {
        let page = |(done, report): &(Finished, FitReport)| self.work(py, options, |run| fit_page(report, done, run));
        self.said.as_ref().map(page).transpose()
    }

    /// The model judged on rows whose target is known, by field, and the picture of that.
    fn score<'py>(
        &self,
        py: Python<'py>,
        x: &Inputs,
        target: (String, Bound<'py, Column>),
        weights: Option<Vector<'py>>,
        options: &Options,
    ) -> PyResult<(Bound<'py, PyAny>, Figure)> {
        let weights = weights_of(py, weights)?;
        let target = Some((target.0, target.1.get().0.clone()));
        let origin = Origin::File("data".into());
        let data = Dataset { name: "data".into(), inputs: x.0.clone(), target, origin, notes: Vec::new() };
        let found = self.work(py, options, |run| score(&self.pipeline, &data, weights.as_ref(), run))?;
        let fields = object(py, &serde_json::to_value(found.written()).unwrap_or_default())?;
        Ok((fields, Figure(score_sheet(&found))))
    }

    /// What the file says of the fit: the data, the error, the learner that was asked for.
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Value::Object(self.pipeline.settings().clone()))
    }

    /// The certificate, by field.
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        certificate(py, self.pipeline.model().certificate())
    }

    /// The learner's name, the kernel's formula, the columns that are read, the targets and the classes.
    fn about(&self) -> (String, String, Vec<String>, Vec<String>, Option<Vec<String>>) {
        let (model, task) = (self.pipeline.model(), self.pipeline.task());
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        (
            model.learner().spec().name.to_owned(),
            model.kernel().to_string(),
            owned(self.pipeline.schema().names()),
            owned(task.targets().to_vec()),
            task.classes().map(<[String]>::to_vec),
        )
    }

    /// The answers for new rows as columns, and notes; with a level, also bounds.
    #[pyo3(signature = (x, interval, options))]
    fn answers(&self, py: Python<'_>, x: &Inputs, interval: Option<f64>, options: &Options) -> PyResult<Answers> {
        let (table, notes) = self.work(py, options, |run| answers(&self.pipeline, &x.0, interval, run))?;
        let columns = table.iter().map(|(name, column)| (name.to_owned(), Column(column.clone()))).collect();
        Ok((columns, notes.iter().map(ToString::to_string).collect()))
    }

    /// Values or decision values, classes and probabilities for new rows.
    fn predict<'py>(&self, py: Python<'py>, x: &Inputs, options: &Options) -> PyResult<Raw<'py>> {
        let found = self.work(py, options, |run| self.pipeline.predict(&x.0, run))?;
        let rows = x.0.len();
        let labels = found.labels.as_ref().map(|l| (0..rows).map(|i| l.get(i).map(str::to_owned)).collect());
        let classes = self.pipeline.task().classes().map_or(0, <[String]>::len);
        let shares = found.probabilities.map(|shares| array2(py, shares, rows, classes)).transpose()?;
        Ok((array2(py, found.values, rows, found.outputs)?, labels, shares))
    }

    /// Predictions taken apart, by field.
    fn explain<'py>(&self, py: Python<'py>, x: &Inputs, top: usize, options: &Options) -> PyResult<Bound<'py, PyAny>> {
        let params = ExplainParams { top, ..ExplainParams::default() };
        let found = self.work(py, options, |run| self.pipeline.explain(&x.0, &params, run))?;
        object(py, &serde_json::to_value(&found).unwrap_or_default())
    }

    /// The certificate computed again on the rows of the fit, by field.
    fn verify<'py>(
        &self,
        py: Python<'py>,
        x: &Inputs,
        target: (String, Bound<'py, Column>),
        weights: Option<Vector<'py>>,
        options: &Options,
    ) -> PyResult<Bound<'py, PyAny>> {
        let weights = weights_of(py, weights)?;
        let target = vec![(target.0, target.1.get().0.clone())];
        let found = self.work(py, options, |run| self.pipeline.verify_on(&x.0, target, weights.as_ref(), run))?;
        object(py, &serde_json::to_value(&found).unwrap_or_default())
    }

    /// The sheet of `mercer fit --plot`; nothing of a model that was read.
    fn plot(&self) -> Option<Figure> {
        self.said.as_ref().map(|(done, _)| Figure(fit_sheet(done)))
    }

    /// Writes the model file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        guard(py, || self.pipeline.save(&path))
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &guard(py, || self.pipeline.to_bytes())?))
    }
}

impl Trained {
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        options: &Options,
        work: impl FnOnce(&Run) -> Result<T> + Send,
    ) -> PyResult<T> {
        working(py, self.pipeline.model().kernel(), options, work)
    }
}
