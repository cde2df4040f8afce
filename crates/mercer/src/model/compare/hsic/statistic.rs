//! HSIC from centred Gram matrices.

use serde::Serialize;

use crate::linalg::dot;
use crate::run::Run;

use crate::model::compare::variable::{Centred, sum_of_rows};

/// Which estimate of the Hilbert–Schmidt independence criterion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HsicEstimate {
    /// tr(KHLH)/n²: never negative, with a bias of order 1/n that permutations share.
    #[default]
    Biased,
    /// The U-statistic: its mean is HSIC itself, and it may be negative.
    Unbiased,
}

impl HsicEstimate {
    /// The word of every face.
    pub fn name(self) -> &'static str {
        match self {
            HsicEstimate::Biased => "biased",
            HsicEstimate::Unbiased => "unbiased",
        }
    }
}

/// What both estimates are made of: F = Σᵢⱼ K̃ᵢⱼL̃ᵢⱼ and D = Σᵢ K̃ᵢᵢL̃ᵢᵢ, of matrices K̃ = HKH and L̃ = HLH.
///
/// The biased estimate is F/n². The unbiased one is a U-statistic, which does not change when k(x, x′) becomes
/// k(x, x′) + f(x) + f(x′) off the diagonal; so the formula of Song et al. (2012, *Feature selection via dependence
/// maximization*, JMLR 13, eq. 5) may be read with K̃ in the place of K, whose rows without the diagonal sum to −K̃ᵢᵢ:
///
/// [F − n/(n−2)·D + tr K̃·tr L̃/((n−1)(n−2))]/(n(n−3)).
///
/// No digits are lost to a mean that all values share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    estimate: HsicEstimate,
    n: f64,
    traces: f64,
}

impl Scale {
    pub(super) fn new(estimate: HsicEstimate, k: &Centred, l: &Centred) -> Self {
        Scale { estimate, n: k.n() as f64, traces: k.sums.trace * l.sums.trace }
    }

    /// The estimate from F and D.
    pub(super) fn value(&self, form: f64, diagonal: f64) -> f64 {
        let n = self.n;
        match self.estimate {
            HsicEstimate::Biased => form / (n * n),
            HsicEstimate::Unbiased => {
                let correction = n / (n - 2.0) * diagonal - self.traces / ((n - 1.0) * (n - 2.0));
                (form - correction) / (n * (n - 3.0))
            }
        }
    }

    /// The size of an error of the estimate when F is off by so much.
    pub(super) fn error(&self, form: f64) -> f64 {
        match self.estimate {
            HsicEstimate::Biased => form / (self.n * self.n),
            HsicEstimate::Unbiased => form / (self.n * (self.n - 3.0)),
        }
    }

    /// Whether D is needed.
    pub(super) fn needs_diagonal(&self) -> bool {
        self.estimate == HsicEstimate::Unbiased
    }
}

/// F of the pairs as they are.
pub(super) fn form(k: &Centred, l: &Centred, run: &Run) -> f64 {
    run.install(|| sum_of_rows(k.n(), |i| dot(k.gram.row(i), l.gram.row(i))))
}

/// By how much F of any permutation may be off in floating point: entries of both matrices, and a sum of n² products.
pub(super) fn rounding(k: &Centred, l: &Centred) -> f64 {
    let n = k.n() as f64;
    let sums = n * f64::EPSILON * k.norm() * l.norm();
    sums + n * (k.rounding() * l.norm() + l.rounding() * k.norm())
}
