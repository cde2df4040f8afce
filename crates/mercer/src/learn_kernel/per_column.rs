//! One length scale for each column.

use crate::data::Inputs;
use crate::kernel::{Columns, Domain, KernelExpr, Leaf, Setting, SettingKind};

/// The kernel with a length scale for each column wherever it has one for all, and more than one
/// column is read: the same kernel, with more to tune.
pub fn per_column(kernel: &KernelExpr, x: &Inputs) -> KernelExpr {
    let numbers = match x {
        Inputs::Dense(rows) => rows.ncols(),
        Inputs::Table(_) => kernel.columns_of(&Columns::All, Domain::Number, x).len(),
        _ => 0,
    };
    within(kernel, numbers)
}

/// The part of a kernel, where parts that name no columns read so many.
fn within(kernel: &KernelExpr, numbers: usize) -> KernelExpr {
    let all = |parts: &[KernelExpr]| parts.iter().map(|part| within(part, numbers)).collect();
    let inside = |inner: &KernelExpr| Box::new(within(inner, numbers));
    match kernel {
        KernelExpr::Leaf(leaf) => KernelExpr::Leaf(spread(leaf, numbers)),
        KernelExpr::Scale { factor, inner } => KernelExpr::Scale { factor: factor.clone(), inner: inside(inner) },
        KernelExpr::Sum(terms) => KernelExpr::Sum(all(terms)),
        KernelExpr::Product(factors) => KernelExpr::Product(all(factors)),
        KernelExpr::Power { base, exponent } => KernelExpr::Power { base: inside(base), exponent: *exponent },
        KernelExpr::Exp(inner) => KernelExpr::Exp(inside(inner)),
        KernelExpr::Normalize(inner) => KernelExpr::Normalize(inside(inner)),
        KernelExpr::WithGaps(inner) => KernelExpr::WithGaps(inside(inner)),
        other => other.clone(),
    }
}

fn spread(leaf: &Leaf, numbers: usize) -> Leaf {
    let takes_many = leaf
        .spec()
        .settings
        .iter()
        .any(|s| s.name == "length_scale" && matches!(s.kind, SettingKind::Positive { per_column: true, .. }));
    let Some(Setting::One(scale)) = leaf.setting("length_scale").filter(|_| takes_many) else { return leaf.clone() };
    let columns = match leaf.columns() {
        Columns::Named(names) => names.len(),
        Columns::All => numbers,
    };
    let mut spread = leaf.clone();
    let scales = Setting::Many(vec![scale.clone(); columns]);
    // A list that the kernel refuses leaves it as it was.
    if columns < 2 || !scale.free || spread.set("length_scale", scales).is_err() {
        return leaf.clone();
    }
    spread
}
