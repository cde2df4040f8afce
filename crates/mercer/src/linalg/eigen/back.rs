//! Back from the eigenvectors of three diagonals to those of the matrix, U = Q·S.
//!
//! Reflectors are applied many at a time as I − Y·Vᵀ. Columns of U do not know of each other, so each thread takes some; one
//! of them first prepares the reflectors that come next.

use faer::{MatMut, MatRef};

use crate::error::Result;

use super::reflectors::{apply, copy_reflectors, times_t};
use super::steps::Steps;
use super::{ALTERNATIVE, Team};

/// Reflectors that are applied at once.
const WIDTH: usize = 64;
/// Columns of U that a thread takes at a time.
const COLUMNS: usize = 64;

/// How many steps there are.
pub(super) fn steps(n: usize) -> u64 {
    (n - 1).div_ceil(WIDTH) as u64
}

/// What can be done at the same time.
enum Piece<'a> {
    /// Make the next block.
    Prepare(&'a mut Block, usize),
    /// Apply the present one to some columns of U.
    Apply(&'a mut [f64], &'a mut [f64]),
}

/// U ← Q·U for the product Q of the reflectors in the columns of A, that of column j from row j + 1 on.
pub(super) fn transform(a: &[f64], used: &[bool], u: &mut [f64], steps: &Steps) -> Result<()> {
    let n = used.len();
    let size = (4 * n * WIDTH + n.next_multiple_of(COLUMNS) * WIDTH) as u128;
    let _reserved = steps.run.reserve(8 * size, "reflectors of the eigen-decomposition", ALTERNATIVE)?;
    let a = MatRef::from_column_major_slice(a, n, n);
    let (mut block, mut next) = (Block::new(n), Block::new(n));
    let mut inner = vec![0.0; n.next_multiple_of(COLUMNS) * WIDTH];
    let starts: Vec<usize> = (0..n - 1).step_by(WIDTH).rev().collect();
    block.fill(a, used, starts[0]);
    Team::gather(|team| {
        (0..starts.len()).try_for_each(|at| {
            let following = starts.get(at + 1).map(|start| Piece::Prepare(&mut next, *start));
            let columns = u.chunks_mut(COLUMNS * n).zip(inner.chunks_mut(COLUMNS * WIDTH));
            let mut pieces: Vec<_> =
                following.into_iter().chain(columns.map(|(u, room)| Piece::Apply(u, room))).collect();
            team.each(&mut pieces, |_, piece| match piece {
                _ if steps.check().is_err() => (),
                Piece::Prepare(next, start) => next.fill(a, used, *start),
                Piece::Apply(columns, room) => block.apply(columns, n, room),
            });
            std::mem::swap(&mut block, &mut next);
            steps.step()
        })
    })
}

/// Some reflectors, as V and Y of I − Y·Vᵀ.
struct Block {
    /// The first row that they change.
    row: usize,
    count: usize,
    v: Vec<f64>,
    y: Vec<f64>,
    small: Vec<f64>,
}

impl Block {
    fn new(n: usize) -> Self {
        Block { row: 0, count: 0, v: vec![0.0; n * WIDTH], y: vec![0.0; n * WIDTH], small: vec![0.0; WIDTH * WIDTH] }
    }

    /// Takes the reflectors from column `start` on.
    fn fill(&mut self, a: MatRef<'_, f64>, used: &[bool], start: usize) {
        let (n, row) = (a.nrows(), start + 1);
        let (rows, count) = (n - row, WIDTH.min(n - row));
        (self.row, self.count) = (row, count);
        let mut v = MatMut::from_column_major_slice_mut(&mut self.v[..rows * count], rows, count);
        let y = MatMut::from_column_major_slice_mut(&mut self.y[..rows * count], rows, count);
        copy_reflectors(a.submatrix(row, start, rows, count), &used[start..], v.as_mut());
        times_t(v.as_ref(), y, &mut self.small);
    }

    /// Applies them to some columns of n rows.
    fn apply(&self, columns: &mut [f64], n: usize, room: &mut [f64]) {
        let (rows, count) = (n - self.row, self.count);
        let v = MatRef::from_column_major_slice(&self.v[..rows * count], rows, count);
        let y = MatRef::from_column_major_slice(&self.y[..rows * count], rows, count);
        let width = columns.len() / n;
        let columns = MatMut::from_column_major_slice_mut(columns, n, width);
        apply(v, y, columns.subrows_mut(self.row, rows), room);
    }
}
