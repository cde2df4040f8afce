//! The ordinal kernel.

use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, SettingKind, SettingSpec};
use crate::kernel::{Kernel, KernelGrad};

/// The ordinal kernel of categories whose levels have an order: the share of the borders between levels that do not part two records.
///
/// **Definition** k(x, y) = (1/d) Σⱼ (1 − |r(xⱼ) − r(yⱼ)|/(L − 1)), r the rank of a level among the L levels in their order, from 0; with one
/// level, 1.
///
/// **Parameters** `levels`, least first: `levels="small<medium<large"`, or `levels=["<5", "5 to 10", ">10"]` where a level has a `<` in it. All chosen
/// columns have the same levels. Where none are given (`levels=data`), they are those of a column that says that it is in order, such as
/// an ordered categorical of pandas or an enumeration of polars.
///
/// **Properties** positive definite: between L levels are L − 1 borders, of which |r(x) − r(y)| part x from y, so that the kernel is the mean over
/// borders t and columns of [[r(x) ≥ t] = [r(y) ≥ t]], each a delta kernel of one bit. Unit diagonal; 0 for the least and the greatest level. Use
/// `exp` or powers for likeness that falls faster.
///
/// **Cost** d differences per pair.
///
/// **Reference** Shawe-Taylor & Cristianini (2004), *Kernel Methods for Pattern Analysis*, §9.1, on the bits of a thermometer code.
///
/// ```
/// # use mercer::kernel::{Kernel, Ordinal};
/// let sizes = Ordinal { levels: 5 };
/// assert_eq!(sizes.eval(&[0], &[1]), 0.75);
/// assert_eq!(sizes.eval(&[0], &[4]), 0.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ordinal {
    /// L, the number of levels.
    pub levels: u32,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "ordinal",
    aliases: &[],
    summary: "how near two levels stand in their order",
    definition: "(1/d)·Σⱼ (1 − |rank(xⱼ) − rank(yⱼ)|/(L − 1)) of L levels",
    domain: Domain::Category,
    property: Property::positive(
        ProofRule::Sum,
        "the mean over columns and the borders between levels of the delta kernel of the side on which a level stands",
    ),
    settings: &[SettingSpec {
        name: LEVELS,
        summary: "the levels in their order, least first",
        kind: SettingKind::Words { separator: '<', fault, example: "\"small<medium<large\"" },
        aliases: &[],
    }],
};

/// The parameter that holds the levels.
pub(crate) const LEVELS: &str = "levels";

/// What is wrong with a list of levels: there is none, or one of them stands twice.
fn fault(levels: &[String]) -> Option<String> {
    let mut seen = std::collections::HashSet::new();
    match levels.iter().find(|level| !seen.insert(level.as_str())) {
        Some(twice) => Some(format!("`{twice}` twice")),
        None if levels.is_empty() => Some("no levels".into()),
        None if levels == [""] => Some("no levels".into()),
        None => None,
    }
}

impl Kernel<[u32]> for Ordinal {
    #[inline(always)]
    fn eval(&self, x: &[u32], y: &[u32]) -> f64 {
        let borders = u64::from(self.levels.max(2) - 1) * x.len() as u64;
        let crossed: u64 = x.iter().zip(y).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        (borders - crossed.min(borders)) as f64 / borders as f64
    }
}

impl KernelGrad<[u32]> for Ordinal {
    fn n_params(&self) -> usize {
        0
    }

    fn grad(&self, _: &[u32], _: &[u32], _: &mut [f64]) {}
}

#[cfg(test)]
mod tests {
    use crate::testkit::{laws, tol};

    /// The definition, and the proof: how many borders have both levels on one side.
    fn by_borders(order: &[&str], x: &[&str], y: &[&str]) -> (f64, f64) {
        let rank = |level: &str| order.iter().position(|l| *l == level).expect("a level");
        let last = order.len() - 1;
        let distance = |a: &str, b: &str| rank(a).abs_diff(rank(b)) as f64 / last as f64;
        let defined = x.iter().zip(y).map(|(a, b)| 1.0 - distance(a, b)).sum::<f64>() / x.len() as f64;
        let sides = |a: &str, b: &str| (1..=last).filter(|t| (rank(a) >= *t) == (rank(b) >= *t)).count();
        let shared: usize = x.iter().zip(y).map(|(a, b)| sides(a, b)).sum();
        (defined, shared as f64 / (last * x.len()) as f64)
    }

    #[test]
    fn laws_hold() {
        let order = ["south", "b", "a", "north", "c", "none"];
        let definition = |x: &[&str], y: &[&str]| {
            let (defined, borders) = by_borders(&order, x, y);
            assert!((defined - borders).abs() <= tol::round(4), "{defined} and {borders}");
            defined
        };
        laws::category_kernel("ordinal(levels=\"south < b < a < north < c < none\")", definition, tol::round(4));
    }

    #[test]
    fn one_level_is_like_itself() {
        use crate::kernel::{Kernel, Ordinal};
        assert_eq!(Ordinal { levels: 1 }.eval(&[0, 0], &[0, 0]), 1.0);
    }
}
