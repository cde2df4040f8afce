//! Dense points of a statistic: centred, scaled, packed.

use std::ops::Range;

use crate::error::Result;
use crate::kernel::Statistic;
use crate::run::{Reservation, Run};

use super::blocks::{Difference, LANES, Product, RowSlice};
use super::lower::FEWER_COLUMNS;
use super::panel::{Magnitude, Panels, Square, Squares, pair, squared_distances, statistic, weighted_terms};

/// The points of one side, row-major, as they were read.
#[derive(Debug)]
pub(crate) struct Coordinates {
    pub(crate) values: Vec<f64>,
    pub(crate) len: usize,
    pub(crate) depth: usize,
    /// Gives the memory of the points back when they go.
    pub(crate) _reservation: Option<Reservation>,
}

impl Coordinates {
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.depth..(i + 1) * self.depth]
    }
}

/// Row points and column points of a statistic, ready for tiles.
///
/// Squared distances are computed as ‖x‖² + ‖y‖² − 2⟨x, y⟩, which loses digits when the points lie
/// far from the origin, so they are centred first. All points are also scaled by a power of two
/// (exactly), so that no square overflows or vanishes; `unit` is that power: a true coordinate is a
/// computed one times `unit`.
#[derive(Debug)]
pub(crate) struct DenseStatistic {
    statistic: Statistic,
    rows: Coordinates,
    panels: Panels,
    /// ⟨x, x⟩ of the row points, then of the column points, with zeros where the last panel has no point.
    row_squares: Vec<f64>,
    col_squares: Vec<f64>,
    col_count: usize,
    unit: f64,
    _reservation: Reservation,
}

impl DenseStatistic {
    /// Prepares the statistic of `x` with `y`, or of `x` with itself. Coordinate j is multiplied
    /// by `weights[j]` first, where weights are given.
    pub(crate) fn new(
        statistic: Statistic,
        mut x: Coordinates,
        mut y: Option<Coordinates>,
        weights: Option<&[f64]>,
        run: &Run,
    ) -> Result<Self> {
        let columns = y.as_ref().unwrap_or(&x);
        // The panels, and the centre. Of sparse rows with very many columns a panel is a lot.
        let size = (columns.len.next_multiple_of(LANES) + 1) as u128 * columns.depth as u128;
        let reservation = run.reserve(8 * size, "the packed points of a kernel", FEWER_COLUMNS)?;
        // The centre comes from the columns: at prediction they are the training points, so a
        // predicted value does not depend on the other points of its batch.
        let center = match statistic {
            Statistic::Dot => vec![0.0; x.depth],
            _ => mean(y.as_ref().unwrap_or(&x)),
        };
        let mut largest: f64 = 0.0;
        for side in std::iter::once(&mut x).chain(&mut y) {
            largest = largest.max(shift_and_weigh(side, &center, weights));
        }
        let exponent = power_of_two_above(largest);
        for side in std::iter::once(&mut x).chain(&mut y) {
            side.values.iter_mut().for_each(|v| *v *= 2f64.powi(-exponent));
        }
        let columns = y.as_ref().unwrap_or(&x);
        let panels = Panels::pack(&columns.values, columns.len, columns.depth);
        let (row_squares, mut col_squares, col_count) = (squares(&x), squares(columns), columns.len);
        col_squares.resize(col_count.next_multiple_of(LANES), 0.0);
        let unit = 2f64.powi(exponent);
        let rows = x;
        Ok(DenseStatistic {
            statistic,
            rows,
            panels,
            row_squares,
            col_squares,
            col_count,
            unit,
            _reservation: reservation,
        })
    }

    pub(crate) fn depth(&self) -> usize {
        self.rows.depth
    }

    pub(crate) fn unit(&self) -> f64 {
        self.unit
    }

    /// ⟨x, x⟩ of the row points, without the unit.
    pub(crate) fn row_squares(&self) -> &[f64] {
        &self.row_squares
    }

    /// ⟨y, y⟩ of the column points, without the unit.
    pub(crate) fn col_squares(&self) -> &[f64] {
        &self.col_squares[..self.col_count]
    }

    /// Writes the statistic of a block, without the unit; `out` is row-major and contiguous.
    pub(crate) fn tile(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        let depth = self.depth();
        let points = RowSlice { values: &self.rows.values[rows.start * depth..rows.end * depth], depth };
        self.statistic(points, (&self.row_squares[rows.clone()], |r| rows.start + r), cols, out);
    }

    /// The same of rows that need not stand side by side: their coordinates are brought together in `points` first. That memory is used
    /// again for every tile: to ask for it anew took a third of the time of wide rows.
    pub(crate) fn picked_tile(&self, rows: &[usize], cols: Range<usize>, points: &mut [f64], out: &mut [f64]) {
        for (to, i) in points.chunks_exact_mut(self.depth().max(1)).zip(rows) {
            to.copy_from_slice(self.rows.row(*i));
        }
        let squares: Vec<f64> = rows.iter().map(|i| self.row_squares[*i]).collect();
        let points = RowSlice { values: points, depth: self.depth() };
        self.statistic(points, (&squares, |r| rows[r]), cols, out);
    }

    /// The statistic of some rows, given with their squares and places.
    fn statistic(
        &self,
        points: RowSlice<'_>,
        (squares, place): (&[f64], impl Fn(usize) -> usize),
        cols: Range<usize>,
        out: &mut [f64],
    ) {
        match self.statistic {
            Statistic::Dot => statistic::<Product>(points, &self.panels, cols, out),
            Statistic::ManhattanDistance => statistic::<Difference>(points, &self.panels, cols, out),
            Statistic::SquaredDistance => {
                let exact = &|r: usize, c: usize| self.squared_distance(place(r), c);
                let squares = Squares { rows: squares, points: &self.col_squares, exact };
                squared_distances(points, &self.panels, squares, cols, out);
            }
        }
    }

    /// Σ (xⱼ − yⱼ)² of one pair, from the differences: exactly 0 for equal points.
    fn squared_distance(&self, row: usize, col: usize) -> f64 {
        let lane = self.panels.panel(col / LANES).iter().skip(col % LANES).step_by(LANES);
        self.rows.row(row).iter().zip(lane).map(|(x, y)| (x - y) * (x - y)).sum()
    }

    /// out[j] += Σ g·term over the pairs of a block, the term of coordinate j being (xⱼ − yⱼ)² or
    /// |xⱼ − yⱼ|, without the unit.
    pub(crate) fn pull_back_terms(&self, rows: Range<usize>, cols: Range<usize>, g: &[f64], out: &mut [f64]) {
        let depth = self.depth();
        let points = RowSlice { values: &self.rows.values[rows.start * depth..rows.end * depth], depth };
        let mut lanes = vec![0.0; depth * LANES];
        match self.statistic {
            Statistic::ManhattanDistance => weighted_terms::<Magnitude>(points, &self.panels, cols, g, &mut lanes),
            _ => weighted_terms::<Square>(points, &self.panels, cols, g, &mut lanes),
        }
        for (sum, lanes) in out.iter_mut().zip(lanes.chunks(LANES)) {
            *sum += lanes.iter().sum::<f64>();
        }
    }
}

/// Column means, updated so that the sums cannot overflow.
fn mean(points: &Coordinates) -> Vec<f64> {
    let mut mean = vec![0.0; points.depth];
    for i in 0..points.len {
        let share = 1.0 / (i + 1) as f64;
        for (m, v) in mean.iter_mut().zip(points.row(i)) {
            // Halves keep the difference of two huge values in range.
            *m += (0.5 * v - 0.5 * *m) * share * 2.0;
        }
    }
    mean
}

/// Subtracts the centre, multiplies by the weights, and answers the largest absolute value.
fn shift_and_weigh(points: &mut Coordinates, center: &[f64], weights: Option<&[f64]>) -> f64 {
    let depth = points.depth.max(1);
    let mut largest: f64 = 0.0;
    for row in points.values.chunks_mut(depth) {
        for (j, v) in row.iter_mut().enumerate() {
            *v = (*v - center[j]) * weights.map_or(1.0, |w| w[j]);
            largest = largest.max(v.abs());
        }
    }
    largest
}

/// e with 2ᵉ just above `largest`, kept where 2ᵉ and 2⁻ᵉ are both ordinary numbers.
fn power_of_two_above(largest: f64) -> i32 {
    if largest > 0.0 && largest.is_finite() { (largest.log2().ceil() as i32).clamp(-1000, 1000) } else { 0 }
}

fn squares(points: &Coordinates) -> Vec<f64> {
    let mut out = vec![0.0; points.len];
    squares_into(points, &mut out);
    out
}

super::simd::dispatch! {
    /// out[i] = ⟨xᵢ, xᵢ⟩.
    pub(crate) fn squares_into(points: &Coordinates, out: &mut [f64]) {
        for (i, square) in out.iter_mut().enumerate() {
            *square = pair::<Product>(points.row(i), points.row(i));
        }
    }
}
