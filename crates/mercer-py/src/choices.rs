//! Dictionaries of Python as the core's choices, and back.

use mercer::Error;
use mercer::KernelExpr;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// What a learner was told, by name.
pub(crate) struct Choices {
    learner: String,
    values: Map<String, Value>,
}

impl Choices {
    pub(crate) fn new(learner: &str, dict: &Bound<'_, PyDict>) -> PyResult<Self> {
        match value(dict.as_any())? {
            Value::Object(values) => Ok(Choices { learner: learner.to_owned(), values }),
            _ => Ok(Choices { learner: learner.to_owned(), values: Map::new() }),
        }
    }

    /// A choice that is not the learner's own, or that it wants in another form.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, name: &str) -> mercer::Result<T> {
        let given = self.values.remove(name).unwrap_or(Value::Null);
        serde_json::from_value(given.clone())
            .map_err(|e| Error::invalid(&self.learner, name, given, format!("something else: {e}")))
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.into(), value);
    }

    /// The learner with these choices. Formulas that name Python functions do not read back from text,
    /// so the kernel is put in by the caller.
    pub(crate) fn learner<T: DeserializeOwned>(self) -> mercer::Result<T> {
        let Choices { learner, mut values } = self;
        values.insert("kernel".into(), json!(KernelExpr::parse("linear")?));
        serde_json::from_value(Value::Object(values))
            .map_err(|e| Error::invalid(learner, "its parameters", "these", format!("others: {e}")))
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
    if given.is_instance_of::<PyInt>() {
        return Ok(given.extract::<i64>()?.into());
    }
    if given.is_instance_of::<PyFloat>() {
        return Ok(given.extract::<f64>()?.into());
    }
    if given.is_instance_of::<PyString>() {
        return Ok(given.extract::<String>()?.into());
    }
    if let Ok(dict) = given.cast::<PyDict>() {
        let pair = |(k, v): (Bound<'_, PyAny>, Bound<'_, PyAny>)| Ok((k.extract::<String>()?, value(&v)?));
        return dict.iter().map(pair).collect::<PyResult<Map<_, _>>>().map(Value::Object);
    }
    given.try_iter()?.map(|v| value(&v?)).collect::<PyResult<Vec<_>>>().map(Value::Array)
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
