//! Rows of a matrix that need not stand side by side: stored in single precision, or multiplied without storing them.

use std::ops::Range;

use rayon::prelude::*;

use crate::error::Result;
use crate::run::Run;

use super::bind::Bound;
use super::blocks::GROUP;
use super::node::{Scratch, Window};
use super::stream::add_rows;

/// Columns that a thread works on at a time: enough for few rows to keep all threads busy.
const COLUMNS: usize = 1920;
/// Rows that it works on at a time: enough that the packed columns are read from memory only now and then.
const ROWS: usize = 96;

impl Bound {
    /// Calls `visit` with windows of K[rows, cols]: which of the rows, which columns, and their values, row-major.
    fn each_picked(
        &self,
        rows: &[usize],
        cols: Range<usize>,
        mut visit: impl FnMut(Range<usize>, Range<usize>, &[f64]),
    ) {
        let mut scratch = Scratch::default();
        self.windows(0..rows.len(), cols, |part, cols| {
            let mut tile = scratch.take(part.len() * cols.len());
            let mut window = Window::picked(&self.sources, &rows[part.clone()], cols.clone(), &mut scratch);
            self.root.block(&mut window, &mut tile);
            visit(part, cols, &tile);
            scratch.give(tile);
        });
    }

    /// Whether a value takes so long that it is worth eight bytes to have it but once.
    pub(crate) fn is_costly(&self) -> bool {
        self.root.is_costly()
    }

    /// K[row, cols] for columns that rise, one after the other, to `out`.
    pub(crate) fn some_of_row(&self, row: usize, cols: &[usize], out: &mut [f64]) {
        let (Some(first), Some(last)) = (cols.first(), cols.last()) else { return };
        let (mut scratch, mut done) = (Scratch::default(), 0);
        self.windows(0..1, *first..last + 1, |_, part| {
            let here = cols[done..].partition_point(|j| *j < part.end);
            if here == 0 {
                return;
            }
            let mut tile = scratch.take(part.len());
            let rows = [row];
            let window = Window::picked(&self.sources, &rows, part.clone(), &mut scratch);
            self.root.block(&mut window.of_columns(cols), &mut tile);
            let wanted = cols[done..done + here].iter().map(|j| tile[j - part.start]);
            out[done..done + here].iter_mut().zip(wanted).for_each(|(k, v)| *k = v);
            done += here;
            scratch.give(tile);
        });
    }

    /// K[rows, cols] in single precision, written to one slice a row.
    pub(crate) fn rows_in_single(
        &self,
        rows: &[usize],
        cols: Range<usize>,
        out: Vec<&mut [f32]>,
        run: &Run,
    ) -> Result<()> {
        let mut parts: Vec<(Range<usize>, Vec<&mut [f32]>)> =
            cut(&cols, COLUMNS).map(|part| (part, Vec::new())).collect();
        for row in out {
            let mut rest = row;
            for (part, all) in &mut parts {
                let (here, after) = rest.split_at_mut(part.len());
                all.push(here);
                rest = after;
            }
        }
        let task = run.task("kernel rows", None);
        run.install(|| {
            parts.par_iter_mut().try_for_each(|(place, part)| {
                part.par_chunks_mut(ROWS).zip(rows.par_chunks(ROWS)).try_for_each(|(out, rows)| {
                    let write = |part: Range<usize>, cols: Range<usize>, tile: &[f64]| {
                        let at = cols.start - place.start..cols.end - place.start;
                        for (row, values) in out[part].iter_mut().zip(tile.chunks(cols.len())) {
                            row[at.clone()].iter_mut().zip(values).for_each(|(to, k)| *to = *k as f32);
                        }
                    };
                    task.watched(|| self.each_picked(rows, place.clone(), write))?;
                    task.step_or_cancel()
                })
            })
        })
    }

    /// out = K[cols, rows]·v: what the rows, weighted by v, add up to in every column. Each sum is taken in the order of the
    /// rows, in double precision.
    pub(crate) fn weighted_rows(
        &self,
        rows: &[usize],
        v: &[f64],
        cols: Range<usize>,
        out: &mut [f64],
        run: &Run,
    ) -> Result<()> {
        out.fill(0.0);
        let mut parts: Vec<(Range<usize>, &mut [f64])> = Vec::new();
        let mut rest = out;
        for part in cut(&cols, COLUMNS / 4) {
            let (here, after) = rest.split_at_mut(part.len());
            parts.push((part, here));
            rest = after;
        }
        let task = run.task("product", None);
        run.install(|| {
            parts.par_iter_mut().try_for_each(|(place, out)| {
                for (rows, v) in rows.chunks(ROWS).zip(v.chunks(ROWS)) {
                    let add = |part: Range<usize>, cols: Range<usize>, tile: &[f64]| {
                        add_rows(tile, &v[part], 1, &mut out[cols.start - place.start..cols.end - place.start]);
                    };
                    task.watched(|| self.each_picked(rows, place.clone(), add))?;
                }
                task.step_or_cancel()
            })
        })
    }
}

/// A range of columns, cut at multiples of `width`: there tiles end, and none is computed twice.
fn cut(cols: &Range<usize>, width: usize) -> impl Iterator<Item = Range<usize>> {
    let (start, end) = (cols.start, cols.end);
    (start / width..end.div_ceil(width)).map(move |at| (at * width).max(start)..((at + 1) * width).min(end))
}

const _: () = assert!(ROWS.is_multiple_of(GROUP));
