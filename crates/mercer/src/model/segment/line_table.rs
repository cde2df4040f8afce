//! Costs of all segments that follow a line, a block of ends at a time, from one half of the kernel matrix.

use std::ops::Range;

use rayon::prelude::*;

use crate::error::Result;
use crate::gram::{KernelMatrix, TileMut};
use crate::linalg::{filled, simd};
use crate::run::{Reservation, Run};

use super::table::{Costs, HEIGHT, WIDTH, diagonal};

/// C(s, t) = min Σ‖φ(xᵢ) − a − b·i‖² over i in [s, t) and a, b in feature space, for blocks of ends t.
///
/// With m = t − s and the mean place ī, C(s, t) = Σ k(xᵢ, xᵢ) − A/m − 12·B/(m·(m² − 1)), where A = ΣΣ k(xᵢ, xⱼ) and
/// B = ΣΣ (i − ī)(j − ī)·k(xᵢ, xⱼ) = Q − 2ī·M + ī²·A, M = ΣΣ i·k(xᵢ, xⱼ), Q = ΣΣ i·j·k(xᵢ, xⱼ). Places i count from s, so that nothing
/// is larger than the segment is long. A point more, at the place p, adds 2c + k to A, u + p·(c + k) to M and 2p·u + p²·k to Q, with
/// k = k(x_p, x_p), c = Σ k(xᵢ, x_p) and u = Σ i·k(xᵢ, x_p) over the points before it. One row up, u grows by c: sums up the columns, as in
/// [`Table`](super::table::Table).
pub(super) struct LineTable<'a> {
    matrix: &'a dyn KernelMatrix,
    n: usize,
    min_size: usize,
    /// Σ k(xᵢ, xᵢ) over i < t.
    traces: Vec<f64>,
    diagonal: Vec<f64>,
    shares: Vec<Share>,
    /// A, M and Q up to the end of the last block, for each start.
    sums: Vec<f64>,
    /// c, and then costs.
    values: Vec<f64>,
    /// u.
    weighted: Vec<f64>,
    _reserved: [Reservation; 3],
}

/// What A and B are multiplied by for a length.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    mean: f64,
    slope: f64,
}

/// c and u of the first start of a tile, or of what stands below one.
#[derive(Clone, Copy)]
pub(crate) struct Below {
    sums: [f64; WIDTH],
    weighted: [f64; WIDTH],
}

/// What rows of a tile are made into costs with.
pub(crate) struct Ends<'a> {
    below: &'a Below,
    /// k(x_q, x_q) and Σ k(xᵢ, xᵢ) over i ≤ q for the ends.
    diagonal: &'a [f64],
    traces: &'a [f64],
    shares: &'a [Share],
    count: usize,
}

impl Share {
    fn of(length: usize) -> Self {
        let m = length as f64;
        let slope = if length > 1 { 12.0 / (m * (m * m - 1.0)) } else { 0.0 };
        Share { mean: 1.0 / m, slope }
    }
}

impl<'a> LineTable<'a> {
    /// Before the first block.
    pub(super) fn new(matrix: &'a dyn KernelMatrix, min_size: usize, run: &Run) -> Result<Self> {
        let n = matrix.nrows();
        let padded = n + WIDTH;
        let less = "use fewer rows, or landmarks";
        let reserved = run.reserve(64 * padded as u128, "sums of kernel values", less)?;
        let (values, held) = filled((padded * WIDTH) as u128, 0.0, "costs of segments", less, run)?;
        let (weighted, also) = filled((padded * WIDTH) as u128, 0.0, "sums of kernel values", less, run)?;
        let (diagonal, traces) = diagonal(matrix, padded);
        let shares = (0..=padded).map(Share::of).collect();
        let sums = vec![0.0; 3 * padded];
        let _reserved = [reserved, held, also];
        Ok(LineTable { matrix, n, min_size, traces, diagonal, shares, sums, values, weighted, _reserved })
    }

    /// Kernel values of starts and the points of a block, summed up the columns of each tile: c and u of its own points.
    fn sum_columns(&mut self, starts: Range<usize>, points: &Range<usize>) {
        let (count, matrix) = (points.len(), self.matrix);
        let lanes = starts.start * WIDTH..starts.end * WIDTH;
        let values = self.values[lanes.clone()].par_chunks_mut(HEIGHT * WIDTH);
        let weighted = self.weighted[lanes].par_chunks_mut(HEIGHT * WIDTH);
        values.zip(weighted).enumerate().for_each(|(i, (rows, weighted))| {
            let (start, height) = (starts.start + i * HEIGHT, rows.len() / WIDTH);
            matrix.block(start..start + height, points.clone(), TileMut::new(rows, WIDTH, height, count));
            // A pair counts at its later point.
            for (s, row) in rows.chunks_mut(WIDTH).enumerate() {
                let own = (start + s + 1).saturating_sub(points.start).min(WIDTH);
                row[..own].fill(0.0);
            }
            sum_upwards(rows, weighted);
        });
    }

    /// For every tile of starts, what stands below it in each column.
    fn below(&self, starts: &Range<usize>, mut below: Below) -> Vec<Below> {
        let tiles = starts.clone().step_by(HEIGHT).collect::<Vec<_>>();
        let mut found = vec![below; tiles.len()];
        for (found, start) in found.iter_mut().zip(tiles).rev() {
            *found = below;
            let height = (starts.end - start).min(HEIGHT) as f64;
            let lanes = start * WIDTH..(start + 1) * WIDTH;
            for (q, (c, u)) in self.values[lanes.clone()].iter().zip(&self.weighted[lanes]).enumerate() {
                below.weighted[q] += u + height * below.sums[q];
                below.sums[q] += c;
            }
        }
        found
    }

    /// Costs, tile by tile.
    fn finish<T: Send>(
        &mut self,
        starts: Range<usize>,
        points: &Range<usize>,
        below: &[Below],
        visit: impl Fn(usize, &[f64]) -> T + Sync,
    ) -> Vec<T> {
        let (t0, min_size) = (points.start, self.min_size);
        let (diagonal, traces, shares) = (&self.diagonal, &self.traces, &self.shares);
        let lanes = starts.start * WIDTH..starts.end * WIDTH;
        let values = self.values[lanes.clone()].par_chunks_mut(HEIGHT * WIDTH);
        let weighted = self.weighted[lanes].par_chunks(HEIGHT * WIDTH);
        let sums = self.sums[3 * starts.start..3 * starts.end].par_chunks_mut(3 * HEIGHT);
        let tiles = values.zip(weighted).zip(sums).zip(below).enumerate();
        tiles
            .map(|(i, (((rows, weighted), sums), below))| {
                let start = starts.start + i * HEIGHT;
                let ends = Ends {
                    below,
                    diagonal: &diagonal[t0..t0 + WIDTH],
                    traces: &traces[t0 + 1..],
                    shares,
                    count: points.len(),
                };
                to_line_costs(rows, weighted, sums, (start, t0), traces, &ends);
                for (s, row) in rows.chunks_mut(WIDTH).enumerate() {
                    let legal = (start + s + min_size).saturating_sub(t0 + 1).min(WIDTH);
                    row[..legal].fill(f64::INFINITY);
                    row[points.len()..].fill(f64::INFINITY);
                }
                visit(start, rows)
            })
            .collect()
    }
}

impl Costs for LineTable<'_> {
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
        let first = from.min(points.start) / HEIGHT * HEIGHT;
        let nothing = Below { sums: [0.0; WIDTH], weighted: [0.0; WIDTH] };
        self.sum_columns(points.clone(), &points);
        let base = self.below(&points, nothing);
        let lanes = points.start * WIDTH..(points.start + 1) * WIDTH;
        let mut inside = nothing;
        inside.sums.copy_from_slice(&self.values[lanes.clone()]);
        inside.weighted.copy_from_slice(&self.weighted[lanes]);
        self.finish(points.clone(), &points, &base, |_, _| ());
        let starts = first..points.start;
        self.sum_columns(starts.clone(), &points);
        let below = self.below(&starts, inside);
        self.finish(starts, &points, &below, visit)
    }

    fn sums(&self) -> (&[f64], usize) {
        (&self.sums, 3)
    }
}

simd::dispatch! {
    /// Row s becomes the sum c of the rows from s on, and in `weighted` their sum u with weights 0, 1, 2, …
    pub(crate) fn sum_upwards(rows: &mut [f64], weighted: &mut [f64]) {
        let height = rows.len() / WIDTH;
        weighted[(height - 1) * WIDTH..].fill(0.0);
        for s in (1..height).rev() {
            let (upper, lower) = rows.split_at_mut(s * WIDTH);
            let (above, below) = weighted.split_at_mut(s * WIDTH);
            let lower = &lower[..WIDTH];
            let moved = above[(s - 1) * WIDTH..].iter_mut().zip(&below[..WIDTH]).zip(lower);
            moved.for_each(|((above, u), c)| *above = u + c);
            upper[(s - 1) * WIDTH..].iter_mut().zip(lower).for_each(|(upper, c)| *upper += c);
        }
    }
}

simd::dispatch! {
    /// Rows of c and u of the tile alone become costs, and sums of A, M, Q go on to the last end.
    pub(crate) fn to_line_costs(
        rows: &mut [f64],
        weighted: &[f64],
        sums: &mut [f64],
        places: (usize, usize),
        traces: &[f64],
        ends: &Ends<'_>
    ) {
        let ((start, t0), height) = (places, rows.len() / WIDTH);
        for (s, ((row, weighted), sums)) in rows.chunks_mut(WIDTH).zip(weighted.chunks(WIDTH)).zip(sums.chunks_mut(3)).enumerate() {
            let (own, up) = (start + s, (height - s) as f64);
            let before = traces[own];
            let (mut a, mut m, mut q2) = (sums[0], sums[1], sums[2]);
            // A start inside the block has no ends before itself.
            for q in own.saturating_sub(t0)..ends.count {
                let place = t0 + q - own;
                let (p, k) = (place as f64, ends.diagonal[q]);
                let c = row[q] + ends.below.sums[q];
                let u = up.mul_add(ends.below.sums[q], weighted[q] + ends.below.weighted[q]);
                a += 2.0f64.mul_add(c, k);
                m += p.mul_add(c + k, u);
                q2 += p * p.mul_add(k, 2.0 * u);
                let b = (0.25 * p * p).mul_add(a, p.mul_add(-m, q2));
                let share = ends.shares[place + 1];
                row[q] = (-a).mul_add(share.mean, (-b).mul_add(share.slope, ends.traces[q] - before));
            }
            (sums[0], sums[1], sums[2]) = (a, m, q2);
        }
    }
}
