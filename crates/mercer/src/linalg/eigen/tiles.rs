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
    let (m, width) = (pair.nrows(), pair.ncols() / 2);
    let mut swapped = MatMut::from_column_major_slice_mut(&mut room[..2 * m * width], m, 2 * width);
    swapped.as_mut().subcols_mut(0, width).copy_from(pair.subcols(width, width));
    swapped.as_mut().subcols_mut(width, width).copy_from(pair.subcols(0, width));
    let (above, swapped) = (m - a.nrows(), swapped.as_ref());
    team.each(&mut lower_tiles(a, first), |_, (row, column, tile)| {
        let left = pair.subrows(above + *row, tile.nrows());
        let right = swapped.subrows(above + *column, tile.ncols());
        matmul(tile.as_mut(), Accum::Add, left, right.transpose(), -1.0, Par::Seq);
    });
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

/// The tiles of A that are not above its diagonal, with their first row and column.
fn lower_tiles(a: MatMut<'_, f64>, first: usize) -> Vec<(usize, usize, MatMut<'_, f64>)> {
    let (rows, mut rest, mut column, mut tiles) = (a.nrows(), a, 0, Vec::new());
    while column < rows {
        let (panel, next) = rest.split_at_col_mut(height(column, first, rows));
        let width = panel.ncols();
        let own = panel.split_at_row_mut(column).1;
        tiles.extend(row_tiles(own, first + column).into_iter().map(|(row, tile)| (column + row, column, tile)));
        column += width;
        rest = next;
    }
    tiles
}
