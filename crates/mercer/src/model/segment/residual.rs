//! What one line leaves of the points of a segment.

use std::ops::Range;

use rayon::prelude::*;

use crate::error::Result;
use crate::gram::{KernelMatrix, TileMut, map_block};
use crate::run::Run;

/// Rows that are read at a time.
const ROWS: usize = 16;

/// The matrix ⟨r(i), r(j)⟩ of r(i) = φ(xᵢ) − a − b·τ(i), where the line a + b·τ is the nearest to the points of a segment.
pub(super) struct Residual<'a> {
    matrix: &'a dyn KernelMatrix,
    segment: Range<usize>,
    /// ⟨φ(xᵢ), a⟩ and ⟨φ(xᵢ), b⟩ for each point.
    mean: Vec<f64>,
    slope: Vec<f64>,
    /// ⟨a, a⟩, ⟨a, b⟩ and ⟨b, b⟩.
    fit: [f64; 3],
}

impl<'a> Residual<'a> {
    /// Reads the kernel values of the segment once.
    pub(super) fn new(matrix: &'a dyn KernelMatrix, segment: Range<usize>, run: &Run) -> Result<Self> {
        let n = segment.len();
        let count = n as f64;
        let spread: f64 = (0..n).map(|i| place(i, n).powi(2)).sum();
        let shared = |sum: f64| if spread > 0.0 { sum / spread } else { 0.0 };
        let task = run.task("lines", Some(n.div_ceil(ROWS) as u64));
        let (mut mean, mut slope) = (vec![0.0; n], vec![0.0; n]);
        let parts = mean.par_chunks_mut(ROWS).zip(slope.par_chunks_mut(ROWS)).enumerate();
        run.install(|| {
            parts.try_for_each_init(Vec::new, |tile, (part, (mean, slope))| {
                tile.resize(mean.len() * n, 0.0);
                let at = segment.start + part * ROWS;
                let out = TileMut::contiguous(tile, mean.len(), n);
                task.watched(|| matrix.block(at..at + mean.len(), segment.clone(), out))?;
                for ((mean, slope), row) in mean.iter_mut().zip(slope).zip(tile.chunks(n)) {
                    let rise: f64 = row.iter().enumerate().map(|(j, k)| place(j, n) * k).sum();
                    (*mean, *slope) = (row.iter().sum::<f64>() / count, shared(rise));
                }
                task.step_or_cancel()
            })
        })?;
        let along = |values: &[f64]| shared(values.iter().enumerate().map(|(i, v)| place(i, n) * v).sum());
        let fit = [mean.iter().sum::<f64>() / count, along(&mean), along(&slope)];
        Ok(Residual { matrix, segment, mean, slope, fit })
    }

    fn value(&self, i: usize, j: usize, k: f64) -> f64 {
        let (x, y) = (place(i, self.nrows()), place(j, self.nrows()));
        let seen = self.mean[i] + y * self.slope[i] + self.mean[j] + x * self.slope[j];
        let [level, across, steep] = self.fit;
        k - seen + level + (x + y) * across + x * y * steep
    }
}

/// The place of a point of n, from the middle.
fn place(i: usize, n: usize) -> f64 {
    i as f64 - (n - 1) as f64 / 2.0
}

impl KernelMatrix for Residual<'_> {
    fn nrows(&self) -> usize {
        self.segment.len()
    }

    fn ncols(&self) -> usize {
        self.segment.len()
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: TileMut<'_>) {
        let (from, first) = (self.segment.start, cols.start);
        let inside = |range: &Range<usize>| from + range.start..from + range.end;
        map_block(self.matrix, inside(&rows), inside(&cols), out, |row, values, out| {
            let found = values.iter().enumerate().map(|(j, k)| self.value(row - from, first + j, *k));
            out.iter_mut().zip(found).for_each(|(out, value)| *out = value);
        });
    }

    fn diag(&self, out: &mut [f64]) {
        for (i, value) in out.iter_mut().enumerate() {
            self.block(i..i + 1, i..i + 1, TileMut::contiguous(std::slice::from_mut(value), 1, 1));
        }
    }
}
