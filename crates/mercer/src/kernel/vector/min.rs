//! The min kernel.

use crate::kernel::property::{Powers, ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec};
use crate::kernel::{Kernel, KernelGrad};

/// The min kernel: the covariance of Brownian motion, and the histogram intersection.
///
/// **Definition** k(x, y) = Σⱼ min(xⱼ, yⱼ), for xⱼ, yⱼ ≥ 0.
///
/// **Parameters** none.
///
/// **Properties** positive definite on [0, ∞)ᵈ, since min(s, t) = ∫ 1[u ≤ s]·1[u ≤ t] du over
/// u ≥ 0; not stationary; continuous.
///
/// **Cost** d comparisons per pair.
///
/// **Reference** Barla, Odone & Verri (2003), "Histogram intersection kernel for image
/// classification", ICIP.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("min")?;
/// assert_eq!(k.at(&[1.0, 5.0], &[2.0, 3.0])?, 4.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Min;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "min",
    aliases: &["brownian", "histogram_intersection"],
    summary: "Brownian motion, histogram intersection",
    definition: "Σⱼ min(xⱼ, yⱼ), x, y ≥ 0",
    domain: Domain::NonNegative,
    property: Property::positive(ProofRule::Indicators, "summed over the columns")
        .with_powers(Powers::AllOfOneColumn("min(x, y)^β = min(x^β, y^β)")),
    settings: &[],
};

impl Kernel<[f64]> for Min {
    #[inline(always)]
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).map(|(a, b)| if a < b { a } else { b }).sum()
    }
}

impl KernelGrad<[f64]> for Min {
    fn n_params(&self) -> usize {
        0
    }

    fn grad(&self, _: &[f64], _: &[f64], _: &mut [f64]) {}
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(x: &[f64], y: &[f64]) -> f64 {
        (0..3).map(|j| x[j].min(y[j])).sum()
    }

    #[test]
    fn laws_hold() {
        laws::non_negative_kernel("min", definition, tol::GRAM_R2);
    }
}
