//! The Laplace kernel of the middles of intervals, which are computed once.

use crate::data::interval::{Interval, TYPE};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Default, Domain, KernelSpec, SettingKind, SettingSpec};
use crate::kernel::{Kernel, KernelGrad, PreparePoint};

/// k(x, y) = exp(−|m(x) − m(y)|/scale), m the middle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Middles {
    /// Distance over which it decays.
    pub(crate) scale: f64,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "middles",
    aliases: &[],
    summary: "Laplace of the distance of the middles",
    definition: "exp(−|m(x) − m(y)|/scale)",
    domain: Domain::Structured(&TYPE),
    property: Property::positive(ProofRule::FeatureMap, "a Laplace kernel of m(x)"),
    settings: &[SettingSpec {
        name: "scale",
        summary: "distance over which it decays",
        kind: SettingKind::Positive { default: Default::Number(1.0), per_column: false },
        aliases: &[],
    }],
};

impl Kernel<f64> for Middles {
    fn eval(&self, x: &f64, y: &f64) -> f64 {
        (-(x - y).abs() / self.scale).exp()
    }
}

impl KernelGrad<f64> for Middles {
    fn n_params(&self) -> usize {
        1
    }

    fn grad(&self, x: &f64, y: &f64, out: &mut [f64]) {
        out[0] = self.eval(x, y) * (x - y).abs() / (self.scale * self.scale);
    }
}

impl PreparePoint<Interval> for Middles {
    type Prepared = f64;

    fn prepare(&self, x: &Interval) -> f64 {
        0.5 * (x.low + x.high)
    }
}

#[test]
fn laws_hold() {
    let (x, values) = super::points();
    let middle = |i: usize| 0.5 * (values[i].low + values[i].high);
    let definition = |i: usize, j: usize| (-(middle(i) - middle(j)).abs() / 2.0).exp();
    crate::testkit::laws::kernel("middles(scale=2)", &x, definition, crate::testkit::tol::round(1));
}
