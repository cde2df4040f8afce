//! Fitted models of every learner but ridge regression, for the classes that are written in Python.

use mercer::model::AnyModel;
use mercer::model::gp::{GaussianProcessModel, GpTuned};
use mercer::model::pipeline::Pipeline;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::{Map, Value};

use crate::choices::object;
use crate::error::guard;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::matrices::Repair;
use crate::ridge::{certificate, pipeline};
use crate::rkhs::{array2, working};
use crate::run::Options;

/// What fitting said; nothing of a model that was read.
#[derive(Clone, Default)]
pub(crate) struct Told {
    pub(crate) notes: Vec<String>,
    pub(crate) history: Vec<f64>,
    pub(crate) tuned: Option<GpTuned>,
}

/// A fitted model.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Machine {
    pub(crate) model: AnyModel,
    pub(crate) told: Told,
}

/// Reads a model from the bytes of [`Machine::to_bytes`]; `kernel` brings the Python functions that its
/// formula names.
#[pyfunction]
pub(crate) fn machine_load(py: Python<'_>, bytes: &[u8], kernel: &Expr) -> PyResult<Machine> {
    let model = guard(py, || Pipeline::from_bytes(bytes, &kernel.registry))?.into_parts().model;
    Ok(Machine { model, told: Told::default() })
}

#[pymethods]
impl Machine {
    /// f(x) + b for every point: points×outputs.
    fn decision<'py>(&self, py: Python<'py>, x: &Inputs, options: &Options) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.work(py, options, |model, run| model.predict(&x.0, run))?;
        self.rows(py, values, self.model.outputs())
    }

    /// The model for kernel values as they were before the repair of those it was fitted to.
    fn after_repair(&self, py: Python<'_>, repair: &Repair, options: &Options) -> PyResult<Self> {
        let model = self.work(py, options, |model, run| model.after_repair(&repair.0, run))?;
        Ok(Machine { model, told: self.told.clone() })
    }

    /// The probabilities of the classes: points×classes.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        x: &Inputs,
        options: &Options,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.work(py, options, |model, run| match model {
            // Its probabilities do not need the values.
            AnyModel::ProcessClassifier(process) => process.probabilities(&x.0, run),
            other => {
                let values = other.predict(&x.0, run)?;
                other.probabilities(&x.0, &values, run)?.ok_or_else(|| no_process("probabilities", other))
            }
        })?;
        self.rows(py, values, self.model.outputs().max(2))
    }

    /// The posterior variance of a process: points×outputs.
    fn variance<'py>(
        &self,
        py: Python<'py>,
        x: &Inputs,
        with_noise: bool,
        options: &Options,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.work(py, options, |model, run| match model {
            AnyModel::ProcessClassifier(process) => process.variance(&x.0, run),
            other => process(other)?.variance(&x.0, with_noise, run),
        })?;
        self.rows(py, values, self.model.outputs())
    }

    /// The posterior covariance of a process of unit scale, points×points, and the scale of each output.
    fn covariance<'py>(
        &self,
        py: Python<'py>,
        x: &Inputs,
        with_noise: bool,
        options: &Options,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Vec<f64>)> {
        let values =
            self.work(py, options, |model, run| Ok(process(model)?.covariance(&x.0, with_noise, run)?.into_values()))?;
        let scales = guard(py, || Ok(process(&self.model)?.parts().prior.clone()))?;
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
        let drawn = self.work(py, options, |model, run| process(model)?.sample(&x.0, count, seed, run))?;
        PyArray1::from_vec(py, drawn.values).reshape([drawn.count, drawn.points, drawn.outputs])
    }

    /// The mean, variance and log density of each row from all others: points×outputs.
    #[allow(clippy::type_complexity)]
    fn leave_one_out<'py>(
        &self,
        py: Python<'py>,
        options: &Options,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
        let loo = self.work(py, options, |model, run| process(model)?.leave_one_out(run))?;
        let rows = |values| self.rows(py, values, self.model.outputs());
        Ok((rows(loo.means)?, rows(loo.variances)?, rows(loo.log_densities)?))
    }

    /// log p(y | X, θ) of a process.
    #[getter]
    fn log_evidence(&self) -> Option<f64> {
        self.model.log_evidence()
    }

    /// alpha, where the learner has one.
    #[getter]
    fn alpha(&self) -> Option<f64> {
        self.model.alpha()
    }

    /// The coefficients: points×outputs.
    fn coefficients<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows(py, self.model.coefficients().to_vec(), self.model.outputs())
    }

    /// b, one an output.
    fn intercept<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.model.intercept())
    }

    /// The points kept.
    fn points(&self) -> Inputs {
        Inputs(self.model.points().clone())
    }

    /// The kernel, without rules.
    fn kernel(&self) -> Expr {
        Expr { expr: self.model.kernel().clone(), registry: self.model.expansion().space().registry().clone() }
    }

    /// The learner's name.
    #[getter]
    fn learner(&self) -> String {
        self.model.learner().to_owned()
    }

    /// What the learner was told and chose.
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let none = Map::new();
        let settings = match &self.model {
            AnyModel::Machine(machine) => &machine.settings,
            _ => &none,
        };
        object(py, &Value::Object(settings.clone()))
    }

    /// What the user should know, as sentences.
    fn notes(&self) -> Vec<String> {
        self.told.notes.clone()
    }

    /// The objective, or what else was watched, after each iteration.
    fn history<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.told.history)
    }

    /// How the parameters of a process were found: the paths of the parameters, the searches, evaluations
    /// and parameters at a bound; None if they were not looked for.
    fn tuned<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let json = |tuned: &GpTuned| object(py, &serde_json::to_value(tuned).unwrap_or_default());
        self.told.tuned.as_ref().map(json).transpose()
    }

    /// The certificate, by name.
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        certificate(py, self.model.certificate())
    }

    /// The bytes of a model file, for [`machine_load`]. How it was fitted is not in them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &guard(py, || pipeline(self.model.clone())?.to_bytes())?))
    }
}

impl Machine {
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        options: &Options,
        work: impl FnOnce(&AnyModel, &mercer::Run) -> mercer::Result<T> + Send,
    ) -> PyResult<T> {
        let registry = self.model.expansion().space().registry();
        working(py, registry, options, |run| work(&self.model, run))
    }

    fn rows<'py>(&self, py: Python<'py>, values: Vec<f64>, columns: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let nrows = values.len() / columns;
        array2(py, values, nrows, columns)
    }
}

fn process(model: &AnyModel) -> mercer::Result<&GaussianProcessModel> {
    match model {
        AnyModel::Process(process) => Ok(process),
        other => Err(no_process("a posterior", other)),
    }
}

fn no_process(what: &str, model: &AnyModel) -> mercer::Error {
    mercer::Error::Unsupported {
        what: format!("{what} from `{}`", model.learner()),
        alternative: "use a Gaussian process, or the logistic loss for probabilities".into(),
    }
}
