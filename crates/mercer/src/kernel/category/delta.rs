//! The delta kernel.

use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec};
use crate::kernel::{Kernel, KernelGrad};

/// The delta kernel: 1 for records that agree in every chosen column.
///
/// **Definition** k(x, y) = Πⱼ [xⱼ = yⱼ].
///
/// **Parameters** none.
///
/// **Properties** positive definite on any set (the feature map sends a point to its own axis);
/// unit diagonal. A level that only one of two sets has agrees with nothing in the other.
///
/// **Cost** up to d comparisons per pair.
///
/// **Reference** Shawe-Taylor & Cristianini (2004), *Kernel Methods for Pattern Analysis*, §9.1.
///
/// ```
/// # use mercer::kernel::{Delta, Kernel};
/// assert_eq!(Delta.eval(&[2, 7], &[2, 7]), 1.0);
/// assert_eq!(Delta.eval(&[2, 7], &[2, 8]), 0.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Delta;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "delta",
    aliases: &["onehot"],
    summary: "1 where all chosen categories agree",
    definition: "Πⱼ [xⱼ = yⱼ]",
    domain: Domain::Category,
    property: Property::positive(
        ProofRule::FeatureMap,
        "φ(x) is the unit vector of an axis of its own for each value of x",
    ),
    settings: &[],
};

impl Kernel<[u32]> for Delta {
    #[inline(always)]
    fn eval(&self, x: &[u32], y: &[u32]) -> f64 {
        if x == y { 1.0 } else { 0.0 }
    }
}

impl KernelGrad<[u32]> for Delta {
    fn n_params(&self) -> usize {
        0
    }

    fn grad(&self, _: &[u32], _: &[u32], _: &mut [f64]) {}
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(x: &[&str], y: &[&str]) -> f64 {
        x.iter().zip(y).map(|(a, b)| if a == b { 1.0 } else { 0.0 }).product()
    }

    #[test]
    fn laws_hold() {
        laws::category_kernel("delta", definition, tol::EXACT);
    }
}
