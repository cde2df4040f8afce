//! Kernels that are Python functions.

use std::sync::Arc;

use mercer::Error;
use mercer::data;
use mercer::kernel::{CustomForm, CustomKernel, Registry};
use pyo3::prelude::*;

use crate::arrays::Matrix;
use crate::inputs::Inputs;

/// A function as the Python package hands it over: its name, its parameters with their default
/// values, and an adapter that takes two [`Inputs`] and the parameters and gives an n×m array.
pub(crate) type Function = (String, Vec<(String, f64)>, Py<PyAny>);

/// The registry that holds these functions.
pub(crate) fn registry(functions: Vec<Function>) -> mercer::Result<Registry> {
    let mut registry = Registry::new();
    for (name, params, adapter) in functions {
        let called = name.clone();
        let compute = move |x: &data::Inputs, y: &data::Inputs, params: &[f64]| {
            Python::attach(|py| call(py, &adapter, x, y, params))
                .map_err(|e| Error::Callback { name: called.clone(), source: Box::new(e) })
        };
        registry.add(name, CustomKernel { params, form: CustomForm::Matrix(Arc::new(compute)) })?;
    }
    Ok(registry)
}

fn call(py: Python<'_>, adapter: &Py<PyAny>, x: &data::Inputs, y: &data::Inputs, params: &[f64]) -> PyResult<Vec<f64>> {
    let values = adapter.call1(py, (Inputs(x.clone()), Inputs(y.clone()), params.to_vec()))?;
    let values: Matrix<'_> = values.extract(py)?;
    Ok(values.as_slice()?.to_vec())
}
