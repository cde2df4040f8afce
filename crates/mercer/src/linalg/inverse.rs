//! The inverse of a symmetric matrix, from its Cholesky factor and in its memory.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular};
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::{Accum, Mat, MatMut};

use crate::error::{Error, Result};
use crate::run::Run;

use super::dense::parts;

/// Columns, then rows, that are worked on at a time.
const BLOCK: usize = 256;

/// Replaces the factor that [`cholesky_in_place_with_jitter`](super::cholesky_in_place_with_jitter) left
/// by the upper triangle (of rows) of A⁻¹ = L⁻ᵀ·L⁻¹; the part strictly below the diagonal is not read
/// and keeps no meaning. 2n³/3 operations, and a block of 2n kB beside the matrix.
///
/// First L⁻¹ from the last columns to the first, then L⁻ᵀ·L⁻¹ from the first rows to the last: each
/// step reads only what later steps leave alone, as LAPACK's `potri` does.
pub fn invert_cholesky_in_place(factor: &mut [f64], n: usize, run: &Run) -> Result<()> {
    if n.checked_mul(n) != Some(factor.len()) {
        return Err(Error::shape("a Cholesky factor", format!("{n}×{n} values"), factor.len()));
    }
    let _reserved = run.reserve(8 * n as u128 * BLOCK as u128, "columns of an inverse", "use fewer rows")?;
    let task = run.task("inverse", Some(2 * n.div_ceil(BLOCK) as u64));
    for start in (0..n).step_by(BLOCK).rev() {
        run.install(|| invert_columns(factor, n, start));
        task.step_or_cancel()?;
    }
    for start in (0..n).step_by(BLOCK) {
        run.install(|| multiply_rows(factor, n, start));
        task.step_or_cancel()?;
    }
    Ok(())
}

/// With L = [L₁ 0; L₂₁ L₂] and L₂⁻¹ in place already: −L₂⁻¹·L₂₁·L₁⁻¹ and L₁⁻¹.
fn invert_columns(factor: &mut [f64], n: usize, start: usize) {
    let width = BLOCK.min(n - start);
    let parts = parts([n - start, n - start, width]);
    let whole = MatMut::from_column_major_slice_mut(factor, n, n);
    let (_, _, _, corner) = whole.split_at_mut(start, start);
    let (mut block, _, mut below, rest) = corner.split_at_mut(width, width);
    let own = below.as_ref().to_owned();
    triangular(
        below.as_mut(),
        BlockStructure::Rectangular,
        Accum::Replace,
        rest.as_ref(),
        BlockStructure::TriangularLower,
        own.as_ref(),
        BlockStructure::Rectangular,
        -1.0,
        parts,
    );
    // X·L₁ = B is L₁ᵀ·Xᵀ = Bᵀ.
    solve_upper_triangular_in_place(block.as_ref().transpose(), below.transpose_mut(), parts);
    let mut inverse = Mat::<f64>::zeros(width, width);
    invert_lower_triangular(inverse.as_mut(), block.as_ref(), parts);
    block.copy_from_triangular_lower(inverse.as_ref());
}

/// Rows of M = Xᵀ·X for a lower triangular X: with row block i and the rows below it,
/// Mᵢⱼ = XᵢᵢᵀXᵢⱼ + Σ_{l>i} XₗᵢᵀXₗⱼ for j ≤ i.
fn multiply_rows(factor: &mut [f64], n: usize, start: usize) {
    let width = BLOCK.min(n - start);
    let parts = parts([n - start, start + width, width]);
    let whole = MatMut::from_column_major_slice_mut(factor, n, n);
    let (_, from_here) = whole.split_at_row_mut(start);
    let (row, below) = from_here.split_at_row_mut(width);
    let (mut left, row) = row.split_at_col_mut(start);
    let (mut block, _) = row.split_at_col_mut(width);
    let below_own = below.as_ref().subcols(start, width);
    let below_left = below.as_ref().subcols(0, start);
    let own = block.as_ref().to_owned();
    let copy = left.as_ref().to_owned();
    triangular(
        left.as_mut(),
        BlockStructure::Rectangular,
        Accum::Replace,
        own.as_ref().transpose(),
        BlockStructure::TriangularUpper,
        copy.as_ref(),
        BlockStructure::Rectangular,
        1.0,
        parts,
    );
    matmul(left, Accum::Add, below_own.transpose(), below_left, 1.0, parts);
    triangular(
        block.as_mut(),
        BlockStructure::TriangularLower,
        Accum::Replace,
        own.as_ref().transpose(),
        BlockStructure::TriangularUpper,
        own.as_ref(),
        BlockStructure::TriangularLower,
        1.0,
        parts,
    );
    triangular(
        block,
        BlockStructure::TriangularLower,
        Accum::Add,
        below_own.transpose(),
        BlockStructure::Rectangular,
        below_own,
        BlockStructure::Rectangular,
        1.0,
        parts,
    );
}

#[cfg(test)]
mod tests {
    use super::super::cholesky_in_place_with_jitter;
    use super::*;
    use crate::testkit::points::Chance;
    use crate::testkit::tol;

    #[test]
    fn the_inverse_times_the_matrix_is_one() {
        for n in [1, 3, 255, 256, 600] {
            let mut chance = Chance::new(9);
            let m: Vec<f64> = (0..n * 5).map(|_| chance.normal()).collect();
            let dot = |i: usize, j: usize| (0..5).map(|l| m[i * 5 + l] * m[j * 5 + l]).sum::<f64>();
            let a: Vec<f64> =
                (0..n * n).map(|at| dot(at / n, at % n) + f64::from(u8::from(at / n == at % n))).collect();
            let mut inverse = a.clone();
            let run = Run::new();
            cholesky_in_place_with_jitter(&mut inverse, n, &run).expect("positive definite");
            // Whatever stands below the diagonal is not read.
            (0..n).for_each(|i| inverse[i * n..i * n + i].fill(f64::NAN));
            invert_cholesky_in_place(&mut inverse, n, &run).expect("inverts");
            let at = |i: usize, j: usize| inverse[i.min(j) * n + i.max(j)];
            for i in [0, n / 2, n - 1] {
                for j in 0..n {
                    let product: f64 = (0..n).map(|l| at(i, l) * a[l * n + j]).sum();
                    let one = f64::from(u8::from(i == j));
                    assert!((product - one).abs() <= tol::round(n) * n as f64, "{n}: ({i}, {j}) {product}");
                }
            }
        }
        assert!(invert_cholesky_in_place(&mut [1.0; 3], 2, &Run::new()).is_err());
        assert!(invert_cholesky_in_place(&mut [], 0, &Run::new()).is_ok());
    }
}
