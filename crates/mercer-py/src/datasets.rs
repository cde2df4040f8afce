//! Data sets: those that come with Mercer, and files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mercer::data::{self, ColumnType, Origin, ReadOptions, Shipped};
use pyo3::prelude::*;

use crate::choices::object;
use crate::column::{Column, column_type};
use crate::error::guard;
use crate::inputs::Inputs;
use crate::run::{Job, Options};

/// A data set with its target and where it came from.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Dataset(data::Dataset);

/// What is known of a shipped data set.
#[derive(IntoPyObject)]
pub(crate) struct About {
    name: &'static str,
    rows: usize,
    columns: usize,
    task: String,
    target: &'static str,
    description: &'static str,
    source: &'static str,
    licence: &'static str,
}

impl From<&Shipped> for About {
    fn from(s: &Shipped) -> Self {
        About {
            name: s.name,
            rows: s.rows,
            columns: s.columns,
            task: format!("{:?}", s.task).to_lowercase(),
            target: s.target,
            description: s.description,
            source: s.source,
            licence: s.licence,
        }
    }
}

#[pymethods]
impl Dataset {
    /// A short name.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The points.
    #[getter]
    fn inputs(&self) -> Inputs {
        Inputs(self.0.inputs.clone())
    }

    /// The target's name.
    #[getter]
    fn target_name(&self) -> Option<&str> {
        self.0.target.as_ref().map(|(name, _)| name.as_str())
    }

    /// The target.
    #[getter]
    fn target(&self) -> Option<Column> {
        self.0.target.as_ref().map(|(_, column)| Column(column.clone()))
    }

    /// The file it was read from.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        match &self.0.origin {
            Origin::File(path) => Some(path.clone()),
            _ => None,
        }
    }

    /// What is known of it, where it comes with Mercer.
    fn about(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        match &self.0.origin {
            Origin::Shipped(s) => Ok(Some(About::from(*s).into_pyobject(py)?.into_any().unbind())),
            _ => Ok(None),
        }
    }

    /// What its reader found worth knowing, as records.
    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &serde_json::to_value(&self.0.notes).unwrap_or_default())
    }

    /// The same data with another target.
    fn with_target(&self, py: Python<'_>, name: &str) -> PyResult<Self> {
        guard(py, || Ok(Dataset(self.0.with_target(name)?)))
    }

    /// The rows without missing values, in the columns or in the target.
    fn drop_missing(&self, py: Python<'_>) -> PyResult<Self> {
        guard(py, || {
            let (_, kept) = data::drop_missing(&self.0.table()?);
            Ok(Dataset(self.0.take(&kept)))
        })
    }

    /// The rows of these indices.
    fn take(&self, py: Python<'_>, indices: Vec<usize>) -> PyResult<Self> {
        guard(py, || match indices.iter().find(|i| **i >= self.0.len()) {
            Some(i) => Err(mercer::Error::shape("a row", format!("an index below {}", self.0.len()), i)),
            None => Ok(Dataset(self.0.take(&indices))),
        })
    }
}

/// The data sets that come with Mercer.
#[pyfunction]
pub(crate) fn shipped(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    data::shipped().iter().map(About::from).collect::<Vec<_>>().into_pyobject(py)
}

/// Reads a shipped data set.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, name: &str) -> PyResult<Dataset> {
    guard(py, || data::load(name).map(Dataset))
}

/// Reads a file, or the shipped data set of that name if there is no such file.
#[pyfunction]
#[pyo3(signature = (path, run, *, format=None, delimiter=None, header=None, types=None, missing=None, decimal=None, date_parts=None, columns=None, exclude=None, target=None, width=None))]
#[expect(clippy::too_many_arguments, reason = "the keyword arguments of the Python function")]
pub(crate) fn open(
    py: Python<'_>,
    path: PathBuf,
    run: &Options,
    format: Option<&str>,
    delimiter: Option<char>,
    header: Option<bool>,
    types: Option<BTreeMap<String, String>>,
    missing: Option<Vec<String>>,
    decimal: Option<char>,
    date_parts: Option<&str>,
    columns: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
    target: Option<String>,
    width: Option<usize>,
) -> PyResult<Dataset> {
    let typed = |(name, kind): (String, String)| Ok((name, column_type(py, &kind)?));
    let types: BTreeMap<String, ColumnType> =
        types.unwrap_or_default().into_iter().map(typed).collect::<PyResult<_>>()?;
    let mut options = guard(py, || {
        let format = format.map(str::parse).transpose()?;
        let delimiter = delimiter.map(delimiter_byte).transpose()?;
        let (decimal, exclude) = (decimal.map(decimal_byte).transpose()?, exclude.unwrap_or_default());
        let date_parts = date_parts.map(str::parse).transpose()?.unwrap_or_default();
        let options = ReadOptions { format, delimiter, header, types, decimal, date_parts, ..ReadOptions::default() };
        Ok(ReadOptions { columns, exclude, target, width, ..options })
    })?;
    if let Some(missing) = missing {
        options.missing = missing;
    }
    Job::new(py, run)?.spawn(py, |run| data::open(&path, &options, run).map(Dataset))
}

fn decimal_byte(c: char) -> mercer::Result<u8> {
    let byte = u8::try_from(c).ok().filter(|byte| matches!(byte, b'.' | b','));
    byte.ok_or_else(|| mercer::Error::invalid("the reader", "decimal", format!("`{c}`"), "`.` or `,`"))
}

fn delimiter_byte(c: char) -> mercer::Result<u8> {
    u8::try_from(c).map_err(|_| mercer::Error::invalid("the reader", "delimiter", c, "an ASCII character"))
}
