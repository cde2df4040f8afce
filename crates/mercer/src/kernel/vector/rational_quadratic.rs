//! The rational quadratic kernel.

use crate::kernel::elementary::{decay, ln};
use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{Powers, ProofRule, Property};
use crate::kernel::spec::{Default, Domain, KernelSpec, SettingKind, SettingSpec, length_scale};

/// The rational quadratic kernel: a mixture of Gaussian kernels of many length scales.
///
/// **Definition** k(x, y) = (1 + r²/(2α))^(−α), r² = Σⱼ (xⱼ − yⱼ)²/ℓⱼ².
///
/// **Parameters** ℓ `length_scale` > 0, one or one per column, default the median distance, log;
/// α `alpha` > 0, default 1, log. Aliases: `gamma` = 1/(2ℓ²), `sigma` = `bandwidth` = ℓ.
///
/// **Properties** positive definite on ℝᵈ; stationary; smooth; unit diagonal; tends to the
/// Gaussian kernel as α grows.
///
/// **Cost** one inner product, one logarithm and one exp per pair.
///
/// **Reference** Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, eq. 4.19.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("rational_quadratic(length_scale=1, alpha=2)")?;
/// assert!((k.at(&[0.0], &[2.0])? - 0.25).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RationalQuadratic {
    /// α.
    pub alpha: f64,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "rational_quadratic",
    aliases: &["rq"],
    summary: "rational quadratic, a mixture of Gaussians",
    definition: "(1 + ‖x − y‖²/(2·alpha·length_scale²))^(−alpha)",
    domain: Domain::Number,
    property: Property::positive(ProofRule::Laplace, "ψ = 1 + ‖x − y‖²/(2·alpha·length_scale²) and p = alpha")
        .with_powers(Powers::All(
            "−log k = alpha·log(1 + ‖x − y‖²/(2·alpha·length_scale²)), a Bernstein function of a squared distance",
        )),
    settings: &[
        length_scale!(|gamma| (0.5 / gamma).sqrt(), "1/(2·length_scale²)"),
        SettingSpec {
            name: "alpha",
            summary: "weight of small against large scales",
            kind: SettingKind::Positive { default: Default::Number(1.0), per_column: false },
            aliases: &[],
        },
    ],
};

impl RationalQuadratic {
    /// ln(1 + s/(2α)).
    #[inline(always)]
    fn log_base(&self, s: f64) -> f64 {
        ln(1.0 + s / (2.0 * self.alpha))
    }
}

impl Profile for RationalQuadratic {
    const STATISTIC: Statistic = Statistic::SquaredDistance;
    const EXPONENTIAL: bool = true;

    #[inline(always)]
    fn exponent(&self, at: Pair) -> f64 {
        -self.alpha * self.log_base(at.s)
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        -0.5 * decay(-(self.alpha + 1.0) * self.log_base(at.s))
    }

    fn shape_len(&self) -> usize {
        1
    }

    #[inline(always)]
    fn shape_grad(&self, at: Pair, out: &mut [f64]) {
        let log = self.log_base(at.s);
        let ratio = at.s / (2.0 * self.alpha + at.s);
        out[0] = decay(-self.alpha * log) * (ratio - log);
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(scales: [f64; 3], alpha: f64, x: &[f64], y: &[f64]) -> f64 {
        let r2: f64 = (0..3).map(|j| ((x[j] - y[j]) / scales[j]).powi(2)).sum();
        (1.0 + r2 / (2.0 * alpha)).powf(-alpha)
    }

    #[test]
    fn laws_hold() {
        let one = "rational_quadratic(length_scale=1.3, alpha=0.7)";
        laws::vector_kernel(one, |x, y| definition([1.3; 3], 0.7, x, y), tol::GRAM_R2);
        let many = "rational_quadratic(length_scale=[1, 0.5, 3], alpha=4)";
        laws::vector_kernel(many, |x, y| definition([1.0, 0.5, 3.0], 4.0, x, y), tol::GRAM_R2);
    }
}
