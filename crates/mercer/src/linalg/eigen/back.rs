//! Back from the eigenvectors of three diagonals to those of the matrix, U = Q·S.
//!
//! Reflectors are applied many at a time as I − Y·Vᵀ. Columns of U do not know of each other, so each thread takes some.

use faer::{MatMut, MatRef};
use rayon::prelude::*;

use crate::error::Result;

use super::reflectors::{apply, copy_reflectors, times_t};
use super::steps::Steps;
use super::{ALTERNATIVE, filled};

/// Reflectors that are applied at once.
const WIDTH: usize = 64;
/// Columns of U that a thread takes at a time.
const COLUMNS: usize = 64;
/// How many steps there are.
pub(super) fn steps(n: usize) -> u64 {
    (n - 1).div_ceil(WIDTH) as u64
}

/// U ← Q·U for the product Q of the reflectors in the columns of A, that of column j from row j + 1 on.
pub(super) fn transform(a: &[f64], used: &[bool], u: &mut [f64], steps: &Steps) -> Result<()> {
    let n = used.len();
    let size = 2 * (n * WIDTH) as u128;
    let (mut room, _reserved) = filled(size, 0.0, "reflectors of the eigen-decomposition", ALTERNATIVE, steps.run)?;
    let a = MatRef::from_column_major_slice(a, n, n);
    let mut small = vec![0.0; WIDTH * WIDTH];
    for start in (0..n - 1).step_by(WIDTH).rev() {
        let row = start + 1;
        let (rows, count) = (n - row, WIDTH.min(n - row));
        let (v, y) = room[..2 * rows * count].split_at_mut(rows * count);
        let mut v = MatMut::from_column_major_slice_mut(v, rows, count);
        let mut y = MatMut::from_column_major_slice_mut(y, rows, count);
        copy_reflectors(a.submatrix(row, start, rows, count), &used[start..], v.as_mut());
        times_t(v.as_ref(), y.as_mut(), &mut small);
        let (v, y) = (v.as_ref(), y.as_ref());
        u.par_chunks_mut(COLUMNS * n).try_for_each_init(
            || vec![0.0; COLUMNS * WIDTH],
            |inner, columns| {
                steps.check()?;
                let columns = MatMut::from_column_major_slice_mut(columns, n, columns.len() / n);
                apply(v, y, columns.subrows_mut(row, rows), inner);
                Ok(())
            },
        )?;
        steps.step()?;
    }
    Ok(())
}
