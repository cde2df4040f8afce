//! The min-max kernel.

use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec};
use crate::kernel::{Kernel, KernelGrad};

use super::tanimoto::share;

/// The min-max kernel of counts or histograms: how much two have in common, of all that either has.
///
/// **Definition** k(x, y) = Σⱼ min(xⱼ, yⱼ)/Σⱼ max(xⱼ, yⱼ), for xⱼ, yⱼ ≥ 0, and 1 when both are zero.
///
/// **Parameters** none.
///
/// **Properties** positive definite on [0, ∞)ᵈ: with m = Σⱼ min(xⱼ, yⱼ) and a = Σⱼ xⱼ + Σⱼ yⱼ it is m/(a − m) = Σ (m/a)ⁿ,
/// where m and 1/a are positive definite. Unit diagonal. Of zeros and ones it is Jaccard's.
///
/// **Cost** d comparisons per pair.
///
/// **Reference** Ralaivola, Swamidass, Saigo & Baldi (2005), "Graph kernels for chemical informatics", Neural Networks 18.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("minmax")?;
/// assert_eq!(k.at(&[1.0, 5.0], &[2.0, 3.0])?, 4.0 / 7.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MinMax;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "minmax",
    aliases: &["ruzicka"],
    summary: "shared part of two histograms or counts",
    definition: "Σⱼ min(xⱼ, yⱼ)/Σⱼ max(xⱼ, yⱼ), x, y ≥ 0",
    domain: Domain::NonNegative,
    property: Property::positive(
        ProofRule::PowerSeries,
        "t/(1 − t) = Σ tⁿ at t = Σⱼ min(xⱼ, yⱼ)/Σⱼ (xⱼ + yⱼ), a product of kernels",
    ),
    settings: &[],
};

impl Kernel<[f64]> for MinMax {
    #[inline(always)]
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        let (mut least, mut all) = (0.0, 0.0);
        for (a, b) in x.iter().zip(y) {
            // Halves, so that sums of the largest numbers stay finite.
            least += 0.5 * if a < b { a } else { b };
            all += 0.5 * a + 0.5 * b;
        }
        share(least, all)
    }
}

impl KernelGrad<[f64]> for MinMax {
    fn n_params(&self) -> usize {
        0
    }

    fn grad(&self, _: &[f64], _: &[f64], _: &mut [f64]) {}
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(x: &[f64], y: &[f64]) -> f64 {
        let sum = |f: fn(f64, f64) -> f64| (0..3).map(|j| f(x[j], y[j])).sum::<f64>();
        sum(f64::min) / sum(f64::max)
    }

    #[test]
    fn laws_hold() {
        laws::non_negative_kernel("minmax", definition, tol::GRAM_R2);
    }
}
