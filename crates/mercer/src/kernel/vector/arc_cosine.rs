//! The arc-cosine kernels.

use std::f64::consts::PI;

use crate::kernel::profile::{self, Pair, Profile, Statistic};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, SettingKind, SettingSpec};

/// The arc-cosine kernels: an infinitely wide layer of threshold (order 0), ramp (1) or squared
/// ramp (2) units.
///
/// **Definition** k(x, y) = (1/π)·(‖x‖‖y‖)ⁿ·Jₙ(θ), θ the angle between x and y, with
/// J₀ = π − θ, J₁ = sin θ + (π − θ)cos θ, J₂ = 3 sin θ cos θ + (π − θ)(1 + 2cos²θ).
///
/// **Parameters** n `order` ∈ {0, 1, 2}, default 1.
///
/// **Properties** positive definite on ℝᵈ (an expectation of products of features); not
/// stationary. The angle with the zero vector is taken as π/2.
///
/// **Cost** one inner product and one arc cosine per pair.
///
/// **Reference** Cho & Saul (2009), "Kernel methods for deep learning", NIPS 22, §2.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("arc_cosine(order=0)")?;
/// assert!((k.at(&[1.0, 0.0], &[0.0, 2.0])? - 0.5).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ArcCosine {
    /// n.
    pub order: u32,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "arc_cosine",
    aliases: &["arccos"],
    summary: "arc-cosine, an infinitely wide layer",
    definition: "(‖x‖·‖y‖)^order·J(θ)/π; J₀ = π − θ, J₁ = sin θ + (π − θ)cos θ, J₂ = 3 sin θ cos θ + (π − θ)(1 + 2cos²θ)",
    domain: Domain::Number,
    property: Property::positive(
        ProofRule::FeatureMap,
        "φ(x) is the function w ↦ √2·[⟨w, x⟩ > 0]·⟨w, x⟩^order, under a Gaussian measure of w",
    ),
    settings: &[SettingSpec {
        name: "order",
        summary: "0 threshold, 1 ramp, 2 squared ramp",
        kind: SettingKind::Integer { default: 1, min: 0, max: 2 },
        aliases: &[],
    }],
};

impl Profile for ArcCosine {
    const STATISTIC: Statistic = Statistic::Dot;

    #[inline(always)]
    fn value(&self, at: Pair) -> f64 {
        let cos = profile::cosine(at);
        let angle = cos.acos();
        let sin = (1.0 - cos * cos).sqrt();
        let norms = profile::norm_product(at.xx, at.yy);
        match self.order {
            0 => 1.0 - angle / PI,
            1 => norms * (sin + (PI - angle) * cos) / PI,
            _ => norms * norms * (3.0 * sin * cos + (PI - angle) * (1.0 + 2.0 * cos * cos)) / PI,
        }
    }

    /// The kernel has no parameter to differentiate by, and s enters no other derivative.
    #[inline(always)]
    fn slope(&self, _: Pair) -> f64 {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use crate::testkit::{laws, tol};

    fn definition(order: u32, x: &[f64], y: &[f64]) -> f64 {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let norms = (dot(x, x) * dot(y, y)).sqrt();
        let t = (dot(x, y) / norms).clamp(-1.0, 1.0).acos();
        let j =
            [PI - t, t.sin() + (PI - t) * t.cos(), 3.0 * t.sin() * t.cos() + (PI - t) * (1.0 + 2.0 * t.cos().powi(2))];
        norms.powi(order as i32) * j[order as usize] / PI
    }

    #[test]
    fn laws_hold() {
        for order in 0..3 {
            let formula = format!("arc_cosine(order={order})");
            laws::vector_kernel(&formula, |x, y| definition(order, x, y), tol::ANGLE);
        }
    }
}
