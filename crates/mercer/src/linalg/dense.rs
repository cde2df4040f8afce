//! Products and solves with dense matrices, through faer.
//!
//! Everything here is cut into the same parts whatever the number of threads, so that rounding,
//! too, is the same.

use std::num::NonZeroUsize;

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::run::Run;

/// Parts that faer cuts its work into. A constant and not the number of threads: faer adds partial
/// sums of the parts, and a result must not depend on the machine's idle cores.
pub(crate) const PARTS: Par = Par::Rayon(NonZeroUsize::new(8).unwrap());

/// Multiplications below which threads cost more than they bring where faer cuts the work.
const FEW: f64 = 3e7;
/// Rows or columns up to which a product is thin: faer's threads wait for each other longer than they work.
const NARROW: usize = 64;
/// Multiplications of a part of a thin product.
const PART: usize = 2_000_000;
/// The least columns or rows of such a part, and what their number is a multiple of: whole panels of faer's.
const PANELS: usize = 48;
/// A product with fewer columns is bound by memory, and takes about as long as one with so many.
const THIN: usize = 8;

/// How faer cuts a work of so many multiplications, given as a product: by its size alone, for the same reason.
pub(super) fn parts(multiplications: [usize; 3]) -> Par {
    let product: f64 = multiplications.iter().map(|m| *m.max(&THIN) as f64).product();
    if product < FEW { Par::Seq } else { PARTS }
}

/// Rows that a thread takes at a time in a product with one vector.
const ROWS: usize = 1024;

/// max |vᵢ|, 0 of nothing; not a number where a value is none.
pub fn largest_magnitude(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |a, v| if v.is_nan() { f64::NAN } else { a.max(v.abs()) })
}

/// A·B for A: m×k and B: k×n, all row-major, into `out`: m×n.
pub fn multiply(a: &[f64], b: &[f64], [m, k, n]: [usize; 3], out: &mut [f64], run: &Run) -> Result<()> {
    check("A", a.len(), m, k)?;
    check("B", b.len(), k, n)?;
    check("the product", out.len(), m, n)?;
    let a = MatRef::from_row_major_slice(a, m, k);
    let b = MatRef::from_row_major_slice(b, k, n);
    product(a, b, MatMut::from_row_major_slice_mut(out, m, n), run);
    Ok(())
}

/// A·B into `out`. What is cut, and where, depends on sizes alone.
fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>, out: MatMut<'_, f64>, run: &Run) {
    let (m, k, n) = (out.nrows(), a.ncols(), out.ncols());
    if m.min(n) > NARROW || m.max(n) <= part_of(m.min(n), k) {
        return run.install(|| matmul(out, Accum::Replace, a, b, 1.0, parts([m, k, n])));
    }
    match m >= n {
        true => thin(a, b, out, run),
        false => thin(b.transpose(), a.transpose(), out.transpose_mut(), run),
    }
}

/// Rows of a part of a thin product with so many columns and terms.
fn part_of(columns: usize, terms: usize) -> usize {
    PART.div_ceil((columns * terms).max(1)).next_multiple_of(PANELS)
}

/// A·B with few columns, cut by rows, each part by one thread.
fn thin(a: MatRef<'_, f64>, b: MatRef<'_, f64>, out: MatMut<'_, f64>, run: &Run) {
    let rows = part_of(out.ncols(), a.ncols());
    run.install(|| {
        let parts = out.par_row_chunks_mut(rows).zip(a.par_row_chunks(rows));
        parts.for_each(|(out, a)| matmul(out, Accum::Replace, a, b, 1.0, Par::Seq));
    });
}

/// A·Bᵀ for A: m×k and B: n×k, all row-major, into `out`: m×n.
pub fn multiply_transposed(a: &[f64], b: &[f64], [m, k, n]: [usize; 3], out: &mut [f64], run: &Run) -> Result<()> {
    check("A", a.len(), m, k)?;
    check("B", b.len(), n, k)?;
    check("the product", out.len(), m, n)?;
    let a = MatRef::from_row_major_slice(a, m, k);
    let b = MatRef::from_row_major_slice(b, n, k).transpose();
    product(a, b, MatMut::from_row_major_slice_mut(out, m, n), run);
    Ok(())
}

/// Aᵀ·B for A: k×m and B: k×n, all row-major, into `out`: m×n.
pub fn multiply_first_transposed(
    a: &[f64],
    b: &[f64],
    [m, k, n]: [usize; 3],
    out: &mut [f64],
    run: &Run,
) -> Result<()> {
    check("A", a.len(), k, m)?;
    check("B", b.len(), k, n)?;
    check("the product", out.len(), m, n)?;
    let a = MatRef::from_row_major_slice(a, k, m).transpose();
    let b = MatRef::from_row_major_slice(b, k, n);
    product(a, b, MatMut::from_row_major_slice_mut(out, m, n), run);
    Ok(())
}

/// Aᵀ·B as [`multiply_first_transposed`], by the calling thread alone: for work that is cut outside.
pub(crate) fn multiply_first_transposed_alone(
    a: &[f64],
    b: &[f64],
    [m, k, n]: [usize; 3],
    out: &mut [f64],
) -> Result<()> {
    check("A", a.len(), k, m)?;
    check("B", b.len(), k, n)?;
    check("the product", out.len(), m, n)?;
    let a = MatRef::from_row_major_slice(a, k, m).transpose();
    let b = MatRef::from_row_major_slice(b, k, n);
    matmul(MatMut::from_row_major_slice_mut(out, m, n), Accum::Replace, a, b, 1.0, Par::Seq);
    Ok(())
}

/// Adds Σ_ℓ w_ℓ·u_ℓ·u_ℓᵀ to a symmetric n×n matrix; the vectors u_ℓ stand one after the other.
///
/// `scratch` holds the weighted vectors and has the size of `vectors`.
pub(crate) fn add_weighted_outer(
    vectors: &[f64],
    weights: &[f64],
    n: usize,
    scratch: &mut [f64],
    out: &mut [f64],
    run: &Run,
) {
    let p = weights.len();
    if p == 0 || n == 0 {
        return;
    }
    for (l, w) in weights.iter().enumerate() {
        let at = l * n..(l + 1) * n;
        scratch[at.clone()].iter_mut().zip(&vectors[at]).for_each(|(s, u)| *s = w * u);
    }
    let left = MatRef::from_row_major_slice(&scratch[..p * n], p, n).transpose();
    let right = MatRef::from_row_major_slice(vectors, p, n);
    run.install(|| matmul(MatMut::from_row_major_slice_mut(out, n, n), Accum::Add, left, right, 1.0, parts([n, n, p])));
    mirror(out, n, Half::Lower);
}

/// A triangle of a symmetric matrix, of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Half {
    Lower,
    Upper,
}

/// Copies the half that is known onto the other.
pub(crate) fn mirror(values: &mut [f64], n: usize, known: Half) {
    for i in 0..n {
        for j in 0..i {
            match known {
                Half::Lower => values[j * n + i] = values[i * n + j],
                Half::Upper => values[i * n + j] = values[j * n + i],
            }
        }
    }
}

/// A ← Aᵀ, n×n.
pub(crate) fn transpose_in_place(values: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            values.swap(i * n + j, j * n + i);
        }
    }
}

/// Replaces every row b of `rows` (m×r) by the solution x of L·x = b; L: r×r, lower triangular,
/// row-major.
pub fn solve_lower(lower: &[f64], r: usize, rows: &mut [f64], run: &Run) -> Result<()> {
    check("L", lower.len(), r, r)?;
    if r == 0 {
        return Ok(());
    }
    if !rows.len().is_multiple_of(r) {
        return Err(Error::shape("the right-hand sides", format!("rows of {r} values"), rows.len()));
    }
    let m = rows.len() / r;
    let lower = MatRef::from_row_major_slice(lower, r, r);
    let rows = MatMut::from_column_major_slice_mut(rows, r, m);
    run.install(|| solve_lower_triangular_in_place(lower, rows, PARTS));
    Ok(())
}

/// V ← L⁻ᵀ·V for V: r×k, row-major; L: r×r, lower triangular, row-major.
pub fn solve_lower_transposed(lower: &[f64], r: usize, v: &mut [f64], k: usize) {
    for i in (0..r).rev() {
        for o in 0..k {
            v[i * k + o] /= lower[i * r + i];
            let own = v[i * k + o];
            (0..i).for_each(|j| v[j * k + o] -= lower[i * r + j] * own);
        }
    }
}

/// out −= C·w for the columns of C, which stand `stride` apart; each has the length of `out`.
pub(super) fn subtract_columns(columns: &[f64], stride: usize, w: &[f64], out: &mut [f64]) {
    if w.is_empty() || out.is_empty() {
        return;
    }
    let part = |(block, out): (usize, &mut [f64])| {
        let (first, m) = (block * ROWS, out.len());
        let end = (w.len() - 1) * stride + first + m;
        let part = MatRef::from_column_major_slice_with_stride(&columns[first..end], m, w.len(), stride);
        let w = MatRef::from_column_major_slice(w, w.len(), 1);
        matmul(MatMut::from_column_major_slice_mut(out, m, 1), Accum::Add, part, w, -1.0, Par::Seq);
    };
    out.par_chunks_mut(ROWS).enumerate().for_each(part);
}

fn check(what: &str, len: usize, rows: usize, cols: usize) -> Result<()> {
    match rows.checked_mul(cols) == Some(len) {
        true => Ok(()),
        false => Err(Error::shape(what, format!("{rows}×{cols} values"), len)),
    }
}
