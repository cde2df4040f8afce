//! The dot product and the squared distance of sparse points.

use std::ops::Range;

use crate::data::Csr;
use crate::kernel::Statistic;

use super::simd::dispatch;
use super::tiling::{TILE, tiles};

/// Columns of a block of postings: those of a tile.
const BLOCK: usize = TILE;

/// Row points and column points of a statistic, sparse.
///
/// Sparse points are not centred: that would fill them in, and zero is their natural centre.
#[derive(Debug)]
pub(crate) struct SparseStatistic {
    statistic: Statistic,
    rows: Csr,
    /// `None` when the columns are the rows.
    cols: Option<Csr>,
    postings: Vec<Postings>,
    row_squares: Vec<f64>,
    col_squares: Vec<f64>,
}

/// A block of column points turned round: for each coordinate that occurs, which points have it.
#[derive(Debug)]
pub(crate) struct Postings {
    coordinates: Vec<u32>,
    /// Coordinate number c has the entries `starts[c]..starts[c + 1]`.
    starts: Vec<u32>,
    points: Vec<u16>,
    values: Vec<f64>,
}

impl Postings {
    fn new(points: &Csr, block: Range<usize>) -> Self {
        let mut entries: Vec<(u32, u16, f64)> = Vec::new();
        for i in block.clone() {
            let (columns, values) = points.row(i);
            entries.extend(columns.iter().zip(values).map(|(c, v)| (*c, (i - block.start) as u16, *v)));
        }
        entries.sort_unstable_by_key(|(c, i, _)| (*c, *i));
        let mut postings =
            Postings { coordinates: Vec::new(), starts: Vec::new(), points: Vec::new(), values: Vec::new() };
        for (c, i, v) in entries {
            if postings.coordinates.last() != Some(&c) {
                postings.coordinates.push(c);
                postings.starts.push(postings.points.len() as u32);
            }
            postings.points.push(i);
            postings.values.push(v);
        }
        postings.starts.push(postings.points.len() as u32);
        postings
    }
}

dispatch! {
    /// sums[p] = ⟨x, y_p⟩ for the points y_p of a block, for x given by its entries.
    ///
    /// Only coordinates that both points have are touched, in increasing order whichever of the two
    /// is turned round, so the result is symmetric to the bit.
    pub(crate) fn dots(entries: (&[u32], &[f64]), postings: &Postings, sums: &mut [f64; BLOCK]) {
        sums.fill(0.0);
        let mut from = 0;
        for (c, x) in entries.0.iter().zip(entries.1) {
            from += postings.coordinates[from..].partition_point(|other| other < c);
            if postings.coordinates.get(from) != Some(c) {
                continue;
            }
            let range = postings.starts[from] as usize..postings.starts[from + 1] as usize;
            for (point, y) in postings.points[range.clone()].iter().zip(&postings.values[range]) {
                let sum = &mut sums[*point as usize];
                *sum = x.mul_add(*y, *sum);
            }
        }
    }
}

dispatch! {
    /// out[i] = ⟨xᵢ, xᵢ⟩.
    pub(crate) fn squares(points: &Csr, out: &mut [f64]) {
        for (i, square) in out.iter_mut().enumerate() {
            *square = points.row(i).1.iter().fold(0.0, |sum, v| v.mul_add(*v, sum));
        }
    }
}

impl SparseStatistic {
    /// Prepares the statistic of `rows` with `cols`, or with themselves.
    pub(crate) fn new(statistic: Statistic, rows: Csr, cols: Option<Csr>) -> Self {
        let squares = |x: &Csr| {
            let mut out = vec![0.0; x.nrows()];
            squares(x, &mut out);
            out
        };
        let row_squares: Vec<f64> = squares(&rows);
        let col_squares = cols.as_ref().map_or_else(|| row_squares.clone(), squares);
        let points = cols.as_ref().unwrap_or(&rows);
        let postings = tiles(points.nrows()).map(|block| Postings::new(points, block)).collect();
        SparseStatistic { statistic, rows, cols, postings, row_squares, col_squares }
    }

    pub(crate) fn row_squares(&self) -> &[f64] {
        &self.row_squares
    }

    pub(crate) fn col_squares(&self) -> &[f64] {
        &self.col_squares
    }

    /// Writes the statistic of a block of the matrix; `out` is row-major and contiguous.
    pub(crate) fn tile(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        let width = cols.len().max(1);
        for (i, out) in rows.clone().zip(out.chunks_mut(width)) {
            let mut done = cols.start;
            while done < cols.end {
                let block = done / BLOCK;
                let end = ((block + 1) * BLOCK).min(cols.end);
                let mut sums = [0.0; BLOCK];
                dots(self.rows.row(i), &self.postings[block], &mut sums);
                out[done - cols.start..end - cols.start]
                    .copy_from_slice(&sums[done - block * BLOCK..end - block * BLOCK]);
                done = end;
            }
        }
        if self.statistic == Statistic::SquaredDistance {
            let columns = self.cols.as_ref().unwrap_or(&self.rows);
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
