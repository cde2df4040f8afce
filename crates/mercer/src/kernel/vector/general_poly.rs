//! A polynomial of the inner product with non-negative coefficients.

use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, SettingKind, SettingSpec};

/// Any polynomial of the inner product whose coefficients are not negative.
///
/// **Definition** k(x, y) = Σᵢ cᵢ⟨x, y⟩ⁱ, i = 0, 1, 2, ….
///
/// **Parameters** `coefficients` cᵢ ≥ 0, lowest power first, default `[1, 1]`, identity.
///
/// **Properties** positive definite on ℝᵈ as a sum of non-negative multiples of powers of the
/// linear kernel; smooth.
///
/// **Cost** one inner product and one multiply-add per coefficient and pair.
///
/// **Reference** Schoenberg (1942), "Positive definite functions on spheres", Duke Mathematical
/// Journal 9; Schölkopf & Smola (2002), *Learning with Kernels*, §4.6.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("general_poly(coefficients=[1, 0, 2])")?;
/// assert_eq!(k.at(&[3.0], &[1.0])?, 1.0 + 2.0 * 9.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GeneralPoly {
    /// cᵢ, lowest power first.
    pub coefficients: Vec<f64>,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "general_poly",
    aliases: &[],
    summary: "polynomial of the inner product with non-negative coefficients",
    definition: "Σᵢ coefficients[i]·⟨x, y⟩^i",
    domain: Domain::Number,
    property: Property::positive(ProofRule::PowerSeries, "the coefficients are ≥ 0"),
    settings: &[SettingSpec {
        name: "coefficients",
        summary: "coefficients ≥ 0, lowest power first",
        kind: SettingKind::Coefficients { default: &[1.0, 1.0] },
        aliases: &[],
    }],
};

impl Profile for GeneralPoly {
    const STATISTIC: Statistic = Statistic::Dot;

    #[inline(always)]
    fn value(&self, at: Pair) -> f64 {
        self.coefficients.iter().rev().fold(0.0, |sum, c| f64::mul_add(sum, at.s, *c))
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        let derivative = self.coefficients.iter().enumerate().skip(1).rev();
        derivative.fold(0.0, |sum, (i, c)| f64::mul_add(sum, at.s, *c * i as f64))
    }

    fn shape_len(&self) -> usize {
        self.coefficients.len()
    }

    #[inline(always)]
    fn shape_grad(&self, at: Pair, out: &mut [f64]) {
        let mut power = 1.0;
        for slot in out {
            *slot = power;
            power *= at.s;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(x: &[f64], y: &[f64]) -> f64 {
        let dot: f64 = x.iter().zip(y).map(|(a, b)| a * b).sum();
        [0.5, 1.0, 0.0, 0.25].iter().enumerate().map(|(i, c)| c * dot.powi(i as i32)).sum()
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("general_poly(coefficients=[0.5, 1, 0, 0.25])", definition, tol::GRAM_R2);
    }
}
