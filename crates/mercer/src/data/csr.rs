//! Sparse rows.

use std::sync::Arc;

use crate::error::{Error, Result};

use super::Rows;

/// Sparse rows in compressed form, shared on clone.
///
/// Within a row the column indices increase strictly; explicit zeros are allowed.
#[derive(Clone, Debug)]
pub struct Csr {
    starts: Arc<[usize]>,
    columns: Arc<[u32]>,
    values: Arc<[f64]>,
    ncols: usize,
}

impl Csr {
    /// Wraps compressed rows: row i holds the entries `starts[i]..starts[i + 1]`.
    pub fn new(
        starts: impl Into<Arc<[usize]>>,
        columns: impl Into<Arc<[u32]>>,
        values: impl Into<Arc<[f64]>>,
        ncols: usize,
    ) -> Result<Self> {
        let csr = Csr { starts: starts.into(), columns: columns.into(), values: values.into(), ncols };
        csr.validate()?;
        Ok(csr)
    }

    fn validate(&self) -> Result<()> {
        let problem = |what: &str| Err(Error::shape("sparse rows", what, "something else"));
        if self.starts.first() != Some(&0) || self.starts.last() != Some(&self.columns.len()) {
            return problem("row starts from 0 to the number of entries");
        }
        if self.columns.len() != self.values.len() {
            return Err(Error::shape("sparse values", self.columns.len(), self.values.len()));
        }
        if self.starts.windows(2).any(|w| w[0] > w[1]) {
            return problem("row starts that never decrease");
        }
        for i in 0..self.nrows() {
            let (columns, _) = self.row(i);
            if columns.windows(2).any(|w| w[0] >= w[1]) {
                return Err(Error::shape(
                    format!("sparse row {i}"),
                    "column indices that increase strictly",
                    "unsorted or repeated indices",
                ));
            }
            if columns.last().is_some_and(|&c| c as usize >= self.ncols) {
                return Err(Error::shape(
                    format!("sparse row {i}"),
                    format!("indices below {}", self.ncols),
                    "a larger one",
                ));
            }
        }
        Ok(())
    }

    /// The same rows with their zeros.
    pub(crate) fn to_dense(&self) -> Result<Rows> {
        let mut values = vec![0.0; self.nrows() * self.ncols];
        for i in 0..self.nrows() {
            let (columns, entries) = self.row(i);
            columns.iter().zip(entries).for_each(|(c, v)| values[i * self.ncols + *c as usize] = *v);
        }
        Rows::new(values, self.nrows(), self.ncols)
    }

    /// The same rows with `ncols` coordinates, the last of them 0.
    pub(crate) fn widened(&self, ncols: usize) -> Result<Self> {
        let widened = Csr { ncols, ..self.clone() };
        widened.validate()?;
        Ok(widened)
    }

    /// Number of points.
    pub fn nrows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of coordinates.
    pub fn ncols(&self) -> usize {
        self.ncols
    }

    /// Number of stored entries.
    pub fn nnz(&self) -> usize {
        self.values.len()
    }

    /// Column indices and values of row `i`.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// All stored values, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The rows of the given indices, in that order.
    pub fn take(&self, indices: &[usize]) -> Self {
        let mut starts = vec![0];
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        for &i in indices {
            let (c, v) = self.row(i);
            columns.extend_from_slice(c);
            values.extend_from_slice(v);
            starts.push(columns.len());
        }
        Csr { starts: starts.into(), columns: columns.into(), values: values.into(), ncols: self.ncols }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_checked_and_taken() {
        let x = Csr::new(vec![0, 2, 2, 3], vec![0, 3, 1], vec![1.0, 2.0, 3.0], 4).expect("valid");
        assert_eq!(x.take(&[2, 0]).row(1), (&[0, 3][..], &[1.0, 2.0][..]));
        assert!(Csr::new(vec![0, 2], vec![3, 0], vec![1.0, 2.0], 4).is_err());
        assert!(Csr::new(vec![0, 1], vec![4], vec![1.0], 4).is_err());
        assert!(Csr::new(vec![0, 2], vec![0], vec![1.0], 4).is_err());
        assert!(Csr::new(Vec::new(), Vec::new(), Vec::new(), 4).is_err());
    }
}
