//! Points, from Python and back.

use mercer::Note;
use mercer::data::{self, Csr, Precomputed, Rows, Table};
use mercer::model::pipeline::Schema;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::arrays::{Matrix, Vector};
use crate::column::Column;
use crate::error::guard;
use crate::kernel::Expr;

/// The parts of a sparse matrix: row starts, column indices, values, number of columns.
type SparseParts<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, usize);

/// Names that are listed at most; a few bytes of sparse rows may have a hundred million columns.
const MOST_LISTED: usize = 1_000_000;

/// Points that a kernel can be bound to; made once, shared from then on.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Inputs(pub(crate) data::Inputs);

#[pymethods]
impl Inputs {
    /// Rows of a C-contiguous array.
    #[staticmethod]
    fn dense(py: Python<'_>, values: Matrix<'_>) -> PyResult<Self> {
        let (nrows, ncols) = (values.shape()[0], values.shape()[1]);
        let slice = values.as_slice()?;
        guard(py, || Ok(Inputs(Rows::new(slice, nrows, ncols)?.into())))
    }

    /// Compressed sparse rows with sorted indices and no duplicates.
    #[staticmethod]
    fn sparse(
        py: Python<'_>,
        starts: Vector<'_, i64>,
        columns: Vector<'_, i64>,
        values: Vector<'_>,
        ncols: usize,
    ) -> PyResult<Self> {
        let (starts, columns, values) = (starts.as_slice()?, columns.as_slice()?, values.as_slice()?);
        guard(py, || Ok(Inputs(csr(starts, columns, values, ncols)?.into())))
    }

    /// Named columns of one length.
    #[staticmethod]
    fn table(py: Python<'_>, columns: Vec<(String, Bound<'_, Column>)>) -> PyResult<Self> {
        let columns = columns.into_iter().map(|(name, column)| (name, column.get().0.clone())).collect();
        guard(py, || Ok(Inputs(Table::new(columns)?.into())))
    }

    /// Kernel values made elsewhere: rows are points, columns the points they are compared with.
    #[staticmethod]
    fn precomputed(py: Python<'_>, values: Matrix<'_>) -> PyResult<Self> {
        let (nrows, ncols) = (values.shape()[0], values.shape()[1]);
        let slice = values.as_slice()?;
        guard(py, || Ok(Inputs(Precomputed::new(slice, nrows, ncols)?.into())))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The rows of these numbers.
    fn take(&self, py: Python<'_>, rows: Vec<usize>) -> PyResult<Self> {
        let n = self.0.len();
        guard(py, || match rows.iter().find(|i| **i >= n) {
            Some(i) => Err(mercer::Error::shape("the rows to take", format!("numbers below {n}"), i)),
            None => Ok(Inputs(self.0.take(&rows))),
        })
    }

    /// `dense`, `sparse`, `table` or `precomputed`.
    #[getter]
    fn kind(&self) -> &'static str {
        match &self.0 {
            data::Inputs::Dense(_) => "dense",
            data::Inputs::Sparse(_) => "sparse",
            data::Inputs::Table(_) => "table",
            _ => "precomputed",
        }
    }

    /// Number of columns.
    #[getter]
    fn width(&self) -> usize {
        self.0.columns().len()
    }

    /// Names and types of the columns, unless they are very many.
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let columns = self.0.columns();
        guard(py, || match columns.len() <= MOST_LISTED {
            true => Ok(columns.iter().map(|(name, kind)| (name.into_owned(), kind.to_string())).collect()),
            false => Err(mercer::Error::Unsupported {
                what: format!("a list of {} names of columns", columns.len()),
                alternative: "write `x0`, `x1`, … where one is needed".into(),
            }),
        })
    }

    /// The values of dense rows or of a precomputed matrix; None for others.
    fn array<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let (values, shape) = match &self.0 {
            data::Inputs::Dense(x) => (x.values(), [x.nrows(), x.ncols()]),
            data::Inputs::Precomputed(x) => (x.values(), [x.nrows(), x.ncols()]),
            _ => return Ok(None),
        };
        PyArray1::from_slice(py, values).reshape(shape).map(Some)
    }

    /// Row starts, column indices, values and width of sparse rows; None for others.
    fn csr<'py>(&self, py: Python<'py>) -> Option<SparseParts<'py>> {
        let data::Inputs::Sparse(x) = &self.0 else { return None };
        let rows = || (0..x.nrows()).map(|i| x.row(i).0);
        let mut end = 0;
        let ends = rows().map(|columns| {
            end += columns.len() as i64;
            end
        });
        let starts: Vec<i64> = std::iter::once(0).chain(ends).collect();
        let columns: Vec<i64> = rows().flatten().map(|c| i64::from(*c)).collect();
        let array = |v: Vec<i64>| PyArray1::from_vec(py, v);
        Some((array(starts), array(columns), PyArray1::from_slice(py, x.values()), x.ncols()))
    }

    /// The points with each column of the type that the formula reads it as.
    fn typed(&self, kernel: &Expr) -> Self {
        Inputs(kernel.0.typed(&self.0))
    }

    /// A sentence about the columns that no part of the formula reads; None if it reads all of them.
    fn unread(&self, kernel: &Expr) -> Option<String> {
        kernel.0.unread_note(&self.0).map(|note| note.to_string())
    }

    /// What to say of letters that kernels of this formula do not know, where they are a tenth of a column at least.
    fn unknown_letters(&self, kernel: &Expr) -> Vec<String> {
        let notes = kernel.0.unknown_letters(&self.0).into_iter();
        let many = |note: &Note| matches!(note, Note::UnknownLetters { letters, of, .. } if 10 * letters >= *of);
        notes.filter(many).map(|note| note.to_string()).collect()
    }

    /// What new points must look like to be compared with these, as JSON.
    fn schema(&self, py: Python<'_>) -> PyResult<String> {
        guard(py, || {
            serde_json::to_string(&Schema::of(&self.0))
                .map_err(|e| mercer::Error::shape("the columns", "a schema that can be written", e))
        })
    }

    /// The columns of a schema out of these, with its types and in its order.
    fn select(&self, py: Python<'_>, schema: &str) -> PyResult<Self> {
        guard(py, || {
            let schema: Schema = serde_json::from_str(schema)
                .map_err(|e| mercer::Error::shape("the schema", "JSON that `schema` wrote", e))?;
            Ok(Inputs(schema.select(&self.0)?.0))
        })
    }

    /// The columns of a table, by name; empty for others.
    fn table_columns(&self, py: Python<'_>) -> PyResult<Vec<(String, Py<Column>)>> {
        let data::Inputs::Table(table) = &self.0 else { return Ok(Vec::new()) };
        table.iter().map(|(name, column)| Ok((name.to_owned(), Py::new(py, Column(column.clone()))?))).collect()
    }
}

/// Sparse rows with the index types of the core.
fn csr(starts: &[i64], columns: &[i64], values: &[f64], ncols: usize) -> mercer::Result<Csr> {
    let wrong = |what: &str, got: i64| mercer::Error::shape("sparse rows", what, got);
    let start = |s: &i64| usize::try_from(*s).map_err(|_| wrong("row starts that are not negative", *s));
    let column = |c: &i64| u32::try_from(*c).map_err(|_| wrong("column indices from 0 to 4294967295", *c));
    let starts: Vec<usize> = starts.iter().map(start).collect::<mercer::Result<_>>()?;
    let columns: Vec<u32> = columns.iter().map(column).collect::<mercer::Result<_>>()?;
    Csr::new(starts, columns, values, ncols)
}
