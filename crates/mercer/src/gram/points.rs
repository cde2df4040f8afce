//! Dense points of a statistic: centred, scaled, packed.

use std::ops::Range;

use crate::kernel::Statistic;
use crate::run::Reservation;

use super::panel::{Difference, Panels, Product, RowSlice, pair, statistic};

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
/// (exactly), so that no square overflows or vanishes; `unit` is what that costs: the true
/// statistic is the computed one times `unit`.
#[derive(Debug)]
pub(crate) struct DenseStatistic {
    statistic: Statistic,
    rows: Coordinates,
    panels: Panels,
    /// ⟨x, x⟩ of the row points, then of the column points.
    row_squares: Vec<f64>,
    col_squares: Vec<f64>,
    unit: f64,
}

impl DenseStatistic {
    /// Prepares the statistic of `x` with `y`, or of `x` with itself. Coordinate j is multiplied
    /// by `weights[j]` first, where weights are given.
    pub(crate) fn new(statistic: Statistic, x: Coordinates, y: Option<Coordinates>, weights: Option<&[f64]>) -> Self {
        let mut x = x;
        let mut y = y;
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
        let (row_squares, col_squares) = (squares(&x), squares(columns));
        let unit = match statistic {
            Statistic::ManhattanDistance => 2f64.powi(exponent),
            // In two factors: the square of a power of two may lie outside the range.
            _ => 2f64.powi(exponent) * 2f64.powi(exponent),
        };
        DenseStatistic { statistic, rows: x, panels, row_squares, col_squares, unit }
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
        &self.col_squares
    }

    /// Writes the statistic of a block, without the unit; `out` is row-major and contiguous.
    pub(crate) fn tile(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        let depth = self.depth();
        let points = RowSlice { values: &self.rows.values[rows.start * depth..rows.end * depth], depth };
        match self.statistic {
            Statistic::Dot => statistic::<Product>(points, &self.panels, cols, out),
            Statistic::ManhattanDistance => statistic::<Difference>(points, &self.panels, cols, out),
            Statistic::SquaredDistance => {
                statistic::<Product>(points, &self.panels, cols.clone(), out);
                squared_distances(&self.row_squares[rows], &self.col_squares[cols], out);
            }
        }
    }

    /// out[j] += Σ g·term over the pairs of a block, the term of coordinate j being (xⱼ − yⱼ)² or
    /// |xⱼ − yⱼ|, without the unit.
    pub(crate) fn pull_back_terms(&self, rows: Range<usize>, cols: Range<usize>, g: &[f64], out: &mut [f64]) {
        let width = cols.len();
        for (i, g) in rows.zip(g.chunks(width)) {
            let x = self.rows.row(i);
            for (c, g) in cols.clone().zip(g) {
                let panel = self.panels.panel(c / super::panel::LANES);
                let lane = c % super::panel::LANES;
                for (j, (sum, x)) in out.iter_mut().zip(x).enumerate() {
                    let difference = x - panel[j * super::panel::LANES + lane];
                    let term = match self.statistic {
                        Statistic::ManhattanDistance => difference.abs(),
                        _ => difference * difference,
                    };
                    *sum = g.mul_add(term, *sum);
                }
            }
        }
    }
}

super::simd::dispatch! {
    /// out = max(0, ‖x‖² + ‖y‖² − 2·out).
    ///
    /// Rounding makes the squared distance of nearly equal points slightly negative, by up to a few
    /// ulp of ‖x‖²; its square root would then be NaN. For equal points it is exactly 0, since the
    /// dot product and the squares are added up in the same order.
    pub(crate) fn squared_distances(xx: &[f64], yy: &[f64], out: &mut [f64]) {
        for (row, xx) in out.chunks_mut(yy.len().max(1)).zip(xx) {
            for (s, yy) in row.iter_mut().zip(yy) {
                *s = (-2.0f64).mul_add(*s, xx + yy).max(0.0);
            }
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
    (0..points.len).map(|i| pair::<Product>(points.row(i), points.row(i))).collect()
}
