//! Cholesky factors in the memory of the matrix itself.

use std::ops::Range;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, MatRef};

use crate::error::{Error, Result};
use crate::run::Run;

use super::buffer::filled;
use super::dense::parts;
use super::power_of_two;

/// Columns that are factored at a time; the rest is then brought up to date in one product.
const BLOCK: usize = 512;
/// Columns of the rest that are brought up to date at a time: the run is looked at between them.
const SLAB: usize = 512;
/// Columns of the inverse that are computed at a time.
const INVERSE_BLOCK: usize = 256;
/// Rungs of the ladder of diagonal shifts above none: ε·trace, ten times that, and so on.
const RUNGS: i32 = 6;

/// How a factor was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CholeskyInfo {
    /// What had to be added to the diagonal: 0, or the first rung of ε·tr A·10ʲ, j < 6, that worked.
    pub jitter: f64,
    /// (max Lᵢᵢ/min Lᵢᵢ)², which the condition number is not below.
    pub condition: f64,
}

/// A = L·Lᵀ of a stored symmetric n×n matrix, row-major, in its own memory.
///
/// The upper triangle (of rows) is replaced by Lᵀ; the part strictly below the diagonal is not
/// written, so that the matrix can be restored when a pivot is not positive. Then the diagonal is
/// raised, by ε·tr A at first and ten times as much each time, and what was needed is reported.
/// 8n bytes and a block of 2 MB beside the matrix.
pub fn cholesky_in_place_with_jitter(values: &mut [f64], n: usize, run: &Run) -> Result<CholeskyInfo> {
    if n.checked_mul(n) != Some(values.len()) {
        return Err(Error::shape("a symmetric matrix", format!("{n}×{n} values"), values.len()));
    }
    let unit = unit(values, n);
    if unit == 1.0 {
        return with_jitter(values, n, run);
    }
    values.iter_mut().for_each(|v| *v /= unit);
    let info = with_jitter(values, n, run)?;
    for (i, row) in values.chunks_mut(n).enumerate() {
        row[..i].iter_mut().for_each(|v| *v *= unit);
        row[i..].iter_mut().for_each(|v| *v *= unit.sqrt());
    }
    Ok(CholeskyInfo { jitter: info.jitter * unit, ..info })
}

/// A power of four that brings the diagonal near 1 where its squares would leave the range of numbers;
/// dividing by it changes no digit, and its root is exact.
fn unit(values: &[f64], n: usize) -> f64 {
    let largest = (0..n).map(|i| values[i * n + i].abs()).fold(0.0, f64::max);
    if !largest.is_normal() || (1e-100..1e100).contains(&largest) {
        return 1.0;
    }
    let root = power_of_two(largest.sqrt());
    root * root
}

fn with_jitter(values: &mut [f64], n: usize, run: &Run) -> Result<CholeskyInfo> {
    let diagonal: Vec<f64> = (0..n).map(|i| values[i * n + i]).collect();
    let trace: f64 = diagonal.iter().sum();
    let mut failed = None;
    for rung in 0..=RUNGS {
        let jitter = if rung == 0 { 0.0 } else { f64::EPSILON * trace * 10f64.powi(rung - 1) };
        if rung > 0 {
            restore(values, n);
        }
        (0..n).for_each(|i| values[i * n + i] = diagonal[i] + jitter);
        match factor(values, n, run)? {
            None => return Ok(CholeskyInfo { jitter, condition: condition(values, n) }),
            Some((pivot, value)) => failed = Some((pivot, value, jitter)),
        }
    }
    let (pivot, value, jitter) = failed.unwrap_or((0, 0.0, 0.0));
    Err(Error::NotPositiveDefinite { stage: format!("the Cholesky factor of a {n}×{n} matrix"), pivot, value, jitter })
}

/// Copies the untouched part below the diagonal onto the part above it.
fn restore(values: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            values[j * n + i] = values[i * n + j];
        }
    }
}

/// (max Lᵢᵢ/min Lᵢᵢ)².
fn condition(values: &[f64], n: usize) -> f64 {
    let own = || (0..n).map(|i| values[i * n + i]);
    let ratio = own().fold(0.0, f64::max) / own().fold(f64::INFINITY, f64::min);
    if n == 0 { 1.0 } else { ratio * ratio }
}

/// Factors block by block; the pivot that is not positive, if there is one, and its value.
fn factor(values: &mut [f64], n: usize, run: &Run) -> Result<Option<(usize, f64)>> {
    let task = run.task("cholesky", Some(n.div_ceil(BLOCK) as u64));
    for start in (0..n).step_by(BLOCK) {
        let width = BLOCK.min(n - start);
        let failed = run.install(|| step(values, n, start, width))?;
        if failed.is_some() {
            return Ok(failed);
        }
        for first in (start + width..n).step_by(SLAB) {
            if let Some(reason) = run.stop_reason() {
                return Err(task.cancelled(reason));
            }
            run.install(|| take_off(values, n, start..start + width, first..(first + SLAB).min(n)));
        }
        task.step_or_cancel()?;
    }
    Ok(None)
}

/// One block: its own factor and the columns below it.
fn step(values: &mut [f64], n: usize, start: usize, width: usize) -> Result<Option<(usize, f64)>> {
    // The upper triangle of rows is the lower triangle of columns. (Strided row-major views that can
    // be written to are column-major ones by mistake in faer 0.24.)
    let whole = MatMut::from_column_major_slice_mut(values, n, n);
    let (_, _, _, corner) = whole.split_at_mut(start, start);
    let (mut block, _, mut below, _) = corner.split_at_mut(width, width);
    // faer works in both triangles of the block; the other one is to be kept.
    let mut own = block.as_ref().to_owned();
    let (own_parts, rest_parts) = (parts([width, width, width]), parts([n - start, n - start, width]));
    let needed = cholesky_in_place_scratch::<f64>(width, own_parts, Default::default());
    let mut memory = MemBuffer::new(needed);
    let stack = MemStack::new(&mut memory);
    let done = cholesky_in_place(own.as_mut(), Default::default(), own_parts, stack, Default::default());
    block.copy_from_triangular_lower(own.as_ref());
    if let Err(LltError::NonPositivePivot { index }) = done {
        return Ok(Some((start + index, own[(index, index)])));
    }
    // L₂₁ = A₂₁·L₁₁⁻ᵀ, as L₁₁·L₂₁ᵀ = A₂₁ᵀ.
    solve_lower_triangular_in_place(block.as_ref(), below.as_mut().transpose_mut(), rest_parts);
    Ok(None)
}

/// Takes the product of a block's columns off some columns of the rest, from the diagonal down.
fn take_off(values: &mut [f64], n: usize, block: Range<usize>, slab: Range<usize>) {
    let (done, rest) = values.split_at_mut(slab.start * n);
    let factor = MatRef::from_column_major_slice(done, n, slab.start).subcols(block.start, block.len());
    let slab_rows = factor.subrows(slab.start, slab.len());
    let columns = MatMut::from_column_major_slice_mut(&mut rest[..slab.len() * n], n, slab.len());
    let (own, below) = columns.split_at_row_mut(slab.end);
    let (_, own) = own.split_at_row_mut(slab.start);
    let (whole, lower) = (BlockStructure::Rectangular, BlockStructure::TriangularLower);
    let cut = parts([n - slab.start, slab.len(), block.len()]);
    matmul(own, lower, Accum::Add, slab_rows, whole, slab_rows.transpose(), whole, -1.0, cut);
    let below_rows = factor.subrows(slab.end, n - slab.end);
    matmul(below, whole, Accum::Add, below_rows, whole, slab_rows.transpose(), whole, -1.0, cut);
}

/// Replaces B by A⁻¹·B for the factor that [`cholesky_in_place_with_jitter`] left; B: n×k, row-major.
pub fn solve_cholesky(factor: &[f64], n: usize, b: &mut [f64], k: usize, run: &Run) -> Result<()> {
    check(factor, n, b, k)?;
    if n == 0 || k == 0 {
        return Ok(());
    }
    let lower = MatRef::from_column_major_slice(factor, n, n);
    run.install(|| {
        let mut b = MatMut::from_row_major_slice_mut(b, n, k);
        solve_lower_triangular_in_place(lower, b.as_mut(), parts([n, n, k]));
        solve_upper_triangular_in_place(lower.transpose(), b, parts([n, n, k]));
    });
    Ok(())
}

/// Replaces B by L⁻¹·B, as [`solve_cholesky`].
pub fn solve_cholesky_lower(factor: &[f64], n: usize, b: &mut [f64], k: usize, run: &Run) -> Result<()> {
    check(factor, n, b, k)?;
    if n == 0 || k == 0 {
        return Ok(());
    }
    let lower = MatRef::from_column_major_slice(factor, n, n);
    run.install(|| solve_lower_triangular_in_place(lower, MatMut::from_row_major_slice_mut(b, n, k), parts([n, n, k])));
    Ok(())
}

/// Replaces every row b of `rows` (m×n, row-major) by L⁻¹·b, as [`solve_cholesky`].
pub fn solve_cholesky_lower_rows(factor: &[f64], n: usize, rows: &mut [f64], run: &Run) -> Result<()> {
    let m = rows.len() / n.max(1);
    check(factor, n, rows, m)?;
    if n == 0 || m == 0 {
        return Ok(());
    }
    let lower = MatRef::from_column_major_slice(factor, n, n);
    run.install(|| {
        solve_lower_triangular_in_place(lower, MatMut::from_column_major_slice_mut(rows, n, m), parts([n, n, m]))
    });
    Ok(())
}

/// L·B for the factor that [`cholesky_in_place_with_jitter`] left, into `out`; B and `out`: n×k, row-major.
pub fn multiply_cholesky_lower(
    factor: &[f64],
    n: usize,
    b: &[f64],
    k: usize,
    out: &mut [f64],
    run: &Run,
) -> Result<()> {
    check(factor, n, b, k)?;
    check(factor, n, out, k)?;
    if n == 0 || k == 0 {
        return Ok(());
    }
    let lower = MatRef::from_column_major_slice(factor, n, n);
    let b = MatRef::from_row_major_slice(b, n, k);
    let out = MatMut::from_row_major_slice_mut(out, n, k);
    let (whole, triangle) = (BlockStructure::Rectangular, BlockStructure::TriangularLower);
    run.install(|| matmul(out, whole, Accum::Replace, lower, triangle, b, whole, 1.0, parts([n, n, k])));
    Ok(())
}

fn check(factor: &[f64], n: usize, b: &[f64], k: usize) -> Result<()> {
    if n.checked_mul(n) != Some(factor.len()) || n.checked_mul(k) != Some(b.len()) {
        return Err(Error::shape(
            "a system",
            format!("{n}×{n} and {n}×{k} values"),
            format!("{} and {}", factor.len(), b.len()),
        ));
    }
    Ok(())
}

/// The diagonal of A⁻¹ = L⁻ᵀ·L⁻¹: (A⁻¹)ᵢᵢ = Σⱼ (L⁻¹)ⱼᵢ². n³/3 multiplications, in blocks of columns.
pub fn inverse_diagonal(factor: &[f64], n: usize, run: &Run) -> Result<Vec<f64>> {
    check(factor, n, &[], 0)?;
    let task = run.task("inverse", Some(n.div_ceil(INVERSE_BLOCK) as u64));
    let widest = INVERSE_BLOCK.min(n);
    let alternative = "use the solver `eigen`, or fewer rows";
    let (mut memory, _reserved) = filled((n * widest) as u128, 0.0, "columns of an inverse", alternative, run)?;
    let lower = MatRef::from_column_major_slice(factor, n, n);
    let mut diagonal = vec![0.0; n];
    for start in (0..n).step_by(INVERSE_BLOCK) {
        let (width, rest) = (INVERSE_BLOCK.min(n - start), n - start);
        // L⁻¹ is lower triangular, so its columns from `start` on are zero above row `start`.
        let columns = &mut memory[..rest * width];
        columns.fill(0.0);
        (0..width).for_each(|c| columns[c * rest + c] = 1.0);
        let corner = lower.submatrix(start, start, rest, rest);
        run.install(|| {
            solve_lower_triangular_in_place(
                corner,
                MatMut::from_column_major_slice_mut(columns, rest, width),
                parts([rest, rest, width]),
            )
        });
        for (own, column) in diagonal[start..].iter_mut().zip(columns.chunks(rest)) {
            *own = column.iter().map(|v| v * v).sum();
        }
        task.step_or_cancel()?;
    }
    Ok(diagonal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::points::Chance;
    use crate::testkit::tol;

    /// M·Mᵀ + I of a random matrix, larger than a block.
    fn positive(n: usize) -> Vec<f64> {
        let mut chance = Chance::new(5);
        let m: Vec<f64> = (0..n * 8).map(|_| chance.normal()).collect();
        let dot = |i: usize, j: usize| (0..8).map(|l| m[i * 8 + l] * m[j * 8 + l]).sum::<f64>();
        (0..n * n).map(|at| dot(at / n, at % n) + f64::from(u8::from(at / n == at % n))).collect()
    }

    #[test]
    fn solves_and_inverts() {
        for n in [1, 7, 600] {
            let a = positive(n);
            let mut factor = a.clone();
            let run = Run::new();
            let info = cholesky_in_place_with_jitter(&mut factor, n, &run).expect("positive definite");
            assert_eq!(info.jitter, 0.0);
            let mut x: Vec<f64> = (0..2 * n).map(|i| (i as f64 * 0.7).sin()).collect();
            let b = x.clone();
            solve_cholesky(&factor, n, &mut x, 2, &run).expect("solves");
            for i in 0..n {
                for c in 0..2 {
                    let product: f64 = (0..n).map(|j| a[i * n + j] * x[j * 2 + c]).sum();
                    assert!((product - b[i * 2 + c]).abs() <= tol::round(n) * 100.0, "{n}: row {i}");
                }
            }
            let mut again = vec![0.0; 2 * n];
            let mut half = b.clone();
            solve_cholesky_lower(&factor, n, &mut half, 2, &run).expect("solves");
            multiply_cholesky_lower(&factor, n, &half, 2, &mut again, &run).expect("multiplies");
            let mut rows: Vec<f64> = (0..2 * n).map(|at| b[at % n * 2 + at / n]).collect();
            solve_cholesky_lower_rows(&factor, n, &mut rows, &run).expect("solves");
            for at in 0..2 * n {
                assert!((again[at] - b[at]).abs() <= tol::round(n) * 100.0, "{n}: L·L⁻¹ at {at}");
                assert!((rows[at] - half[at % n * 2 + at / n]).abs() <= tol::round(n) * 100.0, "{n}: rows at {at}");
            }
            let diagonal = inverse_diagonal(&factor, n, &run).expect("inverts");
            for i in [0, n / 2, n - 1] {
                let mut unit = vec![0.0; n];
                unit[i] = 1.0;
                solve_cholesky(&factor, n, &mut unit, 1, &run).expect("solves");
                assert!((unit[i] - diagonal[i]).abs() <= tol::round(n) * unit[i], "{n}: entry {i}");
            }
        }
    }

    #[test]
    fn a_singular_matrix_takes_the_first_rung_and_an_indefinite_one_fails() {
        let run = Run::new();
        let mut ones = vec![1.0; 900];
        let info = cholesky_in_place_with_jitter(&mut ones, 30, &run).expect("with jitter");
        assert_eq!(info.jitter, f64::EPSILON * 30.0);
        let error = cholesky_in_place_with_jitter(&mut [1.0, 2.0, 2.0, 1.0], 2, &run).expect_err("indefinite");
        assert!(matches!(error, Error::NotPositiveDefinite { pivot: 1, .. }), "{error}");
        assert!(cholesky_in_place_with_jitter(&mut [1.0; 3], 2, &run).is_err());
        assert!(cholesky_in_place_with_jitter(&mut [], 0, &run).is_ok());
    }
}
