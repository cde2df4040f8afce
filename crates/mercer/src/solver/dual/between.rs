//! K between the variables of a working set.

use rayon::prelude::*;

use crate::error::Result;
use crate::run::Run;

use super::{Program, Row};

/// Rows that a thread fills at a time.
const ROWS: usize = 16;

/// The variables of a working set in their places, with K between them, row-major.
pub(super) struct Between {
    pub(super) chosen: Vec<u32>,
    pub(super) kernel: Vec<f32>,
    /// The power of two that K is multiplied by here, so that its diagonal is near 1: steps beside it stay in the range of single precision.
    pub(super) scale: f64,
}

impl Between {
    /// Of variables whose kernel rows are known. Those that stood in the working set before keep their places, and K between them
    /// is there; new ones take the places of those that left. K is symmetric, so that only the rows of new ones are needed.
    pub(super) fn new<'r>(
        program: &Program<'_>,
        chosen: &[u32],
        row_of: impl Fn(u32) -> &'r Row + Sync,
        before: Option<Between>,
        run: &Run,
    ) -> Result<Self> {
        let m = chosen.len();
        let (mut between, fresh) = match before.filter(|before| before.chosen.len() == m) {
            Some(before) => before.replaced(program, chosen),
            None => (Between::empty(program, chosen), (0..m).collect()),
        };
        let own = |place: &usize| program.row[between.chosen[*place] as usize] as usize;
        let (new, all): (Vec<usize>, Vec<usize>) =
            (fresh.iter().map(own).collect(), (0..m).map(|at| own(&at)).collect());
        let mut rows = match program.kernel.cheap(&new, &all, run)? {
            Some(rows) => rows,
            None => run.install(|| between.read(program, &fresh, &row_of)),
        };
        if between.scale != 1.0 {
            rows.iter_mut().for_each(|k| *k = (f64::from(*k) * between.scale) as f32);
        }
        run.install(|| between.write(&fresh, &rows));
        Ok(between)
    }

    /// Of variables between which nothing is known.
    fn empty(program: &Program<'_>, chosen: &[u32]) -> Self {
        let largest = program.kernel.diagonal().iter().fold(0.0, |m: f64, k| m.max(k.abs()));
        let scale = if largest.is_normal() { (-largest.log2().floor()).clamp(-500.0, 500.0).exp2() } else { 1.0 };
        Between { chosen: sorted(program, chosen), kernel: vec![0.0; chosen.len().pow(2)], scale }
    }

    /// K between the variables in these places and all, out of kernel rows.
    fn read<'r>(&self, program: &Program<'_>, fresh: &[usize], row_of: impl Fn(u32) -> &'r Row + Sync) -> Vec<f32> {
        let m = self.chosen.len();
        let parts = places(program, &self.chosen);
        let mut rows = vec![0.0; fresh.len() * m];
        let read = |(out, place): (&mut [f32], &usize)| {
            for (part, places) in row_of(self.chosen[*place]).iter().zip(&parts) {
                places.iter().for_each(|(from, to)| out[*to as usize] = part[*from as usize]);
            }
        };
        rows.par_chunks_mut(m.max(1)).zip(fresh).with_min_len(ROWS).for_each(read);
        rows
    }

    /// The variables that stay where they are, with new ones in the places of the others, and these places.
    fn replaced(mut self, program: &Program<'_>, chosen: &[u32]) -> (Self, Vec<usize>) {
        let mut stays = vec![false; program.row.len()];
        chosen.iter().for_each(|j| stays[*j as usize] = true);
        let free: Vec<usize> = (0..self.chosen.len()).filter(|at| !stays[self.chosen[*at] as usize]).collect();
        // What is left marked is new.
        self.chosen.iter().for_each(|j| stays[*j as usize] = false);
        let new: Vec<u32> = chosen.iter().copied().filter(|j| stays[*j as usize]).collect();
        free.iter().zip(sorted(program, &new)).for_each(|(at, j)| self.chosen[*at] = j);
        (self, free)
    }

    /// Writes rows to their places, and as columns.
    fn write(&mut self, places: &[usize], rows: &[f32]) {
        let m = self.chosen.len().max(1);
        let fill = |(part, out): (usize, &mut [f32])| {
            let first = part * ROWS;
            for (row, place) in rows.chunks(m).zip(places) {
                out.chunks_mut(m).zip(&row[first..]).for_each(|(out, k)| out[*place] = *k);
                if let Some(own) = place.checked_sub(first).and_then(|at| out.chunks_mut(m).nth(at)) {
                    own.copy_from_slice(row);
                }
            }
        };
        self.kernel.par_chunks_mut(ROWS * m).enumerate().for_each(fill);
    }
}

/// Variables in the order of their rows.
fn sorted(program: &Program<'_>, chosen: &[u32]) -> Vec<u32> {
    let mut sorted = chosen.to_vec();
    sorted.sort_unstable_by_key(|j| (program.row[*j as usize], *j));
    sorted
}

/// For each part of a kernel row, where in it the value of a variable stands and the place of that variable, in the order of the row.
fn places(program: &Program<'_>, chosen: &[u32]) -> Vec<Vec<(u32, u32)>> {
    let mut by_row: Vec<(u32, u32)> = chosen.iter().map(|j| program.row[*j as usize]).zip(0..).collect();
    by_row.sort_unstable();
    let (mut start, mut rest) = (0, by_row.as_slice());
    let mut parts = Vec::new();
    for width in program.kernel.parts() {
        let end = start + width as u32;
        let (here, after) = rest.split_at(rest.partition_point(|(row, _)| *row < end));
        parts.push(here.iter().map(|(row, place)| (row - start, *place)).collect());
        (start, rest) = (end, after);
    }
    parts
}
