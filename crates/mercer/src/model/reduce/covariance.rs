//! The covariance of rows in feature space, as an operator with one entry a row.

use crate::error::Result;
use crate::gram::{Bound, DenseGram, KernelMatrix, apply_block, dense};
use crate::kernel::property::Standing;
use crate::linalg::{LinearOperator, dot, multiply};
use crate::model::Sample;
use crate::run::Run;

/// Kernel values of the rows: stored where memory allows, else computed for every product.
pub(super) enum Values {
    Stored(DenseGram),
    Streamed(Bound),
}

impl Values {
    fn apply(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        match self {
            Values::Stored(gram) => {
                let n = gram.nrows();
                multiply(gram.values(), v, [n, n, k], out, run)?;
                // A product is short; a look at the clock after each is enough.
                run.task("product", Some(1)).step_or_cancel()
            }
            Values::Streamed(bound) => apply_block(bound, v, k, out, run),
        }
    }
}

/// A = √p·(I − 1pᵀ)·K·(I − p1ᵀ)·√p with the shares p of the rows; without centring √p·K·√p. Its eigenvalues are those of
/// Σ pᵢφ̃(xᵢ)φ̃(xᵢ)ᵀ, and no centred matrix is formed.
pub(super) struct Covariance {
    pub(super) values: Values,
    pub(super) shares: Vec<f64>,
    pub(super) roots: Vec<f64>,
    pub(super) center: bool,
    /// mᵢ = Σ pⱼk(xⱼ, xᵢ); zeros without centring.
    pub(super) means: Vec<f64>,
    /// Σ pᵢmᵢ.
    pub(super) grand_mean: f64,
    /// tr A.
    pub(super) trace: f64,
    /// Σ pᵢ|k(xᵢ, xᵢ)|: what rounding is measured by.
    pub(super) scale: f64,
    /// Whether A is proved to have no eigenvalue below 0.
    pub(super) definite: bool,
}

impl Covariance {
    pub(super) fn new(sample: &Sample, center: bool, run: &Run) -> Result<Self> {
        let bound = sample.space.gram(&sample.x, run)?;
        let n = sample.n as u128;
        let mut diagonal = vec![0.0; sample.n];
        bound.diag(&mut diagonal);
        // Half of the memory is left for the search.
        let values = match 8 * n * n <= u128::from(run.memory_left() / 2) {
            true => Values::Stored(dense(&bound, run)?),
            false => Values::Streamed(bound),
        };
        let shares = sample.shares();
        let mut means = vec![0.0; sample.n];
        if center {
            values.apply(&shares, 1, &mut means, run)?;
        }
        let grand_mean = dot(&means, &shares);
        let own = |i: usize| shares[i] * ((diagonal[i] - means[i]) + (grand_mean - means[i]));
        let trace = (0..sample.n).map(own).sum();
        let scale = shares.iter().zip(&diagonal).map(|(p, k)| p * k.abs()).sum();
        let roots = shares.iter().map(|p| p.sqrt()).collect();
        let definite = match sample.space.kernel().standing() {
            Standing::PositiveDefinite => true,
            // aᵀKa ≥ 0 for every a that sums to 0, and centring leaves no other.
            Standing::ConditionallyPositiveDefinite { order: 1 } => center,
            _ => false,
        };
        Ok(Covariance { values, shares, roots, center, means, grand_mean, trace, scale, definite })
    }

    pub(super) fn n(&self) -> usize {
        self.shares.len()
    }

    /// Where the kernel values are, in words.
    pub(super) fn place(&self) -> &'static str {
        match self.values {
            Values::Stored(_) => "the kernel matrix is stored",
            Values::Streamed(_) => "the kernel matrix does not fit and is computed for every product",
        }
    }

    /// The matrix itself, row-major, to be decomposed whole.
    pub(super) fn matrix(&self, sample: &Sample, run: &Run) -> Result<DenseGram> {
        let mut matrix = dense::<f64>(&sample.space.gram(&sample.x, run)?, run)?;
        for (i, row) in matrix.values_mut().chunks_mut(self.n()).enumerate() {
            for (j, k) in row.iter_mut().enumerate() {
                // The two means are added first, so that the result is symmetric to the bit.
                *k = self.roots[i] * self.roots[j] * ((*k - (self.means[i] + self.means[j])) + self.grand_mean);
            }
        }
        Ok(matrix)
    }

    /// Σ pᵢzᵢ of every column, taken from every row.
    fn take_mean(&self, z: &mut [f64], k: usize) {
        let mut sums = vec![0.0; k];
        for (row, p) in z.chunks(k).zip(&self.shares) {
            sums.iter_mut().zip(row).for_each(|(s, z)| *s += p * z);
        }
        z.chunks_mut(k).for_each(|row| row.iter_mut().zip(&sums).for_each(|(z, s)| *z -= s));
    }

    /// pᵢ times the sum of every column, taken from row i.
    fn take_sum(&self, y: &mut [f64], k: usize) {
        let mut sums = vec![0.0; k];
        y.chunks(k).for_each(|row| sums.iter_mut().zip(row).for_each(|(s, y)| *s += y));
        for (row, p) in y.chunks_mut(k).zip(&self.shares) {
            row.iter_mut().zip(&sums).for_each(|(y, s)| *y -= p * s);
        }
    }

    fn scale_rows(&self, v: &mut [f64], k: usize) {
        v.chunks_mut(k).zip(&self.roots).for_each(|(row, r)| row.iter_mut().for_each(|v| *v *= r));
    }
}

impl LinearOperator for Covariance {
    fn nrows(&self) -> usize {
        self.n()
    }

    fn ncols(&self) -> usize {
        self.n()
    }

    fn apply(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let mut y = v.to_vec();
        self.scale_rows(&mut y, k);
        if self.center {
            self.take_sum(&mut y, k);
        }
        self.values.apply(&y, k, out, run)?;
        if self.center {
            self.take_mean(out, k);
        }
        self.scale_rows(out, k);
        Ok(())
    }
}
