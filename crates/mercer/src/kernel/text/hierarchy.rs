//! The hierarchy kernel.

use crate::kernel::property::{ProofRule, Property};
use crate::kernel::spec::{Domain, KernelSpec, SettingKind, SettingSpec};
use crate::kernel::{Features, Kernel, Leaf, Setting};

/// The hierarchy kernel of paths such as `animal/bird/penguin`: how many levels two places have in common, from the root.
///
/// **Definition** k(x, y) = the number of levels of the longest common beginning of the paths x and y.
///
/// **Parameters** `separator` between levels: `slash` (default), `dot`, `arrow` (`>`) or `colon`. White space around a level is left
/// out. Several columns add up.
///
/// **Properties** positive definite (φ(x) marks every beginning of x); k(x, x) is the depth of x. Use `normalize(hierarchy(…))` for paths
/// of different depth.
///
/// **Cost** per pair, the depth of the shorter path.
///
/// **Reference** Shawe-Taylor & Cristianini (2004), *Kernel Methods for Pattern Analysis*, §9.3, on a tree of prefixes.
///
/// ```
/// # use mercer::kernel::{Kernel, text::Hierarchy};
/// assert_eq!(Hierarchy { separator: '/' }.eval("animal/bird/penguin", "animal/bird/owl"), 2.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hierarchy {
    /// What stands between levels.
    pub separator: char,
}

pub(crate) const SPEC: KernelSpec = KernelSpec {
    name: "hierarchy",
    aliases: &["hierarchical"],
    summary: "levels that two paths share, from the root",
    definition: "Σ_d [the first d levels of x and y are the same]",
    domain: Domain::TEXT,
    property: Property::positive(ProofRule::FeatureMap, "φ(x) marks every beginning of x"),
    settings: &[SettingSpec {
        name: "separator",
        summary: "what stands between levels",
        kind: SettingKind::Choice { options: &["slash", "dot", "arrow", "colon"] },
        aliases: &[],
    }],
};

impl Hierarchy {
    /// The kernel that a leaf of a formula describes.
    pub(crate) fn of(leaf: &Leaf) -> Self {
        let separator = match leaf.setting("separator") {
            Some(Setting::Choice("dot")) => '.',
            Some(Setting::Choice("arrow")) => '>',
            Some(Setting::Choice("colon")) => ':',
            _ => '/',
        };
        Hierarchy { separator }
    }

    /// The levels of a path, from the root. The empty path has none.
    fn levels(self, path: &str) -> impl Iterator<Item = &str> {
        let some = (!path.trim().is_empty()).then(|| path.split(self.separator).map(str::trim));
        some.into_iter().flatten()
    }
}

impl Features<str> for Hierarchy {
    fn each_feature(&self, path: &str, mut visit: impl FnMut(&[u8], f64)) {
        let mut beginning = Vec::new();
        for level in self.levels(path) {
            beginning.extend_from_slice(level.as_bytes());
            visit(&beginning, 1.0);
            // 255 is in no UTF-8, so that no level holds what stands between levels.
            beginning.push(255);
        }
    }
}

impl Kernel<str> for Hierarchy {
    fn eval(&self, x: &str, y: &str) -> f64 {
        self.levels(x).zip(self.levels(y)).take_while(|(a, b)| a == b).count() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Inputs, Table, Texts};
    use crate::testkit::{laws, tol};

    #[test]
    fn laws_hold() {
        let paths = ["", "a", "a/b", "a / b/c", "a/b/d", "b/a", "/a", "a//b", "a/b/c", "ä/b", "ab", "a>b/c"];
        let column = Texts::from_values(paths.iter().map(Some)).into();
        let x: Inputs = Table::new(vec![("path".into(), column)]).expect("one column").into();
        let slash = |i: usize, j: usize| Hierarchy { separator: '/' }.eval(paths[i], paths[j]);
        laws::kernel("hierarchy(path)", &x, slash, tol::EXACT);
        let arrow = |i: usize, j: usize| Hierarchy { separator: '>' }.eval(paths[i], paths[j]);
        laws::kernel("hierarchy(path, separator=arrow)", &x, arrow, tol::EXACT);
    }
}
