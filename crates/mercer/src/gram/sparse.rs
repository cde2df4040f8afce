//! The dot product and the squared distance of sparse points.

use std::ops::Range;

use crate::data::Csr;
use crate::kernel::Statistic;

/// Row points and column points of a statistic, sparse.
///
/// Sparse points are not centred: that would fill them in, and zero is their natural centre.
#[derive(Debug)]
pub(crate) struct SparseStatistic {
    statistic: Statistic,
    rows: Csr,
    /// `None` when the columns are the rows.
    cols: Option<Csr>,
    row_squares: Vec<f64>,
    col_squares: Vec<f64>,
}

impl SparseStatistic {
    /// Prepares the statistic of `rows` with `cols`, or with themselves.
    pub(crate) fn new(statistic: Statistic, rows: Csr, cols: Option<Csr>) -> Self {
        let squares = |x: &Csr| (0..x.nrows()).map(|i| x.row(i).1.iter().fold(0.0, |s, v| v.mul_add(*v, s))).collect();
        let row_squares: Vec<f64> = squares(&rows);
        let col_squares = cols.as_ref().map_or_else(|| row_squares.clone(), squares);
        SparseStatistic { statistic, rows, cols, row_squares, col_squares }
    }

    pub(crate) fn row_squares(&self) -> &[f64] {
        &self.row_squares
    }

    pub(crate) fn col_squares(&self) -> &[f64] {
        &self.col_squares
    }

    /// Writes the statistic of a block; `out` is row-major and contiguous.
    ///
    /// Each row is spread out once, then meets the entries of every column point. The terms are
    /// added in the order of the coordinates whichever point is spread, so the result is symmetric.
    pub(crate) fn tile(&self, rows: Range<usize>, cols: Range<usize>, spread: &mut Vec<f64>, out: &mut [f64]) {
        let columns = self.cols.as_ref().unwrap_or(&self.rows);
        spread.resize(self.rows.ncols().max(spread.len()), 0.0);
        for (i, out) in rows.clone().zip(out.chunks_mut(cols.len().max(1))) {
            let (indices, values) = self.rows.row(i);
            for (&j, v) in indices.iter().zip(values) {
                spread[j as usize] = *v;
            }
            for (slot, c) in out.iter_mut().zip(cols.clone()) {
                let (others, theirs) = columns.row(c);
                *slot = others.iter().zip(theirs).fold(0.0, |sum, (&j, v)| v.mul_add(spread[j as usize], sum));
            }
            for &j in indices {
                spread[j as usize] = 0.0;
            }
        }
        if self.statistic == Statistic::SquaredDistance {
            let squares = (&self.row_squares[rows.clone()], &self.col_squares[cols.clone()]);
            super::points::squared_distances(squares.0, squares.1, out, |r, c| {
                squared_distance(self.rows.row(rows.start + r), columns.row(cols.start + c))
            });
        }
    }
}

/// Σ (xⱼ − yⱼ)² over the coordinates that either point has.
fn squared_distance((x_at, x): (&[u32], &[f64]), (y_at, y): (&[u32], &[f64])) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < x_at.len() || j < y_at.len() {
        let (a, b) = (x_at.get(i).copied().unwrap_or(u32::MAX), y_at.get(j).copied().unwrap_or(u32::MAX));
        let difference = match a.cmp(&b) {
            std::cmp::Ordering::Less => x[i],
            std::cmp::Ordering::Greater => y[j],
            std::cmp::Ordering::Equal => x[i] - y[j],
        };
        i += usize::from(a <= b);
        j += usize::from(b <= a);
        sum += difference * difference;
    }
    sum
}
