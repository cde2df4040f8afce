//! The dot product and the squared distance of sparse points.

use std::ops::Range;

use crate::data::Csr;
use crate::kernel::Statistic;

use super::blocks::{is_near, mend};
use super::filled::{Filled, Format, Row};
use super::simd::dispatch;
use super::tiling::{TILE, tiles};

/// Columns of a block of postings: those of a tile.
pub(super) const BLOCK: usize = TILE;

/// Row points and column points of a statistic, sparse.
///
/// Sparse points are not centred: that would fill them in, and zero is their natural centre.
#[derive(Debug)]
pub(crate) struct SparseStatistic {
    statistic: Statistic,
    rows: Csr,
    /// `None` when the columns are the rows.
    cols: Option<Csr>,
    blocks: Vec<Block>,
    row_squares: Vec<f64>,
    col_squares: Vec<f64>,
}

/// A block of column points, in the form that is read faster.
#[derive(Debug)]
enum Block {
    Turned(Postings),
    Filled(Filled),
}

impl Block {
    fn new(points: &Csr, block: Range<usize>, format: Format) -> Self {
        match Filled::pays(points, block.clone(), format) {
            true => Block::Filled(Filled::new(points, block, format)),
            false => Block::Turned(Postings::new(points, block)),
        }
    }

    /// sums[p] = ⟨x, y_p⟩ for these points y_p of the block; what stands in other places means nothing.
    fn dots(&self, entries: (&[u32], &[f64]), points: Range<usize>, row: &mut Row, sums: &mut [f64; BLOCK]) {
        match self {
            Block::Turned(postings) => dots(entries, postings, sums),
            Block::Filled(filled) => filled.dots(entries, points, row, sums),
        }
    }
}

/// A block of column points turned round: for each coordinate, which points have it.
#[derive(Debug)]
pub(crate) struct Postings {
    /// The coordinates that occur, in order; `None` when `starts` has a place for every coordinate.
    coordinates: Option<Vec<u32>>,
    /// Coordinate number c has the entries `starts[c]..starts[c + 1]`.
    starts: Vec<u32>,
    points: Vec<u16>,
    values: Vec<f64>,
}

/// Places per entry up to which every coordinate gets one: looking a coordinate up is then a read,
/// and `starts` stays about as large as the entries themselves.
const PLACES_PER_ENTRY: usize = 4;

impl Postings {
    fn new(points: &Csr, block: Range<usize>) -> Self {
        let count: usize = block.clone().map(|i| points.row(i).0.len()).sum();
        if points.ncols() <= PLACES_PER_ENTRY * count {
            Self::with_every_coordinate(points, block, count)
        } else {
            Self::with_occurring_coordinates(points, block)
        }
    }

    /// Entries are counted by coordinate, then put into their places.
    fn with_every_coordinate(points: &Csr, block: Range<usize>, count: usize) -> Self {
        let mut starts = vec![0u32; points.ncols() + 1];
        for c in block.clone().flat_map(|i| points.row(i).0) {
            starts[*c as usize + 1] += 1;
        }
        for c in 1..starts.len() {
            starts[c] += starts[c - 1];
        }
        let mut next = starts.clone();
        let mut postings = Postings { coordinates: None, starts, points: vec![0; count], values: vec![0.0; count] };
        for i in block.clone() {
            let (columns, values) = points.row(i);
            for (c, v) in columns.iter().zip(values) {
                let place = &mut next[*c as usize];
                postings.points[*place as usize] = (i - block.start) as u16;
                postings.values[*place as usize] = *v;
                *place += 1;
            }
        }
        postings
    }

    /// Entries are sorted by coordinate.
    fn with_occurring_coordinates(points: &Csr, block: Range<usize>) -> Self {
        let mut entries: Vec<(u32, u16, f64)> = Vec::new();
        for i in block.clone() {
            let (columns, values) = points.row(i);
            entries.extend(columns.iter().zip(values).map(|(c, v)| (*c, (i - block.start) as u16, *v)));
        }
        entries.sort_unstable_by_key(|(c, i, _)| (*c, *i));
        let (mut coordinates, mut starts) = (Vec::new(), Vec::new());
        for (at, (c, _, _)) in entries.iter().enumerate() {
            if coordinates.last() != Some(c) {
                coordinates.push(*c);
                starts.push(at as u32);
            }
        }
        starts.push(entries.len() as u32);
        let (points, values) = entries.into_iter().map(|(_, i, v)| (i, v)).unzip();
        Postings { coordinates: Some(coordinates), starts, points, values }
    }

    /// The entries of a coordinate. Coordinates are asked for in increasing order; `from` remembers
    /// how far the search has come.
    #[inline(always)]
    fn entries(&self, coordinate: u32, from: &mut usize) -> Range<usize> {
        let place = match &self.coordinates {
            // A point may have coordinates that the columns lack.
            None if coordinate as usize + 1 >= self.starts.len() => return 0..0,
            None => coordinate as usize,
            Some(coordinates) => {
                *from += coordinates[*from..].partition_point(|other| *other < coordinate);
                if coordinates.get(*from) != Some(&coordinate) {
                    return 0..0;
                }
                *from
            }
        };
        self.starts[place] as usize..self.starts[place + 1] as usize
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
            let range = postings.entries(*c, &mut from);
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
        let format = Format::of((&rows, &row_squares), (points, &col_squares));
        let blocks = tiles(points.nrows()).map(|block| Block::new(points, block, format)).collect();
        SparseStatistic { statistic, rows, cols, blocks, row_squares, col_squares }
    }

    pub(crate) fn row_squares(&self) -> &[f64] {
        &self.row_squares
    }

    pub(crate) fn col_squares(&self) -> &[f64] {
        &self.col_squares
    }

    /// Writes the statistic of some rows with a block of the columns; `out` is row-major and contiguous.
    pub(crate) fn tile(&self, rows: impl Iterator<Item = usize>, cols: Range<usize>, out: &mut [f64]) {
        let (width, mut row) = (cols.len().max(1), Row::default());
        for (i, out) in rows.zip(out.chunks_mut(width)) {
            let mut done = cols.start;
            while done < cols.end {
                let block = done / BLOCK;
                let end = ((block + 1) * BLOCK).min(cols.end);
                let (mut sums, inside) = ([0.0; BLOCK], done - block * BLOCK..end - block * BLOCK);
                self.blocks[block].dots(self.rows.row(i), inside.clone(), &mut row, &mut sums);
                out[done - cols.start..end - cols.start].copy_from_slice(&sums[inside]);
                done = end;
            }
            if self.statistic == Statistic::SquaredDistance {
                let columns = self.cols.as_ref().unwrap_or(&self.rows);
                let exact = |c: usize| squared_distance(self.rows.row(i), columns.row(cols.start + c));
                squared_distances(self.row_squares[i], &self.col_squares[cols.clone()], out, exact);
            }
        }
    }
}

/// row = ‖x‖² + ‖y‖² − 2·row, or `exact` of the column where that [has lost digits](is_near).
fn squared_distances(xx: f64, yy: &[f64], row: &mut [f64], exact: impl Fn(usize) -> f64) {
    let mut near = 0;
    expand(xx, yy, row, &mut near);
    if near > 0 {
        mend(xx, yy, row, exact);
    }
}

dispatch! {
    /// row = xx + yy − 2·row; counts how many of the results are small for their squares.
    pub(crate) fn expand(xx: f64, yy: &[f64], row: &mut [f64], near: &mut u64) {
        for (s, yy) in row.iter_mut().zip(yy) {
            let squares = xx + yy;
            *s = (-2.0f64).mul_add(*s, squares);
            *near += u64::from(is_near(*s, squares));
        }
    }
}

/// Σ (xⱼ − yⱼ)² over the coordinates that either point has.
fn squared_distance((x_at, x): (&[u32], &[f64]), (y_at, y): (&[u32], &[f64])) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < x_at.len() || j < y_at.len() {
        // Past the end lies beyond every coordinate, u32::MAX included.
        let at = |list: &[u32], k: usize| list.get(k).map_or(u64::MAX, |c| u64::from(*c));
        let (a, b) = (at(x_at, i), at(y_at, j));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_of_blocks_give_the_same_sums() {
        let rows = 30;
        let starts: Vec<usize> = (0..=rows).map(|i| 4 * i).collect();
        let columns: Vec<u32> = (0..4 * rows as u32).map(|e| 25 * (e % 4) + (e * 37) % 25).collect();
        let values: Vec<f64> = (0..4 * rows).map(|e| (e % 7) as f64 - 3.0).collect();
        let points = Csr::new(starts, columns, values, 101).expect("sorted rows");
        let (every, occurring) = (
            Postings::with_every_coordinate(&points, 0..rows, rows * 4),
            Postings::with_occurring_coordinates(&points, 0..rows),
        );
        for i in 0..rows {
            let (mut a, mut b) = ([1.0; BLOCK], [2.0; BLOCK]);
            dots(points.row(i), &every, &mut a);
            dots(points.row(i), &occurring, &mut b);
            assert_eq!(a, b);
            for format in [Format::Short, Format::Single, Format::Double] {
                let filled = Filled::new(&points, 0..rows, format);
                filled.dots(points.row(i), 0..BLOCK, &mut Row::default(), &mut b);
                assert_eq!(a, b);
                let mut part = [7.0; BLOCK];
                filled.dots(points.row(i), 5..28, &mut Row::default(), &mut part);
                assert_eq!(a[5..28], part[5..28]);
            }
        }
    }

    /// The format is as long as sums need, to the last whole number that fits.
    #[test]
    fn formats_hold_every_sum() {
        let points = |value: f64| Csr::new(vec![0, 1], vec![0], vec![value], 1).expect("one point");
        let format = |x: f64, y: f64| {
            let (x, y) = (points(x), points(y));
            let square = |p: &Csr| vec![p.row(0).1[0].powi(2)];
            Format::of((&x, &square(&x)), (&y, &square(&y)))
        };
        assert_eq!(format(2.0, 16383.0), Format::Short);
        assert_eq!(format(-2.0, 16383.0), Format::Short);
        assert_eq!(format(2.0, 16384.0), Format::Single);
        assert_eq!(format(0.0, 40000.0), Format::Single);
        assert_eq!(format(2.0, 8_388_607.0), Format::Single);
        assert_eq!(format(2.0, 8_388_608.0), Format::Double);
        assert_eq!((format(0.5, 1.0), format(f64::INFINITY, 1.0)), (Format::Double, Format::Double));
        assert_eq!(format(f64::NAN, 1.0), Format::Double);
    }
}
