//! The Gaussian kernel.

use crate::kernel::elementary::decay;
use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{Powers, ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, length_scale};

/// The Gaussian kernel, also called radial basis function or squared exponential.
///
/// **Definition** k(x, y) = exp(−½ Σⱼ (xⱼ − yⱼ)²/ℓⱼ²); with one ℓ, exp(−‖x − y‖²/(2ℓ²)).
///
/// **Parameters** ℓ `length_scale` > 0, one or one per column, default the median distance, log.
/// Aliases: `gamma` = 1/(2ℓ²), `sigma` = `bandwidth` = ℓ.
///
/// **Properties** positive definite on ℝᵈ and universal; stationary; smooth; unit diagonal.
///
/// **Cost** one inner product and one exp per pair.
///
/// **Reference** Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, eq. 4.9.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("rbf(length_scale=2)")?;
/// assert!((k.at(&[0.0], &[2.0])? - (-0.5f64).exp()).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rbf;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "rbf",
    aliases: &["gaussian", "squared_exponential"],
    summary: "Gaussian",
    definition: "exp(−‖x − y‖²/(2·length_scale²))",
    domain: Domain::Number,
    property: Property::positive(ProofRule::Schoenberg, "ψ = ‖x − y‖²/(2·length_scale²)")
        .with_powers(Powers::All("log k = −‖x − y‖²/(2·length_scale²)")),
    settings: &[length_scale!(|gamma| (0.5 / gamma).sqrt(), "1/(2·length_scale²)")],
};

impl Profile for Rbf {
    const STATISTIC: Statistic = Statistic::SquaredDistance;
    const EXPONENTIAL: bool = true;
    const EXPONENT_OVER_S: Option<f64> = Some(-0.5);

    #[inline(always)]
    fn exponent(&self, at: Pair) -> f64 {
        -0.5 * at.s
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        -0.5 * decay(-0.5 * at.s)
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(scales: [f64; 3], x: &[f64], y: &[f64]) -> f64 {
        let sum: f64 = (0..3).map(|j| ((x[j] - y[j]) / scales[j]).powi(2)).sum();
        (-0.5 * sum).exp()
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("rbf(length_scale=1.3)", |x, y| definition([1.3; 3], x, y), tol::GRAM_R2);
        laws::vector_kernel("rbf(length_scale=[1, 0.5, 3])", |x, y| definition([1.0, 0.5, 3.0], x, y), tol::GRAM_R2);
    }
}
