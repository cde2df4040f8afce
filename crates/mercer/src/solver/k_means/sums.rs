//! Sums of rows of K over clusters, kept up to date.

use rayon::prelude::*;

use crate::error::Result;
use crate::linalg::{filled, simd};
use crate::run::{Reservation, Run};

use super::{Problem, SomeRows};

/// Columns that are worked on together: with a few dozen sums for each they fit the second cache.
pub(super) const CHUNK: usize = 256;
/// Rows of K that are asked for at a time.
const ROWS: usize = 256;
/// Rows of a tile.
const TILE: usize = 32;

/// A row that leaves one sum for another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) row: usize,
    pub(super) from: Option<usize>,
    pub(super) to: usize,
    pub(super) weight: f64,
}

/// Several sums over the rows of K, each as long as a row: chunk by chunk of columns, in a chunk one sum after the other.
pub(super) struct Sums {
    values: Vec<f64>,
    planes: usize,
    n: usize,
    _reserved: Reservation,
}

impl Sums {
    /// The number of columns with those that fill the last chunk.
    pub(super) fn padded(n: usize) -> usize {
        n.div_ceil(CHUNK) * CHUNK
    }

    /// So many sums over no rows.
    pub(super) fn new(problem: &Problem<'_>, planes: usize, run: &Run) -> Result<Self> {
        let size = Self::padded(problem.n()) as u128 * planes as u128;
        let alternative = "ask for fewer clusters, or use fewer rows";
        let (values, reserved) = filled(size, 0.0, "the sums over clusters", alternative, run)?;
        Ok(Sums { values, planes, n: problem.n(), _reserved: reserved })
    }

    /// Columns of a sum, from the first of a chunk on.
    pub(super) fn chunk(&self, chunk: usize, plane: usize) -> &[f64] {
        let start = (chunk * self.planes + plane) * CHUNK;
        &self.values[start..start + CHUNK.min(self.n - chunk * CHUNK)]
    }

    /// One value of a sum.
    pub(super) fn at(&self, plane: usize, row: usize) -> f64 {
        self.values[(row / CHUNK * self.planes + plane) * CHUNK + row % CHUNK]
    }

    /// Number of chunks.
    pub(super) fn chunks(&self) -> usize {
        self.n.div_ceil(CHUNK)
    }

    /// Moves rows. Each sum takes them in the order of their numbers, whatever the number of threads.
    pub(super) fn add(&mut self, problem: &Problem<'_>, mut moves: Vec<Move>, run: &Run) -> Result<()> {
        moves.sort_by_key(|m| m.row);
        let mut rows: Vec<usize> = moves.iter().map(|m| m.row).collect();
        rows.dedup();
        let task = run.task("sums over clusters", Some(rows.len().div_ceil(ROWS) as u64));
        for some in rows.chunks(ROWS) {
            let matrix = problem.gram.rows(some, run)?;
            let first = moves.partition_point(|m| m.row < some[0]);
            let last = moves.partition_point(|m| m.row <= some[some.len() - 1]);
            self.add_rows(matrix.as_ref(), 0, some, &moves[first..last], problem.unit, run);
            task.step_or_cancel()?;
        }
        Ok(())
    }

    /// The same, for rows that a matrix holds from a place on.
    pub(super) fn add_rows(
        &mut self,
        matrix: &dyn SomeRows,
        place: usize,
        rows: &[usize],
        moves: &[Move],
        unit: f64,
        run: &Run,
    ) {
        let (planes, n) = (self.planes, self.n);
        let chunks = self.values.par_chunks_mut(planes * CHUNK).enumerate();
        run.install(|| {
            chunks.for_each_init(Vec::new, |tile, (chunk, sums)| {
                let cols = chunk * CHUNK..((chunk + 1) * CHUNK).min(n);
                for first in (0..rows.len()).step_by(TILE) {
                    let some = first..(first + TILE).min(rows.len());
                    tile.resize(TILE * CHUNK, 0.0);
                    let (height, width) = (some.len(), cols.len());
                    matrix.block(place + some.start..place + some.end, cols.clone(), &mut tile[..height * width]);
                    let low = moves.partition_point(|m| m.row < rows[some.start]);
                    let high = moves.partition_point(|m| m.row <= rows[some.end - 1]);
                    add_tile(sums, &tile[..height * width], width, &rows[some], &moves[low..high], unit);
                }
            });
        });
    }
}

simd::dispatch! {
    /// Adds rows of a tile to the sums they move to, and takes them from those they leave.
    pub(crate) fn add_tile(
        sums: &mut [f64], tile: &[f64], width: usize, rows: &[usize], moves: &[Move], unit: f64,
    ) {
        let mut at = 0;
        for m in moves {
            while rows[at] != m.row {
                at += 1;
            }
            let values = &tile[at * width..(at + 1) * width];
            let weight = m.weight / unit;
            let to = &mut sums[m.to * CHUNK..m.to * CHUNK + width];
            for (s, k) in to.iter_mut().zip(values) {
                *s = weight.mul_add(*k, *s);
            }
            if let Some(from) = m.from {
                let from = &mut sums[from * CHUNK..from * CHUNK + width];
                for (s, k) in from.iter_mut().zip(values) {
                    *s = (-weight).mul_add(*k, *s);
                }
            }
        }
    }
}
