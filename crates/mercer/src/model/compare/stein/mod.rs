//! Goodness of fit to a density whose score ∇ log p is known, and points that stand for it.

mod kernel;
mod thin;

pub use kernel::SteinBase;
pub use thin::{Thinned, stein_thinning};

use serde::Serialize;

use crate::data::Rows;
use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, Resolution, apply, dense};
use crate::run::Run;

use super::judge::{Draws, Judged, judge};
use super::multipliers::{Kind, Multipliers};
use super::result::{Estimate, Null, TestResult, TestedKernel};
use kernel::Stein;

/// Which estimate of the squared kernel Stein discrepancy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KsdEstimate {
    /// Σᵢⱼ u(xᵢ, xⱼ)/n²: never negative.
    Biased,
    /// Σ_{i≠j} u(xᵢ, xⱼ)/(n(n−1)): its mean is the squared discrepancy, and it may be negative.
    #[default]
    Unbiased,
}

impl KsdEstimate {
    /// The word of every face.
    pub fn name(self) -> &'static str {
        match self {
            KsdEstimate::Biased => "biased",
            KsdEstimate::Unbiased => "unbiased",
        }
    }
}

/// The test of goodness of fit by the kernel Stein discrepancy: do points come from the density whose score is given? No normalising
/// constant of the density is needed.
///
/// The null distribution is drawn by multipliers, ±1 or correlated ones for points that are a time series such as the output of a
/// Markov chain; valid for large samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ksd {
    /// The base kernel.
    pub base: SteinBase,
    /// Which estimate.
    pub estimate: KsdEstimate,
    /// Rows within which the dependence of a time series fades; nothing for points that do not depend on each other.
    pub lag: Option<f64>,
    /// How many draws.
    pub draws: Draws,
}

impl Ksd {
    /// Tests whether `points` come from the density whose scores ∇ log p at these points are `scores`, both n×d.
    pub fn test(&self, points: &Rows, scores: &Rows, run: &Run) -> Result<TestResult> {
        self.draws.check("KSD")?;
        let kind = self.lag.map_or(Kind::Signs, Kind::Correlated);
        let mut multipliers = Multipliers::new(points.nrows(), kind, self.draws.seed)?;
        let stein = Stein::new(points, scores, self.base, run)?;
        let mut diagonal = vec![0.0; stein.nrows()];
        stein.diag(&mut diagonal);
        // Stored where there is room; computed again for each portion of draws where there is none.
        let stored = match dense::<f64>(&stein, run) {
            Ok(stored) => Some(stored),
            Err(Error::Memory { .. }) => None,
            Err(other) => return Err(other),
        };
        let matrix: &dyn KernelMatrix = stored.as_ref().map_or(&stein as &dyn KernelMatrix, |s| s as &dyn KernelMatrix);
        let observed = self.observed(matrix, &diagonal, run)?;
        let left_out = (self.estimate == KsdEstimate::Unbiased).then_some(diagonal.as_slice());
        let divisor = self.divisor(diagonal.len());
        let draw = |out: &mut [f64]| {
            multipliers.forms(matrix, left_out, out, run)?;
            out.iter_mut().for_each(|form| *form /= divisor);
            Ok(())
        };
        let tolerance = self.tolerance(&diagonal);
        let judged = judge((observed, tolerance), &self.draws, run, draw)?;
        Ok(self.result(&stein, (observed, tolerance), judged))
    }

    fn divisor(&self, n: usize) -> f64 {
        let n = n as f64;
        match self.estimate {
            KsdEstimate::Biased => n * n,
            KsdEstimate::Unbiased => n * (n - 1.0),
        }
    }

    fn observed(&self, matrix: &dyn KernelMatrix, diagonal: &[f64], run: &Run) -> Result<f64> {
        let n = diagonal.len();
        let mut sums = vec![0.0; n];
        apply(matrix, &vec![1.0; n], 1, &mut sums, run)?;
        let own = |i: usize| if self.estimate == KsdEstimate::Unbiased { diagonal[i] } else { 0.0 };
        let total: f64 = sums.iter().enumerate().map(|(i, s)| s - own(i)).sum();
        Ok(total / self.divisor(n))
    }

    /// Twice the bound of rounding: Stein's kernel is positive definite, so Σᵢⱼ |uᵢⱼ| ≤ (Σᵢ √uᵢᵢ)².
    fn tolerance(&self, diagonal: &[f64]) -> f64 {
        let n = diagonal.len();
        let roots: f64 = diagonal.iter().map(|u| u.max(0.0).sqrt()).sum();
        2.0 * n as f64 * f64::EPSILON * roots * roots / self.divisor(n)
    }

    fn result(&self, stein: &Stein, (statistic, tolerance): (f64, f64), judged: Judged) -> TestResult {
        let formula = match self.estimate {
            KsdEstimate::Biased => "Σᵢⱼ u(xᵢ, xⱼ)/n²",
            KsdEstimate::Unbiased => "Σ_{i≠j} u(xᵢ, xⱼ)/(n(n−1))",
        };
        let found = stein.detail.iter().zip(stein.base().length_scale()).map(|(detail, value)| Resolution {
            path: "length_scale".into(),
            rule: "median",
            value,
            detail: detail.clone(),
        });
        TestResult {
            test: "ksd",
            hypothesis: "the points come from the density of the score".into(),
            statistic,
            estimate: Estimate { name: self.estimate.name(), symbol: "KSD²", formula },
            pvalue: judged.counted.pvalue(),
            null: Null::WildBootstrap,
            reached: judged.counted.reached,
            resolution: judged.resolution(),
            n_permutations: judged.null.len(),
            stop: judged.stop,
            approximation: None,
            sizes: vec![stein.nrows()],
            kernels: vec![TestedKernel::new("", stein.base().describe(), found.collect())],
            aggregation: None,
            tolerance,
            seed: self.draws.seed,
            notes: Vec::new(),
            null_distribution: judged.null,
        }
    }
}
