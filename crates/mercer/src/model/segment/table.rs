//! Costs of all segments that have a level, a block of ends at a time, from one half of the kernel matrix.

use std::ops::Range;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, TileMut};
use crate::linalg::{filled, simd};
use crate::run::{Reservation, Run};

/// Ends in a block: a multiple of the lanes below, and a divisor of the tiles of kernel matrices.
pub(super) const WIDTH: usize = 80;
/// Starts in a tile; tiles are what threads share out, and what sums are cut into.
pub(super) const HEIGHT: usize = 120;
/// Ends that are looked at together: four vectors of four.
const LANES: usize = 16;

/// Costs of segments, for blocks of ends in turn.
pub(super) trait Costs: Send {
    /// Number of points.
    fn n(&self) -> usize;

    /// C(s, t) of a start s for the ends t of the last block, `WIDTH` of them; what is no segment costs ∞.
    fn row(&self, start: usize) -> &[f64];

    /// Costs of the segments that end behind one of these points and begin at `from` or later. `visit` is given the tiles of starts
    /// before the block: the first start, and the rows. Starts inside the block are left to the caller, who finds them by
    /// [`row`](Self::row).
    ///
    /// `points` follow those of the last call and are `WIDTH`, fewer at the end; `from` never falls.
    fn advance<T: Send>(
        &mut self,
        points: Range<usize>,
        from: usize,
        visit: impl Fn(usize, &[f64]) -> T + Sync,
    ) -> Vec<T>;

    /// Sums for each start, so many of them, whose values tell whether a kernel value was not a number.
    fn sums(&self) -> (&[f64], usize);

    /// Fails if a kernel value was not a number.
    fn check_finite(&self) -> Result<()> {
        let (sums, width) = self.sums();
        let bad = |sums: &&[f64]| sums.iter().any(|s| !s.is_finite());
        let Some(first_row) = sums.chunks(width).position(|sums| bad(&sums)) else { return Ok(()) };
        Err(Error::NonFinite {
            place: "the sums of kernel values".into(),
            count: sums.chunks(width).filter(bad).count(),
            total: self.n(),
            first_row,
            what: "NaN or infinite".into(),
        })
    }
}

/// C(s, t) = Σ k(xᵢ, xᵢ) − (1/(t − s))·ΣΣ k(xᵢ, xⱼ) over i, j in [s, t), for blocks of ends t.
///
/// With c(s, q) = Σ k(xᵢ, x_q) over s ≤ i < q, which is a sum up the column q of the matrix,
/// S(s, q + 1) = S(s, q) + 2c(s, q) + k(x_q, x_q) is the double sum (Celisse, Marot, Pierre-Jean & Rigaill 2018, *New efficient
/// algorithms for multiple change-point detection with reproducing kernels*, CSDA 128). A row s of the table stands for a start, a
/// column for an end, so that both sums and the search for the best start run along vectors.
pub(super) struct Table<'a> {
    matrix: &'a dyn KernelMatrix,
    n: usize,
    min_size: usize,
    /// Σ k(xᵢ, xᵢ) over i < t.
    traces: Vec<f64>,
    diagonal: Vec<f64>,
    /// 1/length; index 0 is not used.
    reciprocals: Vec<f64>,
    /// S(s, t) up to the end t of the last block.
    sums: Vec<f64>,
    values: Vec<f64>,
    _reserved: [Reservation; 2],
}

/// k(xᵢ, xᵢ), with zeros behind them up to a number of places, and their sums over i < t.
pub(super) fn diagonal(matrix: &dyn KernelMatrix, padded: usize) -> (Vec<f64>, Vec<f64>) {
    let mut diagonal = vec![0.0; matrix.nrows()];
    matrix.diag(&mut diagonal);
    diagonal.resize(padded, 0.0);
    let mut traces = vec![0.0; padded + 1];
    for (t, k) in diagonal.iter().enumerate() {
        traces[t + 1] = traces[t] + k;
    }
    (diagonal, traces)
}

impl<'a> Table<'a> {
    /// Before the first block.
    pub(super) fn new(matrix: &'a dyn KernelMatrix, min_size: usize, run: &Run) -> Result<Self> {
        let n = matrix.nrows();
        let padded = n + WIDTH;
        let less = "use fewer rows, or landmarks";
        let reserved = run.reserve(32 * padded as u128, "sums of kernel values", less)?;
        let (values, held) = filled((padded * WIDTH) as u128, 0.0, "costs of segments", less, run)?;
        let (diagonal, traces) = diagonal(matrix, padded);
        let reciprocals = (0..=padded).map(|length| 1.0 / length as f64).collect();
        let sums = vec![0.0; padded];
        Ok(Table { matrix, n, min_size, traces, diagonal, reciprocals, sums, values, _reserved: [reserved, held] })
    }

    /// The segments inside the block, and c(s, q) of its first start.
    fn inside(&mut self, points: &Range<usize>) -> [f64; WIDTH] {
        let (t0, count) = (points.start, points.len());
        let rows = &mut self.values[t0 * WIDTH..];
        self.matrix.block(points.clone(), points.clone(), TileMut::new(rows, WIDTH, count, count));
        let mut up = [0.0; WIDTH];
        for s in (0..count).rev() {
            let row = &mut rows[s * WIDTH..(s + 1) * WIDTH];
            let mut sum = self.diagonal[t0 + s];
            row[s] = sum;
            for q in s + 1..count {
                up[q] += row[q];
                sum += 2.0f64.mul_add(up[q], self.diagonal[t0 + q]);
                row[q] = sum;
            }
            self.sums[t0 + s] = sum;
        }
        points.clone().for_each(|start| self.costs_inside(start, t0));
        up
    }

    /// Turns the sums of a start inside the block into costs.
    fn costs_inside(&mut self, start: usize, t0: usize) {
        let row = &mut self.values[start * WIDTH..(start + 1) * WIDTH];
        for (q, value) in row.iter_mut().enumerate() {
            let length = (t0 + q + 1).saturating_sub(start);
            *value = match length >= self.min_size {
                true => cost(self.traces[t0 + q + 1] - self.traces[start], *value, self.reciprocals[length]),
                false => f64::INFINITY,
            };
        }
    }

    /// Kernel values of the starts before the block, summed up the columns of each tile.
    fn sum_columns(&mut self, points: &Range<usize>, first: usize) {
        let (t0, count, matrix) = (points.start, points.len(), self.matrix);
        self.values[first * HEIGHT * WIDTH..t0 * WIDTH].par_chunks_mut(HEIGHT * WIDTH).enumerate().for_each(
            |(i, rows)| {
                let (start, height) = ((first + i) * HEIGHT, rows.len() / WIDTH);
                matrix.block(start..start + height, points.clone(), TileMut::new(rows, WIDTH, height, count));
                add_upwards(rows);
            },
        );
    }

    /// For every tile, what stands below it in each column: 2c(s, q) of the tiles below, and k(x_q, x_q).
    fn above(&self, points: &Range<usize>, first: usize, base: [f64; WIDTH]) -> Vec<[f64; WIDTH]> {
        let t0 = points.start;
        let tiles = t0.div_ceil(HEIGHT) - first;
        let mut below = base;
        let mut found = vec![[0.0; WIDTH]; tiles];
        for (i, found) in found.iter_mut().enumerate().rev() {
            let top = &self.values[(first + i) * HEIGHT * WIDTH..][..WIDTH];
            for q in 0..WIDTH {
                found[q] = 2.0 * below[q] + self.diagonal[t0 + q];
                below[q] += top[q];
            }
        }
        found
    }

    /// Double sums and costs, tile by tile.
    fn finish<T: Send>(
        &mut self,
        points: &Range<usize>,
        first: usize,
        above: &[[f64; WIDTH]],
        visit: impl Fn(usize, &[f64]) -> T + Sync,
    ) -> Vec<T> {
        let (t0, min_size) = (points.start, self.min_size);
        let traces = &self.traces;
        let reciprocals = &self.reciprocals;
        let values = &mut self.values[first * HEIGHT * WIDTH..t0 * WIDTH];
        let sums = &mut self.sums[first * HEIGHT..t0];
        let tiles = values.par_chunks_mut(HEIGHT * WIDTH).zip(sums.par_chunks_mut(HEIGHT)).zip(above).enumerate();
        tiles
            .map(|(i, ((rows, sums), above))| {
                let start = (first + i) * HEIGHT;
                add_along(rows, sums, above, points.len());
                let length = t0 + 1 - start;
                to_costs(rows, &traces[t0 + 1..], &traces[start..], &reciprocals[length + 1 - sums.len()..]);
                let short = (t0 + 1).saturating_sub(start + min_size - 1);
                for (s, row) in rows.chunks_mut(WIDTH).enumerate().skip(short) {
                    let legal = (start + s + min_size).saturating_sub(t0 + 1).min(WIDTH);
                    row[..legal].fill(f64::INFINITY);
                }
                visit(start, rows)
            })
            .collect()
    }
}

impl Costs for Table<'_> {
    fn n(&self) -> usize {
        self.n
    }

    fn row(&self, start: usize) -> &[f64] {
        &self.values[start * WIDTH..(start + 1) * WIDTH]
    }

    fn advance<T: Send>(
        &mut self,
        points: Range<usize>,
        from: usize,
        visit: impl Fn(usize, &[f64]) -> T + Sync,
    ) -> Vec<T> {
        let first = from.min(points.start) / HEIGHT;
        let base = self.inside(&points);
        self.sum_columns(&points, first);
        let above = self.above(&points, first, base);
        self.finish(&points, first, &above, visit)
    }

    fn sums(&self) -> (&[f64], usize) {
        (&self.sums, 1)
    }
}

/// Σ k(xᵢ, xᵢ) − (1/length)·ΣΣ k(xᵢ, xⱼ).
#[inline(always)]
fn cost(trace: f64, sum: f64, reciprocal: f64) -> f64 {
    (-sum).mul_add(reciprocal, trace)
}

simd::dispatch! {
    /// Row s becomes the sum of the rows from s on.
    pub(crate) fn add_upwards(rows: &mut [f64]) {
        let height = rows.len() / WIDTH;
        for s in (1..height).rev() {
            let (upper, lower) = rows.split_at_mut(s * WIDTH);
            let upper = &mut upper[(s - 1) * WIDTH..];
            upper.iter_mut().zip(&lower[..WIDTH]).for_each(|(u, l)| *u += l);
        }
    }
}

simd::dispatch! {
    /// Row s becomes S(s, t): running sums along it, from the sum up to the block, of 2·row + above. Four rows at a time, since a
    /// running sum waits for itself.
    pub(crate) fn add_along(rows: &mut [f64], sums: &mut [f64], above: &[f64; WIDTH], count: usize) {
        for (rows, sums) in rows.chunks_mut(4 * WIDTH).zip(sums.chunks_mut(4)) {
            let mut running = [0.0; 4];
            running[..sums.len()].copy_from_slice(sums);
            if let Ok(four) = <&mut [f64; 4 * WIDTH]>::try_from(&mut *rows) {
                for q in 0..WIDTH {
                    for r in 0..4 {
                        running[r] += 2.0f64.mul_add(four[r * WIDTH + q], above[q]);
                        four[r * WIDTH + q] = running[r];
                    }
                }
            } else {
                for (row, running) in rows.chunks_mut(WIDTH).zip(&mut running) {
                    for (value, above) in row.iter_mut().zip(above) {
                        *running += 2.0f64.mul_add(*value, *above);
                        *value = *running;
                    }
                }
            }
            for (sum, row) in sums.iter_mut().zip(rows.chunks(WIDTH)) {
                *sum = row[count - 1];
            }
        }
    }
}

simd::dispatch! {
    /// Double sums become costs. `ends` and `starts` are traces; `reciprocals` begin with the shortest length of the last row.
    pub(crate) fn to_costs(rows: &mut [f64], ends: &[f64], starts: &[f64], reciprocals: &[f64]) {
        let height = rows.len() / WIDTH;
        let ends = &ends[..WIDTH];
        for (s, row) in rows.chunks_mut(WIDTH).enumerate() {
            let reciprocals = &reciprocals[height - 1 - s..][..WIDTH];
            let before = starts[s];
            for q in 0..WIDTH {
                row[q] = cost(ends[q] - before, row[q], reciprocals[q]);
            }
        }
    }
}

simd::dispatch! {
    /// best[q] = min(best[q], before[s] + rows[s][q]) over the rows, and which row it was; the first of equal ones.
    pub(crate) fn lower(rows: &[f64], before: &[f64], first: usize, best: &mut [f64], at: &mut [u64]) {
        for chunk in 0..WIDTH / LANES {
            let lanes = chunk * LANES..(chunk + 1) * LANES;
            let (mut least, mut place) = ([0.0; LANES], [0u64; LANES]);
            least.copy_from_slice(&best[lanes.clone()]);
            place.copy_from_slice(&at[lanes.clone()]);
            for (s, (row, before)) in rows.chunks_exact(WIDTH).zip(before).enumerate() {
                let row = &row[lanes.clone()];
                let here = (first + s) as u64;
                for q in 0..LANES {
                    let value = row[q] + before;
                    let better = value < least[q];
                    least[q] = if better { value } else { least[q] };
                    place[q] = if better { here } else { place[q] };
                }
            }
            best[lanes.clone()].copy_from_slice(&least);
            at[lanes].copy_from_slice(&place);
        }
    }
}
