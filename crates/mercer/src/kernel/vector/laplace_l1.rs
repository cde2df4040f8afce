//! The Laplace kernel of the Manhattan distance.

use crate::kernel::elementary::decay;
use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{Powers, ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, length_scale};

/// The Laplace kernel of the Manhattan distance, scikit-learn's `laplacian_kernel`.
///
/// **Definition** k(x, y) = exp(−Σⱼ |xⱼ − yⱼ|/ℓⱼ).
///
/// **Parameters** ℓ `length_scale` > 0, one or one per column, default the median Manhattan
/// distance, log. Aliases: `gamma` = 1/ℓ, `sigma` = `bandwidth` = ℓ.
///
/// **Properties** positive definite on ℝᵈ as a product of one-dimensional Laplace kernels;
/// stationary; continuous with kinks; unit diagonal.
///
/// **Cost** d absolute differences and one exp per pair.
///
/// **Reference** Rahimi & Recht (2007), "Random features for large-scale kernel machines", NIPS 20.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("laplace_l1(length_scale=7)")?;
/// assert!((k.at(&[0.0, 0.0], &[3.0, 4.0])? - (-1.0f64).exp()).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LaplaceL1;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "laplace_l1",
    aliases: &["laplacian_l1"],
    summary: "Laplace, of the Manhattan distance",
    definition: "exp(−‖x − y‖₁/length_scale)",
    domain: Domain::Number,
    property: Property::positive(ProofRule::Schoenberg, "ψ = Σ |xⱼ − yⱼ|/length_scale")
        .with_powers(Powers::All("log k = −Σ |xⱼ − yⱼ|/length_scale")),
    settings: &[length_scale!(|gamma| 1.0 / gamma, "1/length_scale")],
};

impl Profile for LaplaceL1 {
    const STATISTIC: Statistic = Statistic::ManhattanDistance;
    const EXPONENTIAL: bool = true;
    const EXPONENT_OVER_S: Option<f64> = Some(-1.0);

    #[inline(always)]
    fn exponent(&self, at: Pair) -> f64 {
        -at.s
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        -decay(-at.s)
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(scales: [f64; 3], x: &[f64], y: &[f64]) -> f64 {
        let sum: f64 = (0..3).map(|j| (x[j] - y[j]).abs() / scales[j]).sum();
        (-sum).exp()
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("laplace_l1(length_scale=1.3)", |x, y| definition([1.3; 3], x, y), tol::GRAM_R2);
        laws::vector_kernel(
            "laplace_l1(length_scale=[1, 0.5, 3])",
            |x, y| definition([1.0, 0.5, 3.0], x, y),
            tol::GRAM_R2,
        );
    }
}
