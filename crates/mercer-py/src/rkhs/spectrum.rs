//! Empirical eigenvalues and eigenfunctions.

use mercer::rkhs::{self, Spectrum};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use super::{Space, array2, working};
use crate::arrays::Vector;
use crate::error::guard;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::run::Options;

/// λ̂ = eig(K)/n, in decreasing order.
#[pyfunction]
pub(crate) fn eigvals<'py>(
    py: Python<'py>,
    kernel: &Expr,
    x: &Inputs,
    options: &Options,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let expr = &kernel.0;
    let values = working(py, expr, options, |run| {
        let space = rkhs::Space::new(expr, &x.0, run)?;
        Ok(Spectrum::of(&space.gram(&x.0, run)?, run)?.values().to_vec())
    })?;
    Ok(PyArray1::from_vec(py, values))
}

/// The leading eigenfunctions of a kernel on a set.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Eigenfunctions(pub(super) rkhs::Eigenfunctions);

#[pymethods]
impl Eigenfunctions {
    /// The space of the kernel.
    fn space(&self) -> Space {
        Space(self.0.space().clone())
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Their eigenvalues, in decreasing order.
    fn values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.values())
    }

    /// All eigenvalues.
    fn spectrum<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.spectrum().values())
    }

    /// ψ̂(xᵢ) at the points themselves.
    fn at_points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        array2(py, self.0.at_points().to_vec(), self.0.spectrum().n(), self.0.len())
    }

    /// ψ̂(x) for every point.
    fn evaluate<'py>(&self, py: Python<'py>, x: &Inputs, options: &Options) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = working(py, self.0.space().kernel(), options, |run| self.0.evaluate(&x.0, run))?;
        array2(py, values, x.0.len(), self.0.len())
    }

    /// θ of a function, from its values at the points.
    fn coefficients<'py>(&self, py: Python<'py>, values: Vector<'_>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = values.as_slice()?;
        Ok(PyArray1::from_vec(py, guard(py, || self.0.coefficients(values))?))
    }

    /// Σ θ²/λ̂ of a function, from its values at the points.
    fn norm_squared(&self, py: Python<'_>, values: Vector<'_>) -> PyResult<f64> {
        let values = values.as_slice()?;
        guard(py, || self.0.norm_squared(values))
    }
}
