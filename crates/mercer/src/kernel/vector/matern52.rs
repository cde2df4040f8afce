//! The Matérn kernel of ν = 5/2.

use crate::kernel::elementary::decay;
use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{Powers, ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, length_scale};

/// The Matérn kernel of smoothness ν = 5/2.
///
/// **Definition** k(x, y) = (1 + √5·r + 5r²/3)·exp(−√5·r), r² = Σⱼ (xⱼ − yⱼ)²/ℓⱼ².
///
/// **Parameters** ℓ `length_scale` > 0, one or one per column, default the median distance, log.
/// Aliases: `sigma` = `bandwidth` = ℓ, `gamma` = 1/ℓ.
///
/// **Properties** positive definite on ℝᵈ; stationary; its functions are twice differentiable; unit diagonal.
///
/// **Cost** one inner product, one square root and one exp per pair.
///
/// **Reference** Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, eq. 4.17.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("matern52(length_scale=2)")?;
/// let expected: f64 = (1.0 + 5f64.sqrt() + 5.0 / 3.0) * (-(5f64.sqrt())).exp();
/// assert!((k.at(&[0.0], &[2.0])? - expected).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Matern52;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "matern52",
    aliases: &[],
    summary: "Matérn of smoothness 5/2",
    definition: "(1 + √5·r + 5r²/3)·exp(−√5·r), r = ‖x − y‖/length_scale",
    domain: Domain::Number,
    property: Property::positive(
        ProofRule::Bochner,
        "the Fourier transform is a positive multiple of (5/length_scale² + ‖ω‖²)^(−(5 + d)/2)",
    )
    .with_powers(Powers::All(
        "k is the characteristic function of a Student distribution, which is infinitely divisible (Grosswald 1976)",
    )),
    settings: &[length_scale!(|gamma| 1.0 / gamma, "1/length_scale")],
};

impl Profile for Matern52 {
    const STATISTIC: Statistic = Statistic::SquaredDistance;
    const EXPONENTIAL: bool = true;

    #[inline(always)]
    fn exponent(&self, at: Pair) -> f64 {
        -(5.0 * at.s).sqrt()
    }

    #[inline(always)]
    fn amplitude(&self, at: Pair, exponent: f64) -> f64 {
        at.s.mul_add(5.0 / 3.0, 1.0 - exponent)
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        // d/ds (1 + t + t²/3)e⁻ᵗ = −(t + t²)/3·e⁻ᵗ·dt/ds with dt/ds = 5/(2t).
        let t = (5.0 * at.s).sqrt();
        -(5.0 / 6.0) * (1.0 + t) * decay(-t)
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(scales: [f64; 3], x: &[f64], y: &[f64]) -> f64 {
        let r: f64 = (0..3).map(|j| ((x[j] - y[j]) / scales[j]).powi(2)).sum::<f64>().sqrt();
        (1.0 + 5f64.sqrt() * r + 5.0 * r * r / 3.0) * (-(5f64.sqrt()) * r).exp()
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("matern52(length_scale=1.3)", |x, y| definition([1.3; 3], x, y), tol::GRAM_R);
        laws::vector_kernel(
            "matern52(length_scale=[1, 0.5, 3])",
            |x, y| definition([1.0, 0.5, 3.0], x, y),
            tol::GRAM_R,
        );
    }
}
