//! Fitted models of every learner, for the classes that are written in Python.

use mercer::certificate::Certificate;
use mercer::data::{Inputs as Points, MissingPolicy};
use mercer::model::pipeline::{Pipeline, PipelineParts, Preparation, Schema, Task};
use mercer::model::{Fitted, LeaveOneOut, Model, Report};
use mercer::select::HowFitted;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::Value;

use crate::arrays::{Matrix, Vector};
use crate::choices::object;
use crate::error::guard;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::matrices::Repair;
use crate::rkhs::{array2, working};
use crate::run::Options;
use crate::support::{Vectors, vectors};

/// A fitted model, and what fitting said; nothing of a model that was read.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Machine {
    pub(crate) fitted: Fitted,
}

impl From<Fitted> for Machine {
    fn from(fitted: Fitted) -> Self {
        Machine { fitted }
    }
}

/// Two arrays of points×outputs.
type Pair<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);
/// Three of them.
type Triple<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);
/// alpha, leave-one-out error, generalised cross-validation, degrees of freedom.
type Score = (f64, Option<f64>, f64, f64);

/// Reads a model from the bytes of [`Machine::to_bytes`]; `kernel` brings the Python functions that its
/// formula names.
#[pyfunction]
pub(crate) fn machine_load(py: Python<'_>, bytes: &[u8], kernel: &Expr) -> PyResult<Machine> {
    let model = guard(py, || Pipeline::from_bytes(bytes, &kernel.0.registry()))?.into_parts().model;
    Ok(Fitted { model, report: Report::default() }.into())
}

/// The model as a file would keep it: points as they are, outputs by number.
fn pipeline(model: Model) -> mercer::Result<Pipeline> {
    let schema = match model.points() {
        // Of a precomputed matrix the model keeps only how many rows there are.
        Points::Precomputed(x) => Schema::Precomputed { points: x.nrows() },
        points => Schema::of(points),
    };
    let missing = MissingPolicy::Error;
    Pipeline::from_parts(PipelineParts {
        preparation: Preparation { schema, missing, imputer: None, standardizer: None },
        task: Task::Points { outputs: (0..model.outputs()).map(|j| format!("y{j}")).collect() },
        target_scaling: None,
        model,
        settings: Default::default(),
        notes: Vec::new(),
    })
}

#[pymethods]
impl Machine {
    /// What the model answers at every point: points×answers.
    fn predict<'py>(&self, py: Python<'py>, x: &Inputs, options: &Options) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.work(py, options, |model, run| model.predict(&x.0, run))?;
        self.rows(py, values, self.fitted.model.answers())
    }

    /// The values of all functions at every point: points×functions.
    fn functions<'py>(&self, py: Python<'py>, x: &Inputs, options: &Options) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.work(py, options, |model, run| model.functions(&x.0, run))?;
        self.rows(py, values, self.fitted.model.outputs())
    }

    /// What the model answers where its functions have these values: points×answers.
    fn answer<'py>(&self, py: Python<'py>, values: Matrix<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows(py, self.fitted.model.answer(values.as_slice()?.to_vec()), self.fitted.model.answers())
    }

    /// The place of the class that each row of answers is for, of several classes.
    fn largest(&self, answers: Matrix<'_>) -> PyResult<Vec<usize>> {
        Ok(self.fitted.model.largest(answers.as_slice()?))
    }

    /// How unusual values of a calibrated machine of one class are; None of others.
    fn p_values<'py>(&self, py: Python<'py>, values: Vector<'py>) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
        Ok(self.fitted.model.p_values(values.as_slice()?).map(|p| PyArray1::from_vec(py, p)))
    }

    /// Iterations of each function; empty of a model that was read.
    fn iterations(&self) -> Vec<u64> {
        self.fitted.report.iterations.clone()
    }

    /// ρ or ε of each function, of a machine with ν.
    fn widths(&self) -> Vec<f64> {
        self.fitted.model.support().map_or_else(Vec::new, |support| support.widths.clone())
    }

    /// The support vectors: see [`vectors`].
    fn vectors<'py>(&self, py: Python<'py>, codes: Option<Vector<'py>>) -> PyResult<Vectors<'py>> {
        vectors(py, &self.fitted.model, codes)
    }

    /// The model for kernel values as they were before the repair of those it was fitted to.
    fn after_repair(&self, py: Python<'_>, repair: &Repair, options: &Options) -> PyResult<Self> {
        let model = self.work(py, options, |model, run| model.after_repair(&repair.0, run))?;
        Ok(Fitted { model, report: self.fitted.report.clone() }.into())
    }

    /// The probabilities of the classes: points×classes.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        x: &Inputs,
        options: &Options,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.work(py, options, |model, run| model.probabilities(&x.0, run))?;
        self.rows(py, values, self.fitted.model.answers().max(2))
    }

    /// Lower and upper bounds of new observations.
    fn interval<'py>(&self, py: Python<'py>, x: &Inputs, level: f64, options: &Options) -> PyResult<Pair<'py>> {
        let interval = self.work(py, options, |model, run| model.interval(&x.0, level, run))?;
        let c = self.fitted.model.outputs();
        Ok((self.rows(py, interval.lower, c)?, self.rows(py, interval.upper, c)?))
    }

    /// Residuals and predictions of exact leave-one-out; computed now if the solver did not.
    fn leave_one_out<'py>(&self, py: Python<'py>, options: &Options) -> PyResult<Pair<'py>> {
        self.errors(py, self.work(py, options, |model, run| model.leave_one_out(run))?)
    }

    /// Residuals and predictions of exact leave-one-out where fitting gave them.
    fn known_leave_one_out<'py>(&self, py: Python<'py>) -> PyResult<Option<Pair<'py>>> {
        self.fitted.model.loo().map(|loo| self.errors(py, loo.clone())).transpose()
    }

    /// The posterior variance of a process: points×outputs.
    fn variance<'py>(
        &self,
        py: Python<'py>,
        x: &Inputs,
        with_noise: bool,
        options: &Options,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.work(py, options, |model, run| model.variance(&x.0, with_noise, run))?;
        self.rows(py, values, self.fitted.model.outputs())
    }

    /// The posterior covariance of a process of unit scale, points×points, and the scale of each output.
    fn covariance<'py>(
        &self,
        py: Python<'py>,
        x: &Inputs,
        with_noise: bool,
        options: &Options,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Vec<f64>)> {
        let values = self.work(py, options, |model, run| Ok(model.covariance(&x.0, with_noise, run)?.into_values()))?;
        let scales = self.fitted.model.prior().unwrap_or_default().to_vec();
        Ok((array2(py, values, x.0.len(), x.0.len())?, scales))
    }

    /// Functions drawn from the posterior of a process: samples×points×outputs.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        x: &Inputs,
        count: usize,
        seed: u64,
        options: &Options,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let drawn = self.work(py, options, |model, run| model.sample(&x.0, count, seed, run))?;
        PyArray1::from_vec(py, drawn.values).reshape([drawn.count, drawn.points, drawn.outputs])
    }

    /// Of a process, the mean, variance and log density of each row from all others: points×outputs.
    fn process_leave_one_out<'py>(&self, py: Python<'py>, options: &Options) -> PyResult<Triple<'py>> {
        let loo = self.work(py, options, |model, run| model.process_leave_one_out(run))?;
        let rows = |values| self.rows(py, values, self.fitted.model.outputs());
        Ok((rows(loo.errors.predictions)?, rows(loo.variances)?, rows(loo.log_densities)?))
    }

    /// alpha, where the learner has one.
    #[getter]
    fn alpha(&self) -> Option<f64> {
        self.fitted.model.alpha()
    }

    /// The coefficients: points×outputs.
    fn coefficients<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows(py, self.fitted.model.coefficients().to_vec(), self.fitted.model.outputs())
    }

    /// b, one an output.
    fn intercept<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.fitted.model.intercept())
    }

    /// The points kept.
    fn points(&self) -> Inputs {
        Inputs(self.fitted.model.points().clone())
    }

    /// The kernel, without rules.
    fn kernel(&self) -> Expr {
        Expr(self.fitted.model.kernel().clone())
    }

    /// The learner's name.
    #[getter]
    fn learner(&self) -> &'static str {
        self.fitted.model.learner().spec().name
    }

    /// What the learner was told and chose.
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Value::Object(self.fitted.model.learner().settings()))
    }

    /// The scores of every alpha of the list.
    fn path(&self) -> Vec<Score> {
        self.fitted.report.scores.iter().map(|s| (s.alpha, s.loo, s.gcv, s.freedom)).collect()
    }

    /// How it was fitted: the fields that a report of `mercer fit` has, too.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &serde_json::to_value(HowFitted::of_fit(&self.fitted)).unwrap_or_default())
    }

    /// The objective, or what else was watched, after each iteration.
    fn history<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.fitted.report.history)
    }

    /// The certificate, by name.
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        certificate(py, self.fitted.model.certificate())
    }

    /// A sentence if the fit ended far from its solution.
    fn unsolved(&self) -> Option<String> {
        self.fitted.model.certificate().unsolved()
    }

    /// The bytes of a model file, for [`machine_load`]. How it was fitted is not in them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &guard(py, || pipeline(self.fitted.model.clone())?.to_bytes())?))
    }
}

impl Machine {
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        options: &Options,
        work: impl FnOnce(&Model, &mercer::Run) -> mercer::Result<T> + Send,
    ) -> PyResult<T> {
        working(py, self.fitted.model.kernel(), options, |run| work(&self.fitted.model, run))
    }

    fn rows<'py>(&self, py: Python<'py>, values: Vec<f64>, columns: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let nrows = values.len() / columns;
        array2(py, values, nrows, columns)
    }

    fn errors<'py>(&self, py: Python<'py>, loo: LeaveOneOut) -> PyResult<Pair<'py>> {
        let c = self.fitted.model.outputs();
        Ok((self.rows(py, loo.residuals, c)?, self.rows(py, loo.predictions, c)?))
    }
}

/// What is said in words, and a dictionary of what was measured.
pub(crate) fn certificate<'py>(py: Python<'py>, c: &Certificate) -> PyResult<Bound<'py, PyDict>> {
    let measures = PyDict::new(py);
    for (measure, value) in c.measures() {
        match measure.is_count() {
            true => measures.set_item(measure.name(), *value as u64)?,
            false => measures.set_item(measure.name(), value)?,
        }
    }
    if let Some(gap) = c.gap() {
        measures.set_item("gap", gap)?;
    }
    let dict = PyDict::new(py);
    dict.set_item("algorithm", c.algorithm.name())?;
    dict.set_item("reason", &c.reason)?;
    dict.set_item("stop", c.stop.name())?;
    dict.set_item("system", &c.system)?;
    dict.set_item("measures", measures)?;
    let repaired = c.repaired.as_ref().map(|r| object(py, &serde_json::to_value(r).unwrap_or_default()));
    dict.set_item("repaired", repaired.transpose()?)?;
    Ok(dict)
}
