//! Newton steps in the features of a kernel of low rank.
//!
//! With K = FFᵀ the function is Fθ, and a step is a small system in θ and b. Conjugate gradients in the inner product of K
//! see nothing of its null space, and where its eigenvalues are far apart they lose what is left.

use crate::error::Result;
use crate::linalg::{
    ColumnSource, PivotedParams, PivotedStop, cholesky_in_place_with_jitter, pivoted_cholesky, solve_cholesky,
};
use crate::loss::RowLoss;
use crate::run::Run;

use super::Penalized;
use super::system::Step;

/// The most unknowns of a step.
const MOST: usize = 256;
/// Up to this rank, or an eighth of the rows, a factor is little work beside that of the matrix.
const LOW: usize = 64;

/// F, row-major: n×r, with a column of ones where there is an intercept.
pub(super) struct Features {
    rows: Vec<f64>,
    width: usize,
    rank: usize,
}

/// Curvatures of rows, as [`RowLoss::locals`] leaves them.
pub(super) struct Curvature<'a> {
    pub(super) loss: &'a dyn RowLoss,
    pub(super) state: &'a [f64],
    pub(super) weights: &'a [f64],
}

struct Stored<'a>(&'a [f64], usize);

impl ColumnSource for Stored<'_> {
    fn dim(&self) -> usize {
        self.1
    }

    fn diag(&self, out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(i, d)| *d = self.0[i * self.1 + i]);
    }

    fn column(&self, j: usize, out: &mut [f64], _: &Run) -> Result<()> {
        out.copy_from_slice(&self.0[j * self.1..(j + 1) * self.1]);
        Ok(())
    }
}

impl Features {
    /// The features of a kernel of low rank; nothing of one of higher rank.
    pub(super) fn of(problem: &Penalized<'_>, outputs: usize, run: &Run) -> Option<Self> {
        let n = problem.n();
        let most = (n / 8).max(LOW).min(n.saturating_sub(1)).min((MOST / outputs.max(1)).saturating_sub(1));
        let params = PivotedParams { max_rank: Some(most), tolerance: None };
        // A kernel that is not positive definite has no such factor, and the general method says so.
        let factor = pivoted_cholesky(&Stored(problem.kernel, n), &params, run).ok()?;
        if factor.stop() != PivotedStop::Tolerance || factor.rank() == 0 {
            return None;
        }
        let (rank, width) = (factor.rank(), factor.rank() + usize::from(problem.intercept));
        let mut rows = vec![1.0; n * width];
        for (row, own) in rows.chunks_mut(width).zip(factor.rows().chunks(rank)) {
            row[..rank].copy_from_slice(own);
        }
        Some(Features { rows, width, rank })
    }

    /// The step for ρ = w∇ℓ − v: with (alpha·I + FᵀWF)·δθ = −Fᵀρ and δz = F·δθ, it is δv = ρ + W·δz.
    pub(super) fn step(&self, problem: &Penalized<'_>, at: &Curvature<'_>, rho: &[f64], run: &Run) -> Result<Step> {
        let c = at.loss.outputs();
        let mut unknown = self.gradient(rho, c);
        let mut hessian = self.hessian(problem.alpha, at);
        let m = unknown.len();
        cholesky_in_place_with_jitter(&mut hessian, m, run)?;
        solve_cholesky(&hessian, m, &mut unknown, 1, run)?;
        if c > 1 && self.width > self.rank {
            // The softmax loss does not see a number that is added to all values of a row.
            let mean = unknown[self.rank * c..].iter().sum::<f64>() / c as f64;
            unknown[self.rank * c..].iter_mut().for_each(|b| *b -= mean);
        }
        let mut v = self.values(&unknown, c);
        let mut bent = vec![0.0; c];
        for (i, (row, state)) in v.chunks_mut(c).zip(at.state.chunks(c)).enumerate() {
            at.loss.bend(state, row, &mut bent);
            for (o, v) in row.iter_mut().enumerate() {
                *v = rho[i * c + o] + at.weights[i] * bent[o];
            }
        }
        let mut product = vec![0.0; v.len()];
        problem.times(&v, c, &mut product, run)?;
        let b = if self.width > self.rank { unknown[self.rank * c..].to_vec() } else { vec![0.0; c] };
        Ok(Step { v, product, b })
    }

    /// −Fᵀρ, width×c.
    fn gradient(&self, rho: &[f64], c: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.width * c];
        for (row, rho) in self.rows.chunks(self.width).zip(rho.chunks(c)) {
            for (k, f) in row.iter().enumerate() {
                rho.iter().enumerate().for_each(|(o, r)| out[k * c + o] -= f * r);
            }
        }
        out
    }

    /// F·θ.
    fn values(&self, theta: &[f64], c: usize) -> Vec<f64> {
        let value = |row: &[f64], o: usize| row.iter().enumerate().map(|(k, f)| f * theta[k * c + o]).sum::<f64>();
        self.rows.chunks(self.width).flat_map(|row| (0..c).map(move |o| value(row, o))).collect()
    }

    /// Σ wᵢ·(fᵢfᵢᵀ) ⊗ Wᵢ, and alpha on the diagonal of the features.
    fn hessian(&self, alpha: f64, at: &Curvature<'_>) -> Vec<f64> {
        let c = at.loss.outputs();
        let m = self.width * c;
        let mut h = vec![0.0; m * m];
        let (mut unit, mut bent) = (vec![0.0; c], vec![0.0; c]);
        for (i, (row, state)) in self.rows.chunks(self.width).zip(at.state.chunks(c)).enumerate() {
            for o in 0..c {
                unit.fill(0.0);
                unit[o] = at.weights[i];
                at.loss.bend(state, &unit, &mut bent);
                for (k, f) in row.iter().enumerate() {
                    let into = &mut h[(k * c + o) * m..(k * c + o + 1) * m];
                    for (slot, g) in into.chunks_mut(c).zip(row) {
                        slot.iter_mut().zip(&bent).for_each(|(h, w)| *h += f * g * w);
                    }
                }
            }
        }
        (0..self.rank * c).for_each(|k| h[k * m + k] += alpha);
        h
    }
}
