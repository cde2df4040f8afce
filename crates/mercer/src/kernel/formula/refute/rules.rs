//! Counterexamples that hold whatever number a rule finds in the data.
//!
//! Two arguments are made. *Scale*: where every kernel that reads a moving column has its length
//! scale by the same rule, points in units of that length give the same matrix for every length.
//! *Bounds*: a kernel such as `rbf` is 1 at equal points and between 0 and 1 elsewhere, whatever its
//! length scale; where the formula is affine in each such kernel, aᵀKa is largest at one of the ends.

use crate::kernel::formula::ast::{Ast, Factor, Node};
use crate::kernel::formula::form::canonical;
use crate::kernel::leaf::Setting;
use crate::kernel::property::{Counterexample, Powers, Rational};
use crate::kernel::{KernelExpr, Kind, Leaf, ScalarExpr};

use super::curve::Curve;

/// The most kernels with a rule whose ends are tried in all combinations.
const MAX_ENDS: usize = 2;

/// How kernels are read whose rule is not resolved yet.
pub(super) enum Rules {
    /// With a length scale of 1.
    Unit,
    /// As 1 everywhere: as if the length scale were infinite.
    Largest,
    /// As one of these values, by their text.
    Ends(Vec<(String, &'static str)>),
}

/// Whether some parameter is a rule.
pub(super) fn has_rule(kernel: &KernelExpr) -> bool {
    matches!(kernel, KernelExpr::Leaf(_)) && !kernel.is_resolved()
}

impl Rules {
    /// The value that stands for a kernel with a rule; nothing where the kernel itself does.
    pub(super) fn value(&self, leaf: &Leaf) -> Option<&'static str> {
        let kernel = KernelExpr::Leaf(leaf.clone());
        if !has_rule(&kernel) || !is_bounded(leaf) {
            return None;
        }
        match self {
            Rules::Unit => None,
            Rules::Largest => Some("1"),
            Rules::Ends(values) => {
                let text = canonical(&kernel).to_string();
                values.iter().find(|(name, _)| *name == text).map(|(_, value)| *value)
            }
        }
    }
}

/// Whether k(x, x) = 1 and 0 ≤ k ≤ 1, whatever the length scale.
fn is_bounded(leaf: &Leaf) -> bool {
    matches!(leaf.spec().property.powers, Powers::All(_)) && leaf.kind() != Kind::Exponential
}

impl Curve<'_> {
    /// The columns that are measured in units of a length that a rule finds, if the matrix along the
    /// curve is the same for every such length.
    pub(super) fn scaled_columns(&self) -> Option<Vec<String>> {
        let mut scaled = Vec::new();
        for (column, along) in &self.path.columns {
            if !along.moves() {
                continue;
            }
            let readers: Vec<&KernelExpr> = self.parts.kernels.iter().filter(|k| self.reads(k, column)).collect();
            if !readers.iter().any(|k| has_rule(k)) {
                continue;
            }
            let first = unit(readers[0])?;
            if !readers.iter().all(|k| unit(k).as_ref() == Some(&first)) {
                return None;
            }
            scaled.push(column.clone());
        }
        Some(scaled)
    }

    /// Whether aᵀKa < 0 at these points, whatever numbers the rules find.
    pub(super) fn always_negative(&self, tree: &Ast, found: &Counterexample) -> bool {
        let bound = self.upper_bound(tree, found).and_then(|text| ScalarExpr::parse(&text).ok());
        bound.is_some_and(|bound| bound.negative_at(&[Rational::ZERO], &[Rational::ONE]).is_some())
    }

    /// An expression without x and y that is not less than aᵀKa.
    fn upper_bound(&self, tree: &Ast, found: &Counterexample) -> Option<String> {
        let mut names = Vec::new();
        for kernel in self.parts.kernels.iter().filter(|k| has_rule(k)) {
            let KernelExpr::Leaf(leaf) = kernel else { return None };
            is_bounded(leaf).then_some(())?;
            names.push(canonical(kernel).to_string());
        }
        names.sort();
        names.dedup();
        let affine = names.iter().all(|name| self.degree(tree, name).is_some_and(|d| d <= 1));
        (affine && names.len() <= MAX_ENDS).then_some(())?;
        let mut terms = Vec::new();
        let pairs = found.points.iter().zip(&found.vector);
        for (i, (x, a)) in pairs.clone().enumerate() {
            for (j, (y, b)) in pairs.clone().enumerate().skip(i) {
                let weight = a.times(*b)?.times(Rational::whole(if i == j { 1 } else { 2 }))?;
                let ends = if i == j { vec![vec!["1"; names.len()]] } else { combinations(names.len()) };
                let function = if weight > Rational::ZERO { "max" } else { "min" };
                let mut values = ends.into_iter().map(|end| {
                    let rules = Rules::Ends(names.iter().cloned().zip(end).collect());
                    self.text(tree, &rules, (&format!("({x})"), &format!("({y})")))
                });
                let first = values.next()??;
                let value = values.try_fold(first, |most, value| Some(format!("{function}({most},{})", value?)))?;
                terms.push(format!("({weight})*({value})"));
            }
        }
        Some(terms.join("+"))
    }

    /// The degree of the formula in one of its kernels; nothing where it is not a polynomial.
    fn degree(&self, ast: &Ast, name: &str) -> Option<u32> {
        let constant = |inner: &Ast| self.degree(inner, name).filter(|d| *d == 0);
        match &ast.node {
            Node::Sum(terms) => terms.iter().try_fold(0, |most, (_, term)| Some(most.max(self.degree(term, name)?))),
            Node::Product(factors) => factors.iter().try_fold(0, |sum, (operator, factor)| match operator {
                Factor::Times => Some(sum + self.degree(factor, name)?),
                Factor::Over => Some(sum + constant(factor)?),
            }),
            Node::Power(base, _) => constant(base),
            Node::Negative(inner) => self.degree(inner, name),
            Node::Weight(_) => Some(0),
            Node::Name { .. } => match ast.inner_of_function() {
                Some(inner) => constant(inner),
                None => Some(u32::from(canonical(&self.lowering.named(ast).ok()?).to_string() == name)),
            },
        }
    }
}

/// The length that a kernel's only rule measures distances in: columns and kind of distance.
fn unit(kernel: &KernelExpr) -> Option<(String, bool)> {
    let KernelExpr::Leaf(leaf) = kernel else { return None };
    let by_rule = matches!(leaf.setting("length_scale"), Some(Setting::One(p)) if p.number().is_none());
    // The period of `periodic` is a length, too.
    if !by_rule || leaf.kind() == Kind::Periodic {
        return None;
    }
    let mut columns = match leaf.columns() {
        crate::kernel::Columns::All => vec!["*".to_owned()],
        crate::kernel::Columns::Named(names) => names.clone(),
    };
    columns.sort();
    Some((columns.join("\n"), leaf.kind() == Kind::LaplaceL1))
}

/// All lists of n ends.
fn combinations(n: usize) -> Vec<Vec<&'static str>> {
    (0..n).fold(vec![Vec::new()], |lists, _| {
        lists.iter().flat_map(|list| ["0", "1"].map(|end| [list.as_slice(), &[end]].concat())).collect()
    })
}
