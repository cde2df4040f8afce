//! What only models with components can be asked.

use mercer::Error;
use mercer::rkhs::PreImageMethod;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::arrays::{Matrix, Vector, weights_of};
use crate::error::guard;
use crate::inputs::Inputs;
use crate::machine::Machine;
use crate::rkhs::{array2, working};
use crate::run::Options;

/// The variances of the components, and that of all there is.
#[pyfunction]
pub(crate) fn components(machine: &Machine) -> Option<(Vec<f64>, f64)> {
    machine.fitted.model.components().map(|c| (c.variances.clone(), c.total))
}

/// The unit eigenvectors that the components come from, as columns; the weights are those of the fit.
#[pyfunction]
pub(crate) fn eigenvectors<'py>(
    py: Python<'py>,
    machine: &Machine,
    weights: Option<Vector<'py>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (model, weights) = (&machine.fitted.model, weights_of(py, weights)?);
    let found = guard(py, || model.eigenvectors(weights.as_ref()))?;
    let columns = model.outputs();
    let rows = found.len() / columns.max(1);
    array2(py, found, rows, columns)
}

/// The distance of points to the plane of the first so many components.
#[pyfunction]
#[pyo3(signature = (machine, x, components, options))]
pub(crate) fn outlier_distances<'py>(
    py: Python<'py>,
    machine: &Machine,
    x: &Inputs,
    components: Option<usize>,
    options: &Options,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let model = &machine.fitted.model;
    let found = working(py, model.kernel(), options, |run| model.outlier_distances(&x.0, components, run))?;
    Ok(PyArray1::from_vec(py, found))
}

/// Pre-images of coordinates: points, where they are rows of numbers, the nearest training points, and the distances left.
type Found<'py> = (Option<Bound<'py, PyArray2<f64>>>, Vec<usize>, Bound<'py, PyArray1<f64>>);

/// Points whose images are near what coordinates stand for, and how far they are.
#[pyfunction]
pub(crate) fn pre_images<'py>(
    py: Python<'py>,
    machine: &Machine,
    coordinates: Matrix<'py>,
    method: &str,
    options: &Options,
) -> PyResult<Found<'py>> {
    let (model, values) = (&machine.fitted.model, coordinates.as_slice()?.to_vec());
    let method = guard(py, || named(method))?;
    let found = working(py, model.kernel(), options, |run| model.pre_images(&values, method, run))?;
    let candidates = found.iter().map(|p| p.candidate).collect();
    let distances = found.iter().map(|p| p.distance).collect();
    let width = found.first().map_or(0, |p| p.point.len());
    let points = match width {
        0 => None,
        _ => Some(array2(py, found.iter().flat_map(|p| p.point.iter().copied()).collect(), found.len(), width)?),
    };
    Ok((points, candidates, PyArray1::from_vec(py, distances)))
}

/// Points by ridge regression from coordinates.
#[pyfunction]
pub(crate) fn regressed_points<'py>(
    py: Python<'py>,
    machine: &Machine,
    coordinates: Matrix<'py>,
    alpha: f64,
    options: &Options,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (model, values) = (&machine.fitted.model, coordinates.as_slice()?.to_vec());
    let rows = coordinates.shape()[0];
    let found = working(py, model.kernel(), options, |run| model.regressed_points(&values, alpha, run))?;
    let columns = found.len() / rows.max(1);
    array2(py, found, rows, columns)
}

fn named(word: &str) -> mercer::Result<PreImageMethod> {
    let all = [PreImageMethod::Auto, PreImageMethod::FixedPoint, PreImageMethod::Descent, PreImageMethod::Candidate];
    let known = all.into_iter().find(|method| method.name() == word);
    let must = "one of auto, fixed_point, descent, candidate, regression";
    known.ok_or_else(|| Error::invalid("a pre-image", "method", format!("`{word}`"), must))
}
