//! From results to figures, one function for each kind.

use mercer::gram::KernelMatrix;
use mercer::metric::{calibration, roc};
use mercer::plot::{
    self, Axis, CurveChoices, Heat, Panel, Window, alpha_path, calibration_panel, convergence, decision_map,
    discrimination_panel, distance_panel, effective_dimension, eigenvalues, gallery, gram_heat, model_curve,
    projection, residual_panel, roc_panel,
};
use mercer::report::SpectrumReport;
use mercer::rkhs::Spectrum;
use mercer::select::HowFitted;
use mercer::{Error, Run};
use pyo3::prelude::*;

use super::Figure;
use crate::arrays::{Matrix, Vector, weights_of};
use crate::error::guard;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::machine::Machine;
use crate::rkhs::{Barycentre, Discrimination, working};
use crate::run::{Job, Options};

/// Width and height of a map with its bar.
const MAP: (f64, f64) = (640.0, 560.0);

/// Low and high, of each axis.
type Sides = Vec<(f64, f64)>;

fn window(sides: &Sides) -> mercer::Result<Window> {
    match sides[..] {
        [x, y] => Ok(Window::new(x, y)),
        _ => Err(Error::shape("the window of a map", "two pairs of numbers", format!("{} pairs", sides.len()))),
    }
}

fn map(panel: Panel) -> Figure {
    Figure(plot::Figure::of(panel).sized(MAP.0, MAP.1))
}

fn points(values: &Matrix<'_>) -> PyResult<Vec<[f64; 2]>> {
    let pairs = values.as_slice()?.chunks(values.shape()[1].max(1));
    Ok(pairs.map(|row| [row[0], row.get(1).copied().unwrap_or(0.0)]).collect())
}

/// The distance to a set, along a line or in the plane.
#[pyfunction]
pub(crate) fn draw_distance(py: Python<'_>, set: &Barycentre, sides: Sides, options: &Options) -> PyResult<Figure> {
    let kernel = set.0.function().space().kernel();
    working(py, kernel, options, |run| Ok(map(distance_panel(&set.0, &sides, run)?)))
}

/// Which of two sets is nearer, in the plane.
#[pyfunction]
pub(crate) fn draw_discrimination(
    py: Python<'_>,
    sets: &Discrimination,
    sides: Sides,
    options: &Options,
) -> PyResult<Figure> {
    let kernel = sets.0.first().function().space().kernel();
    working(py, kernel, options, |run| Ok(map(discrimination_panel(&sets.0, &sides, run)?)))
}

/// A Gram matrix, by groups if there are any.
#[pyfunction]
#[pyo3(signature = (kernel, x, groups, options))]
pub(crate) fn draw_gram(
    py: Python<'_>,
    kernel: &Expr,
    x: &Inputs,
    groups: Option<Vec<usize>>,
    options: &Options,
) -> PyResult<Figure> {
    working(py, &kernel.0, options, |run| {
        let (expr, _) = kernel.0.resolve(&x.0, run)?;
        let gram = expr.bind(&x.0, run)?;
        Ok(map(gram_heat(&gram as &dyn KernelMatrix, groups.as_deref(), &expr.to_string(), run)?))
    })
}

/// A matrix of numbers, in an order of rows and columns if one is given.
#[pyfunction]
#[pyo3(signature = (values, groups, title))]
pub(crate) fn draw_matrix(
    py: Python<'_>,
    values: Matrix<'_>,
    groups: Option<Vec<usize>>,
    title: &str,
) -> PyResult<Figure> {
    let (rows, columns) = (values.shape()[0], values.shape()[1]);
    let values = values.as_slice()?;
    guard(py, || {
        let heat = Heat::new(rows, columns)?;
        let mut heat = groups.map_or(Ok(heat.clone()), |groups| heat.by_group(&groups))?;
        heat.add(0, values);
        Ok(map(heat.panel(title)))
    })
}

/// Eigenvalues and effective dimension.
#[pyfunction]
pub(crate) fn draw_spectrum(py: Python<'_>, kernel: &Expr, x: &Inputs, options: &Options) -> PyResult<Figure> {
    working(py, &kernel.0, options, |run| {
        let (expr, _) = kernel.0.resolve(&x.0, run)?;
        let report = SpectrumReport::new(&Spectrum::of(&expr.bind(&x.0, run)?, run)?)?;
        let panels = [eigenvalues(&report)].into_iter().chain(effective_dimension(&report)).collect();
        Ok(Figure(plot::Figure::grid(panels, 2).titled(expr.to_string())))
    })
}

/// A function of one number.
#[pyfunction]
#[pyo3(signature = (machine, observed, range, level, draws, seed, options))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn draw_curve(
    py: Python<'_>,
    machine: &Machine,
    observed: Matrix<'_>,
    range: Option<(f64, f64)>,
    level: Option<f64>,
    draws: usize,
    seed: u64,
    options: &Options,
) -> PyResult<Figure> {
    let (model, observed) = (&machine.fitted.model, points(&observed)?);
    let choices = CurveChoices { range, level, draws, seed };
    let panel = working(py, model.kernel(), options, |run| model_curve(model, &observed, &choices, run))?;
    Ok(Figure(plot::Figure::of(panel)))
}

/// Where a model of two classes decides.
#[pyfunction]
#[pyo3(signature = (machine, observed, labels, sides, options))]
pub(crate) fn draw_decision(
    py: Python<'_>,
    machine: &Machine,
    observed: Matrix<'_>,
    labels: Vec<String>,
    sides: Option<Sides>,
    options: &Options,
) -> PyResult<Figure> {
    let (model, observed) = (&machine.fitted.model, points(&observed)?);
    working(py, model.kernel(), options, |run| {
        let window = sides.as_ref().map_or_else(|| Ok(Window::around(&observed)), window)?;
        Ok(map(decision_map(model, &observed, &labels, &window, run)?))
    })
}

/// Points of the plane by their labels.
#[pyfunction]
pub(crate) fn draw_projection(
    py: Python<'_>,
    values: Matrix<'_>,
    labels: Vec<String>,
    names: (String, String),
    title: &str,
) -> PyResult<Figure> {
    let points = points(&values)?;
    guard(py, || {
        let axes = [Axis::linear(names.0), Axis::linear(names.1)];
        Ok(map(projection(title, axes, &points, &labels)?))
    })
}

/// The ROC curve of scores.
#[pyfunction]
#[pyo3(signature = (truth, scores, weights, name))]
pub(crate) fn draw_roc(
    py: Python<'_>,
    truth: Vec<bool>,
    scores: Vector<'_>,
    weights: Option<Vector<'_>>,
    name: String,
) -> PyResult<Figure> {
    let weights = weights_of(py, weights)?;
    let scores = scores.as_slice()?;
    guard(py, || Ok(map(roc_panel(&[(name, roc(&truth, scores, weights.as_ref())?)]))))
}

/// The calibration curve of probabilities.
#[pyfunction]
#[pyo3(signature = (truth, probabilities, bins, weights))]
pub(crate) fn draw_calibration(
    py: Python<'_>,
    truth: Vec<bool>,
    probabilities: Vector<'_>,
    bins: usize,
    weights: Option<Vector<'_>>,
) -> PyResult<Figure> {
    let weights = weights_of(py, weights)?;
    let given = probabilities.as_slice()?;
    guard(py, || Ok(map(calibration_panel(&calibration(&truth, given, bins, weights.as_ref())?))))
}

/// Residuals by prediction.
#[pyfunction]
pub(crate) fn draw_residuals(truth: Vector<'_>, predicted: Vector<'_>) -> PyResult<Figure> {
    let pairs = truth.as_slice()?.iter().zip(predicted.as_slice()?);
    Ok(Figure(plot::Figure::of(residual_panel(pairs.map(|(y, f)| [*f, y - f]).collect()))))
}

/// What was watched after each iteration; None of a fit without any.
#[pyfunction]
pub(crate) fn draw_convergence(machine: &Machine) -> Option<Figure> {
    let panel = convergence(&machine.fitted.report, machine.fitted.model.certificate())?;
    Some(Figure(plot::Figure::of(panel)))
}

/// The scores of the list that alpha was chosen from; None where there was none.
#[pyfunction]
pub(crate) fn draw_path(machine: &Machine) -> Option<Figure> {
    alpha_path(&HowFitted::of_fit(&machine.fitted)).map(|panel| Figure(plot::Figure::of(panel)))
}

/// Name, title, what draws it, and the figure of every picture of the gallery.
#[pyfunction]
pub(crate) fn draw_gallery(
    py: Python<'_>,
    options: &Options,
) -> PyResult<Vec<(&'static str, &'static str, String, Figure)>> {
    let drawn = Job::new(py, options)?.spawn(py, |run: &Run| gallery(run))?;
    Ok(drawn.into_iter().map(|e| (e.name, e.title, e.made_by, Figure(e.figure))).collect())
}
