//! The empirical spectrum of a kernel.

use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, dense};
use crate::linalg::eigenvalues;
use crate::run::Run;

use super::decay::{Decay, decay};

/// The empirical eigenvalues λ̂ = eig(K)/n, in decreasing order.
///
/// They estimate the eigenvalues of the integral operator f ↦ ∫ k(·, x)f(x) dP(x) of Mercer's theorem,
/// where P is the distribution that the points come from.
///
/// ```
/// use mercer::{Run, rkhs::Spectrum};
/// let spectrum = Spectrum::of_values(&[2.0, 1.0, 1.0, 2.0], 2, &Run::new())?; // eigenvalues 3 and 1
/// assert!((spectrum.values()[0] - 1.5).abs() < 1e-15 && (spectrum.values()[1] - 0.5).abs() < 1e-15);
/// let d = spectrum.effective_dimension(0.5)?; // 1.5/(1.5 + 0.5) + 0.5/(0.5 + 0.5)
/// assert!((d - 1.25).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    values: Vec<f64>,
}

impl Spectrum {
    /// Of a kernel matrix of one set, which is stored for it.
    pub fn of(matrix: &dyn KernelMatrix, run: &Run) -> Result<Self> {
        if !matrix.is_symmetric() {
            return Err(Error::shape("a spectrum", "the Gram matrix of one set", "a cross matrix of two"));
        }
        // Its values are checked to be n×n below, whatever the matrix says meanwhile.
        let gram = dense::<f64>(matrix, run)?;
        Self::of_values(gram.values(), gram.nrows(), run)
    }

    /// Of a symmetric n×n matrix, row-major.
    pub fn of_values(gram: &[f64], n: usize, run: &Run) -> Result<Self> {
        let values = eigenvalues(gram, n, run)?;
        Ok(Self::from_eigenvalues(&values))
    }

    /// From the eigenvalues of K, in increasing order.
    pub(super) fn from_eigenvalues(values: &[f64]) -> Self {
        let n = values.len() as f64;
        Spectrum { values: values.iter().rev().map(|v| v / n).collect() }
    }

    /// Number of points.
    pub fn n(&self) -> usize {
        self.values.len()
    }

    /// λ̂₁ ≥ λ̂₂ ≥ …, as they were computed: those of a singular matrix may be below zero by rounding.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Eigenvalues up to n·ε·|λ̂|_max are rounding.
    pub fn tolerance(&self) -> f64 {
        let largest = self.values.iter().fold(0.0f64, |a, v| a.max(v.abs()));
        self.n() as f64 * f64::EPSILON * largest
    }

    /// How many eigenvalues are above the tolerance.
    pub fn rank(&self) -> usize {
        let tolerance = self.tolerance();
        self.values.iter().take_while(|v| **v > tolerance).count()
    }

    /// Σ λ̂ = tr K/n.
    pub fn trace(&self) -> f64 {
        self.values.iter().sum()
    }

    /// The effective dimension tr K(K + nλI)⁻¹ = Σ λ̂/(λ̂ + λ): how many directions a ridge penalty λ
    /// leaves free. Eigenvalues below zero count as zero.
    pub fn effective_dimension(&self, lambda: f64) -> Result<f64> {
        if !(lambda > 0.0 && lambda.is_finite()) {
            return Err(Error::invalid("the effective dimension", "lambda", lambda, "positive and finite"));
        }
        // Divided by λ first, neither λ̂ + λ nor the quotient can overflow to a wrong number.
        let share = |v: f64| if v > lambda { 1.0 / (1.0 + lambda / v) } else { (v / lambda) / (1.0 + v / lambda) };
        Ok(self.values.iter().map(|v| share(v.max(0.0))).sum())
    }

    /// How fast the eigenvalues fall.
    pub fn decay(&self) -> Decay {
        decay(&self.values[..self.rank()])
    }
}
