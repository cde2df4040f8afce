//! A user's own loss, written in Python.

use std::sync::Mutex;

use mercer::loss::Loss;
use pyo3::prelude::*;

/// An object with `value(y, z)`, `derivative(y, z)` and `curvature(y, z)`, functions of two numbers.
#[derive(Debug)]
pub(crate) struct OwnLoss {
    name: String,
    value: Py<PyAny>,
    derivative: Py<PyAny>,
    curvature: Py<PyAny>,
    /// The first exception that one of them raised.
    raised: Mutex<Option<PyErr>>,
}

impl OwnLoss {
    pub(crate) fn new(loss: &Bound<'_, PyAny>) -> PyResult<Self> {
        let method = |name: &str| loss.getattr(name).map(Bound::unbind);
        Ok(OwnLoss {
            name: loss.get_type().name()?.to_string(),
            value: method("value")?,
            derivative: method("derivative")?,
            curvature: method("curvature")?,
            raised: Mutex::new(None),
        })
    }

    pub(crate) fn raised(&self) -> Option<PyErr> {
        self.raised.lock().ok().and_then(|mut raised| raised.take())
    }

    fn call(&self, function: &Py<PyAny>, y: f64, z: f64) -> f64 {
        if self.raised.lock().is_ok_and(|raised| raised.is_some()) {
            return f64::NAN;
        }
        Python::attach(|py| function.call1(py, (y, z)).and_then(|v| v.extract::<f64>(py))).unwrap_or_else(|error| {
            if let Ok(mut raised) = self.raised.lock() {
                raised.get_or_insert(error);
            }
            f64::NAN
        })
    }
}

impl Loss for OwnLoss {
    fn name(&self) -> &str {
        &self.name
    }

    fn value(&self, y: f64, z: f64) -> f64 {
        self.call(&self.value, y, z)
    }

    fn derivative(&self, y: f64, z: f64) -> f64 {
        self.call(&self.derivative, y, z)
    }

    fn curvature(&self, y: f64, z: f64) -> f64 {
        self.call(&self.curvature, y, z)
    }
}
