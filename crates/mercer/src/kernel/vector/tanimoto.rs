//! The Tanimoto kernel.

use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec};

/// The Tanimoto kernel of vectors: of zeros and ones, the share of the ones of either that both have.
///
/// **Definition** k(x, y) = ⟨x, y⟩/(‖x‖² + ‖y‖² − ⟨x, y⟩), and 1 when both vectors are zero.
///
/// **Parameters** none.
///
/// **Properties** positive definite on ℝᵈ: with t = ⟨x, y⟩/(‖x‖² + ‖y‖²), a product of kernels with |t| ≤ ½, it is
/// t/(1 − t) = Σ tⁿ; the zero vector is like nothing but itself. Unit diagonal. The same for x and y times any number.
///
/// **Cost** one inner product and one division per pair.
///
/// **Reference** Ralaivola, Swamidass, Saigo & Baldi (2005), "Graph kernels for chemical informatics", Neural Networks 18.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("tanimoto")?;
/// assert_eq!(k.at(&[1.0, 1.0, 0.0], &[0.0, 1.0, 1.0])?, 1.0 / 3.0);
/// assert_eq!(k.at(&[0.0, 0.0, 0.0], &[0.0, 0.0, 0.0])?, 1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Tanimoto;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "tanimoto",
    aliases: &[],
    summary: "shared part of two vectors, for fingerprints and counts",
    definition: "⟨x, y⟩/(‖x‖² + ‖y‖² − ⟨x, y⟩)",
    domain: Domain::Number,
    property: Property::positive(
        ProofRule::PowerSeries,
        "t/(1 − t) = Σ tⁿ at t = ⟨x, y⟩/(‖x‖² + ‖y‖²), where 1/(‖x‖² + ‖y‖²) = ∫ e^(−u‖x‖²)·e^(−u‖y‖²) du",
    ),
    settings: &[],
};

/// s/(a − s), and 1 where a is 0: what `tanimoto` makes of inner products and `jaccard` of what sets share.
#[inline(always)]
pub(crate) fn share(s: f64, a: f64) -> f64 {
    if a > 0.0 { s / (a - s) } else { 1.0 }
}

/// The derivative of [`share`] by s.
#[inline(always)]
pub(crate) fn share_slope(s: f64, a: f64) -> f64 {
    if a > 0.0 { a / (a - s).powi(2) } else { 0.0 }
}

impl Profile for Tanimoto {
    const STATISTIC: Statistic = Statistic::Dot;

    #[inline(always)]
    fn value(&self, at: Pair) -> f64 {
        share(at.s, at.xx + at.yy)
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        share_slope(at.s, at.xx + at.yy)
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::KernelExpr;
    use crate::testkit::{laws, tol};

    fn definition(x: &[f64], y: &[f64]) -> f64 {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        dot(x, y) / (dot(x, x) + dot(y, y) - dot(x, y))
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("tanimoto", definition, tol::GRAM_R2);
    }

    #[test]
    fn size_does_not_matter() {
        let k = KernelExpr::parse("tanimoto").expect("a formula");
        for unit in [1e-200, 1e-3, 1.0, 1e150] {
            let got = k.at(&[unit, 2.0 * unit], &[unit, 0.0]).expect("a value");
            assert!((got - 0.2).abs() < 1e-15, "{got} in units of {unit}");
        }
    }
}
