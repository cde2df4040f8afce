//! K·V brought up to date.

use rayon::prelude::*;

use crate::linalg::simd::dispatch;
use crate::run::Run;

use super::Row;

/// Columns that a thread brings up to date at a time.
const PART: usize = 1024;

/// out += Σ byᵣ·rowᵣ. Cut the same way whatever the number of threads, and added in the same order.
pub(super) fn add_rows(rows: &[Row], by: &[f64], parts: &[usize], out: &mut [f64], run: &Run) {
    let moved: Vec<(usize, f64)> = by.iter().copied().enumerate().filter(|(_, by)| *by != 0.0).collect();
    let mut rest = out;
    for (part, width) in parts.iter().enumerate() {
        let (here, after) = rest.split_at_mut(*width);
        rest = after;
        let piece = |(at, out): (usize, &mut [f64])| {
            let place = at * PART..at * PART + out.len();
            for four in moved.chunks(4) {
                let row = |k: usize| {
                    let (r, by) = four[k.min(four.len() - 1)];
                    (&rows[r][part][place.clone()], if k < four.len() { by } else { 0.0 })
                };
                add_four([row(0), row(1), row(2), row(3)], out);
            }
        };
        run.install(|| here.par_chunks_mut(PART).enumerate().for_each(piece));
    }
}

dispatch! {
    /// out += Σ by·row, of four rows at a time: out is read and written once for all of them.
    pub(crate) fn add_four(rows: [(&[f32], f64); 4], out: &mut [f64]) {
        let [(a, x), (b, y), (c, z), (d, w)] = rows;
        for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            let mut sum = x.mul_add(f64::from(*a), *out);
            sum = y.mul_add(f64::from(*b), sum);
            sum = z.mul_add(f64::from(*c), sum);
            *out = w.mul_add(f64::from(*d), sum);
        }
    }
}
