//! The lower triangle in tiles, each of which is the work of one thread: threads change no digit.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::error::Result;

use super::steps::Steps;
use super::team::Team;

/// Rows and columns of a tile.
const TILE: usize = 128;

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

/// A part of a matrix, and where it begins.
pub(super) struct Tile<'a> {
    row: usize,
    column: usize,
    values: MatMut<'a, f64>,
}

impl Tile<'_> {
    /// Takes [V W]·[W V]ᵀ off, by the calling thread.
    pub(super) fn subtract(&mut self, pair: MatRef<'_, f64>, swapped: MatRef<'_, f64>) {
        let left = pair.subrows(self.row, self.values.nrows());
        let right = swapped.subrows(self.column, self.values.ncols());
        matmul(self.values.as_mut(), Accum::Add, left, right.transpose(), -1.0, Par::Seq);
    }
}

/// Rows until the next tile begins; tiles begin at the same rows for every panel.
fn height(row: usize, first: usize, rows: usize) -> usize {
    (TILE - (first + row) % TILE).min(rows - row)
}

/// The rows of X, tile by tile, with where they begin.
pub(super) fn row_tiles(x: MatMut<'_, f64>, first: usize) -> Vec<(usize, MatMut<'_, f64>)> {
    let (rows, mut rest, mut row, mut tiles) = (x.nrows(), x, 0, Vec::new());
    while row < rows {
        let (tile, next) = rest.split_at_row_mut(height(row, first, rows));
        let begin = row;
        row += tile.nrows();
        tiles.push((begin, tile));
        rest = next;
    }
    tiles
}

/// The tiles of A that are not above its diagonal.
pub(super) fn lower_tiles(a: MatMut<'_, f64>, first: usize) -> Vec<Tile<'_>> {
    let (rows, mut rest, mut column, mut tiles) = (a.nrows(), a, 0, Vec::new());
    while column < rows {
        let (panel, next) = rest.split_at_col_mut(height(column, first, rows));
        let width = panel.ncols();
        let own = row_tiles(panel.split_at_row_mut(column).1, first + column).into_iter();
        tiles.extend(own.map(|(row, values)| Tile { row: column + row, column, values }));
        column += width;
        rest = next;
    }
    tiles
}
