//! Conditional positive semi-definiteness: aᵀKa ≥ 0 for all a that sum to zero.

use serde::Serialize;

use crate::error::Result;
use crate::gram::center::Centering;
use crate::linalg::{eigen, eigenvalues};
use crate::run::Run;

use super::{Symmetrised, Witness};

/// Whether a matrix is positive semi-definite on the vectors that sum to zero.
///
/// Minus a distance, and the thin-plate spline, are such matrices without being positive
/// semi-definite; they are kernels of distances, and centring makes Gram matrices of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Conditional {
    /// The answer.
    pub positive_semidefinite: bool,
    /// The smallest eigenvalue of the centred matrix PKP, where it had to be computed. It is at
    /// most 0, the value of the constant vector.
    pub smallest_eigenvalue: Option<f64>,
    /// A vector a with sum zero and aᵀKa < 0, if there is one.
    pub witness: Option<Witness>,
}

impl Conditional {
    /// A matrix that is positive semi-definite everywhere.
    pub(super) fn trivial() -> Self {
        Conditional { positive_semidefinite: true, smallest_eigenvalue: None, witness: None }
    }
}

/// Judges by the eigenvalues of PKP with P = I − 11ᵀ/n, in the working copy of the matrix.
pub(super) fn judge(work: &mut Symmetrised, original: &[f64], tolerance: f64, run: &Run) -> Result<Conditional> {
    let (n, unit) = (work.n, work.unit);
    Centering::fit(&work.values, n, None)?.apply(&mut work.values, run)?;
    let smallest = eigenvalues(&work.values, n, run)?[0];
    let mut report =
        Conditional { positive_semidefinite: true, smallest_eigenvalue: Some(smallest * unit), witness: None };
    if smallest < -tolerance {
        let mut vector = eigen(&work.values, n, run)?.vector(0).to_vec();
        sum_to_zero(&mut vector);
        // For a vector that sums to zero, aᵀPKPa = aᵀKa.
        let witness = Witness::new(vector, original, unit);
        report.positive_semidefinite = witness.value >= 0.0;
        report.witness = (witness.value < 0.0).then_some(witness);
    }
    Ok(report)
}

/// Takes the rounding out of a unit vector whose sum should be zero.
fn sum_to_zero(vector: &mut [f64]) {
    let mean = vector.iter().sum::<f64>() / vector.len() as f64;
    vector.iter_mut().for_each(|a| *a -= mean);
    let norm = vector.iter().map(|a| a * a).sum::<f64>().sqrt();
    vector.iter_mut().for_each(|a| *a /= norm);
}
