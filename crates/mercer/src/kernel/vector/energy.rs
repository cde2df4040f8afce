//! The kernel of the energy distance.

use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Default, Domain, KernelSpec, SettingKind, SettingSpec};

/// The kernel of the energy distance: the negative of a power of the Euclidean distance.
///
/// **Definition** k(x, y) = −(‖x − y‖/ℓ)^β; with a list of length scales, each coordinate is
/// divided by its own.
///
/// **Parameters** ℓ `length_scale` > 0, one or one per column, default 1, log; β `exponent` in
/// (0, 2), default 1, logit.
///
/// **Properties** conditionally positive definite of order 1, not positive definite: aᵀKa ≥ 0 for
/// every a with Σ aᵢ = 0, which is what comparing two samples needs. exp(energy) is positive
/// definite.
///
/// **Cost** one inner product and one power per pair.
///
/// **Reference** Székely & Rizzo (2013), *Energy statistics: a class of statistics based on
/// distances*.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("energy(exponent=0.5)")?;
/// assert_eq!(k.at(&[0.0, 0.0], &[9.0, 12.0])?, -(15f64.sqrt()));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Energy {
    /// β.
    pub exponent: f64,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "energy",
    aliases: &["energy_distance"],
    summary: "negative power of the distance; conditionally positive definite",
    definition: "−(‖x − y‖/length_scale)^exponent",
    domain: Domain::Number,
    property: Property::conditional(
        1,
        ProofRule::Bernstein,
        "ψ = ‖x − y‖² is a squared distance, and −k is its power exponent/2 < 1 times a number ≥ 0",
    ),
    settings: &[
        SettingSpec {
            name: "length_scale",
            summary: "unit of distance, one or one per column",
            kind: SettingKind::Positive { default: Default::Number(1.0), per_column: true },
            aliases: &[],
        },
        SettingSpec {
            name: "exponent",
            summary: "power of the distance",
            kind: SettingKind::Between { default: 1.0, low: 0.0, high: 2.0 },
            aliases: &[],
        },
    ],
};

impl Profile for Energy {
    const STATISTIC: Statistic = Statistic::SquaredDistance;

    #[inline(always)]
    fn value(&self, at: Pair) -> f64 {
        // The minus sign of zero would show in print.
        0.0 - at.s.powf(0.5 * self.exponent)
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        let half = 0.5 * self.exponent;
        if at.s > 0.0 { -half * at.s.powf(half - 1.0) } else { 0.0 }
    }

    fn shape_len(&self) -> usize {
        1
    }

    fn shape_grad(&self, at: Pair, out: &mut [f64]) {
        out[0] = if at.s > 0.0 { -0.5 * at.s.ln() * at.s.powf(0.5 * self.exponent) } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn distance(scales: [f64; 3], x: &[f64], y: &[f64]) -> f64 {
        (0..3).map(|j| ((x[j] - y[j]) / scales[j]).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("energy", |x, y| -distance([1.0; 3], x, y), tol::GRAM_R);
        let scales = [1.0, 0.5, 3.0];
        laws::vector_kernel(
            "energy(length_scale=[1, 0.5, 3], exponent=1.5)",
            |x, y| -distance(scales, x, y).powf(1.5),
            tol::GRAM_R,
        );
        laws::vector_kernel("exp(energy(length_scale=2))", |x, y| (-distance([2.0; 3], x, y)).exp(), tol::GRAM_R);
    }
}
