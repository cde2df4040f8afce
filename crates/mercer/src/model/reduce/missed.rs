//! What components may have missed.
//!
//! Let V have orthonormal columns with the quotients θ = diag(VᵀAV), and B = (I − VVᵀ)A(I − VVᵀ). With the residual R = AV − VVᵀAV,
//! A is B + VVᵀAVVᵀ up to R and its transpose, so by Weyl's inequality the eigenvalues of A are, up to ‖R‖, those of VᵀAV and those of
//! B: what is not among the components is at most the largest of B. A positive semi-definite B has none above its trace,
//! tr A − Σ θ, and no symmetric B has one above its Frobenius norm, whose square is at most ‖A‖² − Σ θ².

use rayon::prelude::*;

use crate::error::Result;
use crate::gram::{KernelMatrix, TileMut};
use crate::run::Run;

use super::covariance::{Covariance, Values};
use super::pairs::Judged;
use super::pca::rounding;

/// Rows up to which Frobenius' norm is computed: one more look at every kernel value.
const ROWS_OF_NORM: usize = 10_000;
/// Rows that are computed together where the matrix is not stored.
const BLOCK: usize = 16;

impl Covariance {
    /// A number that no eigenvalue but those of the judged vectors is above, up to their residual; nothing where none is known.
    ///
    /// Unit vectors with angles of at most a have a Gram matrix of at most 1 + η, η = (k − 1)·a, so that the orthonormal vectors of
    /// their plane have at least Σ θ/(1 + η) and Σ θ²/(1 + η)².
    pub(super) fn missed(&self, judged: &Judged, run: &Run) -> Result<Option<f64>> {
        let k = judged.values.len() as f64;
        let off = 1.0 + (k - 1.0) * judged.angle;
        // Rounding of the trace and of each quotient, in the unit of kernel values.
        let allowance = (k + 1.0) * rounding(self.n());
        let by_trace = self.trace - judged.values.iter().sum::<f64>() / off + allowance * self.scale;
        let by_norm = match self.n() <= ROWS_OF_NORM {
            true => {
                let found: f64 = judged.values.iter().map(|v| (v / off).powi(2)).sum();
                let left = self.squares(run)? - found + 2.0 * allowance * self.scale * self.scale;
                Some(left.max(0.0).sqrt())
            }
            false => None,
        };
        let known = by_norm.into_iter().chain(self.definite.then_some(by_trace)).filter(|bound| !bound.is_nan());
        Ok(known.min_by(f64::total_cmp).map(|bound| bound.max(0.0)))
    }

    /// ‖A‖² in Frobenius' norm, the sum of the squares of all eigenvalues: rows on all threads, added in their order.
    fn squares(&self, run: &Run) -> Result<f64> {
        let n = self.n();
        let task = run.task("norm", Some(n.div_ceil(BLOCK) as u64));
        let blocks = (0..n).into_par_iter().step_by(BLOCK);
        let of_block = |start: usize| -> Result<Vec<f64>> {
            let rows = start..(start + BLOCK).min(n);
            task.step_or_cancel()?;
            let sums =
                |values: &[f64]| rows.clone().zip(values.chunks(n)).map(|(i, row)| self.row_squares(i, row)).collect();
            Ok(match &self.values {
                Values::Stored(gram) => sums(&gram.values()[rows.start * n..rows.end * n]),
                Values::Streamed(bound) => {
                    let mut block = vec![0.0; rows.len() * n];
                    bound.block(rows.clone(), 0..n, TileMut::contiguous(&mut block, rows.len(), n));
                    sums(&block)
                }
            })
        };
        let parts: Vec<Vec<f64>> = run.install(|| blocks.map(of_block).collect::<Result<_>>())?;
        Ok(parts.iter().flatten().sum())
    }

    /// Σⱼ aᵢⱼ² of the kernel values of row i.
    fn row_squares(&self, i: usize, row: &[f64]) -> f64 {
        const LANES: usize = 8;
        let (mine, mut lanes) = (self.means[i] - self.grand_mean, [0.0; LANES]);
        let chunks = row.chunks(LANES).zip(self.means.chunks(LANES)).zip(self.shares.chunks(LANES));
        for ((row, means), shares) in chunks {
            for (lane, ((k, m), p)) in lanes.iter_mut().zip(row.iter().zip(means).zip(shares)) {
                let centred = k - (mine + m);
                *lane += p * centred * centred;
            }
        }
        self.shares[i] * lanes.iter().sum::<f64>()
    }
}

/// Half a sentence about a promise of what is missed that is below what is found, by more than rounding.
pub(super) fn broken_promise(promised: Option<f64>, found: Option<f64>, scale: f64) -> Option<String> {
    let (promised, found) = (promised?, found.unwrap_or(f64::INFINITY));
    let off = promised.is_nan() || found > promised + 1e-6 * promised.abs() + 1e-9 * scale;
    off.then(|| format!("a variance of up to {found:.9e} may have been missed, and the model claims {promised:.9e}"))
}
