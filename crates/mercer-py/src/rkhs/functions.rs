//! Functions Σ aᵢk(xᵢ, ·).

use mercer::rkhs;
use numpy::PyArray1;
use pyo3::prelude::*;

use super::{Space, working};
use crate::error::guard;
use crate::inputs::Inputs;
use crate::run::Options;

/// A set of points and their coefficients.
type Term<'py> = (Py<Inputs>, Bound<'py, PyArray1<f64>>);

/// A function of the RKHS.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Function(pub(super) rkhs::Function);

#[pymethods]
impl Function {
    /// The space it lives in.
    fn space(&self) -> Space {
        Space(self.0.space().clone())
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Its points and coefficients.
    fn terms<'py>(&self, py: Python<'py>) -> PyResult<Vec<Term<'py>>> {
        let term = |(x, a): (&mercer::data::Inputs, &[f64])| {
            Ok((Py::new(py, Inputs(x.clone()))?, PyArray1::from_slice(py, a)))
        };
        self.0.terms().map(term).collect()
    }

    /// f(x) for every point.
    fn evaluate<'py>(&self, py: Python<'py>, x: &Inputs, options: &Options) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = working(py, self.0.space().kernel(), options, |run| self.0.evaluate(&x.0, run))?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// f + g.
    fn add(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        guard(py, || Ok(Function(self.0.add(&other.0)?)))
    }

    /// f − g.
    fn subtract(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        guard(py, || Ok(Function(self.0.subtract(&other.0)?)))
    }

    /// c·f.
    fn scale(&self, py: Python<'_>, factor: f64) -> PyResult<Self> {
        guard(py, || Ok(Function(self.0.scale(factor)?)))
    }

    /// ⟨f, g⟩.
    fn inner(&self, py: Python<'_>, other: &Self, options: &Options) -> PyResult<f64> {
        working(py, self.0.space().kernel(), options, |run| self.0.inner(&other.0, run))
    }

    /// ‖f‖².
    fn norm_squared(&self, py: Python<'_>, options: &Options) -> PyResult<f64> {
        working(py, self.0.space().kernel(), options, |run| self.0.norm_squared(run))
    }

    /// ‖f‖√k(x, x) for every point.
    fn bound<'py>(&self, py: Python<'py>, x: &Inputs, options: &Options) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = working(py, self.0.space().kernel(), options, |run| self.0.bound(&x.0, run))?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// ‖f‖d(xᵢ, yᵢ) for pairs of points.
    fn lipschitz<'py>(
        &self,
        py: Python<'py>,
        x: &Inputs,
        y: &Inputs,
        options: &Options,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = working(py, self.0.space().kernel(), options, |run| self.0.lipschitz(&x.0, &y.0, run))?;
        Ok(PyArray1::from_vec(py, values))
    }
}
