//! Eigenvalues of symmetric matrices.

use faer::{MatRef, Side};

use crate::error::{Error, Result};

/// The eigenvalues of a symmetric n×n matrix, row-major, in increasing order. Only the lower
/// triangle is read.
pub fn symmetric_eigenvalues(values: &[f64], n: usize) -> Result<Vec<f64>> {
    if values.len() != n * n {
        return Err(Error::shape("a symmetric matrix", format!("{n}×{n} values"), values.len()));
    }
    if n == 0 {
        return Ok(Vec::new());
    }
    MatRef::from_row_major_slice(values, n, n).self_adjoint_eigenvalues(Side::Lower).map_err(|e| Error::Unsupported {
        what: format!("the eigenvalue decomposition of this matrix ({e:?})"),
        alternative: "check that its values are finite".into(),
    })
}
