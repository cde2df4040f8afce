//! Matrices that come from outside: audit, repair and centring.

use mercer::gram::{self, AuditParams, RepairMethod};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::arrays::{Matrix, Vector, weights_of};
use crate::choices::object;
use crate::error::guard;
use crate::run::{Job, Options};

/// Audits a matrix that is said to be a Gram matrix.
#[pyfunction]
#[pyo3(signature = (values, tolerance, options))]
pub(crate) fn audit<'py>(
    py: Python<'py>,
    values: Matrix<'py>,
    tolerance: Option<f64>,
    options: &Options,
) -> PyResult<Bound<'py, PyAny>> {
    let job = Job::new(py, options)?;
    let (nrows, ncols) = (values.shape()[0], values.shape()[1]);
    let slice = values.as_slice()?;
    let found = job.spawn(py, |run| gram::audit(slice, nrows, ncols, &AuditParams { tolerance }, run))?;
    let mut record = serde_json::to_value(&found).unwrap_or_default();
    record["summary"] = found.summary().into();
    object(py, &record)
}

/// What a repair changed.
#[derive(IntoPyObject)]
pub(crate) struct RepairRecord {
    size: usize,
    negative: usize,
    null: usize,
    smallest_eigenvalue: Option<f64>,
    largest_eigenvalue: Option<f64>,
    tolerance: f64,
    moved: f64,
    moved_share: f64,
    shift: f64,
}

/// A repair, fitted.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Repair(pub(crate) gram::Repair);

#[pymethods]
impl Repair {
    #[new]
    fn new(py: Python<'_>, values: Matrix<'_>, method: &str, options: &Options) -> PyResult<Self> {
        let method = guard(py, || RepairMethod::by_name(method))?;
        let job = Job::new(py, options)?;
        let (n, square) = (values.shape()[0], values.shape()[0] == values.shape()[1]);
        let slice = values.as_slice()?;
        let made = job.spawn(py, |run| match square {
            true => gram::Repair::fit(slice, n, method, run),
            false => {
                Err(mercer::Error::shape("the similarity matrix", "as many columns as rows", slice.len() / n.max(1)))
            }
        })?;
        Ok(Repair(made))
    }

    /// What was changed.
    fn report(&self) -> RepairRecord {
        let r = self.0.report();
        RepairRecord {
            size: r.size,
            negative: r.negative,
            null: r.null,
            smallest_eigenvalue: r.smallest_eigenvalue,
            largest_eigenvalue: r.largest_eigenvalue,
            tolerance: r.tolerance,
            moved: r.moved,
            moved_share: r.moved_share,
            shift: r.shift,
        }
    }

    /// The repaired training matrix, from the matrix it was fitted to.
    fn apply<'py>(
        &self,
        py: Python<'py>,
        values: Matrix<'_>,
        options: &Options,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        changed(py, &values, options, |out, run| self.0.apply(out, run))
    }

    /// Repaired rows of similarities to the training points.
    fn transform<'py>(
        &self,
        py: Python<'py>,
        values: Matrix<'_>,
        options: &Options,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let width = values.shape()[1];
        let size = self.0.report().size;
        changed(py, &values, options, |out, run| match width == size {
            true => self.0.transform(out, run),
            false => Err(mercer::Error::shape("similarities to the training points", format!("{size} columns"), width)),
        })
    }
}

/// The means of a Gram matrix.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Centering(gram::Centering);

#[pymethods]
impl Centering {
    #[new]
    #[pyo3(signature = (values, weights))]
    fn new(py: Python<'_>, values: Matrix<'_>, weights: Option<Vector<'_>>) -> PyResult<Self> {
        let (n, ncols) = (values.shape()[0], values.shape()[1]);
        let slice = values.as_slice()?;
        let weights = weights_of(py, weights)?;
        guard(py, || match n == ncols {
            true => Ok(Centering(gram::Centering::fit(slice, n, weights.as_ref())?)),
            false => Err(mercer::Error::shape("a Gram matrix to centre", "as many columns as rows", ncols)),
        })
    }

    /// The weights, which sum to 1.
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.weights())
    }

    /// The means of the columns.
    fn column_means<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.column_means())
    }

    /// Their mean.
    #[getter]
    fn grand_mean(&self) -> f64 {
        self.0.grand_mean()
    }

    /// Centred rows.
    fn transform<'py>(
        &self,
        py: Python<'py>,
        values: Matrix<'_>,
        options: &Options,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let width = values.shape()[1];
        changed(py, &values, options, |out, run| match width == self.0.n() {
            true => self.0.apply(out, run),
            false => Err(mercer::Error::shape("rows to centre", format!("{} columns", self.0.n()), width)),
        })
    }
}

/// A copy of the matrix, changed in place.
fn changed<'py>(
    py: Python<'py>,
    values: &Matrix<'_>,
    options: &Options,
    change: impl FnOnce(&mut [f64], &mercer::Run) -> mercer::Result<()> + Send,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let job = Job::new(py, options)?;
    let shape = [values.shape()[0], values.shape()[1]];
    let slice = values.as_slice()?;
    let out = job.spawn(py, |run| {
        let purpose = "a copy of the matrix";
        let _reserved = run.reserve(size_of_val(slice) as u128, purpose, "use fewer rows at a time")?;
        let mut out = slice.to_vec();
        change(&mut out, run)?;
        Ok(out)
    })?;
    PyArray1::from_vec(py, out).reshape(shape)
}
