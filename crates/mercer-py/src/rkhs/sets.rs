//! Sets of points and their discrimination.

use mercer::rkhs;
use numpy::PyArray1;
use pyo3::prelude::*;

use super::{Function, working};
use crate::error::guard;
use crate::inputs::Inputs;
use crate::run::Options;

/// The barycentre of a set.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Barycentre(pub(crate) rkhs::Barycentre);

#[pymethods]
impl Barycentre {
    /// The barycentre as a function.
    fn function(&self) -> Function {
        Function(self.0.function().clone())
    }

    /// ‖μ‖².
    #[getter]
    fn norm_squared(&self) -> f64 {
        self.0.norm_squared()
    }

    /// The distances of points to the set.
    fn distances<'py>(&self, py: Python<'py>, x: &Inputs, options: &Options) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let kernel = self.0.function().space().kernel();
        let values = working(py, kernel, options, |run| self.0.distances(&x.0, run))?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// The distance to another set.
    fn distance_to(&self, py: Python<'_>, other: &Self, options: &Options) -> PyResult<f64> {
        let kernel = self.0.function().space().kernel();
        working(py, kernel, options, |run| self.0.distance_to(&other.0, run))
    }
}

/// Discrimination of two sets by the nearer barycentre.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Discrimination(pub(crate) rkhs::Discrimination);

#[pymethods]
impl Discrimination {
    #[new]
    fn new(py: Python<'_>, first: &Barycentre, second: &Barycentre) -> PyResult<Self> {
        guard(py, || Ok(Discrimination(rkhs::Discrimination::new(first.0.clone(), second.0.clone())?)))
    }

    /// d(x, S₁)² − d(x, S₂)².
    fn scores<'py>(&self, py: Python<'py>, x: &Inputs, options: &Options) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let kernel = self.0.first().function().space().kernel();
        let values = working(py, kernel, options, |run| self.0.scores(&x.0, run))?;
        Ok(PyArray1::from_vec(py, values))
    }
}
