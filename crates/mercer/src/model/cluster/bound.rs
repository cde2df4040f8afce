//! A number that no inertia is below.
//!
//! With A = W^(½)·K̃·W^(½), K̃ the centred kernel matrix, the inertia of k clusters is tr A − tr(YᵀAY) for a Y of k − 1 orthonormal
//! columns, so it is not below tr A − (λ₁ + … + λ_{k−1}) (Ding & He 2004). The eigenvalues are bounded from above, whatever a
//! search has missed: for orthonormal V with Θ = VᵀAV diagonal and R = AV − VΘ, A is Θ on the span of V and some C beside it, up to
//! R. ‖C‖² = ‖A‖² − ‖Θ‖² − 2‖R‖² in Frobenius norms, so j eigenvalues of C add up to √j·‖C‖ at most.

use rayon::prelude::*;

use crate::error::Result;
use crate::gram::{KernelMatrix, TileMut, apply};
use crate::linalg::{LinearOperator, dot};
use crate::run::Run;
use crate::solver::{TopEigenParams, top_eigen};

/// Eigenvalues that are found beyond those that are needed: the more, the less is left to C.
const MORE: usize = 12;
/// Rows that a thread looks at together.
const ROWS: usize = 16;

/// A lower bound of the inertia of so many clusters of points with weights, given their kernel matrix.
pub(super) fn inertia_bound(matrix: &dyn KernelMatrix, weights: &[f64], clusters: usize, run: &Run) -> Result<f64> {
    let n = weights.len();
    if clusters >= n {
        return Ok(0.0);
    }
    let centred = Centred::new(matrix, weights, run)?;
    let (trace, square) = centred.sizes(run)?;
    let rounding = 16.0 * n as f64 * f64::EPSILON * centred.own;
    let needed = clusters - 1;
    if needed == 0 {
        return Ok((trace - rounding).max(0.0));
    }
    let params = TopEigenParams { count: (needed + MORE).min(n), tolerance: 1e-7, ..Default::default() };
    let top = top_eigen(&centred, &params, run)?;
    let left: f64 = top.residuals().iter().map(|r| r * r).sum();
    let known: f64 = top.values().iter().map(|v| v * v).sum();
    let beside = (square - known - 2.0 * left).max(0.0).sqrt() + rounding.sqrt() * centred.own.sqrt();
    let rest = (trace - top.values().iter().sum::<f64>()).max(0.0) + rounding;
    // j of the largest eigenvalues may be those of C.
    let with = |j: usize| {
        let own: f64 = top.values().iter().take(needed - j).map(|v| v.max(0.0)).sum();
        own + ((j as f64).sqrt() * beside).min(rest)
    };
    let most = (0..=needed).map(with).fold(0.0, f64::max) + (top.values().len() as f64 * left).sqrt();
    Ok((trace - most - rounding).max(0.0))
}

/// W^(½)·(I − 1pᵀ)·K·(I − p1ᵀ)·W^(½) with the shares p of the weights.
struct Centred<'a> {
    matrix: &'a dyn KernelMatrix,
    root: Vec<f64>,
    shares: Vec<f64>,
    /// K·p and pᵀ·K·p.
    means: Vec<f64>,
    mean: f64,
    /// Σ w·k(x, x).
    own: f64,
}

impl<'a> Centred<'a> {
    fn new(matrix: &'a dyn KernelMatrix, weights: &[f64], run: &Run) -> Result<Self> {
        let total: f64 = weights.iter().sum();
        let shares: Vec<f64> = weights.iter().map(|w| w / total).collect();
        let (mut means, mut diagonal) = (vec![0.0; weights.len()], vec![0.0; weights.len()]);
        apply(matrix, &shares, 1, &mut means, run)?;
        matrix.diag(&mut diagonal);
        let (mean, own) = (dot(&means, &shares), weights.iter().zip(&diagonal).map(|(w, k)| w * k.abs()).sum());
        Ok(Centred { matrix, root: weights.iter().map(|w| w.sqrt()).collect(), shares, means, mean, own })
    }

    /// tr A and ‖A‖², row by row.
    fn sizes(&self, run: &Run) -> Result<(f64, f64)> {
        let n = self.root.len();
        let task = run.task("the size of the matrix", Some(n.div_ceil(ROWS) as u64));
        let of = |first: usize| -> Result<(f64, f64)> {
            let rows = first..(first + ROWS).min(n);
            let mut tile = vec![0.0; rows.len() * n];
            let height = rows.len();
            self.matrix.block(rows.clone(), 0..n, TileMut::contiguous(&mut tile, height, n));
            let (mut trace, mut square) = (0.0, 0.0);
            for (row, i) in tile.chunks(n).zip(rows) {
                let entry =
                    |j: usize| self.root[i] * self.root[j] * ((row[j] - (self.means[i] + self.means[j])) + self.mean);
                trace += entry(i);
                square += (0..n).map(|j| entry(j) * entry(j)).sum::<f64>();
            }
            task.step_or_cancel()?;
            Ok((trace, square))
        };
        let firsts: Vec<usize> = (0..n).step_by(ROWS).collect();
        let parts: Vec<(f64, f64)> = run.install(|| firsts.into_par_iter().map(of).collect::<Result<_>>())?;
        Ok(parts.into_iter().fold((0.0, 0.0), |(t, s), (a, b)| (t + a, s + b)))
    }
}

impl LinearOperator for Centred<'_> {
    fn nrows(&self) -> usize {
        self.root.len()
    }

    fn ncols(&self) -> usize {
        self.root.len()
    }

    fn apply(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let mut u: Vec<f64> = v.iter().enumerate().map(|(at, v)| self.root[at / k] * v).collect();
        let mut sums = vec![0.0; k];
        u.iter().enumerate().for_each(|(at, u)| sums[at % k] += u);
        u.iter_mut().enumerate().for_each(|(at, u)| *u -= self.shares[at / k] * sums[at % k]);
        apply(self.matrix, &u, k, out, run)?;
        let mut means = vec![0.0; k];
        out.iter().enumerate().for_each(|(at, o)| means[at % k] += self.shares[at / k] * o);
        out.iter_mut().enumerate().for_each(|(at, o)| *o = self.root[at / k] * (*o - means[at % k]));
        Ok(())
    }
}
