//! The space of a kernel, its functions, sets, factors and spectrum.

mod factor;
mod functions;
mod sets;
mod space;
mod spectrum;

pub(crate) use factor::Factor;
pub(crate) use functions::Function;
pub(crate) use sets::{Barycentre, Discrimination};
pub(crate) use space::Space;
pub(crate) use spectrum::{Eigenfunctions, eigvals};

use mercer::{KernelExpr, Run};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::run::{Job, Options};

/// Does `work` on a thread of its own; on this one if it may call Python functions, which can then be
/// interrupted.
pub(crate) fn working<T: Send>(
    py: Python<'_>,
    kernel: &KernelExpr,
    options: &Options,
    work: impl FnOnce(&Run) -> mercer::Result<T> + Send,
) -> PyResult<T> {
    let job = Job::new(py, options)?;
    match kernel.has_own_kernels() {
        false => job.spawn(py, work),
        true => job.inline(py, work),
    }
}

/// Row-major values as a matrix of so many columns.
pub(crate) fn array2(
    py: Python<'_>,
    values: Vec<f64>,
    nrows: usize,
    ncols: usize,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    PyArray1::from_vec(py, values).reshape([nrows, ncols])
}
