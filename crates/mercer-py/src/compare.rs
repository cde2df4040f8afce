//! Tests of two samples.

use mercer::KernelExpr;
use mercer::data;
use mercer::model::compare::{self, Mmd, MmdEstimate, pool};
use mercer::plot::{self, null_distribution, witness_values};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::depend::record;
use crate::inputs::Inputs;
use crate::kernel::Expr;
use crate::plot::Figure;
use crate::rkhs::working;
use crate::run::Options;

/// The answer of a test, with its witness function.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Compared(compare::Compared);

#[pymethods]
impl Compared {
    /// All fields of the result, with its sentence and the null distribution as an array.
    fn record<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        record(py, self.0.result.clone())
    }

    /// The kernel of the witness function, without rules.
    fn witness_kernel(&self) -> String {
        self.0.witness.kernel().to_string()
    }

    /// The witness function at points; at the rows of both samples where none are given.
    #[pyo3(signature = (points, options))]
    fn witness<'py>(
        &self,
        py: Python<'py>,
        points: Option<&Inputs>,
        options: &Options,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let witness = &self.0.witness;
        let values = working(py, witness.kernel(), options, |run| match points {
            Some(points) => witness.evaluate(&points.0, run),
            None => witness.values(run),
        })?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// The null distribution and the witness function, as a picture.
    fn draw(&self, py: Python<'_>, names: (String, String), options: &Options) -> PyResult<Figure> {
        let compare::Compared { result, witness } = &self.0;
        let values = working(py, witness.kernel(), options, |run| witness.values(run))?;
        let m = result.sizes.first().copied().unwrap_or(0);
        let drawn = witness_values(&values, m, [&names.0, &names.1]);
        let panels = null_distribution(result).into_iter().chain(drawn).collect();
        Ok(Figure(plot::Figure::grid(panels, 2)))
    }
}

/// Tests whether x and y come from one distribution. Without y, the first rows of x are the first sample: as many as
/// `first` says.
#[pyfunction]
#[pyo3(signature = (kernels, x, y, first, estimate, counts, lag, seed, options))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn mmd_test(
    py: Python<'_>,
    kernels: Vec<PyRef<'_, Expr>>,
    x: &Inputs,
    y: Option<&Inputs>,
    first: usize,
    estimate: &str,
    counts: (usize, Option<usize>),
    lag: Option<f64>,
    seed: u64,
    options: &Options,
) -> PyResult<Compared> {
    let kernels: Vec<KernelExpr> = kernels.iter().map(|k| k.0.clone()).collect();
    let all = KernelExpr::Sum(kernels.clone());
    let (n_permutations, enough) = counts;
    let pooled = |x: &data::Inputs, y: Option<&Inputs>| match y {
        Some(y) => Ok((pool(x, &y.0)?, x.len())),
        None => Ok((x.clone(), first)),
    };
    working(py, &all, options, |run| {
        let mmd = Mmd { kernels, estimate: MmdEstimate::by_name(estimate)?, n_permutations, enough, lag, seed };
        let (z, m) = pooled(&x.0, y)?;
        mmd.test_pooled(&z, m, run)
    })
    .map(Compared)
}
