//! K·V brought up to date.

use rayon::prelude::*;

use crate::linalg::simd::dispatch;
use crate::run::Run;

use super::Row;

/// Columns that a thread brings up to date at a time.
const PART: usize = 1024;

/// Rows that are added at a time.
const AT_A_TIME: usize = 8;

/// out += Σ byᵣ·rowᵣ. Cut the same way whatever the number of threads, and added in the same order.
pub(super) fn add_rows(rows: &[Row], by: &[f64], parts: &[usize], out: &mut [f64], run: &Run) {
    let moved: Vec<(usize, f64)> = by.iter().copied().enumerate().filter(|(_, by)| *by != 0.0).collect();
    let mut rest = out;
    for (part, width) in parts.iter().enumerate() {
        let (here, after) = rest.split_at_mut(*width);
        rest = after;
        let piece = |(at, out): (usize, &mut [f64])| {
            let place = at * PART..at * PART + out.len();
            for some in moved.chunks(AT_A_TIME) {
                let row = |k: usize| {
                    let (r, by) = some[k.min(some.len() - 1)];
                    (&rows[r][part][place.clone()], if k < some.len() { by } else { 0.0 })
                };
                add_some(std::array::from_fn(row), out);
            }
        };
        run.install(|| here.par_chunks_mut(PART).enumerate().for_each(piece));
    }
}

dispatch! {
    /// out += Σ by·row, of some rows at a time: out is read and written once for all of them, and rows come from memory side by side.
    pub(crate) fn add_some(rows: [(&[f32], f64); AT_A_TIME], out: &mut [f64]) {
        let rows = rows.map(|(row, by)| (&row[..out.len()], by));
        for (i, out) in out.iter_mut().enumerate() {
            *out = rows.iter().fold(*out, |sum, (row, by)| by.mul_add(f64::from(row[i]), sum));
        }
    }
}
