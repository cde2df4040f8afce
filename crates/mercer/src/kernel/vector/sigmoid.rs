//! The sigmoid "kernel".

use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{Property, Standing};
use crate::kernel::spec::{Default, Domain, KernelSpec, SettingKind, SettingSpec};

/// The sigmoid similarity, called a kernel by habit.
///
/// **Definition** k(x, y) = tanh(γ⟨x, y⟩ + c).
///
/// **Parameters** γ `gamma` > 0, default 1, log; c `coef0`, default 0, identity.
///
/// **Properties** not positive definite for any γ and c: known by name so that it can be refused or
/// repaired with open eyes.
///
/// **Cost** one inner product and one tanh per pair.
///
/// **Reference** Lin & Lin (2003), *A study on sigmoid kernels for SVM and the training of non-PSD
/// kernels by SMO-type methods*.
///
/// ```
/// # use mercer::kernel::KernelExpr;
/// let k = KernelExpr::parse("sigmoid(gamma=0.5, coef0=-1)")?;
/// assert_eq!(k.at(&[1.0, 2.0], &[3.0, 4.0])?, 4.5f64.tanh());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Sigmoid {
    /// γ.
    pub gamma: f64,
    /// c.
    pub coef0: f64,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "sigmoid",
    aliases: &["tanh_kernel"],
    summary: "hyperbolic tangent of the inner product; not positive definite",
    definition: "tanh(gamma·⟨x, y⟩ + coef0)",
    domain: Domain::Number,
    property: Property::unproved(Standing::Indefinite, "the power series of tanh has coefficients of both signs"),
    settings: &[
        SettingSpec {
            name: "gamma",
            summary: "factor of the inner product",
            kind: SettingKind::Positive { default: Default::Number(1.0), per_column: false },
            aliases: &[],
        },
        SettingSpec {
            name: "coef0",
            summary: "constant added to it",
            kind: SettingKind::Real { default: 0.0 },
            aliases: &[],
        },
    ],
};

impl Sigmoid {
    /// 1 − tanh².
    fn steepness(&self, at: Pair) -> f64 {
        let t = self.value(at);
        (1.0 - t) * (1.0 + t)
    }
}

impl Profile for Sigmoid {
    const STATISTIC: Statistic = Statistic::Dot;

    #[inline(always)]
    fn value(&self, at: Pair) -> f64 {
        self.gamma.mul_add(at.s, self.coef0).tanh()
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        self.gamma * self.steepness(at)
    }

    fn shape_len(&self) -> usize {
        2
    }

    fn shape_grad(&self, at: Pair, out: &mut [f64]) {
        let steepness = self.steepness(at);
        out[0] = steepness * at.s;
        out[1] = steepness;
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    #[test]
    fn laws_hold() {
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
        laws::vector_kernel("sigmoid(gamma=0.3, coef0=-0.5)", |x, y| (0.3 * dot(x, y) - 0.5).tanh(), tol::GRAM_R2);
    }
}
