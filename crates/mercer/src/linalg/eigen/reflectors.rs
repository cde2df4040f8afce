//! Products of reflectors as products of matrices.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};

/// Y = V·T of the product H₁·H₂·…·H_k = I − V·T·Vᵀ of the reflectors Hⱼ = I − 2vⱼvⱼᵀ/‖vⱼ‖², the columns of V; a
/// column of zeros stands for the identity.
///
/// T⁻¹ is the part of VᵀV above the diagonal, and half of the diagonal (Puglisi 1992, Modification of the Householder
/// method based on the compact WY representation, eq. 2.3). `inverse` has room for k×k numbers.
pub(super) fn times_t(v: MatRef<'_, f64>, mut y: MatMut<'_, f64>, inverse: &mut [f64]) {
    let k = v.ncols();
    let mut inverse = MatMut::from_column_major_slice_mut(&mut inverse[..k * k], k, k);
    matmul(inverse.as_mut(), Accum::Replace, v.transpose(), v, 1.0, Par::Seq);
    for j in 0..k {
        inverse[(j, j)] = if inverse[(j, j)] == 0.0 { 1.0 } else { 0.5 * inverse[(j, j)] };
    }
    y.copy_from(v);
    // Y·T⁻¹ = V; the transpose of the upper triangle is a lower one.
    solve_lower_triangular_in_place(inverse.as_ref().transpose(), y.transpose_mut(), Par::Seq);
}

/// E ← E − Y·(Vᵀ·E) = (I − V·T·Vᵀ)·E by the calling thread; `room` holds k numbers for each column of E.
pub(super) fn apply(v: MatRef<'_, f64>, y: MatRef<'_, f64>, mut e: MatMut<'_, f64>, room: &mut [f64]) {
    let (k, columns) = (v.ncols(), e.ncols());
    let mut inner = MatMut::from_column_major_slice_mut(&mut room[..k * columns], k, columns);
    matmul(inner.as_mut(), Accum::Replace, v.transpose(), e.as_ref(), 1.0, Par::Seq);
    matmul(e.as_mut(), Accum::Add, y, inner.as_ref(), -1.0, Par::Seq);
}

/// V of a panel: what stands below its diagonal, ones on it and zeros above, or zeros where there is no reflector.
pub(super) fn copy_reflectors(panel: MatRef<'_, f64>, used: &[bool], mut v: MatMut<'_, f64>) {
    for (j, mut column) in v.as_mut().col_iter_mut().enumerate() {
        column.fill(0.0);
        if used[j] {
            column.copy_from(panel.col(j));
            column.as_mut().subrows_mut(0, j).fill(0.0);
            column[j] = 1.0;
        }
    }
}
