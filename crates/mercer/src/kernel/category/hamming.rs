//! The Hamming kernel.

use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec};
use crate::kernel::{Kernel, KernelGrad};

/// The Hamming kernel: the share of the chosen columns in which two records agree.
///
/// **Definition** k(x, y) = (1/d) Σⱼ [xⱼ = yⱼ].
///
/// **Parameters** none.
///
/// **Properties** positive definite on any set (a mean of delta kernels); unit diagonal.
///
/// **Cost** d comparisons per pair.
///
/// **Reference** Couto (2005), "Kernel K-means for categorical data", IDA.
///
/// ```
/// # use mercer::kernel::{Hamming, Kernel};
/// assert_eq!(Hamming.eval(&[2, 7, 1, 1], &[2, 8, 1, 1]), 0.75);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hamming;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "hamming",
    aliases: &[],
    summary: "share of the chosen categories that agree",
    definition: "(1/d)·Σⱼ [xⱼ = yⱼ]",
    domain: Domain::Category,
    property: Property::positive(ProofRule::Sum, "the mean of one delta kernel for each column"),
    settings: &[],
};

impl Kernel<[u32]> for Hamming {
    #[inline(always)]
    fn eval(&self, x: &[u32], y: &[u32]) -> f64 {
        let agree: u32 = x.iter().zip(y).map(|(a, b)| u32::from(a == b)).sum();
        f64::from(agree) / x.len() as f64
    }
}

impl KernelGrad<[u32]> for Hamming {
    fn n_params(&self) -> usize {
        0
    }

    fn grad(&self, _: &[u32], _: &[u32], _: &mut [f64]) {}
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(x: &[&str], y: &[&str]) -> f64 {
        x.iter().zip(y).filter(|(a, b)| a == b).count() as f64 / x.len() as f64
    }

    #[test]
    fn laws_hold() {
        laws::category_kernel("hamming", definition, tol::EXACT);
    }
}
