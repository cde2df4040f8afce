//! Whether two points are one, read twice.

use crate::data::{Column, Inputs};

/// Numbers that differ by more than this share are not one number read twice.
pub(super) const SAME: f64 = 1e-9;

/// A gap is the same as a gap: some kernels read them.
fn same(a: f64, b: f64) -> bool {
    a.is_nan() && b.is_nan() || (a - b).abs() <= SAME * a.abs().max(b.abs()).max(1.0)
}

/// Whether point `i` of one set is point `j` of the other, to the last digits.
pub(super) fn same_point(x: &Inputs, i: usize, y: &Inputs, j: usize) -> bool {
    match (x, y) {
        (Inputs::Dense(x), Inputs::Dense(y)) => x.row(i).iter().zip(y.row(j)).all(|(a, b)| same(*a, *b)),
        (Inputs::Sparse(x), Inputs::Sparse(y)) => {
            let ((a, v), (b, w)) = (x.row(i), y.row(j));
            a == b && v.iter().zip(w).all(|(v, w)| same(*v, *w))
        }
        (Inputs::Table(x), Inputs::Table(y)) => x.iter().zip(y.iter()).all(|((_, a), (_, b))| match (a, b) {
            (Column::Number(a), Column::Number(b)) => same(a[i], b[j]),
            (Column::Category(a), Column::Category(b)) => a.get(i) == b.get(j),
            (Column::Structured(a), Column::Structured(b)) => a.same(i, b.as_ref(), j),
            _ => false,
        }),
        // Of a precomputed matrix nothing is kept.
        _ => true,
    }
}
