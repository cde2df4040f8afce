//! Learners by name, fitted to coded targets.

use std::sync::Arc;

use mercer::certificate::Measure;
use mercer::data::{Labels, Target, Targets};
use mercer::loss::Loss;
use mercer::model::gp::{GaussianProcessClassifier, GaussianProcessRegressor};
use mercer::model::{Criterion, Learner, catalogue};
use mercer::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Matrix, Vector, weights_of};
use crate::choices::settings;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::machine::Machine;
use crate::own_loss::OwnLoss;
use crate::rkhs::working;
use crate::run::Options;

/// The learner of this name with these settings and this kernel. The catalogue checks them.
pub(crate) fn learner(name: &str, kernel: &Expr, given: serde_json::Map<String, serde_json::Value>) -> Result<Learner> {
    let learner = catalogue::by_name(name)?.with_kernel(kernel.0.clone()).with_settings(given)?;
    learner.validate()?;
    Ok(learner)
}

/// Columns of numbers as they are, or classes coded as −1 and 1, or as a column each.
pub(crate) fn target(values: Vec<f64>, outputs: usize, classes: bool) -> Result<Target> {
    let y = Targets::new(values, outputs)?;
    Ok(if classes { Target::Classes(Labels::from_targets(&y)?) } else { Target::Numbers(y) })
}

/// Fits the learner of this name.
#[pyfunction]
#[pyo3(signature = (name, kernel, x, y, classes, weights, choices, loss, options))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn learn<'py>(
    py: Python<'py>,
    name: &str,
    kernel: &Expr,
    x: &Inputs,
    y: Matrix<'py>,
    classes: bool,
    weights: Option<Vector<'py>>,
    choices: &Bound<'py, PyDict>,
    loss: Option<Bound<'py, PyAny>>,
    options: &Options,
) -> PyResult<Machine> {
    let (outputs, values) = (y.shape()[1], y.as_slice()?.to_vec());
    let weights = weights_of(py, weights)?;
    let given = settings(choices)?;
    let own = loss.map(|loss| OwnLoss::new(&loss)).transpose()?.map(Arc::new);
    let fitted = working(py, &kernel.0, options, |run| {
        let mut learner = learner(name, kernel, given)?;
        if let Some(own) = own.clone() {
            learner = learner.with_own_loss(own as Arc<dyn Loss>)?;
        }
        learner.fit(&x.0, target(values, outputs, classes)?, weights.as_ref(), run)
    });
    // What the user's loss raised says more than what came of its answer.
    if let Some(raised) = own.as_ref().and_then(|own| own.raised()) {
        return Err(raised);
    }
    fitted.map(Machine::from)
}

/// Fits the support vector machine of this name, near a model of the same rows if there is one. The target is numbers, codes of
/// so many classes, or nothing.
#[pyfunction]
#[pyo3(signature = (name, kernel, x, y, classes, weights, choices, near, options))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn learn_support<'py>(
    py: Python<'py>,
    name: &str,
    kernel: &Expr,
    x: &Inputs,
    y: Option<Vector<'py>>,
    classes: Option<usize>,
    weights: Option<Vector<'py>>,
    choices: &Bound<'py, PyDict>,
    near: Option<&Machine>,
    options: &Options,
) -> PyResult<Machine> {
    let values = y.map(|y| y.as_slice().map(<[f64]>::to_vec)).transpose()?;
    let weights = weights_of(py, weights)?;
    let given = settings(choices)?;
    working(py, &kernel.0, options, |run| {
        let learner = learner(name, kernel, given)?;
        let target = match (values, classes) {
            (None, _) => Target::None,
            (Some(values), None) => Target::Numbers(Targets::new(values, 1)?),
            (Some(codes), Some(count)) => {
                Target::Classes(Labels::new(codes.iter().map(|code| *code as usize).collect(), count)?)
            }
        };
        let sample = learner.sample(&x.0, target, weights.as_ref(), run)?;
        match near {
            Some(near) => learner.resume(&near.fitted.model, &sample, run),
            None => learner.learn(&sample, run),
        }
    })
    .map(Machine::from)
}

/// Every learner of the catalogue, described.
#[pyfunction]
pub(crate) fn learners<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    crate::choices::object(py, &serde_json::to_value(catalogue::described()).unwrap_or_default())
}

/// The names of everything that a certificate may measure.
#[pyfunction]
pub(crate) fn measures() -> Vec<&'static str> {
    Measure::ALL.iter().map(|measure| measure.name()).collect()
}

/// The log evidence of a process on data, its gradient if wanted, the paths of the free parameters, and
/// where it was taken: at `theta`, or at the parameters as given.
#[pyfunction]
#[pyo3(signature = (name, kernel, x, y, classes, weights, choices, theta, gradient, options))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn log_evidence<'py>(
    py: Python<'py>,
    name: &str,
    kernel: &Expr,
    x: &Inputs,
    y: Matrix<'py>,
    classes: bool,
    weights: Option<Vector<'py>>,
    choices: &Bound<'py, PyDict>,
    theta: Option<Vec<f64>>,
    gradient: bool,
    options: &Options,
) -> PyResult<(f64, Vec<f64>, Vec<String>)> {
    let (outputs, values) = (y.shape()[1], y.as_slice()?.to_vec());
    let weights = weights_of(py, weights)?;
    let given = settings(choices)?;
    working(py, &kernel.0, options, |run| {
        let (learner, target) = (learner(name, kernel, given)?, target(values, outputs, classes)?);
        let evidence = match (learner.get::<GaussianProcessRegressor>(), learner.get::<GaussianProcessClassifier>()) {
            (Some(gp), _) => gp.evidence(&x.0, &target.numbers()?, weights.as_ref(), run)?,
            (None, Some(gp)) => gp.evidence(&x.0, target, weights.as_ref(), run)?,
            (None, None) => {
                return Err(Error::invalid(name, "log_evidence", "asked for", "that of a Gaussian process"));
            }
        };
        let at = theta.map_or_else(|| evidence.start(), Ok)?;
        if at.len() != evidence.names().len() {
            let expected = format!("{} numbers: {}", evidence.names().len(), evidence.names().join(", "));
            return Err(Error::shape("theta", expected, at.len()));
        }
        match gradient {
            true => evidence.value_and_gradient(&at, run).map(|(v, g)| (v, g, evidence.names())),
            false => evidence.value(&at, run).map(|v| (v, Vec::new(), evidence.names())),
        }
    })
}
