//! The periodic kernel.

use crate::kernel::property::{Powers, ProofRule, Property};
use crate::kernel::spec::{Alias, Default, Domain, KernelSpec, SettingKind, SettingSpec};

/// The periodic kernel.
///
/// **Definition** k(x, y) = exp(−2 Σⱼ sin²(π(xⱼ − yⱼ)/p)/ℓⱼ²).
///
/// It is the Gaussian kernel of points on circles: with φ(x)ⱼ = (cos 2πxⱼ/p, sin 2πxⱼ/p),
/// ‖φ(x)ⱼ − φ(y)ⱼ‖² = 4 sin²(π(xⱼ − yⱼ)/p), which is how it is computed.
///
/// **Parameters** ℓ `length_scale` > 0, one or one per column, default 1, log (a distance on the
/// unit circle, so it needs no rule); p `period` > 0, default 1, log.
///
/// **Properties** positive definite on ℝᵈ (pull-back of the Gaussian kernel); stationary; smooth;
/// unit diagonal. In one dimension it is scikit-learn's `ExpSineSquared`; in several dimensions
/// that one takes the sine of the Euclidean distance, which is not positive definite.
///
/// **Cost** one inner product of 2d terms and one exp per pair.
///
/// **Reference** Rasmussen & Williams (2006), *Gaussian Processes for Machine Learning*, eq. 4.31.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("periodic(length_scale=1, period=4)")?;
/// assert!((k.at(&[0.0], &[2.0])? - (-2.0f64).exp()).abs() < 1e-15);
/// assert!((k.at(&[0.0], &[8.0])? - 1.0).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Periodic {
    /// p.
    pub period: f64,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "periodic",
    aliases: &["exp_sine_squared"],
    summary: "periodic, a Gaussian on circles",
    definition: "exp(−2·Σⱼ sin²(π(xⱼ − yⱼ)/period)/length_scale²)",
    domain: Domain::Number,
    property: Property::positive(
        ProofRule::PullBack,
        "the Gaussian kernel of the points (cos, sin)(2πxⱼ/period) on circles",
    )
    .with_powers(Powers::All("it is a Gaussian kernel, of points on circles")),
    settings: &[
        SettingSpec {
            name: "length_scale",
            summary: "distance on the unit circle over which the kernel decays",
            kind: SettingKind::Positive { default: Default::Number(1.0), per_column: true },
            aliases: &[
                Alias { name: "gamma", to_normal: |gamma| (2.0 / gamma).sqrt(), meaning: "2/length_scale²" },
                Alias { name: "sigma", to_normal: |v| v, meaning: "length_scale" },
                Alias { name: "bandwidth", to_normal: |v| v, meaning: "length_scale" },
            ],
        },
        SettingSpec {
            name: "period",
            summary: "distance after which the kernel repeats",
            kind: SettingKind::Positive { default: Default::Number(1.0), per_column: false },
            aliases: &[Alias { name: "periodicity", to_normal: |v| v, meaning: "period" }],
        },
    ],
};

impl Periodic {
    /// (cos 2πx/p, sin 2πx/p).
    pub fn circle(&self, x: f64) -> [f64; 2] {
        // Only the fraction of a turn matters; taking it first keeps large x exact.
        let turn = (x / self.period).rem_euclid(1.0);
        let (sin, cos) = (std::f64::consts::TAU * turn).sin_cos();
        [cos, sin]
    }

    /// ∂/∂p of 4 sin²(πδ/p), given δ.
    pub fn period_slope(&self, delta: f64) -> f64 {
        let p = self.period;
        -4.0 * std::f64::consts::PI * delta / (p * p) * (std::f64::consts::TAU * delta / p).sin()
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use crate::testkit::{laws, tol};

    fn definition(scales: [f64; 3], period: f64, x: &[f64], y: &[f64]) -> f64 {
        let sum: f64 = (0..3).map(|j| ((PI * (x[j] - y[j]) / period).sin() / scales[j]).powi(2)).sum();
        (-2.0 * sum).exp()
    }

    #[test]
    fn laws_hold() {
        let one = "periodic(length_scale=1.3, period=2.5)";
        laws::vector_kernel(one, |x, y| definition([1.3; 3], 2.5, x, y), tol::GRAM_R2);
        let many = "periodic(length_scale=[1, 0.5, 3], period=2.5)";
        laws::vector_kernel(many, |x, y| definition([1.0, 0.5, 3.0], 2.5, x, y), tol::GRAM_R2);
    }
}
