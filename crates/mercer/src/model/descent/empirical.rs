//! The empirical operator T = √p·K·√p with the shares p = w/Σw of the rows: K/n without weights.

use crate::error::{Error, Result};
use crate::gram::{Bound, DenseGram, KernelMatrix, Streamed, dense};
use crate::linalg::{Eigen, LinearOperator, eigen, multiply, multiply_first_transposed};
use crate::model::Sample;
use crate::run::Run;

/// A kernel matrix, stored where memory allows.
pub(super) enum Kept {
    Stored(DenseGram<f64>),
    Streamed(Bound),
}

impl Kept {
    pub(super) fn new(bound: Bound, run: &Run) -> Result<Self> {
        match dense(&bound, run) {
            Ok(stored) => Ok(Kept::Stored(stored)),
            Err(Error::Memory { .. }) => Ok(Kept::Streamed(bound)),
            Err(other) => Err(other),
        }
    }

    /// out = K·V for V with k columns.
    pub(super) fn multiply(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        match self {
            Kept::Stored(gram) => multiply(gram.values(), v, [gram.nrows(), gram.ncols(), k], out, run),
            Kept::Streamed(bound) => Streamed(bound).apply(v, k, out, run),
        }
    }

    pub(super) fn matrix(&self) -> &dyn KernelMatrix {
        match self {
            Kept::Stored(gram) => gram,
            Kept::Streamed(bound) => bound,
        }
    }

    pub(super) fn nrows(&self) -> usize {
        match self {
            Kept::Stored(gram) => gram.nrows(),
            Kept::Streamed(bound) => KernelMatrix::nrows(bound),
        }
    }
}

/// T as products.
pub(super) struct Empirical<'a> {
    pub(super) kernel: &'a Kept,
    pub(super) roots: &'a [f64],
}

impl LinearOperator for Empirical<'_> {
    fn nrows(&self) -> usize {
        self.kernel.nrows()
    }

    fn ncols(&self) -> usize {
        self.kernel.nrows()
    }

    fn apply(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let scaled: Vec<f64> = v.iter().enumerate().map(|(at, v)| self.roots[at / k] * v).collect();
        self.kernel.multiply(&scaled, k, out, run)?;
        out.iter_mut().enumerate().for_each(|(at, o)| *o *= self.roots[at / k]);
        Ok(())
    }
}

/// T = U·diag(σ)·Uᵀ.
pub(super) struct Directions {
    eigen: Eigen,
    roots: Vec<f64>,
}

impl Directions {
    pub(super) fn new(training: &Sample, run: &Run) -> Result<Self> {
        let roots: Vec<f64> = training.shares().iter().map(|p| p.sqrt()).collect();
        let mut gram = dense::<f64>(&training.space.gram(&training.x, run)?, run)?;
        let n = training.n;
        for (row, r) in gram.values_mut().chunks_mut(n).zip(&roots) {
            row.iter_mut().zip(&roots).for_each(|(k, s)| *k *= r * s);
        }
        Ok(Directions { eigen: eigen(gram.values(), n, run)?, roots })
    }

    /// σ, in increasing order; what rounding left below 0 is 0.
    pub(super) fn spectrum(&self) -> impl Iterator<Item = f64> + '_ {
        self.eigen.values().iter().map(|s| s.max(0.0))
    }

    pub(super) fn largest(&self) -> f64 {
        self.spectrum().last().unwrap_or(0.0)
    }

    /// Uᵀ·√p·v for v with k columns.
    pub(super) fn coordinates(&self, v: &[f64], k: usize, run: &Run) -> Result<Vec<f64>> {
        let n = self.roots.len();
        let scaled: Vec<f64> = v.iter().enumerate().map(|(at, v)| self.roots[at / k] * v).collect();
        let mut out = vec![0.0; n * k];
        multiply(self.eigen.vectors(), &scaled, [n, n, k], &mut out, run)?;
        Ok(out)
    }

    /// Coordinates, each times a function of its eigenvalue.
    pub(super) fn times(&self, coordinates: &[f64], k: usize, g: impl Fn(f64) -> f64) -> Vec<f64> {
        let scaled = coordinates.chunks(k).zip(self.spectrum());
        scaled.flat_map(|(row, sigma)| row.iter().map(|v| v * g(sigma)).collect::<Vec<f64>>()).collect()
    }

    /// How far residuals with k columns are from those with these coordinates, over the norm of y.
    pub(super) fn apart(&self, r: &[f64], coordinates: &[f64], y: &[f64], k: usize, run: &Run) -> Result<f64> {
        let off = self.coordinates(r, k, run)?.iter().zip(coordinates).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let size = self.coordinates(y, k, run)?.iter().map(|v| v * v).sum::<f64>();
        Ok((off / size.max(f64::MIN_POSITIVE)).sqrt())
    }

    /// √p·U·c: the coefficients of points.
    pub(super) fn coefficients(&self, c: &[f64], k: usize, run: &Run) -> Result<Vec<f64>> {
        let n = self.roots.len();
        let mut out = vec![0.0; n * k];
        multiply_first_transposed(self.eigen.vectors(), c, [n, n, k], &mut out, run)?;
        out.iter_mut().enumerate().for_each(|(at, o)| *o *= self.roots[at / k]);
        Ok(out)
    }
}

/// √(Σ p·r²) over all outputs.
pub(super) fn norm(r: &[f64], shares: &[f64], k: usize) -> f64 {
    r.iter().enumerate().map(|(at, r)| shares[at / k] * r * r).sum::<f64>().sqrt()
}
