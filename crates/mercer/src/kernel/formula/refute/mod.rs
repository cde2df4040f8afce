//! Counterexamples of formulas, at points on curves.
//!
//! Along a curve every column is a function of one number t, and the formula is an expression in
//! two of them; where that is refuted, so is the formula. A column that no part names is 0 or, if
//! no part names any, the only one. A rule that is not resolved yet is no number: a counterexample
//! counts only when it is one whatever number the rule finds (see `rules`).

mod curve;
mod path;
mod place;
mod rules;

use std::cell::Cell;

use crate::kernel::property::{Counterexample, Fault, Verdict};
use crate::kernel::{KernelExpr, ScalarDomain, ScalarExpr};

use super::ast::Ast;
use super::lower::Lowering;
use curve::Curve;
use path::{Path, paths};
pub use place::Place;
use rules::Rules;

/// How many values are computed along each curve but the first.
const PATIENCE: usize = 1000;

/// What the search along curves has found.
pub(crate) enum Refutation {
    /// A counterexample: the verdict, what the formula is along the curve, and where that lies.
    Found(Box<(Verdict, ScalarExpr, Place)>),
    /// None. The rules that are not resolved yet, and whether reading them as 1 gives one.
    Nothing { rules: Vec<String>, at_one: bool },
}

/// Looks for points at which a formula is no kernel.
pub(super) fn refute(lowering: &Lowering<'_>, tree: &Ast) -> Refutation {
    let Some(parts) = Parts::of(lowering, tree) else {
        return Refutation::Nothing { rules: Vec::new(), at_one: false };
    };
    let mut at_one = false;
    let mut seen = Vec::new();
    for path in paths(&parts) {
        if (lowering.stop)() {
            break;
        }
        let patience = if seen.is_empty() { usize::MAX } else { PATIENCE };
        let curve = Curve::new(lowering, &parts, &path, patience);
        // The same function of t has the same counterexamples.
        let function = (curve.text(tree, &Rules::Unit, ("x", "y")), curve.scaled_columns().is_some());
        if seen.contains(&function) {
            continue;
        }
        seen.push(function);
        if let Some(found) = along(&curve, tree, &mut at_one) {
            return Refutation::Found(Box::new(found));
        }
    }
    Refutation::Nothing { rules: parts.rules(), at_one }
}

/// A counterexample along one curve.
fn along(curve: &Curve<'_>, tree: &Ast, at_one: &mut bool) -> Option<(Verdict, ScalarExpr, Place)> {
    let (expr, domain) = curve.expression(tree, &Rules::Unit)?;
    let scaled = curve.scaled_columns();
    let found = |verdict, universal| Some((verdict, expr.clone(), curve.place(universal)));
    if scaled.is_some() {
        return found(verdict(curve, search(curve, &expr, domain)?)?, false);
    }
    let here = search(curve, &expr, domain);
    *at_one |= here.as_ref().is_some_and(|c| matches!(c.fault, Fault::Negative { .. }));
    let largest = curve.expression(tree, &Rules::Largest).and_then(|(e, domain)| search(curve, &e, domain));
    for candidate in [here, largest].into_iter().flatten() {
        // On the diagonal no rule matters.
        let one = candidate.points.len() == 1;
        match &candidate.fault {
            Fault::Negative { .. } if one || curve.always_negative(tree, &candidate) => {
                let shown = expr.negative_at(&candidate.points, &candidate.vector)?;
                return found(Verdict::Refuted(shown), true);
            }
            Fault::Undefined { .. } if one => return found(verdict(curve, candidate)?, true),
            _ => {}
        }
    }
    None
}

/// A counterexample of an expression; of a normalised kernel at points where its quotient has a value.
fn search(curve: &Curve<'_>, expr: &ScalarExpr, domain: ScalarDomain) -> Option<Counterexample> {
    let left = Cell::new(curve.patience);
    let stop = || {
        left.set(left.get().saturating_sub(1));
        left.get() == 0 || (curve.lowering.stop)()
    };
    let found = expr.refute_until(domain, &stop)?;
    match domain == ScalarDomain::Real && is_zero_by_definition(curve, &found) {
        true => expr.refute_until(ScalarDomain::Positive, &stop),
        false => Some(found),
    }
}

/// Whether the formula may be 0 where its expression divides by 0: a normalised kernel is, at points
/// where the inner kernel is.
fn is_zero_by_definition(curve: &Curve<'_>, found: &Counterexample) -> bool {
    curve.is_normalized() && matches!(&found.fault, Fault::Undefined { problem } if problem == "a division by 0")
}

/// What a counterexample along a curve says of the formula.
fn verdict(curve: &Curve<'_>, found: Counterexample) -> Option<Verdict> {
    match found.fault {
        Fault::Negative { .. } => Some(Verdict::Refuted(found)),
        Fault::Undefined { .. } if !is_zero_by_definition(curve, &found) => Some(Verdict::Undefined(found)),
        Fault::Undefined { .. } | Fault::Asymmetric { .. } => None,
    }
}

/// The kernels that a formula is made of, as far as a search needs to know them.
pub(super) struct Parts {
    kernels: Vec<KernelExpr>,
    /// The numeric columns that some part names, sorted; `*` stands for all where none is named.
    columns: Vec<String>,
    /// Whether only curves along which all columns agree make sense: a list of length scales for
    /// columns without names.
    uniform: bool,
}

impl Parts {
    /// `None` where some part has no values on a curve.
    fn of(lowering: &Lowering<'_>, tree: &Ast) -> Option<Self> {
        let mut parts = Parts { kernels: Vec::new(), columns: Vec::new(), uniform: false };
        let mut kernels = Vec::new();
        super::collect_kernels(lowering, tree, &mut kernels).ok()?;
        parts.kernels = kernels.into_iter().map(|(_, kernel)| kernel).collect();
        let mut length = None;
        for kernel in &parts.kernels {
            let (columns, count) = path::read(kernel)?;
            parts.columns.extend(columns.iter().cloned());
            if let (true, Some(count)) = (columns.is_empty(), count) {
                // Two lists of different lengths fit no data.
                if length.is_some_and(|n| n != count) {
                    return None;
                }
                length = Some(count);
            }
        }
        parts.columns.sort();
        parts.columns.dedup();
        if let Some(count) = length {
            parts.uniform = true;
            let named = parts.columns.len();
            parts.columns.extend((named..count).map(|i| format!("*{i}")));
            (parts.columns.len() == count).then_some(())?;
        }
        if parts.columns.is_empty() {
            parts.columns.push("*".into());
        }
        Some(parts)
    }

    /// The kernels whose rules are not resolved yet, as they print.
    fn rules(&self) -> Vec<String> {
        let mut rules: Vec<String> =
            self.kernels.iter().filter(|k| rules::has_rule(k)).map(ToString::to_string).collect();
        rules.sort();
        rules.dedup();
        rules
    }
}

/// Where an expression has values, as far as every part agrees.
#[derive(Clone, Copy, PartialEq)]
struct Needs {
    domain: ScalarDomain,
}

impl Needs {
    fn and(self, other: ScalarDomain) -> Option<Self> {
        let domain = match (self.domain, other) {
            (a, b) if a == b => a,
            (ScalarDomain::Real, other) | (other, ScalarDomain::Real) => other,
            _ => return None,
        };
        Some(Needs { domain })
    }
}
