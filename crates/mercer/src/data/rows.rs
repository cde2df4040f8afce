//! Plain dense rows.

use std::sync::Arc;

use crate::error::{Error, Result};

use super::{Column, Csr, Names, default_name};

/// An n×d array of numbers, one point a row, shared on clone.
///
/// A contiguous range of rows is a view; any other choice of rows is a copy.
#[derive(Clone, Debug)]
pub struct Rows {
    values: Arc<[f64]>,
    start: usize,
    nrows: usize,
    ncols: usize,
    names: Option<Arc<[String]>>,
}

impl Rows {
    /// Wraps row-major `values`: nrows×ncols.
    ///
    /// ```
    /// use mercer::data::Rows;
    /// let x = Rows::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3, 2)?;
    /// assert_eq!(x.row(1), [3.0, 4.0]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn new(values: impl Into<Arc<[f64]>>, nrows: usize, ncols: usize) -> Result<Self> {
        let values = values.into();
        match nrows.checked_mul(ncols) {
            Some(size) if size == values.len() => Ok(Rows { values, start: 0, nrows, ncols, names: None }),
            _ => Err(Error::shape("dense rows", format!("{nrows}×{ncols} values"), format!("{} values", values.len()))),
        }
    }

    /// Gives the columns names, which must be distinct.
    pub fn with_names(mut self, names: Vec<String>) -> Result<Self> {
        if names.len() != self.ncols {
            return Err(Error::shape("column names", self.ncols, names.len()));
        }
        super::table::check_distinct(&names)?;
        self.names = Some(names.into());
        Ok(self)
    }

    /// Number of points.
    pub fn nrows(&self) -> usize {
        self.nrows
    }

    /// Number of coordinates.
    pub fn ncols(&self) -> usize {
        self.ncols
    }

    /// Column `j`.
    pub fn column(&self, j: usize) -> Column {
        (0..self.nrows).map(|i| self.row(i)[j]).collect()
    }

    /// Point `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values()[i * self.ncols..(i + 1) * self.ncols]
    }

    /// All values, row-major.
    pub fn values(&self) -> &[f64] {
        &self.values[self.start..self.start + self.nrows * self.ncols]
    }

    /// The name of column `j`: as given, or `x0`, `x1`, ….
    pub fn name(&self, j: usize) -> String {
        self.names.as_ref().map_or_else(|| default_name(j), |n| n[j].clone())
    }

    /// The names of all columns.
    pub fn names(&self) -> Names {
        self.names.as_ref().map_or(Names::Numbered(self.ncols), |names| Names::Given(Arc::clone(names)))
    }

    /// The same rows without their zeros.
    pub(crate) fn to_sparse(&self) -> Result<Csr> {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..self.nrows {
            for (j, v) in self.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0) {
                columns.push(j as u32);
                values.push(*v);
            }
            starts.push(columns.len());
        }
        Csr::new(starts, columns, values, self.ncols)
    }

    /// Whether the columns were given names.
    pub fn has_names(&self) -> bool {
        self.names.is_some()
    }

    /// The rows of the given indices, in that order; a view when they are contiguous.
    pub fn take(&self, indices: &[usize]) -> Self {
        let contiguous = indices.windows(2).all(|w| w[1] == w[0] + 1);
        let mut taken = self.clone();
        taken.nrows = indices.len();
        match indices.first() {
            Some(first) if contiguous => taken.start += first * self.ncols,
            _ => {
                taken.values = indices.iter().flat_map(|&i| self.row(i).iter().copied()).collect();
                taken.start = 0;
            }
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taking_a_range_shares_and_taking_others_copies() {
        let x = Rows::new((0..12).map(f64::from).collect::<Vec<_>>(), 6, 2).expect("6×2");
        let range = x.take(&[2, 3, 4]);
        assert_eq!(range.row(0), [4.0, 5.0]);
        assert!(Arc::ptr_eq(&range.values, &x.values));
        let chosen = range.take(&[2, 0, 0]);
        assert_eq!(chosen.values(), [8.0, 9.0, 4.0, 5.0, 4.0, 5.0]);
        assert_eq!(x.take(&[]).nrows(), 0);
    }
}
