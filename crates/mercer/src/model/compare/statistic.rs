//! MMD² of many splits from sums over pairs, with the bound of its rounding.

use crate::error::{Error, Result};
use crate::gram::{Bound, KernelMatrix};
use crate::run::Run;

use super::mmd::MmdEstimate;
use super::moments::{CentredSums, Moments, permutation_moments};
use super::splits::Groups;
use super::tail;
use super::within::{Pairs, within};

/// A kernel matrix of all rows, and what is known of it after a pass.
pub(super) struct Measured {
    matrix: Bound,
    diagonal: Vec<f64>,
    sizes: [f64; 2],
    estimate: MmdEstimate,
}

/// What a pass gave beside the statistics.
#[derive(Clone, Copy, Debug)]
pub(super) struct Summary {
    /// No statistic is further from the exact value for these kernel values.
    pub(super) rounding: f64,
    /// The mean of k² over different rows.
    pub(super) mean_square: f64,
    /// The moments of the statistic over all permutations; nothing for fewer than four rows.
    pub(super) moments: Option<Moments>,
    /// Those of the biased estimate.
    pub(super) biased_moments: Option<Moments>,
}

impl Measured {
    pub(super) fn new(matrix: Bound, m: usize, estimate: MmdEstimate) -> Self {
        let rows = matrix.nrows();
        let mut diagonal = vec![0.0; rows];
        matrix.diag(&mut diagonal);
        Measured { matrix, diagonal, sizes: [m as f64, (rows - m) as f64], estimate }
    }

    /// The statistics of these splits.
    pub(super) fn statistics(&self, groups: &Groups, run: &Run) -> Result<(Vec<f64>, Summary)> {
        let (within, pairs) = within(&self.matrix, groups, run)?;
        if !pairs.size.is_finite() {
            return Err(Error::NonFinite {
                place: "the sum of the kernel values".into(),
                count: 1,
                total: 1,
                first_row: 0,
                what: "too large for a number".into(),
            });
        }
        let total: f64 = pairs.rows.iter().sum();
        let linear = groups.sums(&pairs.rows);
        let own = groups.sums(&self.diagonal);
        let trace: f64 = self.diagonal.iter().sum();
        let values = within.iter().zip(&linear).zip(&own);
        let values = values.map(|((q, l), d)| self.value([*q, total - 2.0 * l + q, l - q], [*d, trace - d]));
        Ok((values.collect(), self.summary(&pairs)))
    }

    /// MMD² from the sums over different rows within x, within y, and between them, and the diagonals of both.
    fn value(&self, [xx, yy, xy]: [f64; 3], [dx, dy]: [f64; 2]) -> f64 {
        let [m, n] = self.sizes;
        match self.estimate {
            MmdEstimate::Biased => (xx + dx) / (m * m) + (yy + dy) / (n * n) - 2.0 * xy / (m * n),
            _ => xx / (m * (m - 1.0)) + yy / (n * (n - 1.0)) - 2.0 * xy / (m * n),
        }
    }

    fn summary(&self, pairs: &Pairs) -> Summary {
        let rows = self.diagonal.len() as f64;
        let unbiased = permutation_moments(&self.off_diagonal(pairs), &self.unbiased_weights());
        let biased = permutation_moments(&self.whole(pairs), &self.biased_weights());
        Summary {
            rounding: self.rounding(pairs),
            mean_square: pairs.squares / (rows * (rows - 1.0)),
            moments: if self.estimate == MmdEstimate::Biased { biased } else { unbiased },
            biased_moments: biased,
        }
    }

    /// A sum of numbers of total size s that each go through at most d additions is off by no more than γs, γ = du/(1 − du), u = 2⁻⁵³
    /// (Higham 2002, *Accuracy and stability of numerical algorithms*, section 4.2). Those within x, the sum of rows of x (twice)
    /// and the sum of all are off by that each, and ten more additions and multiplications make MMD² of them.
    fn rounding(&self, pairs: &Pairs) -> f64 {
        let [m, n] = self.sizes;
        let unit = (pairs.depth + 10.0) * f64::EPSILON / 2.0;
        let size = pairs.size + self.diagonal.iter().map(|k| k.abs()).sum::<f64>();
        let weights = 1.0 / (m * (m - 1.0)) + 4.0 / (n * (n - 1.0)) + 4.0 / (m * n);
        unit / (1.0 - unit) * size * weights
    }

    /// HK⁰H, where K⁰ is K without its diagonal.
    fn off_diagonal(&self, pairs: &Pairs) -> CentredSums {
        CentredSums::of(&pairs.rows, &vec![0.0; pairs.rows.len()], pairs.squares)
    }

    /// HKH.
    fn whole(&self, pairs: &Pairs) -> CentredSums {
        let rows: Vec<f64> = pairs.rows.iter().zip(&self.diagonal).map(|(r, k)| r + k).collect();
        let own: f64 = self.diagonal.iter().map(|k| k * k).sum();
        CentredSums::of(&rows, &self.diagonal, pairs.squares + own)
    }

    /// The weights of the unbiased estimate, a matrix whose diagonal is 0 and whose rows sum to 0.
    fn unbiased_weights(&self) -> CentredSums {
        let [m, n] = self.sizes;
        let squares = 1.0 / (m * (m - 1.0)) + 1.0 / (n * (n - 1.0)) + 2.0 / (m * n);
        CentredSums { n: self.diagonal.len(), trace: 0.0, squares, diagonal_squares: 0.0 }
    }

    /// yyᵀ with y = 1/m or −1/n: the weights of the biased estimate.
    fn biased_weights(&self) -> CentredSums {
        let [m, n] = self.sizes;
        let trace = 1.0 / m + 1.0 / n;
        let diagonal_squares = 1.0 / (m * m * m) + 1.0 / (n * n * n);
        CentredSums { n: self.diagonal.len(), trace, squares: trace * trace, diagonal_squares }
    }

    /// The tail of the gamma distribution with the moments of the biased estimate beyond the biased value of the first split.
    pub(super) fn gamma_tail(&self, statistic: f64, summary: &Summary) -> Option<f64> {
        let biased = match self.estimate {
            MmdEstimate::Biased => statistic,
            _ => self.as_if_biased(statistic, summary)?,
        };
        let Moments { mean, variance } = summary.biased_moments?;
        let known = mean > 0.0 && variance > 0.0;
        known.then(|| tail::gamma(biased, mean * mean / variance, variance / mean))
    }

    /// Where the unbiased value stands among the biased ones: as many deviations from the mean.
    fn as_if_biased(&self, statistic: f64, summary: &Summary) -> Option<f64> {
        let (own, biased) = (summary.moments?, summary.biased_moments?);
        (own.variance > 0.0).then(|| biased.mean + (statistic - own.mean) * (biased.variance / own.variance).sqrt())
    }
}
