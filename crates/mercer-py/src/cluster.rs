//! What only clusters, discriminants and models of two inputs can be asked.

use mercer::data::Target;
use mercer::model::Model;
use mercer::{Error, Run};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Vector, weights_of};
use crate::choices::settings;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::learn::learner;
use crate::machine::Machine;
use crate::rkhs::{array2, working};
use crate::run::Options;

/// Numbers that a model gives for points, a row each.
fn rows_of<'py>(
    py: Python<'py>,
    machine: &Machine,
    x: &Inputs,
    options: &Options,
    values: impl Fn(&Model, &mercer::data::Inputs, &Run) -> mercer::Result<Vec<f64>> + Sync,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let model = &machine.fitted.model;
    let found = working(py, model.kernel(), options, |run| values(model, &x.0, run))?;
    let width = found.len() / x.0.len().max(1);
    array2(py, found, x.0.len(), width)
}

/// The distance of points to the mean of each cluster: points×clusters.
#[pyfunction]
pub(crate) fn mean_distances<'py>(
    py: Python<'py>,
    machine: &Machine,
    x: &Inputs,
    options: &Options,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    rows_of(py, machine, x, options, |model, x, run| model.mean_distances(x, run))
}

/// The coordinates of points, of a model that has them beside its outputs: points×coordinates.
#[pyfunction]
pub(crate) fn coordinates<'py>(
    py: Python<'py>,
    machine: &Machine,
    x: &Inputs,
    options: &Options,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    rows_of(py, machine, x, options, |model, x, run| {
        let values = model.functions(x, run)?;
        model.coordinates(&values).ok_or_else(|| Error::shape("the model", "coordinates beside its outputs", "none"))
    })
}

/// Fits a learner of two inputs.
#[pyfunction]
#[pyo3(signature = (name, kernel, x, z, weights, choices, options))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn learn_views<'py>(
    py: Python<'py>,
    name: &str,
    kernel: &Expr,
    x: &Inputs,
    z: &Inputs,
    weights: Option<Vector<'py>>,
    choices: &Bound<'py, PyDict>,
    options: &Options,
) -> PyResult<Machine> {
    let weights = weights_of(py, weights)?;
    let given = settings(choices)?;
    working(py, &kernel.0, options, |run| {
        learner(name, kernel, given)?.fit(&x.0, Target::Second(z.0.clone()), weights.as_ref(), run)
    })
    .map(Machine::from)
}

/// The values of the functions of the second input: points×functions.
#[pyfunction]
pub(crate) fn second_values<'py>(
    py: Python<'py>,
    machine: &Machine,
    z: &Inputs,
    options: &Options,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    rows_of(py, machine, z, options, |model, z, run| {
        let g = model.second().ok_or_else(|| Error::shape("the model", "functions of two inputs", "one"))?;
        g.evaluate(z, run)
    })
}
