//! The intersection kernel of sets.

use crate::data::{SET, Set};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec};
use crate::kernel::{Features, Kernel};

/// How many elements two sets share.
///
/// **Definition** k(A, B) = |A ∩ B|, with elements that repeat Σ over elements e of min(a(e), b(e)), a(e) how often A has e.
///
/// **Parameters** none. Several set columns add up.
///
/// **Properties** positive definite: with one axis for each element and each t ≥ 1, φ(A) is 1 where a(e) ≥ t, and
/// min(a, b) = Σ_t [a ≥ t]·[b ≥ t]. Two sets without a common element have 0; so has the empty set with any.
///
/// **Cost** per pair, the size of the smaller set.
///
/// **Reference** Shawe-Taylor & Cristianini (2004), *Kernel Methods for Pattern Analysis*, §9.4.
///
/// ```
/// # use mercer::{data::Set, kernel::{Kernel, set::Intersection}};
/// let (a, b) = (Set::from_iter(["red", "green", "red"]), Set::from_iter(["red", "red", "red", "blue"]));
/// assert_eq!(Intersection.eval(&a, &b), 2.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Intersection;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "intersection",
    aliases: &[],
    summary: "how many elements two sets share",
    definition: "|x ∩ y|",
    domain: Domain::Structured(&SET),
    property: Property::positive(ProofRule::FeatureMap, "φ(x) marks the elements of x, each as often as x has it"),
    settings: &[],
};

impl Features<Set> for Intersection {
    fn each_feature(&self, x: &Set, mut visit: impl FnMut(&[u8], f64)) {
        let mut name = Vec::new();
        for (element, count) in x.iter() {
            name.clear();
            name.extend_from_slice(element.as_bytes());
            for t in 0..count {
                // No element ends like this: 255 is in no UTF-8.
                name.truncate(element.len());
                name.push(255);
                name.extend_from_slice(&t.to_le_bytes());
                visit(&name, 1.0);
            }
        }
    }
}

impl Kernel<Set> for Intersection {
    fn eval(&self, x: &Set, y: &Set) -> f64 {
        x.iter().map(|(element, count)| f64::from(count.min(y.count(element)))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{laws, tol};

    #[test]
    fn laws_hold() {
        let (x, values) = super::super::points();
        let definition = |i: usize, j: usize| Intersection.eval(&values[i], &values[j]);
        laws::kernel("intersection(tags)", &x, definition, tol::EXACT);
    }
}
