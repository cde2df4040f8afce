//! The cosine of the angle between two vectors.

use crate::kernel::profile::{self, Pair, Profile, Statistic};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec};

/// The cosine of the angle between two vectors: the linear kernel, normalised.
///
/// **Definition** k(x, y) = ⟨x, y⟩/(‖x‖‖y‖), and 0 when either vector is zero.
///
/// **Parameters** none.
///
/// **Properties** positive definite on ℝᵈ (normalisation of a kernel); unit diagonal except at
/// the zero vector.
///
/// **Cost** one inner product and one square root per pair.
///
/// **Reference** Shawe-Taylor & Cristianini (2004), *Kernel Methods for Pattern Analysis*, §5.1.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("cosine")?;
/// assert!((k.at(&[1.0, 0.0], &[3.0, 4.0])? - 0.6).abs() < 1e-15);
/// assert_eq!(k.at(&[0.0, 0.0], &[3.0, 4.0])?, 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cosine;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "cosine",
    aliases: &[],
    summary: "cosine of the angle",
    definition: "⟨x, y⟩/(‖x‖·‖y‖)",
    domain: Domain::Number,
    property: Property::positive(ProofRule::Normalisation, "of ⟨x, y⟩, with 0 where x or y is 0"),
    settings: &[],
};

impl Profile for Cosine {
    const STATISTIC: Statistic = Statistic::Dot;

    #[inline(always)]
    fn value(&self, at: Pair) -> f64 {
        profile::cosine(at)
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        let norm = profile::norm_product(at.xx, at.yy);
        if norm > 0.0 { 1.0 / norm } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(x: &[f64], y: &[f64]) -> f64 {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        dot(x, y) / (dot(x, x) * dot(y, y)).sqrt()
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("cosine", definition, tol::GRAM_R2);
    }
}
