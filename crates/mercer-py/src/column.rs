//! Columns of a table, from Python and back.

use std::collections::HashMap;

use mercer::data::{self, Categories, ColumnType, HeldDates, Texts};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrays::Vector;
use crate::error::guard;

/// One typed column.
#[pyclass(frozen, module = "mercer._core")]
pub(crate) struct Column(pub(crate) data::Column);

/// The type of this name.
pub(crate) fn column_type(py: Python<'_>, name: &str) -> PyResult<ColumnType> {
    guard(py, || name.parse())
}

#[pymethods]
impl Column {
    /// Numbers; NaN is missing.
    #[staticmethod]
    fn number(values: Vector<'_>) -> PyResult<Self> {
        Ok(Column(data::Column::Number(values.as_slice()?.into())))
    }

    /// Categories; None is missing. Levels that are given stand in an order that means something, least first.
    #[staticmethod]
    #[pyo3(signature = (values, levels=None))]
    fn category(values: Vec<Option<String>>, levels: Option<Vec<String>>) -> Self {
        let Some(levels) = levels else { return Column(data::Column::Category(Categories::from_values(values))) };
        let ranks: HashMap<&str, u32> = levels.iter().map(String::as_str).zip(0..).collect();
        let code = |v: &Option<String>| v.as_deref().and_then(|v| ranks.get(v).copied()).unwrap_or(Categories::MISSING);
        let codes = values.iter().map(code).collect();
        Column(data::Column::Category(Categories::from_codes(codes, levels).in_order()))
    }

    /// Of the type that is asked for, or category or text by the readers' rule; None is missing.
    #[staticmethod]
    #[pyo3(signature = (values, kind=None))]
    fn words(py: Python<'_>, values: Vec<Option<String>>, kind: Option<&str>) -> PyResult<Self> {
        let wanted = kind.map(|name| column_type(py, name)).transpose()?;
        guard(py, || data::Column::from_words(Texts::from_values(values), wanted).map(Column))
    }

    /// The columns of dates of this name among columns of other names, as the readers make them: `at` counts microseconds
    /// since 1970-01-01 in UTC, the least integer is missing.
    #[staticmethod]
    fn dates(
        py: Python<'_>,
        names: (String, Vec<String>),
        at: PyReadonlyArray1<'_, i64>,
        days: bool,
        zone: Option<&str>,
        parts: &str,
    ) -> PyResult<Vec<(String, Self)>> {
        let parts = guard(py, || parts.parse())?;
        let at: Vec<Option<i64>> = at.as_slice()?.iter().map(|&at| (at != i64::MIN).then_some(at)).collect();
        let columns = HeldDates { microseconds: &at, days, zone }.columns(&names.0, &names.1, parts);
        Ok(columns.into_iter().map(|(name, column)| (name, Column(column))).collect())
    }

    /// The word of its type: `number`, `category`, `text`.
    #[getter]
    fn kind(&self) -> String {
        self.0.column_type().to_string()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// A float64 array, or a list of strings with None where they are missing.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match &self.0 {
            data::Column::Number(v) => PyArray1::from_slice(py, v).into_any(),
            data::Column::Category(v) => {
                PyList::new(py, (0..v.len()).map(|i| v.get(i)).collect::<Vec<_>>())?.into_any()
            }
            data::Column::Structured(v) => PyList::new(py, v.cells().collect::<Vec<_>>())?.into_any(),
            _ => py.None().into_bound(py),
        })
    }

    /// The levels of a category column, in order; none for others.
    fn levels(&self) -> Vec<String> {
        match &self.0 {
            data::Column::Category(v) => v.levels().to_vec(),
            _ => Vec::new(),
        }
    }
}
