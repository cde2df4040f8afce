//! The ANOVA kernel.

use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, SettingKind, SettingSpec, length_scale};
use crate::kernel::{Kernel, KernelGrad};

use super::symmetric;

/// The ANOVA kernel: all products of Gaussian kernels of `degree` different columns, summed.
///
/// **Definition** k(x, y) = Σ over j₁ < … < j_p of z_{j₁}⋯z_{j_p}, with
/// zⱼ = exp(−(xⱼ − yⱼ)²/(2ℓⱼ²)): the elementary symmetric polynomial of degree p in z.
///
/// **Parameters** ℓ `length_scale` > 0, one or one per column, default the median distance, log;
/// p `degree` ≥ 1, default 2, at most the number of columns. Aliases as for `rbf`.
///
/// **Properties** positive definite on ℝᵈ (sums of products of kernels); stationary; smooth; the
/// diagonal is d choose p.
///
/// **Cost** d exps and d·p multiply-adds per pair.
///
/// **Reference** Stitson et al. (1999), "Support vector regression with ANOVA decomposition
/// kernels", in *Advances in Kernel Methods*; Duvenaud, Nickisch & Rasmussen (2011), "Additive
/// Gaussian processes", NIPS 24, §2.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("anova(degree=2, length_scale=1)")?;
/// assert_eq!(k.at(&[0.0; 4], &[0.0; 4])?, 6.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Anova {
    /// ℓⱼ, one for each column.
    pub length_scales: Vec<f64>,
    /// p.
    pub degree: usize,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "anova",
    aliases: &[],
    summary: "products of Gaussians over `degree` columns, summed",
    definition: "Σ_{j₁<…<j_degree} Π zⱼ, zⱼ = exp(−(xⱼ − yⱼ)²/(2·length_scale²))",
    domain: Domain::Number,
    property: Property::positive(ProofRule::Sum, "of products of one Gaussian kernel for each of degree columns"),
    settings: &[
        length_scale!(|gamma| (0.5 / gamma).sqrt(), "1/(2·length_scale²)"),
        SettingSpec {
            name: "degree",
            summary: "columns in each product",
            kind: SettingKind::Integer { default: 2, min: 1, max: symmetric::MAX_DEGREE as u32 },
            aliases: &[],
        },
    ],
};

impl Kernel<[f64]> for Anova {
    #[inline(always)]
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        symmetric::polynomials(x, y, &self.length_scales, self.degree)[self.degree]
    }
}

impl KernelGrad<[f64]> for Anova {
    fn n_params(&self) -> usize {
        self.length_scales.len()
    }

    fn grad(&self, x: &[f64], y: &[f64], out: &mut [f64]) {
        symmetric::gradient(x, y, &self.length_scales, self.degree..=self.degree, out);
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(scales: [f64; 3], x: &[f64], y: &[f64]) -> f64 {
        let z: Vec<f64> = (0..3).map(|j| (-0.5 * ((x[j] - y[j]) / scales[j]).powi(2)).exp()).collect();
        z[0] * z[1] + z[0] * z[2] + z[1] * z[2]
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("anova(length_scale=1.3)", |x, y| definition([1.3; 3], x, y), tol::GRAM_R2);
        let many = "anova(length_scale=[1, 0.5, 3], degree=2)";
        laws::vector_kernel(many, |x, y| definition([1.0, 0.5, 3.0], x, y), tol::GRAM_R2);
    }
}
