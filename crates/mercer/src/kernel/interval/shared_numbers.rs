//! Whole numbers that two intervals share.

use crate::data::interval::{Interval, TYPE};
use crate::kernel::Features;
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec};

/// k(x, y) = the number of whole numbers in both x and y.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedNumbers;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "shared_numbers",
    aliases: &[],
    summary: "whole numbers in both intervals",
    definition: "Σ_i [i ∈ x]·[i ∈ y] over whole numbers i",
    domain: Domain::Structured(&TYPE),
    property: Property::positive(ProofRule::FeatureMap, "φ(x) marks the whole numbers of x"),
    settings: &[],
};

impl Features<Interval> for SharedNumbers {
    fn each_feature(&self, x: &Interval, mut visit: impl FnMut(&[u8], f64)) {
        for i in x.low.ceil() as i64..=x.high.floor() as i64 {
            visit(&i.to_le_bytes(), 1.0);
        }
    }
}

#[test]
fn laws_hold() {
    let (x, values) = super::points();
    let holds = |v: &Interval, i: i64| v.low <= i as f64 && i as f64 <= v.high;
    let shared = |a: &Interval, b: &Interval| (-10..10).filter(|i| holds(a, *i) && holds(b, *i)).count() as f64;
    let definition = |i: usize, j: usize| shared(&values[i], &values[j]);
    crate::testkit::laws::kernel("shared_numbers", &x, definition, crate::testkit::tol::EXACT);
}
