//! The additive kernel.

use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, SettingKind, SettingSpec, length_scale};
use crate::kernel::{Kernel, KernelGrad};

use super::symmetric;

/// The additive kernel: Gaussian kernels of single columns, and of all products of up to `degree`
/// of them, summed.
///
/// **Definition** k(x, y) = Σ_{q=1..p} E_q(z), with E_q the elementary symmetric polynomial of
/// degree q and zⱼ = exp(−(xⱼ − yⱼ)²/(2ℓⱼ²)). With degree 1, Σⱼ zⱼ.
///
/// **Parameters** ℓ `length_scale` > 0, one or one per column, default the median distance, log;
/// p `degree` ≥ 1, default 1, at most the number of columns. Aliases as for `rbf`.
///
/// **Properties** positive definite on ℝᵈ (sums of products of kernels); stationary; smooth.
/// Functions of degree 1 are sums of functions of one column each.
///
/// **Cost** d exps and d·p multiply-adds per pair.
///
/// **Reference** Duvenaud, Nickisch & Rasmussen (2011), "Additive Gaussian processes", NIPS 24, §2.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("additive(degree=2, length_scale=1)")?;
/// assert_eq!(k.at(&[0.0; 4], &[0.0; 4])?, 4.0 + 6.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Additive {
    /// ℓⱼ, one for each column.
    pub length_scales: Vec<f64>,
    /// p.
    pub degree: usize,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "additive",
    aliases: &[],
    summary: "Gaussians of single columns, and of up to `degree` together, summed",
    definition: "Σ_{q=1..degree} Σ_{j₁<…<j_q} Π zⱼ, zⱼ = exp(−(xⱼ − yⱼ)²/(2·length_scale²))",
    domain: Domain::Number,
    property: Property::positive(ProofRule::Sum, "of products of Gaussian kernels of single columns"),
    settings: &[
        length_scale!(|gamma| (0.5 / gamma).sqrt(), "1/(2·length_scale²)"),
        SettingSpec {
            name: "degree",
            summary: "most columns in one product",
            kind: SettingKind::Integer { default: 1, min: 1, max: symmetric::MAX_DEGREE as u32 },
            aliases: &[],
        },
    ],
};

impl Kernel<[f64]> for Additive {
    #[inline(always)]
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        symmetric::polynomials(x, y, &self.length_scales, self.degree)[1..=self.degree].iter().sum()
    }
}

impl KernelGrad<[f64]> for Additive {
    fn n_params(&self) -> usize {
        self.length_scales.len()
    }

    fn grad(&self, x: &[f64], y: &[f64], out: &mut [f64]) {
        symmetric::gradient(x, y, &self.length_scales, 1..=self.degree, out);
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn z(scales: [f64; 3], x: &[f64], y: &[f64]) -> [f64; 3] {
        std::array::from_fn(|j| (-0.5 * ((x[j] - y[j]) / scales[j]).powi(2)).exp())
    }

    fn definition(scales: [f64; 3], x: &[f64], y: &[f64]) -> f64 {
        let [a, b, c] = z(scales, x, y);
        a + b + c + a * b + a * c + b * c
    }

    #[test]
    fn laws_hold() {
        laws::vector_kernel("additive(length_scale=1.3)", |x, y| z([1.3; 3], x, y).iter().sum(), tol::GRAM_R2);
        let many = "additive(length_scale=[1, 0.5, 3], degree=2)";
        laws::vector_kernel(many, |x, y| definition([1.0, 0.5, 3.0], x, y), tol::GRAM_R2);
    }
}
