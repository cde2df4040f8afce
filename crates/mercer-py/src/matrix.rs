//! Formulas bound to data: whole matrices, diagonals, columns, products and gradients.

use std::mem::MaybeUninit;

use mercer::gram::{self as core, Bound as BoundKernel, Element, KernelMatrix, dense_into_uninit};
use mercer::{Run, data};
use numpy::{Element as NumpyElement, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::Matrix;
use crate::error::exception;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::run::{Job, Options};

/// A formula on one set of points, or between two.
#[derive(Clone, Copy)]
struct Pairing<'a> {
    kernel: &'a Expr,
    x: &'a data::Inputs,
    y: Option<&'a data::Inputs>,
}

impl<'a> Pairing<'a> {
    fn new(kernel: &'a Expr, x: &'a Inputs, y: Option<&'a Inputs>) -> Self {
        Pairing { kernel, x: &x.0, y: y.map(|y| &y.0) }
    }

    fn shape(&self) -> [usize; 2] {
        [self.x.len(), self.y.unwrap_or(self.x).len()]
    }

    /// Rules are resolved from the first set of points.
    fn bind(&self, run: &Run) -> mercer::Result<BoundKernel> {
        let expr = &self.kernel.0;
        match expr.is_resolved() {
            true => expr.bind_sides(self.x, self.y, run),
            false => expr.resolve(self.x, run)?.0.bind_sides(self.x, self.y, run),
        }
    }

    /// Whether the formula names functions of Python.
    fn calls_python(&self) -> bool {
        self.kernel.0.has_own_kernels()
    }

    /// Writes the matrix, which may have been bound already.
    fn write<T: Element>(
        &self,
        bound: Option<&BoundKernel>,
        places: &mut [MaybeUninit<T>],
        run: &Run,
    ) -> mercer::Result<()> {
        match bound {
            Some(matrix) => dense_into_uninit(matrix, places, run),
            None => dense_into_uninit(&self.bind(run)?, places, run),
        }
    }

    /// Binds the formula and does `work` with the matrix. Python functions are called on this
    /// thread, where they can be interrupted; everything else is done on another.
    fn with_matrix<T: Send>(
        &self,
        py: Python<'_>,
        job: &Job<'_>,
        work: impl FnOnce(&BoundKernel, &Run) -> mercer::Result<T> + Send,
    ) -> PyResult<T> {
        if !self.calls_python() {
            return job.spawn(py, |run| work(&self.bind(run)?, run));
        }
        let matrix = job.inline(py, |run| self.bind(run))?;
        job.spawn(py, |run| work(&matrix, run))
    }
}

/// The kernel matrix, written into `out` or into a new array of this type.
#[pyfunction]
#[pyo3(signature = (kernel, x, y, out, single, options))]
pub(crate) fn gram<'py>(
    py: Python<'py>,
    kernel: &Expr,
    x: &Inputs,
    y: Option<&Inputs>,
    out: Option<Bound<'py, PyAny>>,
    single: bool,
    options: &Options,
) -> PyResult<Bound<'py, PyAny>> {
    let job = Job::new(py, options)?;
    let pairing = Pairing::new(kernel, x, y);
    let _reserved;
    let out = match out {
        Some(out) => out,
        None => {
            _reserved = reserve(&job.run, pairing.shape(), single).map_err(|e| exception(py, e))?;
            let dtype = if single { "float32" } else { "float64" };
            py.import("numpy")?.call_method1("empty", (pairing.shape(), dtype))?
        }
    };
    match single {
        true => fill::<f32>(py, &job, pairing, out.cast::<PyArray2<f32>>()?)?,
        false => fill::<f64>(py, &job, pairing, out.cast::<PyArray2<f64>>()?)?,
    }
    Ok(out)
}

/// k(x, x) for every point.
#[pyfunction]
pub(crate) fn diag<'py>(
    py: Python<'py>,
    kernel: &Expr,
    x: &Inputs,
    options: &Options,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let job = Job::new(py, options)?;
    let values = Pairing::new(kernel, x, None).with_matrix(py, &job, |matrix, run| {
        let (mut values, _reserved) = zeros(matrix.nrows(), run)?;
        matrix.diag(&mut values);
        Ok(values)
    })?;
    Ok(PyArray1::from_vec(py, values))
}

/// K[:, j].
#[pyfunction]
#[pyo3(signature = (kernel, x, y, j, options))]
pub(crate) fn column<'py>(
    py: Python<'py>,
    kernel: &Expr,
    x: &Inputs,
    y: Option<&Inputs>,
    j: usize,
    options: &Options,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let job = Job::new(py, options)?;
    let values = Pairing::new(kernel, x, y).with_matrix(py, &job, |matrix, run| {
        let (mut values, _reserved) = zeros(matrix.nrows(), run)?;
        core::column(matrix, j, &mut values)?;
        Ok(values)
    })?;
    Ok(PyArray1::from_vec(py, values))
}

/// K·V without storing K.
#[pyfunction]
#[pyo3(signature = (kernel, x, y, v, options))]
pub(crate) fn matvec<'py>(
    py: Python<'py>,
    kernel: &Expr,
    x: &Inputs,
    y: Option<&Inputs>,
    v: Matrix<'py>,
    options: &Options,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let job = Job::new(py, options)?;
    let pairing = Pairing::new(kernel, x, y);
    let (k, v) = (v.shape()[1], v.as_slice()?);
    let values = pairing.with_matrix(py, &job, |matrix, run| {
        let (mut values, _reserved) = zeros(matrix.nrows().saturating_mul(k), run)?;
        core::apply(matrix, v, k, &mut values, run)?;
        Ok(values)
    })?;
    PyArray1::from_vec(py, values).reshape([pairing.shape()[0], k])
}

/// Σ W ∂K/∂θ for every free parameter θ.
#[pyfunction]
#[pyo3(signature = (kernel, x, y, w, options))]
pub(crate) fn gradient<'py>(
    py: Python<'py>,
    kernel: &Expr,
    x: &Inputs,
    y: Option<&Inputs>,
    w: Matrix<'py>,
    options: &Options,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let job = Job::new(py, options)?;
    let w = w.as_slice()?;
    let sums = Pairing::new(kernel, x, y).with_matrix(py, &job, |matrix, run| core::pull_back(matrix, w, run))?;
    Ok(PyArray1::from_vec(py, sums))
}

/// Zeros for a result, counted against the memory limit: rows without columns may be any number.
fn zeros(len: usize, run: &Run) -> mercer::Result<(Vec<f64>, mercer::run::Reservation)> {
    mercer::linalg::filled(len as u128, 0.0, &format!("a result of {len} numbers"), "use fewer rows", run)
}

/// Counts the matrix against the memory limit before it is allocated.
fn reserve(run: &Run, [nrows, ncols]: [usize; 2], single: bool) -> mercer::Result<mercer::run::Reservation> {
    let bytes = nrows as u128 * ncols as u128 * if single { 4 } else { 8 };
    let purpose = format!("the {nrows}×{ncols} kernel matrix");
    let alternative =
        "stream its products with `matvec` instead of storing it, use fewer rows, or raise `memory_limit`";
    run.reserve(bytes, &purpose, alternative)
}

/// What an array can hold, and its bytes, which may lie at any address.
trait Stored: Element + NumpyElement {
    type Bytes: Element;
}

impl Stored for f64 {
    type Bytes = [u8; 8];
}

impl Stored for f32 {
    type Bytes = [u8; 4];
}

/// Computes the matrix in place. The package has made sure that `out` is none of the inputs, which are
/// copies in any case.
fn fill<T: Stored>(py: Python<'_>, job: &Job<'_>, pairing: Pairing<'_>, out: &Bound<'_, PyArray2<T>>) -> PyResult<()> {
    // Functions of users run now, and not once it is known where `out` lies: they might move it.
    let bound = if pairing.calls_python() { Some(job.inline(py, |run| pairing.bind(run))?) } else { None };
    let _exclusive = out.try_readwrite()?;
    if !out.is_c_contiguous() || out.shape() != pairing.shape() {
        let [nrows, ncols] = pairing.shape();
        return Err(PyValueError::new_err(format!("`out` must be a C-contiguous {nrows}×{ncols} array")));
    }
    match out.is_aligned() {
        true => {
            // SAFETY: the array is contiguous and aligned.
            let places = unsafe { places::<T>(out.data().cast(), out.len()) };
            job.spawn(py, |run| pairing.write(bound.as_ref(), places, run))
        }
        false => {
            // SAFETY: the array is contiguous, and bytes need no alignment.
            let places = unsafe { places::<T::Bytes>(out.data().cast(), out.len()) };
            job.spawn(py, |run| pairing.write(bound.as_ref(), places, run))
        }
    }
}

/// The `len` elements from `start` on, to be written.
///
/// # Safety
/// They must be writable and aligned for T, and stay so for 'a. Nobody else may touch them: the borrow
/// flag of the crate `numpy` keeps other extensions off, and Python does not give the memory of an array
/// back while somebody holds it, unless it is told to look away (`resize(refcheck=False)`).
unsafe fn places<'a, T>(start: *mut MaybeUninit<T>, len: usize) -> &'a mut [MaybeUninit<T>] {
    match len {
        // An empty array may point anywhere.
        0 => &mut [],
        // SAFETY: promised by the caller.
        _ => unsafe { std::slice::from_raw_parts_mut(start, len) },
    }
}
