//! The linear kernel.

use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec};

/// The inner product.
///
/// **Definition** k(x, y) = ⟨x, y⟩ = Σⱼ xⱼyⱼ. The feature map is the identity.
///
/// **Parameters** none.
///
/// **Properties** positive definite on ℝᵈ; not stationary; smooth.
///
/// **Cost** d multiply-adds per pair.
///
/// **Reference** Schölkopf & Smola (2002), *Learning with Kernels*, §2.1.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("linear")?;
/// assert_eq!(k.at(&[1.0, 2.0], &[3.0, 4.0])?, 11.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Linear;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "linear",
    aliases: &["dot"],
    summary: "inner product",
    definition: "⟨x, y⟩",
    domain: Domain::Number,
    property: Property::positive(ProofRule::FeatureMap, "φ(x) = x"),
    settings: &[],
};

impl Profile for Linear {
    const STATISTIC: Statistic = Statistic::Dot;

    #[inline(always)]
    fn value(&self, at: Pair) -> f64 {
        at.s
    }

    #[inline(always)]
    fn slope(&self, _: Pair) -> f64 {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("linear", definition, tol::GRAM_R2);
    }
}
