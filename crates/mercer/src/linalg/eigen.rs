//! Eigenvalues and eigenvectors of symmetric matrices.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{MatMut, MatRef};

use crate::error::{Error, Result};
use crate::run::{Reservation, Run};

use super::buffer::filled;
use super::dense::{PARTS, largest_magnitude};
use super::power_of_two;

/// What to do when there is not enough memory for a decomposition.
const ALTERNATIVE: &str = "use fewer points, a low-rank factor, or raise the memory limit";

/// K = U·diag(λ)·Uᵀ of a symmetric matrix, eigenvalues in increasing order.
#[derive(Debug)]
pub struct Eigen {
    n: usize,
    values: Vec<f64>,
    vectors: Vec<f64>,
    _reserved: Reservation,
}

impl Eigen {
    /// Number of rows of the matrix.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The eigenvalues, in increasing order.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The unit eigenvector of eigenvalue number `l`. Its sign is such that its entry of largest
    /// magnitude (the first of them) is positive.
    pub fn vector(&self, l: usize) -> &[f64] {
        &self.vectors[l * self.n..(l + 1) * self.n]
    }

    /// All eigenvectors, one after the other in the order of the eigenvalues.
    pub fn vectors(&self) -> &[f64] {
        &self.vectors
    }
}

/// The eigenvalues of a symmetric n×n matrix, row-major, in increasing order. Only the lower
/// triangle is read.
pub fn symmetric_eigenvalues(values: &[f64], n: usize) -> Result<Vec<f64>> {
    eigenvalues(values, n, &Run::new())
}

/// The eigenvalues alone, in increasing order, at about half of the cost of [`eigen`].
///
/// Only the lower triangle is read. The work is cut in the same way whatever the number of
/// threads, so that the result does not depend on it; it cannot be interrupted half-way.
pub fn eigenvalues(values: &[f64], n: usize, run: &Run) -> Result<Vec<f64>> {
    check_square(values, n)?;
    let mut spectrum = vec![0.0; n];
    decompose(values, n, &mut spectrum, None, run)?;
    Ok(spectrum)
}

/// The eigenvalues and eigenvectors of a symmetric n×n matrix, row-major.
///
/// Only the lower triangle is read. The residual ‖K·u − λ·u‖ is a small multiple of n·ε·|λ|_max.
///
/// ```
/// use mercer::{Run, linalg::eigen};
/// let e = eigen(&[2.0, 1.0, 1.0, 2.0], 2, &Run::new())?;
/// assert!((e.values()[0] - 1.0).abs() < 1e-15 && (e.values()[1] - 3.0).abs() < 1e-15);
/// assert!((e.vector(1)[0] - 0.5f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn eigen(values: &[f64], n: usize, run: &Run) -> Result<Eigen> {
    check_square(values, n)?;
    let size = (n as u128) * (n as u128);
    let (mut vectors, reserved) = filled(size, 0.0, &format!("the {n}×{n} eigenvectors"), ALTERNATIVE, run)?;
    let mut spectrum = vec![0.0; n];
    decompose(values, n, &mut spectrum, Some(&mut vectors), run)?;
    vectors.chunks_mut(n.max(1)).for_each(fix_sign);
    Ok(Eigen { n, values: spectrum, vectors, _reserved: reserved })
}

/// Before anything is allocated: n is the caller's word.
fn check_square(values: &[f64], n: usize) -> Result<()> {
    match n.checked_mul(n) == Some(values.len()) {
        true => Ok(()),
        false => Err(Error::shape("a symmetric matrix", format!("{n}×{n} values"), values.len())),
    }
}

/// Scales to a moderate size where needed, then decomposes.
fn decompose(values: &[f64], n: usize, spectrum: &mut [f64], vectors: Option<&mut [f64]>, run: &Run) -> Result<()> {
    if let Some(at) = values.iter().position(|v| !v.is_finite()) {
        return Err(Error::NonFinite {
            place: "a matrix to decompose".into(),
            count: values.iter().filter(|v| !v.is_finite()).count(),
            total: values.len(),
            first_row: at / n,
            what: "NaN or infinite".into(),
        });
    }
    if n == 0 {
        return Ok(());
    }
    let largest = largest_magnitude(values);
    if largest == 0.0 || (1e-100..1e100).contains(&largest) {
        return factorise(values, n, spectrum, vectors, run);
    }
    // Squares of such values leave the range of numbers; a power of two changes no digit.
    let unit = power_of_two(largest);
    let (mut scaled, _reserved) = filled(values.len() as u128, 0.0, "a scaled copy of the matrix", ALTERNATIVE, run)?;
    scaled.iter_mut().zip(values).for_each(|(s, v)| *s = v / unit);
    factorise(&scaled, n, spectrum, vectors, run)?;
    spectrum.iter_mut().for_each(|v| *v *= unit);
    Ok(())
}

/// faer's decomposition, with memory from the run's account and on the run's threads.
fn factorise(values: &[f64], n: usize, spectrum: &mut [f64], vectors: Option<&mut [f64]>, run: &Run) -> Result<()> {
    let task = run.task("eigen", Some(1));
    let wanted = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let needed = self_adjoint_evd_scratch::<f64>(n, wanted, PARTS, Default::default());
    let purpose = format!("the eigen-decomposition of a {n}×{n} matrix");
    let _reserved = run.reserve(needed.size_bytes() as u128, &purpose, ALTERNATIVE)?;
    let mut memory = MemBuffer::try_new(needed).map_err(|_| Error::Memory {
        needed: needed.size_bytes() as u128,
        limit: run.memory_limit(),
        purpose: purpose.clone(),
        alternative: ALTERNATIVE.into(),
    })?;
    if let Some(reason) = run.stop_reason() {
        return Err(task.cancelled(reason));
    }
    let matrix = MatRef::from_row_major_slice(values, n, n);
    run.install(|| {
        let spectrum = DiagMut::from_slice_mut(spectrum);
        // The vectors lie one after the other: column-major, which faer likes best.
        let vectors = vectors.map(|u| MatMut::from_column_major_slice_mut(u, n, n));
        let stack = MemStack::new(&mut memory);
        self_adjoint_evd(matrix, spectrum, vectors, PARTS, stack, Default::default())
    })
    .map_err(|e| Error::Unsupported {
        what: format!("the eigenvalue decomposition of this matrix ({e:?})"),
        alternative: "check that its values are symmetric and of one scale".into(),
    })?;
    task.step_or_cancel()
}

/// An eigenvector is known up to its sign; this one does not depend on the algorithm.
pub(crate) fn fix_sign(vector: &mut [f64]) {
    let largest = largest_magnitude(vector);
    // Entries that tie up to rounding must not decide by chance.
    let first = vector.iter().find(|v| v.abs() >= largest * (1.0 - 1e-8)).copied().unwrap_or(0.0);
    if first < 0.0 {
        vector.iter_mut().for_each(|v| *v = -*v);
    }
}
