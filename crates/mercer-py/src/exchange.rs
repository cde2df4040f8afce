//! Support vector machines in the words of other programs.

use mercer::interchange::{libsvm, onnx};
use mercer::model::{Fitted, Model, Report};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::choices::object;
use crate::error::guard;
use crate::machine::Machine;

/// A model that was read: it, the name of its learner, the labels of its classes, and what the file had that it has not.
type Read<'py> = (Machine, &'static str, Vec<i64>, Bound<'py, PyAny>);

/// The text of a model file of LIBSVM, with these labels of the classes.
#[pyfunction]
pub(crate) fn to_libsvm(py: Python<'_>, machine: &Machine, labels: Vec<i64>) -> PyResult<String> {
    guard(py, || libsvm::write(&machine.fitted.model.to_support_machine(&labels)?))
}

/// The bytes of an ONNX model, with these labels of the classes or, in their place, these names.
#[pyfunction]
pub(crate) fn to_onnx<'py>(
    py: Python<'py>,
    machine: &Machine,
    labels: Vec<i64>,
    names: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = guard(py, || onnx::write(&machine.fitted.model.to_support_machine(&labels)?, names.as_deref()))?;
    Ok(PyBytes::new(py, &bytes))
}

/// The model in the bytes of a file of LIBSVM, which goes by this name in errors.
#[pyfunction]
pub(crate) fn from_libsvm<'py>(
    py: Python<'py>,
    bytes: &[u8],
    name: &str,
    columns: Option<usize>,
) -> PyResult<Read<'py>> {
    let read = guard(py, || {
        let machine = libsvm::read(bytes, name.as_ref())?;
        Model::from_support_machine(&machine, columns, &mercer::Run::new())
    })?;
    let learner = read.model.learner().spec().name;
    let notes = object(py, &serde_json::to_value(&read.notes).unwrap_or_default())?;
    Ok((Fitted { model: read.model, report: Report::default() }.into(), learner, read.labels, notes))
}
