//! The χ² kernel.

use crate::kernel::elementary::exp;
use crate::kernel::property::{Powers, ProofRule, Property};
use crate::kernel::spec::{Default, Domain, KernelSpec, SettingKind, SettingSpec};
use crate::kernel::{Kernel, KernelGrad};

/// The χ² kernel of histograms: exponential of their χ² distance.
///
/// **Definition** k(x, y) = exp(−γ Σⱼ (xⱼ − yⱼ)²/(xⱼ + yⱼ)), for xⱼ, yⱼ ≥ 0, with 0 for 0/0.
///
/// **Parameters** γ `gamma` > 0, default 1, log.
///
/// **Properties** positive definite on [0, ∞)ᵈ, since (s − t)²/(s + t) = s + t − 4st/(s + t) is of negative type; unit diagonal.
///
/// **Cost** d divisions and one exp per pair.
///
/// **Reference** Zhang, Marszałek, Lazebnik & Schmid (2007), "Local features and kernels for classification of texture and
/// object categories", IJCV 73, eq. 3.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("chi2(gamma=0.5)")?;
/// assert!((k.at(&[1.0, 0.0], &[3.0, 2.0])? - (-0.5 * (1.0 + 2.0f64)).exp()).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Chi2 {
    /// γ.
    pub gamma: f64,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "chi2",
    aliases: &[],
    summary: "exponential of the χ² distance of histograms",
    definition: "exp(−gamma·Σⱼ (xⱼ − yⱼ)²/(xⱼ + yⱼ)), x, y ≥ 0",
    domain: Domain::NonNegative,
    property: Property::positive(ProofRule::Schoenberg, "ψ = gamma·Σⱼ (xⱼ + yⱼ − 4·xⱼ·yⱼ/(xⱼ + yⱼ))")
        .with_powers(Powers::All("log k = −gamma·Σⱼ (xⱼ − yⱼ)²/(xⱼ + yⱼ)")),
    settings: &[SettingSpec {
        name: "gamma",
        summary: "how fast it decays",
        kind: SettingKind::Positive { default: Default::Number(1.0), per_column: false },
        aliases: &[],
    }],
};

/// Σⱼ (xⱼ − yⱼ)²/(xⱼ + yⱼ), without a square that could be too large.
#[inline(always)]
fn distance(x: &[f64], y: &[f64]) -> f64 {
    let one = |s: f64, t: f64| if s == t { 0.0 } else { (s - t) * ((s - t) / (s + t)) };
    x.iter().zip(y).map(|(s, t)| one(*s, *t)).sum()
}

impl Kernel<[f64]> for Chi2 {
    #[inline(always)]
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        exp(-self.gamma * distance(x, y))
    }
}

impl KernelGrad<[f64]> for Chi2 {
    fn n_params(&self) -> usize {
        1
    }

    fn grad(&self, x: &[f64], y: &[f64], out: &mut [f64]) {
        let distance = distance(x, y);
        out[0] = -distance * exp(-self.gamma * distance);
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    fn definition(x: &[f64], y: &[f64]) -> f64 {
        let one = |j: usize| (x[j] - y[j]).powi(2) / (x[j] + y[j]);
        (-0.7 * (0..3).filter(|j| x[*j] + y[*j] > 0.0).map(one).sum::<f64>()).exp()
    }

    #[test]
    fn laws_hold() {
        laws::non_negative_kernel("chi2(gamma=0.7)", definition, tol::GRAM_R2);
    }
}
