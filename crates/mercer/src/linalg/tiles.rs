//! Matrices in tiles, each of which is the work of one thread: threads change no digit.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Rows and columns of a tile.
pub(super) const TILE: usize = 128;

/// A part of a matrix, and where it begins.
pub(super) struct Tile<'a> {
    row: usize,
    column: usize,
    values: MatMut<'a, f64>,
}

impl Tile<'_> {
    /// Takes its part of L·Rᵀ off, by the calling thread.
    pub(super) fn subtract(&mut self, left: MatRef<'_, f64>, right: MatRef<'_, f64>) {
        let left = left.subrows(self.row, self.values.nrows());
        let right = right.subrows(self.column, self.values.ncols());
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
