//! The polynomial kernel.

use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Default, Domain, KernelSpec, SettingKind, SettingSpec};

/// The polynomial kernel; homogeneous when `coef0` is 0.
///
/// **Definition** k(x, y) = (γ⟨x, y⟩ + c)ᵈ.
///
/// **Parameters** γ `gamma` > 0, default 1, log; c `coef0` ≥ 0, default 1, identity; d `degree`
/// ≥ 1, default 3, a whole number. The names are scikit-learn's.
///
/// **Properties** positive definite on ℝⁿ for c ≥ 0 (products and sums of kernels); smooth.
///
/// **Cost** one inner product and a power per pair.
///
/// **Reference** Schölkopf & Smola (2002), *Learning with Kernels*, §2.1, inhomogeneous
/// polynomial kernel.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("poly(degree=2, gamma=0.5, coef0=1)")?;
/// assert_eq!(k.at(&[1.0, 2.0], &[3.0, 4.0])?, 6.5 * 6.5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Poly {
    /// γ.
    pub gamma: f64,
    /// c.
    pub coef0: f64,
    /// d.
    pub degree: u32,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "poly",
    aliases: &["polynomial"],
    summary: "polynomial of the inner product",
    definition: "(gamma·⟨x, y⟩ + coef0)^degree",
    domain: Domain::Number,
    property: Property::positive(ProofRule::PowerSeries, "the powers of ⟨x, y⟩ in it have coefficients ≥ 0"),
    settings: &[
        SettingSpec {
            name: "degree",
            summary: "power",
            kind: SettingKind::Integer { default: 3, min: 1, max: 64 },
            aliases: &[],
        },
        SettingSpec {
            name: "gamma",
            summary: "factor of the inner product",
            kind: SettingKind::Positive { default: Default::Number(1.0), per_column: false },
            aliases: &[],
        },
        SettingSpec {
            name: "coef0",
            summary: "constant added before the power",
            kind: SettingKind::NonNegative { default: 1.0 },
            aliases: &[],
        },
    ],
};

impl Poly {
    #[inline(always)]
    fn base(&self, at: Pair) -> f64 {
        self.gamma.mul_add(at.s, self.coef0)
    }

    /// d·(γs + c)^(d−1).
    #[inline(always)]
    fn base_slope(&self, at: Pair) -> f64 {
        f64::from(self.degree) * power(self.base(at), self.degree - 1)
    }
}

/// vⁿ. Small powers are spelt out so that a loop over them is vector code.
#[inline(always)]
pub(crate) fn power(v: f64, n: u32) -> f64 {
    match n {
        0 => 1.0,
        1 => v,
        2 => v * v,
        3 => v * v * v,
        4 => (v * v) * (v * v),
        _ => v.powi(n as i32),
    }
}

impl Profile for Poly {
    const STATISTIC: Statistic = Statistic::Dot;

    #[inline(always)]
    fn value(&self, at: Pair) -> f64 {
        power(self.base(at), self.degree)
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        self.base_slope(at) * self.gamma
    }

    fn shape_len(&self) -> usize {
        2
    }

    #[inline(always)]
    fn shape_grad(&self, at: Pair, out: &mut [f64]) {
        let slope = self.base_slope(at);
        out[0] = slope * at.s;
        out[1] = slope;
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(gamma: f64, coef0: f64, degree: i32, x: &[f64], y: &[f64]) -> f64 {
        let dot: f64 = x.iter().zip(y).map(|(a, b)| a * b).sum();
        (gamma * dot + coef0).powi(degree)
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("poly(degree=3, gamma=0.3, coef0=1.5)", |x, y| definition(0.3, 1.5, 3, x, y), tol::GRAM_R2);
        laws::vector_kernel("poly(degree=2, coef0=0)", |x, y| definition(1.0, 0.0, 2, x, y), tol::GRAM_R2);
        laws::vector_kernel("poly(degree=7, gamma=0.1)", |x, y| definition(0.1, 1.0, 7, x, y), tol::GRAM_R2);
    }
}
