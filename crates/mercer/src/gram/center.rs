//! Centring: the Gram matrix of the points minus their mean, in feature space.
//!
//! With weights wⱼ that sum to 1 and φ̄ = Σⱼ wⱼφ(xⱼ), the centred values are
//! ⟨φ(x) − φ̄, φ(xⱼ) − φ̄⟩ = k(x, xⱼ) − Σₗ wₗk(x, xₗ) − mⱼ + g with the column means
//! mⱼ = Σₗ wₗk(xₗ, xⱼ) and their mean g = Σⱼ wⱼmⱼ. That is (I − U)K(I − U) with U = 1wᵀ, in n² sums
//! instead of products of matrices.

use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use crate::data::{Weights, shares};
use crate::error::{Error, Result};
use crate::linalg::dot;
use crate::run::Run;

use super::matrix::{KernelMatrix, TileMut, map_block};
use super::stream::apply;

/// What is needed to centre kernel values against one set of training points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Centering {
    weights: Vec<f64>,
    column_means: Vec<f64>,
    grand_mean: f64,
}

impl Centering {
    /// Learns the means of a symmetric n×n Gram matrix, row-major, with weights if there are any.
    ///
    /// ```
    /// use mercer::{Run, gram::Centering};
    /// let mut k = [2.0, 1.0, 1.0, 4.0];
    /// let centering = Centering::fit(&k, 2, None)?;
    /// assert_eq!((centering.column_means(), centering.grand_mean()), ([1.5, 2.5].as_slice(), 2.0));
    /// centering.apply(&mut k, &Run::new())?;
    /// assert_eq!(k, [1.0, -1.0, -1.0, 1.0]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn fit(gram: &[f64], n: usize, weights: Option<&Weights>) -> Result<Self> {
        if n.checked_mul(n) != Some(gram.len()) {
            return Err(Error::shape("a Gram matrix to centre", format!("{n}×{n} values"), gram.len()));
        }
        let weights = shares(weights, n)?;
        // The matrix is symmetric, so the mean of a column is that of the row, which is contiguous.
        let means = gram.par_chunks(n.max(1)).map(|row| dot(row, &weights)).collect();
        Ok(Self::of_means(means, weights))
    }

    /// Learns the means of a Gram matrix that is not stored.
    pub fn fit_streamed(gram: &dyn KernelMatrix, weights: Option<&Weights>, run: &Run) -> Result<Self> {
        let n = gram.nrows();
        if gram.ncols() != n {
            return Err(Error::shape("a Gram matrix to centre", "as many columns as rows", gram.ncols()));
        }
        let weights = shares(weights, n)?;
        let mut means = vec![0.0; n];
        apply(gram, &weights, 1, &mut means, run)?;
        Ok(Self::of_means(means, weights))
    }

    fn of_means(column_means: Vec<f64>, weights: Vec<f64>) -> Self {
        let grand_mean = dot(&column_means, &weights);
        Centering { weights, column_means, grand_mean }
    }

    /// Number of training points.
    pub fn n(&self) -> usize {
        self.weights.len()
    }

    /// The weights, which sum to 1.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// mⱼ = Σₗ wₗk(xₗ, xⱼ).
    pub fn column_means(&self) -> &[f64] {
        &self.column_means
    }

    /// g = Σⱼ wⱼmⱼ, the squared norm of the mean in feature space.
    pub fn grand_mean(&self) -> f64 {
        self.grand_mean
    }

    /// Centres rows of kernel values against the training points, in place: the Gram matrix itself,
    /// values of new points, or any block of either.
    pub fn apply(&self, rows: &mut [f64], run: &Run) -> Result<()> {
        let n = self.n();
        if n == 0 || !rows.len().is_multiple_of(n) {
            return match rows.is_empty() {
                true => Ok(()),
                false => Err(Error::shape("rows to centre", format!("rows of {n} values"), rows.len())),
            };
        }
        run.install(|| {
            rows.par_chunks_mut(n).for_each(|row| {
                let mean = dot(row, &self.weights);
                row.iter_mut().zip(&self.column_means).for_each(|(k, m)| *k = self.value(*k, mean, *m));
            });
        });
        Ok(())
    }

    /// k(x, x) of the centred kernel, from that of the kernel and the row mean of x.
    pub fn own(&self, diagonal: f64, row_mean: f64) -> f64 {
        self.value(diagonal, row_mean, row_mean)
    }

    /// The two means are added first, so that the result is symmetric to the bit.
    fn value(&self, k: f64, row_mean: f64, column_mean: f64) -> f64 {
        (k - (row_mean + column_mean)) + self.grand_mean
    }
}

/// A centred kernel matrix that is not stored.
pub struct Centered<'a> {
    matrix: &'a dyn KernelMatrix,
    centering: &'a Centering,
    row_means: Vec<f64>,
}

impl<'a> Centered<'a> {
    /// Centres a matrix whose columns are the training points of `centering`.
    pub fn new(matrix: &'a dyn KernelMatrix, centering: &'a Centering, run: &Run) -> Result<Self> {
        if matrix.ncols() != centering.n() {
            return Err(Error::shape("a matrix to centre", format!("{} columns", centering.n()), matrix.ncols()));
        }
        let row_means = match matrix.is_symmetric() {
            true => centering.column_means.clone(),
            false => {
                let mut means = vec![0.0; matrix.nrows()];
                apply(matrix, &centering.weights, 1, &mut means, run)?;
                means
            }
        };
        Ok(Centered { matrix, centering, row_means })
    }
}

impl KernelMatrix for Centered<'_> {
    fn nrows(&self) -> usize {
        self.matrix.nrows()
    }

    fn ncols(&self) -> usize {
        self.matrix.ncols()
    }

    fn is_symmetric(&self) -> bool {
        self.matrix.is_symmetric()
    }

    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: TileMut<'_>) {
        let means = &self.centering.column_means[cols.clone()];
        map_block(self.matrix, rows, cols, out, |i, values, centred| {
            let own = self.row_means[i];
            let pairs = values.iter().zip(means);
            centred.iter_mut().zip(pairs).for_each(|(c, (k, m))| *c = self.centering.value(*k, own, *m));
        });
    }

    fn diag(&self, out: &mut [f64]) {
        self.matrix.diag(out);
        out.iter_mut().zip(&self.row_means).for_each(|(k, m)| *k = self.centering.own(*k, *m));
    }
}
