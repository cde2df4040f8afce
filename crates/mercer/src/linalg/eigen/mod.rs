//! Eigenvalues and eigenvectors of symmetric matrices.
//!
//! A = Q·T·Qᵀ with three diagonals T, and then either the eigenvalues of T alone ([`values`]), or T = S·diag(λ)·Sᵀ by divide
//! and conquer ([`conquer`]) and U = Q·S ([`back`]). There are two ways to T. For eigenvalues alone it is reached in two stages,
//! by products of matrices to a band ([`band`]) and down the band to three diagonals ([`chase`]). Where vectors are wanted
//! it is reached in one ([`direct`]): the way back through two stages costs more than they save. All of it can be stopped
//! between any two products. What was measured is in docs/decisions/0029.

mod back;
mod band;
mod chase;
mod conquer;
mod direct;
mod reflectors;
mod secular;
mod small;
mod steps;
mod tiles;
mod triangle;
mod values;

use std::mem::MaybeUninit;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::run::{Reservation, Run};

use super::buffer::{Buffer, filled};
use super::dense::largest_magnitude;
use super::power_of_two;
use super::team::Team;
use steps::Steps;

/// What to do when there is not enough memory for a decomposition.
const ALTERNATIVE: &str = "use fewer points, a low-rank factor, or raise the memory limit";
/// Rows from which on the work can be stopped; fewer take milliseconds.
const MANY: usize = 192;
/// Rows from which on two stages are faster than one, for eigenvalues alone.
const TWO_STAGES: usize = 400;
/// Rows that a thread looks through at least.
const ROWS: usize = 256;

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

/// The eigenvalues alone, in increasing order, at about a third of the cost of [`eigen`].
///
/// Only the lower triangle is read. The work is cut in the same way whatever the number of
/// threads, so that the result does not depend on it; it stops between any two blocks.
pub fn eigenvalues(values: &[f64], n: usize, run: &Run) -> Result<Vec<f64>> {
    let unit = checked_unit(values, n, run)?;
    let mut spectrum = match n < MANY {
        true => small::eigenvalues(values, n, unit, run)?,
        false => run.enter(|| values_of_large(values, n, unit, run))?,
    };
    spectrum.iter_mut().for_each(|v| *v *= unit);
    Ok(spectrum)
}

/// The eigenvalues and eigenvectors of a symmetric n×n matrix, row-major.
///
/// Only the lower triangle is read. The residual ‖K·u − λ·u‖ is a small multiple of n·ε·|λ|_max. Threads and stops are
/// those of [`eigenvalues`]; beside the answer, there is room for three matrices of its size while it works.
///
/// ```
/// use mercer::{Run, linalg::eigen};
/// let e = eigen(&[2.0, 1.0, 1.0, 2.0], 2, &Run::new())?;
/// assert!((e.values()[0] - 1.0).abs() < 1e-15 && (e.values()[1] - 3.0).abs() < 1e-15);
/// assert!((e.vector(1)[0] - 0.5f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn eigen(values: &[f64], n: usize, run: &Run) -> Result<Eigen> {
    let unit = checked_unit(values, n, run)?;
    let mut found = match n < MANY {
        true => small::eigen(values, n, unit, run)?,
        false => run.enter(|| by_conquest(values, n, unit, run))?,
    };
    found.values.iter_mut().for_each(|v| *v *= unit);
    run.install(|| found.vectors.par_chunks_mut(n.max(1)).with_min_len(ROWS).for_each(fix_sign));
    Ok(found)
}

/// The decomposition of a large matrix divided by `unit`.
fn by_conquest(values: &[f64], n: usize, unit: f64, run: &Run) -> Result<Eigen> {
    let steps = Steps::new(run, direct::steps(n) + conquer::merges(n) + back::steps(n));
    let (mut a, _reserved) = copy(values, n, unit, &steps)?;
    let direct::Reduced { used, tridiagonal } = direct::reduce(&mut a, n, &steps)?;
    let (values, mut vectors, reserved) = conquer::eigen(tridiagonal, &steps)?;
    back::transform(&a, &used, &mut vectors, &steps)?;
    Ok(Eigen { n, values, vectors, _reserved: reserved })
}

/// The eigenvalues of a large matrix divided by `unit`.
fn values_of_large(values: &[f64], n: usize, unit: f64, run: &Run) -> Result<Vec<f64>> {
    let two = n >= TWO_STAGES;
    let steps = Steps::new(run, 1 + if two { band::steps(n) + chase::steps(n) } else { direct::steps(n) });
    let (mut a, _reserved) = copy(values, n, unit, &steps)?;
    let tridiagonal = if two {
        band::reduce(&mut a, n, &steps)?;
        chase::reduce(&mut a, n, &steps)?
    } else {
        direct::reduce(&mut a, n, &steps)?.tridiagonal
    };
    let spectrum = values::eigenvalues(tridiagonal, &steps)?;
    steps.step()?;
    Ok(spectrum)
}

/// Three diagonals of a symmetric matrix.
struct Tridiagonal {
    diagonal: Vec<f64>,
    /// The entries beside the diagonal, one fewer.
    beside: Vec<f64>,
}

/// n×n zeros, written by all threads: fresh memory can take longer than a second to come.
fn square(n: usize, purpose: &str, steps: &Steps) -> Result<(Vec<f64>, Reservation)> {
    const CHUNK: usize = 1 << 17;
    let mut buffer = Buffer::reserve((n as u128) * (n as u128), purpose, ALTERNATIVE, steps.run)?;
    buffer.as_mut_slice().par_chunks_mut(CHUNK).try_for_each(|chunk| {
        chunk.fill(MaybeUninit::new(0.0));
        steps.check()
    })?;
    // SAFETY: the chunks are all of the buffer, and none of them has ended the loop early.
    Ok(unsafe { buffer.assume_written() })
}

/// Room to work in, which holds the matrix.
fn copy(values: &[f64], n: usize, unit: f64, steps: &Steps) -> Result<(Vec<f64>, Reservation)> {
    let purpose = format!("the eigen-decomposition of a {n}×{n} matrix");
    let (mut a, reserved) = square(n, &purpose, steps)?;
    tiles::copy_lower(values, n, unit, &mut a, steps)?;
    Ok((a, reserved))
}

/// A power of two that brings the largest value near 1, which changes no digit and keeps squares in the range of
/// numbers. Before anything is allocated: n is the caller's word.
fn checked_unit(values: &[f64], n: usize, run: &Run) -> Result<f64> {
    if n.checked_mul(n) != Some(values.len()) {
        return Err(Error::shape("a symmetric matrix", format!("{n}×{n} values"), values.len()));
    }
    let rows = || values.par_chunks(n.max(1)).with_min_len(ROWS).enumerate();
    if run.install(|| rows().all(|(_, row)| row.iter().all(|v| v.is_finite()))) {
        let largest = || rows().map(|(i, row)| largest_magnitude(&row[..=i])).reduce(|| 0.0, f64::max);
        return Ok(power_of_two(run.install(largest)));
    }
    Err(Error::NonFinite {
        place: "a matrix to decompose".into(),
        count: values.iter().filter(|v| !v.is_finite()).count(),
        total: values.len(),
        first_row: values.iter().position(|v| !v.is_finite()).unwrap_or(0) / n,
        what: "NaN or infinite".into(),
    })
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
