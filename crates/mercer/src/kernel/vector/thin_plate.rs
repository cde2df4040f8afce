//! The thin-plate spline kernel.

use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Default, Domain, KernelSpec, SettingKind, SettingSpec};

/// The thin-plate spline kernel.
///
/// **Definition** k(x, y) = r² log r with r = ‖x − y‖/ℓ, and 0 at r = 0; with a list of length
/// scales, each coordinate is divided by its own.
///
/// **Parameters** ℓ `length_scale` > 0, one or one per column, default 1, log.
///
/// **Properties** conditionally positive definite of order 2, not positive definite: aᵀKa ≥ 0 for
/// every a with Σ aᵢ = 0 and Σ aᵢxᵢ = 0, which a fit with a free linear part needs.
///
/// **Cost** one inner product and one logarithm per pair.
///
/// **Reference** Wendland (2005), *Scattered Data Approximation*, theorem 8.17.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("thin_plate")?;
/// assert!((k.at(&[0.0, 0.0], &[3.0, 4.0])? - 25.0 * 5f64.ln()).abs() < 1e-13);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ThinPlate;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "thin_plate",
    aliases: &["thin_plate_spline"],
    summary: "thin-plate spline; conditionally positive definite",
    definition: "r²·log r, r = ‖x − y‖/length_scale",
    domain: Domain::Number,
    property: Property::conditional(2, ProofRule::ThinPlate, "r = ‖x − y‖/length_scale"),
    settings: &[SettingSpec {
        name: "length_scale",
        summary: "unit of distance, one or one per column",
        kind: SettingKind::Positive { default: Default::Number(1.0), per_column: true },
        aliases: &[],
    }],
};

impl Profile for ThinPlate {
    const STATISTIC: Statistic = Statistic::SquaredDistance;

    #[inline(always)]
    fn value(&self, at: Pair) -> f64 {
        if at.s > 0.0 { 0.5 * at.s * at.s.ln() } else { 0.0 }
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        if at.s > 0.0 { 0.5 * (at.s.ln() + 1.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(scales: [f64; 3], x: &[f64], y: &[f64]) -> f64 {
        let r = (0..3).map(|j| ((x[j] - y[j]) / scales[j]).powi(2)).sum::<f64>().sqrt();
        if r > 0.0 { r * r * r.ln() } else { 0.0 }
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("thin_plate", |x, y| definition([1.0; 3], x, y), tol::GRAM_R2);
        let scales = [1.0, 0.5, 3.0];
        laws::vector_kernel("thin_plate(length_scale=[1, 0.5, 3])", |x, y| definition(scales, x, y), tol::GRAM_R2);
    }
}
