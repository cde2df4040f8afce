//! The Hellinger kernel.

use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec};
use crate::kernel::{Kernel, KernelGrad};

/// The Hellinger kernel of histograms, also called Bhattacharyya's coefficient.
///
/// **Definition** k(x, y) = Σⱼ √(xⱼ·yⱼ), for xⱼ, yⱼ ≥ 0.
///
/// **Parameters** none.
///
/// **Properties** positive definite on [0, ∞)ᵈ (φ(x) = (√xⱼ)ⱼ); k(x, x) = Σⱼ xⱼ, which is 1 for shares.
///
/// **Cost** d square roots per pair.
///
/// **Reference** Jebara, Kondor & Howard (2004), "Probability product kernels", JMLR 5, §2.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("hellinger")?;
/// assert_eq!(k.at(&[1.0, 4.0], &[9.0, 1.0])?, 5.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hellinger;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "hellinger",
    aliases: &["bhattacharyya"],
    summary: "geometric means of histograms",
    definition: "Σⱼ √(xⱼ·yⱼ), x, y ≥ 0",
    domain: Domain::NonNegative,
    property: Property::positive(ProofRule::FeatureMap, "φ(x) = (√xⱼ)ⱼ"),
    settings: &[],
};

impl Kernel<[f64]> for Hellinger {
    #[inline(always)]
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        // Of the roots, whose product is neither too large nor too small for a number.
        x.iter().zip(y).map(|(s, t)| s.sqrt() * t.sqrt()).sum()
    }
}

impl KernelGrad<[f64]> for Hellinger {
    fn n_params(&self) -> usize {
        0
    }

    fn grad(&self, _: &[f64], _: &[f64], _: &mut [f64]) {}
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(x: &[f64], y: &[f64]) -> f64 {
        (0..3).map(|j| (x[j] * y[j]).sqrt()).sum()
    }

    #[test]
    fn laws_hold() {
        laws::non_negative_kernel("hellinger", definition, tol::GRAM_R2);
    }
}
