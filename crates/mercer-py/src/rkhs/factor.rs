//! The rank-revealing factor and its feature map.

use mercer::rkhs;
use numpy::PyArray2;
use pyo3::prelude::*;

use super::{Space, array2, working};
use crate::inputs::Inputs;
use crate::run::Options;

/// How the rank was decided: size, rank, trace, residual trace, largest residual, tolerance, reason.
type Decision = (usize, usize, f64, f64, f64, f64, &'static str);

/// K ≈ B·Bᵀ of a set.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Factor(pub(super) rkhs::Factor);

#[pymethods]
impl Factor {
    /// The space of the kernel.
    fn space(&self) -> Space {
        Space(self.0.map().space().clone())
    }

    /// How the rank was decided.
    fn report(&self) -> Decision {
        let r = self.0.report();
        (r.size, r.rank, r.trace, r.residual_trace, r.largest_residual, r.tolerance, r.reason)
    }

    /// The points that were chosen, in order.
    fn pivots(&self) -> Vec<usize> {
        self.0.pivots().to_vec()
    }

    /// B: n×r.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (n, rank) = (self.0.cholesky().n(), self.0.cholesky().rank());
        array2(py, self.0.rows(), n, rank)
    }

    /// F(x) = B†k(x) for every point.
    fn transform<'py>(&self, py: Python<'py>, x: &Inputs, options: &Options) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let map = self.0.map();
        let values = working(py, map.space().kernel(), options, |run| map.transform(&x.0, run))?;
        array2(py, values, x.0.len(), map.rank())
    }
}
