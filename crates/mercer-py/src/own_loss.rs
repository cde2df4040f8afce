//! A user's own loss, written in Python.

use std::sync::Mutex;

use mercer::Error;
use mercer::loss::Loss;
use numpy::{PyArray1, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::error::exception;

/// An object with `value(y, z)`, `derivative(y, z)` and `curvature(y, z)`, functions of two arrays of
/// targets and predictions that give an array of as many numbers.
#[derive(Debug)]
pub(crate) struct OwnLoss {
    name: String,
    object: Py<PyAny>,
    /// The first thing that went wrong.
    raised: Mutex<Option<PyErr>>,
}

impl OwnLoss {
    pub(crate) fn new(loss: &Bound<'_, PyAny>) -> PyResult<Self> {
        let name = loss.get_type().name()?.to_string();
        Ok(OwnLoss { name, object: loss.clone().unbind(), raised: Mutex::new(None) })
    }

    pub(crate) fn raised(&self) -> Option<PyErr> {
        self.raised.lock().ok().and_then(|mut raised| raised.take())
    }

    /// Calls a method for all rows; after the first failure everything is NaN, which ends the fit.
    fn call(&self, method: &str, y: &[f64], z: &[f64], out: &mut [f64]) {
        let failed = |raised: &Mutex<Option<PyErr>>| raised.lock().is_ok_and(|raised| raised.is_some());
        if !failed(&self.raised) {
            let asked = Python::attach(|py| self.ask(py, method, y, z, out));
            if let (Err(error), Ok(mut raised)) = (asked, self.raised.lock()) {
                raised.get_or_insert(error);
            }
        }
        if failed(&self.raised) {
            out.fill(f64::NAN);
        }
    }

    fn ask(&self, py: Python<'_>, method: &str, y: &[f64], z: &[f64], out: &mut [f64]) -> PyResult<()> {
        let place = format!("`{method}(y, z)` of the loss `{}`", self.name);
        let arrays = [y, z].map(|values| PyArray1::from_slice(py, values));
        let found = self.object.bind(py).call_method1(method, (&arrays[0], &arrays[1]));
        // The exception stays what it is; where it came from is added to it.
        let note = |error: &PyErr| drop(error.value(py).call_method1("add_note", (format!("raised by {place}"),)));
        let found = found.inspect_err(note)?;
        let wanted = format!("an array of {} numbers, one a row", out.len());
        let refuse = |got: String| exception(py, Error::shape(&place, &wanted, got));
        let Ok(array) = found.cast::<PyUntypedArray>() else {
            let kind = found.get_type().name().map_or_else(|_| "something else".into(), |name| name.to_string());
            return Err(refuse(format!("`{kind}`")));
        };
        if array.shape() != [out.len()] {
            return Err(refuse(format!("an array of shape {:?}", array.shape())));
        }
        let numbers = found.call_method1("astype", ("float64",)).inspect_err(note)?;
        let numbers = numbers.cast::<PyArray1<f64>>().map_err(|_| refuse("other values".into()))?;
        out.copy_from_slice(numbers.to_vec()?.as_slice());
        self.check(py, method, place, out)
    }

    /// A loss may be infinite where a step goes too far, and is then made shorter; slopes may not.
    fn check(&self, py: Python<'_>, method: &str, place: String, out: &[f64]) -> PyResult<()> {
        let bad = |v: &f64| v.is_nan() || (method != "value" && v.is_infinite());
        match out.iter().position(bad) {
            None => Ok(()),
            Some(first_row) => {
                let count = out.iter().filter(|v| bad(v)).count();
                let what = if out[first_row].is_nan() { "NaN" } else { "infinite" }.into();
                Err(exception(py, Error::NonFinite { place, count, total: out.len(), first_row, what }))
            }
        }
    }

    fn one(&self, method: &str, y: f64, z: f64) -> f64 {
        let mut out = [0.0];
        self.call(method, &[y], &[z], &mut out);
        out[0]
    }
}

impl Loss for OwnLoss {
    fn name(&self) -> &str {
        &self.name
    }

    fn value(&self, y: f64, z: f64) -> f64 {
        self.one("value", y, z)
    }

    fn derivative(&self, y: f64, z: f64) -> f64 {
        self.one("derivative", y, z)
    }

    fn curvature(&self, y: f64, z: f64) -> f64 {
        self.one("curvature", y, z)
    }

    fn values(&self, y: &[f64], z: &[f64], out: &mut [f64]) {
        self.call("value", y, z, out);
    }

    fn derivatives(&self, y: &[f64], z: &[f64], out: &mut [f64]) {
        self.call("derivative", y, z, out);
    }

    fn curvatures(&self, y: &[f64], z: &[f64], out: &mut [f64]) {
        self.call("curvature", y, z, out);
    }
}
