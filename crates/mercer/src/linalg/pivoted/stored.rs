//! In a stored matrix, in blocks: most of the work is matrix products.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, MatMut, MatRef};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::linalg::buffer::filled;
use crate::linalg::dense::{PARTS, largest_magnitude, subtract_columns};
use crate::run::Run;

use super::progress::Progress;
use super::{PivotedCholesky, PivotedParams, PivotedStop, indefinite};

/// Columns after which the rest of the matrix is brought up to date in one product.
const BLOCK: usize = 64;

/// K ≈ B·Bᵀ of a stored symmetric n×n matrix, row-major; the matrix is used up as working space.
///
/// Only the upper triangle is read. At the end the remaining matrix is looked at as a whole, so an
/// indefinite matrix is an error even where its diagonal hides it.
pub fn pivoted_cholesky_dense(
    matrix: &mut [f64],
    n: usize,
    params: &PivotedParams,
    run: &Run,
) -> Result<PivotedCholesky> {
    if n.checked_mul(n) != Some(matrix.len()) {
        return Err(Error::shape("a symmetric matrix", format!("{n}×{n} values"), matrix.len()));
    }
    let diagonal: Vec<f64> = (0..n).map(|i| matrix[i * n + i]).collect();
    let mut progress = Progress::new(diagonal, params, run)?;
    let widest = params.max_rank.unwrap_or(n).min(n);
    let purpose = format!("a factor of {n} rows and up to {widest} columns");
    let alternative = "ask for a smaller rank, or stream the columns";
    let (columns, reserved) = filled((n * widest) as u128, 0.0, &purpose, alternative, run)?;
    let mut work = Work { matrix, n, columns, names: (0..n).collect(), rank: 0, absorbed: 0 };
    let stop = run.install(|| work.factor(&mut progress))?;
    run.install(|| work.absorb());
    work.check_rest(&progress)?;
    let residual = progress.finished();
    Ok(work.finish(residual, &progress, stop, reserved))
}

/// The matrix in the order of the pivots: positions below `rank` are done.
struct Work<'a> {
    matrix: &'a mut [f64],
    n: usize,
    columns: Vec<f64>,
    /// The point at each position.
    names: Vec<usize>,
    rank: usize,
    /// Columns whose products have been taken off the matrix, and whose rows are in the order of the points; those of the
    /// others are in the order of the pivots.
    absorbed: usize,
}

impl Work<'_> {
    fn factor(&mut self, progress: &mut Progress<'_>) -> Result<PivotedStop> {
        loop {
            let names = &self.names;
            let pivot = match progress.next(self.rank, self.rank, |at| names[at])? {
                Ok(pivot) => pivot,
                Err(stop) => return Ok(stop),
            };
            progress.residual.swap(self.rank, pivot);
            self.exchange(pivot);
            if !self.column() {
                return Ok(PivotedStop::Tolerance);
            }
            let first = self.rank * self.n + self.rank;
            progress.take_off(self.rank, &self.columns[first..(self.rank + 1) * self.n]);
            progress.residual[self.rank] = 0.0;
            self.rank += 1;
            if self.rank - self.absorbed == BLOCK {
                self.absorb();
            }
        }
    }

    /// Exchanges position `p` with the first that is not done, in the upper triangle and in B.
    fn exchange(&mut self, p: usize) {
        let (r, n) = (self.rank, self.n);
        if p == r {
            return;
        }
        self.names.swap(r, p);
        self.matrix.swap(r * n + r, p * n + p);
        (r + 1..p).for_each(|i| self.matrix.swap(r * n + i, i * n + p));
        (p + 1..n).for_each(|j| self.matrix.swap(r * n + j, p * n + j));
        // Columns before have their places already: see `put`.
        (self.absorbed..r).for_each(|c| self.columns.swap(c * n + r, c * n + p));
    }

    /// The next column of B; false if its pivot turns out not to be positive.
    fn column(&mut self) -> bool {
        let (r, n) = (self.rank, self.n);
        let (before, column) = self.columns.split_at_mut(r * n);
        let column = &mut column[r..n];
        column.copy_from_slice(&self.matrix[r * n + r..(r + 1) * n]);
        let block = &before[self.absorbed * n..];
        let weights: Vec<f64> = (0..r - self.absorbed).map(|c| block[c * n + r]).collect();
        subtract_columns(block.get(r..).unwrap_or(&[]), n, &weights, column);
        let own = column[0];
        if !(own > 0.0 && own.is_finite()) {
            return false;
        }
        let root = own.sqrt();
        column.iter_mut().for_each(|b| *b /= root);
        column[0] = root;
        true
    }

    /// Takes the products of the block's columns off what remains of the matrix, and is done with them.
    fn absorb(&mut self) {
        if self.rank > self.absorbed {
            self.take_off();
            self.put();
            self.absorbed = self.rank;
        }
    }

    fn take_off(&mut self) {
        let (r, n, width) = (self.rank, self.n, self.rank - self.absorbed);
        let rest = n - r;
        if rest == 0 {
            return;
        }
        let first = self.absorbed * n + r;
        let end = first + (width - 1) * n + rest;
        let block = MatRef::from_column_major_slice_with_stride(&self.columns[first..end], rest, width, n);
        let start = r * n + r;
        let last = start + (rest - 1) * n + rest;
        // The upper triangle of rows is the lower triangle of columns. (Strided row-major views that
        // can be written to are column-major ones by mistake in faer 0.24.)
        let trailing = MatMut::from_column_major_slice_with_stride_mut(&mut self.matrix[start..last], rest, rest, n);
        matmul(
            trailing,
            BlockStructure::TriangularLower,
            Accum::Add,
            block,
            BlockStructure::Rectangular,
            block.transpose(),
            BlockStructure::Rectangular,
            -1.0,
            PARTS,
        );
    }

    /// Brings the rows of the block's columns into the order of the points, which later exchanges leave alone: exchanges in all
    /// columns so far would touch a page of memory for each of them.
    fn put(&mut self) {
        let (n, names) = (self.n, &self.names);
        let block = &mut self.columns[self.absorbed * n..self.rank * n];
        block.par_chunks_mut(n).enumerate().for_each_init(Vec::new, |before: &mut Vec<f64>, (at, column)| {
            before.clear();
            before.extend_from_slice(column);
            // Positions before belong to earlier pivots, where this column is zero.
            before[..self.absorbed + at].fill(0.0);
            names.iter().zip(&*before).for_each(|(name, value)| column[*name] = *value);
        });
    }

    /// What is left of a positive semi-definite matrix is bounded by its diagonal.
    fn check_rest(&self, progress: &Progress<'_>) -> Result<()> {
        let (r, n) = (self.rank, self.n);
        let largest = progress.residual.get(r..).unwrap_or(&[]).iter().copied().fold(0.0, f64::max);
        let allowed = 2.0 * largest.max(progress.rounding());
        for i in r..n {
            let row = largest_magnitude(&self.matrix[i * n + i..(i + 1) * n]);
            if row.is_nan() || row > allowed {
                return Err(indefinite(self.names[i], -row));
            }
        }
        Ok(())
    }

    /// The factor, and what is left of the diagonal in the order of the points.
    fn finish(
        self,
        residual: Vec<f64>,
        progress: &Progress<'_>,
        stop: PivotedStop,
        reserved: crate::run::Reservation,
    ) -> PivotedCholesky {
        let (n, rank) = (self.n, self.rank);
        let mut columns = self.columns;
        columns.truncate(n * rank);
        let mut ordered = vec![0.0; n];
        (0..n).for_each(|at| ordered[self.names[at]] = residual[at]);
        PivotedCholesky {
            n,
            columns,
            pivots: self.names[..rank].to_vec(),
            trace: progress.trace,
            residual: ordered,
            tolerance: progress.tolerance,
            stop,
            _reserved: vec![reserved],
        }
    }
}
