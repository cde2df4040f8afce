//! The Laplace kernel of the Euclidean distance.

use crate::kernel::elementary::decay;
use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{Powers, ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, length_scale};

/// The Laplace kernel of the Euclidean distance.
///
/// **Definition** k(x, y) = exp(−r), r² = Σⱼ (xⱼ − yⱼ)²/ℓⱼ²; with one ℓ, exp(−‖x − y‖/ℓ).
///
/// **Parameters** ℓ `length_scale` > 0, one or one per column, default the median distance, log.
/// Aliases: `gamma` = 1/ℓ, `sigma` = `bandwidth` = ℓ.
///
/// **Properties** positive definite on ℝᵈ; stationary; continuous with a kink at x = y; unit
/// diagonal. It is the Matérn kernel of ν = ½.
///
/// **Cost** one inner product, one square root and one exp per pair.
///
/// **Reference** Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, eq. 4.18.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("laplace(length_scale=5)")?;
/// assert!((k.at(&[0.0, 0.0], &[3.0, 4.0])? - (-1.0f64).exp()).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Laplace;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "laplace",
    aliases: &["laplacian"],
    summary: "Laplace, of the Euclidean distance",
    definition: "exp(−‖x − y‖/length_scale)",
    domain: Domain::Number,
    property: Property::positive(ProofRule::Schoenberg, "ψ = ‖x − y‖/length_scale, the root of a squared distance")
        .with_powers(Powers::All("log k = −‖x − y‖/length_scale")),
    settings: &[length_scale!(|gamma| 1.0 / gamma, "1/length_scale")],
};

impl Profile for Laplace {
    const STATISTIC: Statistic = Statistic::SquaredDistance;
    const EXPONENTIAL: bool = true;

    #[inline(always)]
    fn exponent(&self, at: Pair) -> f64 {
        -at.s.sqrt()
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        let r = at.s.sqrt();
        if r > 0.0 { -0.5 * decay(-r) / r } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(scales: [f64; 3], x: &[f64], y: &[f64]) -> f64 {
        let sum: f64 = (0..3).map(|j| ((x[j] - y[j]) / scales[j]).powi(2)).sum();
        (-sum.sqrt()).exp()
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("laplace(length_scale=1.3)", |x, y| definition([1.3; 3], x, y), tol::GRAM_R);
        laws::vector_kernel("laplace(length_scale=[1, 0.5, 3])", |x, y| definition([1.0, 0.5, 3.0], x, y), tol::GRAM_R);
    }
}
