//! Columns of a kernel matrix, for factors that need some of them.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::linalg::ColumnSource;
use crate::run::Run;

use super::matrix::{KernelMatrix, Shape, TileMut};

/// Values that a thread computes at a time.
const PART: usize = 960;

/// A symmetric kernel matrix whose columns are computed when they are asked for.
#[derive(Clone, Copy)]
pub struct KernelColumns<'a>(pub &'a dyn KernelMatrix);

impl ColumnSource for KernelColumns<'_> {
    fn dim(&self) -> usize {
        self.0.nrows()
    }

    fn diag(&self, out: &mut [f64]) {
        self.0.diag(out);
    }

    fn column(&self, j: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let Shape { nrows: n, symmetric, .. } = Shape::of(self.0)?;
        if !symmetric {
            return Err(Error::shape("a matrix to factor", "the Gram matrix of one set", "a cross matrix of two"));
        }
        if j >= n || out.len() != n {
            return Err(Error::shape(
                "a column",
                format!("{n} values, index below {n}"),
                format!("{} values, {j}", out.len()),
            ));
        }
        // A row is contiguous, and runs along the packed points.
        let part = |(block, out): (usize, &mut [f64])| {
            let (first, len) = (block * PART, out.len());
            self.0.block(j..j + 1, first..first + len, TileMut::contiguous(out, 1, len));
        };
        run.install(|| out.par_chunks_mut(PART).enumerate().for_each(part));
        Ok(())
    }
}
