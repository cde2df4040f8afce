//! The Jaccard kernel of sets.

use crate::data::{SET, Set};
use crate::kernel::Kernel;
use crate::kernel::profile::{Pair, Profile, Statistic};
use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec};
use crate::kernel::vector::tanimoto::{share, share_slope};

use super::Intersection;

/// The share of the elements of either set that both have.
///
/// **Definition** k(A, B) = |A ∩ B|/|A ∪ B|, with elements that repeat Σ min(a(e), b(e))/Σ max(a(e), b(e)), a(e) how often A has e;
/// 1 when both sets are empty. Several set columns are taken as one, the elements of one column apart from those of another.
///
/// **Parameters** none.
///
/// **Properties** positive definite: with s = |A ∩ B| and t = s/(|A| + |B|) ≤ ½, a product of kernels, it is t/(1 − t) = Σ tⁿ; the
/// empty set is like nothing but itself. Unit diagonal.
///
/// **Cost** per pair, the size of the smaller set.
///
/// **Reference** Bouchard, Jousselme & Doré (2013), "A proof for the positive definiteness of the Jaccard index matrix", IJAR 54.
///
/// ```
/// # use mercer::{data::Set, kernel::{Kernel, set::Jaccard}};
/// let (a, b) = (Set::from_iter(["red", "green"]), Set::from_iter(["red", "blue"]));
/// assert_eq!(Jaccard.eval(&a, &b), 1.0 / 3.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Jaccard;

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "jaccard",
    aliases: &[],
    summary: "shared part of two sets",
    definition: "|x ∩ y|/|x ∪ y|",
    domain: Domain::Structured(&SET),
    property: Property::positive(
        ProofRule::PowerSeries,
        "t/(1 − t) = Σ tⁿ at t = |x ∩ y|/(|x| + |y|), where 1/(|x| + |y|) = ∫ e^(−u|x|)·e^(−u|y|) du",
    ),
    settings: &[],
};

/// As a function of |A ∩ B|, the inner product of features.
impl Profile for Jaccard {
    const STATISTIC: Statistic = Statistic::Dot;

    #[inline(always)]
    fn value(&self, at: Pair) -> f64 {
        share(at.s, at.xx + at.yy)
    }

    #[inline(always)]
    fn slope(&self, at: Pair) -> f64 {
        share_slope(at.s, at.xx + at.yy)
    }
}

impl Kernel<Set> for Jaccard {
    fn eval(&self, x: &Set, y: &Set) -> f64 {
        share(Intersection.eval(x, y), (x.len() + y.len()) as f64)
    }
}

#[cfg(test)]
mod tests {

    use crate::testkit::{laws, tol};

    #[test]
    fn laws_hold() {
        let (x, values) = super::super::points();
        let definition = |i: usize, j: usize| {
            let (a, b) = (&values[i], &values[j]);
            let names = || a.iter().chain(b.iter()).map(|(e, _)| e).collect::<std::collections::BTreeSet<_>>();
            let sum = |f: fn(u32, u32) -> u32| names().iter().map(|e| f(a.count(e), b.count(e))).sum::<u32>();
            let (least, most) = (sum(u32::min), sum(u32::max));
            if most == 0 { 1.0 } else { f64::from(least) / f64::from(most) }
        };
        laws::kernel("jaccard(tags)", &x, definition, tol::round(1));
    }
}
