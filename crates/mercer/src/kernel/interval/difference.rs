//! A kernel of the symmetric difference of intervals, pair by pair.

use crate::data::interval::{Interval, TYPE};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Default, Domain, KernelSpec, SettingKind, SettingSpec};
use crate::kernel::{Kernel, KernelGrad};

/// k(x, y) = exp(−rate·|x Δ y|), |x Δ y| the length of what is in one of the two alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SymmetricDifference {
    /// How fast it decays.
    pub(crate) rate: f64,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "symmetric_difference",
    aliases: &[],
    summary: "exponential of what one interval alone covers",
    definition: "exp(−rate·|x Δ y|)",
    domain: Domain::Structured(&TYPE),
    property: Property::positive(ProofRule::FeatureMap, "|x Δ y| is a squared distance of indicators"),
    settings: &[SettingSpec {
        name: "rate",
        summary: "how fast it decays",
        kind: SettingKind::Positive { default: Default::Number(1.0), per_column: false },
        aliases: &[],
    }],
};

fn difference(x: &Interval, y: &Interval) -> f64 {
    x.length() + y.length() - 2.0 * x.overlap(y)
}

impl Kernel<Interval> for SymmetricDifference {
    fn eval(&self, x: &Interval, y: &Interval) -> f64 {
        (-self.rate * difference(x, y)).exp()
    }
}

impl KernelGrad<Interval> for SymmetricDifference {
    fn n_params(&self) -> usize {
        1
    }

    fn grad(&self, x: &Interval, y: &Interval, out: &mut [f64]) {
        out[0] = -difference(x, y) * self.eval(x, y);
    }
}

#[test]
fn laws_hold() {
    let (x, values) = super::points();
    let covered = |v: &Interval, at: f64| v.low < at && at < v.high;
    // All ends are multiples of 1/4, so midpoints of quarters measure exactly.
    let quarters = || (-40..40).map(|q| 0.25 * f64::from(q) + 0.125);
    let definition = |i: usize, j: usize| {
        let apart = quarters().filter(|at| covered(&values[i], *at) != covered(&values[j], *at)).count();
        (-0.3 * 0.25 * apart as f64).exp()
    };
    crate::testkit::laws::kernel("symmetric_difference(rate=0.3)", &x, definition, crate::testkit::tol::round(4));
}
