//! A Gram matrix made elsewhere.

use std::sync::Arc;

use crate::error::{Error, Result};

/// A matrix of kernel values: rows are points, columns the points they are compared with.
#[derive(Clone, Debug)]
pub struct Precomputed {
    values: Arc<[f64]>,
    nrows: usize,
    ncols: usize,
}

impl Precomputed {
    /// Wraps row-major `values`: nrows×ncols.
    pub fn new(values: impl Into<Arc<[f64]>>, nrows: usize, ncols: usize) -> Result<Self> {
        let values = values.into();
        match nrows.checked_mul(ncols) {
            Some(size) if size == values.len() => Ok(Precomputed { values, nrows, ncols }),
            _ => Err(Error::shape(
                "a precomputed matrix",
                format!("{nrows}×{ncols} values"),
                format!("{} values", values.len()),
            )),
        }
    }

    /// Number of points.
    pub fn nrows(&self) -> usize {
        self.nrows
    }

    /// Number of points they are compared with.
    pub fn ncols(&self) -> usize {
        self.ncols
    }

    /// Kernel values of point `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.ncols..(i + 1) * self.ncols]
    }

    /// All values, row-major.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The rows of the given indices, with all columns.
    pub fn take(&self, indices: &[usize]) -> Self {
        let values = indices.iter().flat_map(|&i| self.row(i).iter().copied()).collect();
        Precomputed { values, nrows: indices.len(), ncols: self.ncols }
    }
}
