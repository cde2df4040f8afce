//! The lower triangle in tiles, each of which is the work of one thread: threads change no digit.

use faer::{MatMut, MatRef};
use rayon::prelude::*;

use crate::error::Result;
use crate::linalg::tiles::{TILE, lower_tiles};

use super::Team;
use super::steps::Steps;

/// A copy of the lower triangle of a row-major matrix divided by `unit`, column-major, with both halves of the tiles
/// on the diagonal.
pub(super) fn copy_lower(values: &[f64], n: usize, unit: f64, a: &mut [f64], steps: &Steps) -> Result<()> {
    a.par_chunks_mut(TILE * n).enumerate().try_for_each(|(tile, columns)| {
        steps.check()?;
        let first = tile * TILE;
        let width = columns.len() / n;
        for row_tile in (first..n).step_by(TILE) {
            for i in row_tile..(row_tile + TILE).min(n) {
                let row = &values[i * n..(i + 1) * n];
                for j in first..(first + width).min(i + 1) {
                    columns[(j - first) * n + i] = row[j] / unit;
                    if i < first + width {
                        columns[(i - first) * n + j] = row[j] / unit;
                    }
                }
            }
        }
        Ok(())
    })
}

/// A ← A − V·Wᵀ − W·Vᵀ in all tiles that are not above the diagonal, for the last rows of [V W], as many as A has; row 0 of
/// A is row `first` of the whole. `room` has the size of [V W].
pub(super) fn subtract(a: MatMut<'_, f64>, first: usize, pair: MatRef<'_, f64>, room: &mut [f64], team: &Team) {
    let (above, rows) = (pair.nrows() - a.nrows(), a.nrows());
    let swapped = swap(pair, room).subrows(above, rows);
    let pair = pair.subrows(above, rows);
    team.each(&mut lower_tiles(a, first), |_, tile| tile.subtract(pair, swapped));
}

/// [W V] of [V W].
pub(super) fn swap<'a>(pair: MatRef<'_, f64>, room: &'a mut [f64]) -> MatRef<'a, f64> {
    let (m, width) = (pair.nrows(), pair.ncols() / 2);
    let room = &mut room[..2 * m * width];
    let mut swapped = MatMut::from_column_major_slice_mut(room, m, 2 * width);
    swapped.as_mut().subcols_mut(0, width).copy_from(pair.subcols(width, width));
    swapped.as_mut().subcols_mut(width, width).copy_from(pair.subcols(0, width));
    MatRef::from_column_major_slice(room, m, 2 * width)
}
