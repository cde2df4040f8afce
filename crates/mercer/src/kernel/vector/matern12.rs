//! The Matérn kernel of ν = ½.

use crate::kernel::property::{Powers, ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, length_scale};

/// The Matérn kernel of smoothness ν = ½.
///
/// **Definition** k(x, y) = exp(−r), r² = Σⱼ (xⱼ − yⱼ)²/ℓⱼ².
///
/// **Parameters** ℓ `length_scale` > 0, one or one per column, default the median distance, log.
/// Aliases: `sigma` = `bandwidth` = ℓ, `gamma` = 1/ℓ.
///
/// It is the Laplace kernel under its other name, and is computed by it.
///
/// **Properties** positive definite on ℝᵈ; stationary; its functions are continuous, not differentiable; unit diagonal.
///
/// **Cost** one inner product, one square root and one exp per pair.
///
/// **Reference** Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, eq. 4.18.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("matern12(length_scale=2)")?;
/// let expected: f64 = (-1.0f64).exp();
/// assert!((k.at(&[0.0], &[2.0])? - expected).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub use super::laplace::Laplace as Matern12;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "matern12",
    aliases: &[],
    summary: "Matérn of smoothness ½",
    definition: "exp(−r), r = ‖x − y‖/length_scale",
    domain: Domain::Number,
    property: Property::positive(ProofRule::Schoenberg, "ψ = ‖x − y‖/length_scale, the root of a squared distance")
        .with_powers(Powers::All("log k = −‖x − y‖/length_scale")),
    settings: &[length_scale!(|gamma| 1.0 / gamma, "1/length_scale")],
};

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(scales: [f64; 3], x: &[f64], y: &[f64]) -> f64 {
        let r: f64 = (0..3).map(|j| ((x[j] - y[j]) / scales[j]).powi(2)).sum::<f64>().sqrt();
        (-r).exp()
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("matern12(length_scale=1.3)", |x, y| definition([1.3; 3], x, y), tol::GRAM_R);
        laws::vector_kernel(
            "matern12(length_scale=[1, 0.5, 3])",
            |x, y| definition([1.0, 0.5, 3.0], x, y),
            tol::GRAM_R,
        );
    }
}
