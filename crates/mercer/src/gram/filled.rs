//! Sparse column points that are not so sparse, filled in.
//!
//! Adding to scattered places waits for each sum; where one coordinate in twenty or more is there, it is faster to run over all points of a
//! panel for every coordinate of the row. What is filled in is 0, and adding 0·x changes no sum, so the bits are those of the sparse form.

use std::ops::Range;

use crate::data::Csr;

use super::simd::dispatch;
use super::sparse::BLOCK;

/// Points of a panel: six vectors of sums, enough to keep both multiply-add units busy.
const LANES: usize = 24;
/// Places for each entry up to which filling in pays.
const PLACES_PER_ENTRY: usize = 20;
/// Places of a panel that stay in the nearest cache with what else is needed, times a few: rows take turns with a panel.
const MOST_COLUMNS: usize = 4096;

const _: () = assert!(BLOCK.is_multiple_of(LANES));

/// A block of points in panels, coordinate by coordinate.
#[derive(Debug)]
pub(super) struct Filled {
    values: Vec<f64>,
    ncols: usize,
}

impl Filled {
    /// Whether it is faster than the sparse form.
    pub(super) fn pays(points: &Csr, block: Range<usize>) -> bool {
        let rows = || block.clone().map(|i| points.row(i));
        let entries: usize = rows().map(|(columns, _)| columns.len()).sum();
        // 0·∞ would not be 0.
        let finite = rows().all(|(_, values)| values.iter().all(|v| v.is_finite()));
        points.ncols() <= MOST_COLUMNS && block.len() * points.ncols() <= PLACES_PER_ENTRY * entries && finite
    }

    pub(super) fn new(points: &Csr, block: Range<usize>) -> Self {
        let ncols = points.ncols();
        let mut values = vec![0.0; block.len().div_ceil(LANES) * LANES * ncols];
        for (at, i) in block.enumerate() {
            let start = at / LANES * LANES * ncols + at % LANES;
            let (columns, entries) = points.row(i);
            columns.iter().zip(entries).for_each(|(c, v)| values[start + *c as usize * LANES] = *v);
        }
        Filled { values, ncols }
    }

    /// sums[p] = ⟨x, y_p⟩ for these points of the block, coordinates in increasing order.
    pub(super) fn dots(&self, entries: (&[u32], &[f64]), points: Range<usize>, sums: &mut [f64; BLOCK]) {
        // A point may have coordinates that the columns lack.
        let known = entries.0.partition_point(|c| (*c as usize) < self.ncols);
        let entries = (&entries.0[..known], &entries.1[..known]);
        let size = LANES * self.ncols;
        if size == 0 {
            return sums.fill(0.0);
        }
        for p in points.start / LANES..points.end.div_ceil(LANES) {
            let out = &mut sums[p * LANES..(p + 1) * LANES];
            match self.values.get(p * size..(p + 1) * size) {
                Some(panel) => panel_dots(entries, panel, out),
                None => out.fill(0.0),
            }
        }
    }
}

dispatch! {
    /// out[l] = Σ xₖ·panel[k][l].
    pub(crate) fn panel_dots(entries: (&[u32], &[f64]), panel: &[f64], out: &mut [f64]) {
        let coordinates = panel.as_chunks::<LANES>().0;
        let mut sums = [0.0; LANES];
        for (c, x) in entries.0.iter().zip(entries.1) {
            let y = &coordinates[*c as usize];
            for l in 0..LANES {
                sums[l] = x.mul_add(y[l], sums[l]);
            }
        }
        out.copy_from_slice(&sums);
    }
}
