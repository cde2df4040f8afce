//! A kernel whose rules are resolved.

use mercer::linalg::PivotedParams;
use mercer::rkhs;
use numpy::PyArray2;
use pyo3::prelude::*;

use super::{Barycentre, Eigenfunctions, Factor, Function, array2, working};
use crate::arrays::{Vector, weights_of};
use crate::error::guard;
use crate::inputs::Inputs;
use crate::kernel::{Expr, Found};
use crate::run::Options;

/// The RKHS of a kernel.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Space(pub(super) rkhs::Space);

#[pymethods]
impl Space {
    #[new]
    fn new(py: Python<'_>, kernel: &Expr, x: &Inputs, options: &Options) -> PyResult<Self> {
        let expr = &kernel.0;
        let space = working(py, expr, options, |run| rkhs::Space::new(expr, &x.0, run))?;
        Ok(Space(space))
    }

    /// The kernel, without rules.
    fn kernel(&self) -> Expr {
        Expr(self.0.kernel().clone())
    }

    /// What the rules found.
    fn resolutions(&self) -> Vec<Found> {
        let record = |r: &mercer::gram::Resolution| (r.path.clone(), r.rule, r.value, r.detail.clone());
        self.0.resolutions().iter().map(record).collect()
    }

    /// Σ aᵢk(xᵢ, ·).
    fn function(&self, py: Python<'_>, x: &Inputs, coefficients: Vector<'_>) -> PyResult<Function> {
        let coefficients = coefficients.as_slice()?;
        guard(py, || Ok(Function(self.0.function(&x.0, coefficients)?)))
    }

    /// The distances within one set, or between two.
    #[pyo3(signature = (x, y, options))]
    fn distances<'py>(
        &self,
        py: Python<'py>,
        x: &Inputs,
        y: Option<&Inputs>,
        options: &Options,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let y = y.map(|y| &y.0);
        let values = working(py, self.0.kernel(), options, |run| self.0.distance_matrix(&x.0, y, run))?;
        let (nrows, ncols) = (values.nrows(), values.ncols());
        array2(py, values.into_values(), nrows, ncols)
    }

    /// The barycentre of a set.
    #[pyo3(signature = (x, weights, options))]
    fn barycentre(
        &self,
        py: Python<'_>,
        x: &Inputs,
        weights: Option<Vector<'_>>,
        options: &Options,
    ) -> PyResult<Barycentre> {
        let weights = weights_of(py, weights)?;
        let made =
            working(py, self.0.kernel(), options, |run| rkhs::Barycentre::fit(&self.0, &x.0, weights.as_ref(), run))?;
        Ok(Barycentre(made))
    }

    /// The rank-revealing factor of a set.
    #[pyo3(signature = (x, max_rank, tolerance, options))]
    fn factor(
        &self,
        py: Python<'_>,
        x: &Inputs,
        max_rank: Option<usize>,
        tolerance: Option<f64>,
        options: &Options,
    ) -> PyResult<Factor> {
        let params = PivotedParams { max_rank, tolerance };
        let made = working(py, self.0.kernel(), options, |run| rkhs::Factor::fit(&self.0, &x.0, &params, run))?;
        Ok(Factor(made))
    }

    /// The leading eigenfunctions on a set.
    fn eigenfunctions(&self, py: Python<'_>, x: &Inputs, count: usize, options: &Options) -> PyResult<Eigenfunctions> {
        let made = working(py, self.0.kernel(), options, |run| rkhs::Eigenfunctions::fit(&self.0, &x.0, count, run))?;
        Ok(Eigenfunctions(made))
    }
}
