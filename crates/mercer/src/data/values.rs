//! A column of values of one Rust type, each read from a cell and written to one.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use crate::error::Result;

use super::structured::{BadCell, ReadArrays, Structured, StructuredType, WriteArrays};
use super::text::{load_words, save_words};
use super::{PointSet, Texts};

/// A structured value that a cell of text can hold.
///
/// This is all that a type of column has to say of itself: [`Values`] does the rest. A missing value
/// reads as the default.
pub trait CellValue: Debug + Default + PartialEq + Send + Sync + 'static {
    /// Its type, whose `read` and `load` are those of [`Values`].
    fn structured_type() -> &'static StructuredType;

    /// Reads a cell, or says what was expected.
    fn parse(cell: &str) -> Result<Self, String>;

    /// Writes a cell that [`parse`](Self::parse) reads as an equal value; equal values write the same.
    fn cell(&self) -> String;

    /// How large it is, in units of its type.
    fn size(&self) -> usize;
}

/// A column of [`CellValue`]s. Taking rows copies none of them.
#[derive(Clone, Debug)]
pub struct Values<T> {
    values: Arc<[Option<Arc<T>>]>,
    missing: Arc<T>,
}

impl<T: CellValue> Values<T> {
    /// Collects values; `None` is missing.
    pub fn from_values(values: impl IntoIterator<Item = Option<T>>) -> Self {
        Self::shared(values.into_iter().map(|v| v.map(Arc::new)).collect())
    }

    fn shared(values: Arc<[Option<Arc<T>>]>) -> Self {
        Values { values, missing: Arc::default() }
    }

    /// Reads cells.
    pub fn read(cells: &Texts) -> Result<Arc<dyn Structured>, BadCell> {
        let value = |(row, cell): (usize, Option<&str>)| {
            let parsed = cell.map(|cell| {
                let bad = |expected| BadCell { row, cell: cell.to_owned(), expected };
                T::parse(cell.trim()).map(Arc::new).map_err(bad)
            });
            parsed.transpose()
        };
        let values: Result<Vec<_>, _> = cells.iter_optional().enumerate().map(value).collect();
        Ok(Arc::new(Self::shared(values?.into())))
    }

    /// Reads what [`save`](Structured::save) wrote: the cells.
    pub fn load(arrays: &mut dyn ReadArrays, rows: usize) -> Result<Arc<dyn Structured>> {
        let cells = load_words(arrays, rows)?;
        Self::read(&cells).map_err(|bad| {
            let name = arrays.name("bytes");
            arrays.refuse(format!("the array `{name}`, row {}: {}", bad.row, bad.problem()))
        })
    }
}

impl<T: CellValue> PointSet for Values<T> {
    type Point = T;

    fn len(&self) -> usize {
        self.values.len()
    }

    fn point(&self, i: usize) -> &T {
        self.values[i].as_deref().unwrap_or(&self.missing)
    }
}

impl<T: CellValue> Structured for Values<T> {
    fn structured_type(&self) -> &'static StructuredType {
        T::structured_type()
    }

    fn len(&self) -> usize {
        self.values.len()
    }

    fn is_missing(&self, i: usize) -> bool {
        self.values[i].is_none()
    }

    fn take(&self, indices: &[usize]) -> Arc<dyn Structured> {
        Arc::new(Self::shared(indices.iter().map(|&i| self.values[i].clone()).collect()))
    }

    fn concatenate(&self, next: &dyn Structured) -> Option<Arc<dyn Structured>> {
        let next = next.downcast::<Self>()?;
        Some(Arc::new(Self::shared(self.values.iter().chain(next.values.iter()).cloned().collect())))
    }

    fn cell(&self, i: usize) -> Cow<'_, str> {
        self.values[i].as_ref().map_or_else(String::new, |v| v.cell()).into()
    }

    fn size(&self, i: usize) -> usize {
        self.values[i].as_ref().map_or(0, |v| v.size())
    }

    fn save(&self, arrays: &mut dyn WriteArrays) {
        let all: &dyn Structured = self;
        save_words(all.cells(), arrays);
    }

    fn same(&self, i: usize, other: &dyn Structured, j: usize) -> bool {
        other.downcast::<Self>().is_some_and(|other| self.values[i] == other.values[j])
    }
}
