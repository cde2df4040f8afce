//! In a stored matrix, in blocks: most of the work is matrix products.

use faer::{MatMut, MatRef};

use crate::error::{Error, Result};
use crate::linalg::buffer::filled;
use crate::linalg::dense::largest_magnitude;
use crate::linalg::simd;
use crate::linalg::team::Team;
use crate::linalg::tiles::lower_tiles;
use crate::run::Run;

use super::progress::Progress;
use super::{PivotedCholesky, PivotedParams, PivotedStop, indefinite};

/// Columns after which the rest of the matrix is brought up to date in one product.
const BLOCK: usize = 64;
/// Rows of a column, or positions of an exchange, that a thread takes at a time.
const ROWS: usize = 256;
/// Rows below which threads cost more than they bring.
const FEW: usize = 256;

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
    let stop = match n < FEW {
        true => work.factor(&mut progress, &Team::alone())?,
        false => run.enter(|| Team::gather(|team| work.factor(&mut progress, team)))?,
    };
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
    fn factor(&mut self, progress: &mut Progress<'_>, team: &Team) -> Result<PivotedStop> {
        let stop = loop {
            let names = &self.names;
            let pivot = match progress.next(self.rank, self.rank, |at| names[at])? {
                Ok(pivot) => pivot,
                Err(stop) => break stop,
            };
            progress.residual.swap(self.rank, pivot);
            self.exchange(pivot, team);
            if !self.column(&mut progress.residual, team) {
                break PivotedStop::Tolerance;
            }
            progress.residual[self.rank] = 0.0;
            self.rank += 1;
            if self.rank - self.absorbed == BLOCK {
                self.absorb(team);
            }
        };
        self.absorb(team);
        Ok(stop)
    }

    /// Exchanges position `p` with the first that is not done, in the upper triangle and in B.
    fn exchange(&mut self, p: usize, team: &Team) {
        let (r, n) = (self.rank, self.n);
        if p == r {
            return;
        }
        self.names.swap(r, p);
        self.matrix.swap(r * n + r, p * n + p);
        let (own, rest) = self.matrix[r * n..].split_at_mut(n);
        let (between, other) = rest.split_at_mut((p - r - 1) * n);
        let (before, after) = own[r + 1..].split_at_mut(p - r - 1);
        // Of a row between, the entry in column p belongs to this pair.
        let mut pieces: Vec<_> = before.chunks_mut(ROWS).zip(between.chunks_mut(ROWS * n)).collect();
        team.each(&mut pieces, |_, (own, rows)| {
            own.iter_mut().zip(rows.chunks_mut(n)).for_each(|(own, row)| std::mem::swap(own, &mut row[p]));
        });
        after[1..].swap_with_slice(&mut other[p + 1..n]);
        // Columns before have their places already: see `put`.
        (self.absorbed..r).for_each(|c| self.columns.swap(c * n + r, c * n + p));
    }

    /// The next column of B, whose squares are taken off what remains of the diagonal; false if its pivot turns out not to be
    /// positive.
    fn column(&mut self, residual: &mut [f64], team: &Team) -> bool {
        let (r, n) = (self.rank, self.n);
        let (before, column) = self.columns.split_at_mut(r * n);
        let block = &before[self.absorbed * n..];
        let weights: Vec<f64> = (0..r - self.absorbed).map(|c| block[c * n + r]).collect();
        let own = weights.iter().fold(self.matrix[r * n + r], |own, w| (-w).mul_add(*w, own));
        if !(own > 0.0 && own.is_finite()) {
            return false;
        }
        let (root, row) = (own.sqrt(), &self.matrix[r * n..(r + 1) * n]);
        let mut pieces: Vec<_> = column[r..n].chunks_mut(ROWS).zip(residual[r..].chunks_mut(ROWS)).collect();
        team.each(&mut pieces, |chunk, (column, residual)| {
            let first = r + chunk * ROWS;
            column.copy_from_slice(&row[first..first + column.len()]);
            subtract_columns(block, n, first, &weights, column);
            for (b, d) in column.iter_mut().zip(residual.iter_mut()) {
                *b /= root;
                *d -= *b * *b;
            }
        });
        column[r] = root;
        true
    }

    /// Takes the products of the block's columns off what remains of the matrix, and is done with them.
    fn absorb(&mut self, team: &Team) {
        if self.rank > self.absorbed {
            self.take_off(team);
            self.put(team);
            self.absorbed = self.rank;
        }
    }

    fn take_off(&mut self, team: &Team) {
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
        team.each(&mut lower_tiles(trailing, r), |_, tile| tile.subtract(block, block));
    }

    /// Brings the rows of the block's columns into the order of the points, which later exchanges leave alone: exchanges in all
    /// columns so far would touch a page of memory for each of them.
    fn put(&mut self, team: &Team) {
        let (n, names, absorbed) = (self.n, &self.names, self.absorbed);
        let mut block: Vec<_> = self.columns[absorbed * n..self.rank * n].chunks_mut(n).collect();
        team.each(&mut block, |at, column| {
            let mut before = column.to_vec();
            // Positions before belong to earlier pivots, where this column is zero.
            before[..absorbed + at].fill(0.0);
            names.iter().zip(&before).for_each(|(name, value)| column[*name] = *value);
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

simd::dispatch! {
    /// out −= C·w for the rows of C from `first` on that `out` has; the columns of C are n long.
    pub(crate) fn subtract_columns(c: &[f64], n: usize, first: usize, w: &[f64], out: &mut [f64]) {
        const FOUR: usize = 4;
        let len = out.len();
        for (columns, w) in c.chunks(FOUR * n).zip(w.chunks(FOUR)) {
            let rows = |at: usize| &columns[at * n + first..at * n + first + len];
            match w {
                [w0, w1, w2, w3] => {
                    let (c0, c1, c2, c3) = (rows(0), rows(1), rows(2), rows(3));
                    for ((((out, c0), c1), c2), c3) in out.iter_mut().zip(c0).zip(c1).zip(c2).zip(c3) {
                        let sum = (-w0).mul_add(*c0, *out);
                        let sum = (-w1).mul_add(*c1, sum);
                        *out = (-w3).mul_add(*c3, (-w2).mul_add(*c2, sum));
                    }
                }
                few => {
                    for (at, w) in few.iter().enumerate() {
                        out.iter_mut().zip(rows(at)).for_each(|(out, c)| *out = (-w).mul_add(*c, *out));
                    }
                }
            }
        }
    }
}
