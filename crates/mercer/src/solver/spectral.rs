//! Ridge regression by one eigendecomposition, for every alpha.
//!
//! **Solves** (A + alpha·I)·β + s·b = y with sᵀβ = 0 for a symmetric positive semi-definite A: n×n,
//! y: n×c; without the vector s, (A + alpha·I)·β = y. At alpha = 0: the limit as alpha falls to 0.
//!
//! **Given** A, s and y once, and any number of alphas.
//!
//! **Returns** β; the diagonal of Q in β = Q·y, whose quotients βᵢ/Qᵢᵢ are the exact leave-one-out
//! residuals; tr Q, with which n‖β‖²/(tr Q)² is generalised cross-validation. (Ridge has the
//! residual alpha·β and the smoother I − alpha·Q, so alpha cancels in both, and both have a limit
//! at 0.)
//!
//! **Cost** one eigendecomposition, then 2n²(c + 1) multiplications an alpha; 16n² bytes and what the
//! decomposition needs.
//!
//! **Reference** Golub, Heath, Wahba, Generalized cross-validation as a method for choosing a good
//! ridge parameter, Technometrics 21 (1979).

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef};

use crate::error::{Error, Result};
use crate::linalg::{Eigen, PARTS, eigen, filled, multiply};
use crate::run::Run;

/// Eigenvectors that are squared at a time.
const PANEL: usize = 256;
/// A share of a coordinate in the null space up to this is the rounding of the eigenvectors.
const IN_NULL_SPACE: f64 = 1e-8;

/// The decomposition, and y in its coordinates.
#[derive(Debug)]
pub struct SpectralRidge {
    eigen: Eigen,
    /// Uᵀ·y, row-major: n×c.
    coordinates: Vec<f64>,
    outputs: usize,
    /// s/‖s‖.
    constant: Option<Vec<f64>>,
    /// The eigenvalue that s has been given.
    lifted: f64,
    tolerance: f64,
}

/// The diagonal and the trace of Q for one alpha.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Qᵢᵢ. Where A has a null space and alpha is 0: (Q₀)ᵢᵢ of [`SpectralRidge::leave_one_out`].
    pub diagonal: Vec<f64>,
    /// tr Q.
    pub trace: f64,
}

impl SpectralRidge {
    /// Decomposes A, row-major, which is used as working space.
    pub fn new(a: &mut [f64], n: usize, y: &[f64], constant: Option<&[f64]>, run: &Run) -> Result<Self> {
        if n == 0 || n.checked_mul(n) != Some(a.len()) || !y.len().is_multiple_of(n) {
            return Err(Error::shape(
                "a ridge system",
                format!("{n}×{n} and {n}×c values"),
                format!("{} and {}", a.len(), y.len()),
            ));
        }
        let outputs = y.len() / n;
        let (constant, lifted) = match constant {
            None => (None, 0.0),
            Some(s) => {
                let unit = unit_vector(s);
                let lifted = project(a, n, &unit);
                (Some(unit), lifted)
            }
        };
        let eigen = eigen(a, n, run)?;
        let mut y = y.to_vec();
        if let Some(unit) = &constant {
            remove_component(unit, &mut y, outputs);
        }
        let mut coordinates = vec![0.0; n * outputs];
        multiply(eigen.vectors(), &y, [n, n, outputs], &mut coordinates, run)?;
        let largest = eigen.values().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        Ok(SpectralRidge {
            tolerance: n as f64 * f64::EPSILON * largest,
            eigen,
            coordinates,
            outputs,
            constant,
            lifted,
        })
    }

    /// The eigenvalues of A, in increasing order.
    pub fn eigenvalues(&self) -> &[f64] {
        self.eigen.values()
    }

    /// Uᵀ·y, row-major: n×c.
    pub fn coordinates(&self) -> &[f64] {
        &self.coordinates
    }

    /// Eigenvalues, and alphas, up to this count as zero: n·ε times the largest eigenvalue.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Number of eigenvalues above the tolerance, not counting the direction of s.
    pub fn rank(&self) -> usize {
        let above = self.eigen.values().iter().filter(|v| **v > self.tolerance).count();
        above.saturating_sub(usize::from(self.constant.is_some()))
    }

    /// (λ_max + alpha)/(λ_min + alpha) over the eigenvalues that count.
    pub fn condition(&self, alpha: f64) -> f64 {
        let alpha = self.effective(alpha);
        let counted = || self.eigen.values().iter().map(|v| v.max(0.0)).filter(|v| alpha > 0.0 || *v > self.tolerance);
        let (low, high) = counted().fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
        if high > 0.0 { (high + alpha) / (low + alpha) } else { 1.0 }
    }

    /// The smallest eigenvalue: below −tolerance, the matrix is not positive semi-definite.
    pub fn smallest(&self) -> f64 {
        self.eigen.values().first().copied().unwrap_or(0.0)
    }

    /// Whether this alpha counts as zero.
    pub fn is_zero(&self, alpha: f64) -> bool {
        alpha <= self.tolerance
    }

    fn effective(&self, alpha: f64) -> f64 {
        if self.is_zero(alpha) { 0.0 } else { alpha }
    }

    /// 1/(λ + alpha), or 1/λ on the range and 0 on the null space at alpha = 0.
    fn filter(&self, alpha: f64) -> impl Fn(f64) -> f64 {
        let (alpha, tolerance) = (self.effective(alpha), self.tolerance);
        // Eigenvalues below zero are rounding; as they are, they could cancel alpha.
        move |v| if v <= tolerance && alpha == 0.0 { 0.0 } else { 1.0 / (v.max(0.0) + alpha) }
    }

    /// β for every alpha: of alpha number a and output o, column a·c + o of an n×(alphas·c) matrix,
    /// row-major.
    pub fn solve(&self, alphas: &[f64], run: &Run) -> Result<Vec<f64>> {
        let (n, c) = (self.eigen.n(), self.outputs);
        let width = alphas.len() * c;
        let mut weighted = vec![0.0; n * width];
        for (a, alpha) in alphas.iter().enumerate() {
            let filter = self.filter(*alpha);
            for (l, v) in self.eigen.values().iter().enumerate() {
                for o in 0..c {
                    weighted[l * width + a * c + o] = filter(*v) * self.coordinates[l * c + o];
                }
            }
        }
        let mut beta = vec![0.0; n * width];
        self.combine(self.eigen.vectors(), &weighted, &mut beta, run);
        Ok(beta)
    }

    /// The diagonal and trace of Q for every alpha.
    pub fn spread(&self, alphas: &[f64], run: &Run) -> Result<Vec<Spread>> {
        let n = self.eigen.n();
        let mut filters = vec![0.0; n * alphas.len()];
        for (a, alpha) in alphas.iter().enumerate() {
            let filter = self.filter(*alpha);
            for (l, v) in self.eigen.values().iter().enumerate() {
                filters[l * alphas.len() + a] = filter(*v);
            }
        }
        let diagonals = self.squared_combinations(&filters, alphas.len(), run)?;
        Ok(alphas
            .iter()
            .enumerate()
            .map(|(a, alpha)| self.spread_of(*alpha, a, alphas.len(), &filters, &diagonals))
            .collect())
    }

    fn spread_of(&self, alpha: f64, a: usize, width: usize, filters: &[f64], diagonals: &[f64]) -> Spread {
        let own = |values: &[f64]| values.iter().skip(a).step_by(width).copied().collect::<Vec<f64>>();
        let mut diagonal = own(diagonals);
        let mut trace: f64 = own(filters).iter().sum();
        if let Some(unit) = &self.constant {
            // The direction of s is not part of Q; it was given an eigenvalue only to set it apart.
            let of_constant = 1.0 / (self.lifted + self.effective(alpha));
            diagonal.iter_mut().zip(unit).for_each(|(q, s)| *q -= s * s * of_constant);
            trace -= of_constant;
        }
        Spread { diagonal, trace }
    }

    /// The leave-one-out residuals βᵢ/Qᵢᵢ, n×c, for one alpha, its β and its spread.
    ///
    /// At alpha = 0 with a null space, the limit: (Nβ)ᵢ/Nᵢᵢ with N the projection onto the null space
    /// where that is not zero, βᵢ/(Q₀)ᵢᵢ elsewhere.
    pub fn leave_one_out(&self, alpha: f64, beta: &[f64], spread: &Spread, run: &Run) -> Result<Vec<f64>> {
        let c = self.outputs;
        let quotient = |at: usize, v: f64| v / spread.diagonal[at / c];
        let mut residuals: Vec<f64> = beta.iter().enumerate().map(|(at, v)| quotient(at, *v)).collect();
        if !self.is_zero(alpha) || self.rank() + usize::from(self.constant.is_some()) == self.eigen.n() {
            return Ok(residuals);
        }
        let null = |v: f64| f64::from(u8::from(v <= self.tolerance));
        let weights: Vec<f64> = self.eigen.values().iter().map(|v| null(*v)).collect();
        let shares = self.squared_combinations(&weights, 1, run)?;
        let weighted: Vec<f64> = self.coordinates.iter().enumerate().map(|(at, v)| weights[at / c] * v).collect();
        let mut component = vec![0.0; beta.len()];
        self.combine(self.eigen.vectors(), &weighted, &mut component, run);
        for (at, residual) in residuals.iter_mut().enumerate() {
            if shares[at / c] > IN_NULL_SPACE {
                *residual = component[at] / shares[at / c];
            }
        }
        Ok(residuals)
    }

    /// Σ_l u_l·weights[l] for the columns of `weights`: n×k.
    fn combine(&self, vectors: &[f64], weights: &[f64], out: &mut [f64], run: &Run) {
        let n = self.eigen.n();
        let k = weights.len() / n;
        let vectors = MatRef::from_column_major_slice(vectors, n, n);
        let weights = MatRef::from_row_major_slice(weights, n, k);
        run.install(|| {
            matmul(MatMut::from_row_major_slice_mut(out, n, k), Accum::Replace, vectors, weights, 1.0, PARTS)
        });
    }

    /// Σ_l u_l²·weights[l], squares taken entry by entry, a panel of vectors at a time.
    fn squared_combinations(&self, weights: &[f64], k: usize, run: &Run) -> Result<Vec<f64>> {
        let n = self.eigen.n();
        let size = (PANEL.min(n) * n) as u128;
        let (mut squares, _reserved) = filled(size, 0.0, "squared eigenvectors", "use fewer rows", run)?;
        let mut out = vec![0.0; n * k];
        for (vectors, weights) in self.eigen.vectors().chunks(PANEL * n).zip(weights.chunks(PANEL * k)) {
            let count = vectors.len() / n;
            let squares = &mut squares[..vectors.len()];
            squares.iter_mut().zip(vectors).for_each(|(s, u)| *s = u * u);
            let squares = MatRef::from_column_major_slice(squares, n, count);
            let weights = MatRef::from_row_major_slice(weights, count, k);
            let out = MatMut::from_row_major_slice_mut(&mut out, n, k);
            run.install(|| matmul(out, Accum::Add, squares, weights, 1.0, PARTS));
        }
        Ok(out)
    }
}

fn unit_vector(s: &[f64]) -> Vec<f64> {
    let norm = s.iter().map(|v| v * v).sum::<f64>().sqrt();
    s.iter().map(|v| v / norm).collect()
}

/// y − u·(uᵀy), column by column, twice: once leaves rounding of the size of a large mean.
fn remove_component(unit: &[f64], y: &mut [f64], outputs: usize) {
    for _ in 0..2 {
        for o in 0..outputs {
            let share: f64 = unit.iter().zip(y.iter().skip(o).step_by(outputs)).map(|(u, y)| u * y).sum();
            unit.iter().zip(y.iter_mut().skip(o).step_by(outputs)).for_each(|(u, y)| *y -= u * share);
        }
    }
}

/// Replaces A by P·A·P + t·u·uᵀ with P = I − u·uᵀ and t the trace of A, and answers t.
///
/// P·A·P has the eigenvalue 0 in the direction u, among others that are nearly 0; t, not below any
/// eigenvalue, sets u apart, so that terms in 1/alpha need not cancel.
fn project(a: &mut [f64], n: usize, unit: &[f64]) -> f64 {
    let trace: f64 = (0..n).map(|i| a[i * n + i]).sum();
    let lifted = if trace > 0.0 { trace } else { 1.0 };
    let product: Vec<f64> = a.chunks(n).map(|row| row.iter().zip(unit).map(|(a, u)| a * u).sum()).collect();
    let both: f64 = product.iter().zip(unit).map(|(p, u)| p * u).sum();
    for (i, row) in a.chunks_mut(n).enumerate() {
        for (j, v) in row.iter_mut().enumerate() {
            // Symmetric term by term, so that rounding, too, is symmetric.
            *v += (both + lifted) * unit[i] * unit[j] - (unit[i] * product[j] + product[i] * unit[j]);
        }
    }
    lifted
}
