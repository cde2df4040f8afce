//! Arrays of NumPy, as memory that Rust may read.
//!
//! An array may lie at any address, be stored column by column, backwards or with gaps. What Rust reads
//! as a slice must be aligned and contiguous, in the order of rows; NumPy copies whatever is not. The
//! borrow of the `numpy` crate keeps other extensions in Rust from writing meanwhile; as with every
//! extension that lets other threads run, Python code that writes to an array while it is being read
//! gets numbers from before or after.

use mercer::data::Weights;
use numpy::ndarray::{Dimension, Ix1, Ix2};
use numpy::{Element, PyArray, PyArrayMethods, PyReadonlyArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::error::guard;

/// Numbers of a caller.
pub(crate) struct Numbers<'py, T: Element, D: Dimension>(PyReadonlyArray<'py, T, D>);

/// Numbers in a row.
pub(crate) type Vector<'py, T = f64> = Numbers<'py, T, Ix1>;

/// Numbers in rows and columns.
pub(crate) type Matrix<'py> = Numbers<'py, f64, Ix2>;

impl<'a, 'py, T: Element + 'a, D: Dimension + 'a> FromPyObject<'a, 'py> for Numbers<'py, T, D> {
    type Error = PyErr;

    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let array = obj.cast::<PyArray<T, D>>()?.to_owned();
        if array.is_aligned() && array.is_c_contiguous() {
            return Ok(Numbers(array.try_readonly()?));
        }
        let copy = array.call_method1("copy", ("C",))?;
        Ok(Numbers(copy.cast_into::<PyArray<T, D>>()?.try_readonly()?))
    }
}

impl<T: Element, D: Dimension> Numbers<'_, T, D> {
    /// The sizes.
    pub(crate) fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// All numbers, row after row.
    pub(crate) fn as_slice(&self) -> PyResult<&[T]> {
        Ok(self.0.as_slice()?)
    }
}

/// Weights of rows, checked.
pub(crate) fn weights_of(py: Python<'_>, given: Option<Vector<'_>>) -> PyResult<Option<Weights>> {
    let Some(given) = given else { return Ok(None) };
    let values = given.as_slice()?;
    guard(py, || Weights::new(values)).map(Some)
}
