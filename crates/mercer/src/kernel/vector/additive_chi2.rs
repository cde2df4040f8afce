//! The additive χ² kernel.

use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec};
use crate::kernel::{Kernel, KernelGrad};

/// The additive χ² kernel of histograms: harmonic means, added up.
///
/// **Definition** k(x, y) = Σⱼ 2·xⱼ·yⱼ/(xⱼ + yⱼ), for xⱼ, yⱼ ≥ 0, with 0 for 0/0.
///
/// **Parameters** none.
///
/// **Properties** positive definite on [0, ∞)ᵈ, since 1/(s + t) = ∫ e^(−us)·e^(−ut) du over u > 0; k(x, x) = Σⱼ xⱼ. Elsewhere the
/// negative distance −Σⱼ (xⱼ − yⱼ)²/(xⱼ + yⱼ) goes by this name, which is conditionally positive definite alone.
///
/// **Cost** d divisions per pair.
///
/// **Reference** Vedaldi & Zisserman (2012), "Efficient additive kernels via explicit feature maps", IEEE PAMI 34, table 1.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("additive_chi2")?;
/// assert_eq!(k.at(&[1.0, 0.0], &[3.0, 2.0])?, 1.5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AdditiveChi2;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "additive_chi2",
    aliases: &[],
    summary: "harmonic means of histograms",
    definition: "Σⱼ 2·xⱼ·yⱼ/(xⱼ + yⱼ), x, y ≥ 0",
    domain: Domain::NonNegative,
    property: Property::positive(
        ProofRule::Product,
        "of 2·xⱼ·yⱼ and 1/(xⱼ + yⱼ) = ∫ e^(−u·xⱼ)·e^(−u·yⱼ) du, summed over the columns",
    ),
    settings: &[],
};

/// 2st/(s + t), without a product that could be too large.
#[inline(always)]
fn harmonic(s: f64, t: f64) -> f64 {
    let (least, most) = if s < t { (s, t) } else { (t, s) };
    if least > 0.0 { 2.0 * least * (most / (least + most)).min(1.0) } else { 0.0 }
}

impl Kernel<[f64]> for AdditiveChi2 {
    #[inline(always)]
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).map(|(s, t)| harmonic(*s, *t)).sum()
    }
}

impl KernelGrad<[f64]> for AdditiveChi2 {
    fn n_params(&self) -> usize {
        0
    }

    fn grad(&self, _: &[f64], _: &[f64], _: &mut [f64]) {}
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(x: &[f64], y: &[f64]) -> f64 {
        (0..3).filter(|j| x[*j] + y[*j] > 0.0).map(|j| 2.0 * x[j] * y[j] / (x[j] + y[j])).sum()
    }

    #[test]
    fn laws_hold() {
        laws::non_negative_kernel("additive_chi2", definition, tol::GRAM_R2);
    }
}
