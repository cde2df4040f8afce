//! What components may have missed.
//!
//! Let V have orthonormal columns with the quotients θ = diag(VᵀAV), and B = (I − VVᵀ)A(I − VVᵀ). With the residual R = AV − VVᵀAV,
//! A is B + VVᵀAVVᵀ up to R and its transpose, so by Weyl's inequality the eigenvalues of A are, up to ‖R‖, those of VᵀAV and those of
//! B: what is not among the components is at most the largest of B. A positive semi-definite B has none above its trace,
//! tr A − Σ θ, and no symmetric B has one above its Frobenius norm, whose square is at most ‖A‖² − Σ θ².

use rayon::prelude::*;

use crate::error::Result;
use crate::gram::{KernelMatrix, TileMut};
use crate::linalg::simd::dispatch;
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

    /// ‖A‖² in Frobenius' norm, the sum of the squares of all eigenvalues: rows up to the diagonal, on all threads, added in
    /// their order.
    fn squares(&self, run: &Run) -> Result<f64> {
        let n = self.n();
        let task = run.task("norm", Some(n.div_ceil(BLOCK) as u64));
        let blocks = (0..n).into_par_iter().step_by(BLOCK);
        let of_block = |start: usize| -> Result<Vec<f64>> {
            let rows = start..(start + BLOCK).min(n);
            task.step_or_cancel()?;
            let sums = |values: &[f64], width: usize| {
                rows.clone().zip(values.chunks(width)).map(|(i, row)| self.row_squares(i, row)).collect()
            };
            Ok(match &self.values {
                Values::Stored(gram) => sums(&gram.values()[rows.start * n..rows.end * n], n),
                Values::Streamed(bound) => {
                    let mut block = vec![0.0; rows.len() * rows.end];
                    bound.block(rows.clone(), 0..rows.end, TileMut::contiguous(&mut block, rows.len(), rows.end));
                    sums(&block, rows.end)
                }
            })
        };
        let parts: Vec<Vec<f64>> = run.install(|| blocks.map(of_block).collect::<Result<_>>())?;
        Ok(parts.iter().flatten().sum())
    }

    /// 2·Σⱼ aᵢⱼ² over j < i, plus aᵢᵢ², from the kernel values of row i: A is symmetric.
    fn row_squares(&self, i: usize, row: &[f64]) -> f64 {
        let (mine, mut below, mut own) = (self.means[i] - self.grand_mean, 0.0, 0.0);
        centred_squares(&row[..i], (&self.means[..i], &self.shares[..i]), mine, &mut below);
        centred_squares(&row[i..=i], (&self.means[i..=i], &self.shares[i..=i]), mine, &mut own);
        self.shares[i] * (2.0 * below + own)
    }
}

/// Sums that are taken side by side.
const LANES: usize = 16;

dispatch! {
    /// Σ p·(k − (mine + m))² over the values k of a row with the means m and the shares p of its columns.
    pub(crate) fn centred_squares(row: &[f64], columns: (&[f64], &[f64]), mine: f64, out: &mut f64) {
        let square = |k: f64, m: f64, p: f64| {
            let centred = k - (mine + m);
            p * centred * centred
        };
        let (rows, rest) = row.as_chunks::<LANES>();
        let (means, rest_means) = columns.0.as_chunks::<LANES>();
        let (shares, rest_shares) = columns.1.as_chunks::<LANES>();
        let mut lanes = [0.0; LANES];
        for ((k, m), p) in rows.iter().zip(means).zip(shares) {
            for l in 0..LANES {
                lanes[l] += square(k[l], m[l], p[l]);
            }
        }
        let last = rest.iter().zip(rest_means).zip(rest_shares).fold(0.0, |sum, ((k, m), p)| sum + square(*k, *m, *p));
        *out = lanes.iter().sum::<f64>() + last;
    }
}

/// Half a sentence about a promise of what is missed that is below what is found, by more than rounding.
pub(super) fn broken_promise(promised: Option<f64>, found: Option<f64>, scale: f64) -> Option<String> {
    let (promised, found) = (promised?, found.unwrap_or(f64::INFINITY));
    let off = promised.is_nan() || found > promised + 1e-6 * promised.abs() + 1e-9 * scale;
    off.then(|| format!("a variance of up to {found:.9e} may have been missed, and the model claims {promised:.9e}"))
}
