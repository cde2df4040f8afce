//! What is drawn, as dictionaries of arrays.

use mercer::plot::{Axis, Field, Mark, Panel, Scale, Series};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::rkhs::array2;

/// Titles, axes and series of a panel.
pub(super) fn panel<'py>(py: Python<'py>, panel: &Panel) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("title", &panel.title)?;
    dict.set_item("subtitle", &panel.subtitle)?;
    dict.set_item("x", axis(py, &panel.x)?)?;
    dict.set_item("y", axis(py, &panel.y)?)?;
    let all = panel.series.iter().map(|s| series(py, s)).collect::<PyResult<Vec<_>>>()?;
    dict.set_item("series", PyList::new(py, all)?)?;
    Ok(dict)
}

fn axis<'py>(py: Python<'py>, axis: &Axis) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let (scale, names) = match &axis.scale {
        Scale::Log => ("log", None),
        Scale::Names(names) => ("names", Some(names)),
        _ => ("linear", None),
    };
    dict.set_item("label", &axis.label)?;
    dict.set_item("scale", scale)?;
    dict.set_item("names", names)?;
    dict.set_item("range", axis.range)?;
    dict.set_item("reversed", axis.reversed)?;
    Ok(dict)
}

fn series<'py>(py: Python<'py>, series: &Series) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", &series.name)?;
    let columns = |kind: &str, names: &[&str], rows: &[Vec<f64>]| -> PyResult<()> {
        dict.set_item("kind", kind)?;
        for (j, name) in names.iter().enumerate() {
            dict.set_item(*name, PyArray1::from_iter(py, rows.iter().map(|row| row[j])))?;
        }
        Ok(())
    };
    let two = |points: &[[f64; 2]]| points.iter().map(|p| p.to_vec()).collect::<Vec<_>>();
    let three = |points: &[[f64; 3]]| points.iter().map(|p| p.to_vec()).collect::<Vec<_>>();
    match &series.mark {
        Mark::Points(p) => columns("points", &["x", "y"], &two(p))?,
        Mark::Rings(p) => columns("rings", &["x", "y"], &two(p))?,
        Mark::Sized(p) => columns("sized", &["x", "y", "size"], &three(p))?,
        Mark::Line(p) => columns("line", &["x", "y"], &two(p))?,
        Mark::Step(p) => columns("step", &["x", "y"], &two(p))?,
        Mark::Band(p) => columns("band", &["x", "low", "high"], &three(p))?,
        Mark::Curves(lines) => {
            dict.set_item("kind", "curves")?;
            let flat = |line: &Vec<[f64; 2]>| array2(py, line.concat(), line.len(), 2);
            dict.set_item("lines", lines.iter().map(flat).collect::<PyResult<Vec<_>>>()?)?;
        }
        Mark::Vertical(x) => reference(&dict, "vertical", Some(("x", *x)))?,
        Mark::Horizontal(y) => reference(&dict, "horizontal", Some(("y", *y)))?,
        Mark::Diagonal => reference(&dict, "diagonal", None)?,
        Mark::Field(f) => field(py, &dict, f)?,
        Mark::Cells { columns, shade, texts } => {
            dict.set_item("kind", "cells")?;
            dict.set_item("shade", array2(py, shade.clone(), shade.len() / columns, *columns)?)?;
            dict.set_item("texts", texts)?;
        }
        _ => dict.set_item("kind", "other")?,
    }
    Ok(dict)
}

fn reference(dict: &Bound<'_, PyDict>, kind: &str, at: Option<(&str, f64)>) -> PyResult<()> {
    dict.set_item("kind", kind)?;
    at.map_or(Ok(()), |(name, value)| dict.set_item(name, value))
}

fn field(py: Python<'_>, dict: &Bound<'_, PyDict>, field: &Field) -> PyResult<()> {
    dict.set_item("kind", "field")?;
    dict.set_item("label", &field.label)?;
    dict.set_item("x", places(py, field.x, field.columns))?;
    dict.set_item("y", places(py, field.y, field.rows()))?;
    let values = PyArray1::from_slice(py, &field.values).reshape([field.rows(), field.columns])?;
    dict.set_item("values", values)?;
    dict.set_item("levels", &field.levels)?;
    dict.set_item("range", field.range)
}

/// The places of columns or rows.
fn places(py: Python<'_>, (first, last): (f64, f64), count: usize) -> Bound<'_, PyArray1<f64>> {
    let step = if count > 1 { (last - first) / (count - 1) as f64 } else { 0.0 };
    PyArray1::from_iter(py, (0..count).map(|i| first + step * i as f64))
}
