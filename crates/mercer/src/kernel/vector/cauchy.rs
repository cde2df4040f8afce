//! The Cauchy kernel.

use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{Powers, ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, length_scale};

/// The Cauchy kernel: long tails without an exp.
///
/// **Definition** k(x, y) = 1/(1 + r²), r² = Σⱼ (xⱼ − yⱼ)²/ℓⱼ².
///
/// **Parameters** ℓ `length_scale` > 0, one or one per column, default the median distance, log.
/// Aliases: `gamma` = 1/ℓ², `sigma` = `bandwidth` = ℓ.
///
/// **Properties** positive definite on ℝᵈ (the rational quadratic kernel of α = 1 at length scale
/// ℓ/√2); stationary; smooth; unit diagonal.
///
/// **Cost** one inner product and one division per pair.
///
/// **Reference** Basak (2008), "A least square kernel machine with box constraints", ICPR.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("cauchy(length_scale=2)")?;
/// assert_eq!(k.at(&[0.0], &[2.0])?, 0.5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cauchy;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "cauchy",
    aliases: &[],
    summary: "Cauchy, with long tails",
    definition: "1/(1 + ‖x − y‖²/length_scale²)",
    domain: Domain::Number,
    property: Property::positive(ProofRule::Laplace, "ψ = 1 + ‖x − y‖²/length_scale² and p = 1").with_powers(
        Powers::All("−log k = log(1 + ‖x − y‖²/length_scale²), a Bernstein function of a squared distance"),
    ),
    settings: &[length_scale!(|gamma| (1.0 / gamma).sqrt(), "1/length_scale²")],
};

impl Profile for Cauchy {
    const STATISTIC: Statistic = Statistic::SquaredDistance;

    #[inline(always)]
    fn value(&self, at: Pair) -> f64 {
        1.0 / (1.0 + at.s)
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        let value = 1.0 / (1.0 + at.s);
        -value * value
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(scales: [f64; 3], x: &[f64], y: &[f64]) -> f64 {
        let r2: f64 = (0..3).map(|j| ((x[j] - y[j]) / scales[j]).powi(2)).sum();
        1.0 / (1.0 + r2)
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("cauchy(length_scale=1.3)", |x, y| definition([1.3; 3], x, y), tol::GRAM_R2);
        laws::vector_kernel("cauchy(length_scale=[1, 0.5, 3])", |x, y| definition([1.0, 0.5, 3.0], x, y), tol::GRAM_R2);
    }
}
