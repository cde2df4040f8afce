//! The exponential of the inner product.

use crate::kernel::elementary::exp;
use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{Powers, ProofRule, Property};
use crate::kernel::spec::{Default, Domain, KernelSpec, SettingKind, SettingSpec};

/// The exponential of the inner product, the limit of polynomials with non-negative coefficients.
///
/// **Definition** k(x, y) = exp(γ⟨x, y⟩).
///
/// **Parameters** γ `gamma` > 0, default 1, log.
///
/// **Properties** positive definite on ℝᵈ; not stationary; smooth; grows fast: γ‖x‖² above 709
/// overflows and is refused at binding.
///
/// **Cost** one inner product and one exp per pair.
///
/// **Reference** Schölkopf & Smola (2002), *Learning with Kernels*, §13.1, closure under limits.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("exponential(gamma=0.5)")?;
/// assert!((k.at(&[1.0, 1.0], &[1.0, 3.0])? - 2.0f64.exp()).abs() < 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Exponential {
    /// γ.
    pub gamma: f64,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "exponential",
    aliases: &[],
    summary: "exponential of the inner product",
    definition: "exp(gamma·⟨x, y⟩)",
    domain: Domain::Number,
    property: Property::positive(ProofRule::PowerSeries, "exp(t) = Σ tⁿ/n! at t = gamma·⟨x, y⟩")
        .with_powers(Powers::All("log k = gamma·⟨x, y⟩ is positive definite")),
    settings: &[SettingSpec {
        name: "gamma",
        summary: "factor of the inner product",
        kind: SettingKind::Positive { default: Default::Number(1.0), per_column: false },
        aliases: &[],
    }],
};

impl Profile for Exponential {
    const STATISTIC: Statistic = Statistic::Dot;
    const EXPONENTIAL: bool = true;

    #[inline(always)]
    fn exponent(&self, at: Pair) -> f64 {
        self.gamma * at.s
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        self.gamma * exp(self.gamma * at.s)
    }

    fn shape_len(&self) -> usize {
        1
    }

    #[inline(always)]
    fn shape_grad(&self, at: Pair, out: &mut [f64]) {
        out[0] = at.s * exp(self.gamma * at.s);
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(x: &[f64], y: &[f64]) -> f64 {
        (0.4 * x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>()).exp()
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("exponential(gamma=0.4)", definition, tol::GRAM_R2);
    }
}
