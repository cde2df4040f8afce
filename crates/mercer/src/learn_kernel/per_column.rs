//! One length scale for each column.

use crate::data::{Column, Inputs};
use crate::kernel::{Columns, Domain, KernelExpr, Leaf, Setting, SettingKind};

/// The kernel with a length scale for each column wherever it has one for all, and more than one
/// column is read: the same kernel, with more to tune.
pub fn per_column(kernel: &KernelExpr, x: &Inputs) -> KernelExpr {
    let all = |parts: &[KernelExpr]| parts.iter().map(|part| per_column(part, x)).collect();
    let inside = |inner: &KernelExpr| Box::new(per_column(inner, x));
    match kernel {
        KernelExpr::Leaf(leaf) => KernelExpr::Leaf(spread(leaf, x)),
        KernelExpr::Scale { factor, inner } => KernelExpr::Scale { factor: factor.clone(), inner: inside(inner) },
        KernelExpr::Sum(terms) => KernelExpr::Sum(all(terms)),
        KernelExpr::Product(factors) => KernelExpr::Product(all(factors)),
        KernelExpr::Power { base, exponent } => KernelExpr::Power { base: inside(base), exponent: *exponent },
        KernelExpr::Exp(inner) => KernelExpr::Exp(inside(inner)),
        KernelExpr::Normalize(inner) => KernelExpr::Normalize(inside(inner)),
        other => other.clone(),
    }
}

fn spread(leaf: &Leaf, x: &Inputs) -> Leaf {
    let takes_many = leaf
        .spec()
        .settings
        .iter()
        .any(|s| s.name == "length_scale" && matches!(s.kind, SettingKind::Positive { per_column: true, .. }));
    let Some(Setting::One(scale)) = leaf.setting("length_scale").filter(|_| takes_many) else { return leaf.clone() };
    let columns = count(leaf, x);
    let mut spread = leaf.clone();
    let scales = Setting::Many(vec![scale.clone(); columns]);
    // A list that the kernel refuses leaves it as it was.
    if columns < 2 || !scale.free || spread.set("length_scale", scales).is_err() {
        return leaf.clone();
    }
    spread
}

/// How many columns the leaf reads.
fn count(leaf: &Leaf, x: &Inputs) -> usize {
    match (leaf.columns(), x) {
        (Columns::Named(names), _) => names.len(),
        (Columns::All, Inputs::Dense(rows)) => rows.ncols(),
        (Columns::All, Inputs::Table(table)) if matches!(leaf.spec().domain, Domain::Number | Domain::NonNegative) => {
            table.iter().filter(|(_, column)| matches!(column, Column::Number(_))).count()
        }
        _ => 0,
    }
}
