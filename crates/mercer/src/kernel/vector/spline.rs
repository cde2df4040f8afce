//! The cubic spline kernel.

use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec};
use crate::kernel::{Kernel, KernelGrad};

/// The cubic spline kernel with an infinite number of knots.
///
/// **Definition** k(x, y) = Πⱼ (1 + xⱼyⱼ + xⱼyⱼmⱼ − (xⱼ + yⱼ)mⱼ²/2 + mⱼ³/3),
/// mⱼ = min(xⱼ, yⱼ), for xⱼ, yⱼ ≥ 0.
///
/// **Parameters** none.
///
/// **Properties** positive definite on [0, ∞)ᵈ: each factor is 1 + xy + ∫ (x − t)₊(y − t)₊ dt over
/// t ≥ 0; not stationary; its functions are piecewise cubic.
///
/// **Cost** about ten operations per column and pair.
///
/// **Reference** Wahba (1990), *Spline Models for Observational Data*, §1.2; Vapnik (1998),
/// *Statistical Learning Theory*, §11.7.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("spline")?;
/// assert!((k.at(&[1.0], &[1.0])? - (2.0 + 1.0 / 3.0)).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Spline;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "spline",
    aliases: &[],
    summary: "cubic spline",
    definition: "Πⱼ (1 + xⱼyⱼ + xⱼyⱼm − (xⱼ + yⱼ)m²/2 + m³/3), m = min(xⱼ, yⱼ), x, y ≥ 0",
    domain: Domain::NonNegative,
    property: Property::positive(
        ProofRule::Product,
        "of one factor for each column, 1 + xy + ∫ (x − t)₊(y − t)₊ dt, which is a sum of inner products",
    ),
    settings: &[],
};

impl Kernel<[f64]> for Spline {
    #[inline(always)]
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).map(|(&a, &b)| column(a, b)).product()
    }
}

#[inline(always)]
fn column(x: f64, y: f64) -> f64 {
    let m = if x < y { x } else { y };
    1.0 + x * y * (1.0 + m) - 0.5 * (x + y) * m * m + m * m * m / 3.0
}

impl KernelGrad<[f64]> for Spline {
    fn n_params(&self) -> usize {
        0
    }

    fn grad(&self, _: &[f64], _: &[f64], _: &mut [f64]) {}
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(x: &[f64], y: &[f64]) -> f64 {
        let factor = |x: f64, y: f64| {
            let m = x.min(y);
            1.0 + x * y + x * y * m - (x + y) * m * m / 2.0 + m.powi(3) / 3.0
        };
        (0..3).map(|j| factor(x[j], y[j])).product()
    }

    #[test]
    fn laws_hold() {
        laws::non_negative_kernel("spline", definition, tol::GRAM_R2);
    }
}
