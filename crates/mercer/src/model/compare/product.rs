//! The product of two stored symmetric matrices, entry by entry.

use std::ops::Range;

use crate::gram::{DenseGram, KernelMatrix, TileMut};

/// A stored symmetric matrix, row by row.
pub(super) trait StoredRows: Sync {
    /// Number of rows.
    fn n(&self) -> usize;

    /// Row `i`.
    fn row(&self, i: usize) -> &[f64];
}

impl StoredRows for DenseGram {
    fn n(&self) -> usize {
        self.nrows()
    }

    fn row(&self, i: usize) -> &[f64] {
        DenseGram::row(self, i)
    }
}

/// K∘L, which is not stored.
pub(super) struct Entrywise<'a, M>(pub(super) &'a M, pub(super) &'a M);

impl<M: StoredRows> KernelMatrix for Entrywise<'_, M> {
    fn nrows(&self) -> usize {
        self.0.n()
    }

    fn ncols(&self) -> usize {
        self.0.n()
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    fn block(&self, rows: Range<usize>, cols: Range<usize>, mut out: TileMut<'_>) {
        for (at, i) in rows.enumerate() {
            let pairs = self.0.row(i)[cols.clone()].iter().zip(&self.1.row(i)[cols.clone()]);
            out.row_mut(at).iter_mut().zip(pairs).for_each(|(o, (k, l))| *o = k * l);
        }
    }

    fn diag(&self, out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(i, d)| *d = self.0.row(i)[i] * self.1.row(i)[i]);
    }
}
