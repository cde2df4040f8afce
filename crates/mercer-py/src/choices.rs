//! Dictionaries of Python as settings of the core's learners, and back.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};
use serde_json::{Map, Value};

/// A dictionary as settings of a learner.
pub(crate) fn settings(dict: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    match value(dict.as_any())? {
        Value::Object(values) => Ok(values),
        _ => Ok(Map::new()),
    }
}

/// A Python value as JSON; numbers that JSON has not are refused.
fn value(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if given.is_none() {
        return Ok(Value::Null);
    }
    if given.is_instance_of::<PyBool>() {
        return Ok(given.extract::<bool>()?.into());
    }
    if given.is_instance_of::<PyString>() {
        return Ok(given.extract::<String>()?.into());
    }
    if let Ok(dict) = given.cast::<PyDict>() {
        let pair = |(k, v): (Bound<'_, PyAny>, Bound<'_, PyAny>)| Ok((k.extract::<String>()?, value(&v)?));
        return dict.iter().map(pair).collect::<PyResult<Map<_, _>>>().map(Value::Object);
    }
    if let Ok(items) = given.try_iter() {
        return items.map(|v| value(&v?)).collect::<PyResult<Vec<_>>>().map(Value::Array);
    }
    // Numbers of Python's and of NumPy's; whole ones too large for a machine are as good as any other number.
    if let Ok(whole) = given.extract::<i64>() {
        return Ok(whole.into());
    }
    let words = || format!("a setting is a number, a word, a list or a dict, got {}", given.get_type());
    given.extract::<f64>().map(Value::from).map_err(|_| PyTypeError::new_err(words()))
}

/// JSON as a Python value.
pub(crate) fn object<'py>(py: Python<'py>, given: &Value) -> PyResult<Bound<'py, PyAny>> {
    match given {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(b) => b.into_bound_py_any(py),
        Value::Number(n) => match n.as_i64() {
            Some(whole) => whole.into_bound_py_any(py),
            None => n.as_f64().into_bound_py_any(py),
        },
        Value::String(s) => s.into_bound_py_any(py),
        Value::Array(list) => {
            let items = list.iter().map(|v| object(py, v)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, items)?.into_any())
        }
        Value::Object(map) => {
            let dict = PyDict::new(py);
            for (name, v) in map {
                dict.set_item(name, object(py, v)?)?;
            }
            Ok(dict.into_any())
        }
    }
}
