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
    let mut tunable = kernel.clone();
    tunable.each_node(&mut |_, node| {
        if let KernelExpr::Leaf(leaf) = node {
            spread(leaf, numbers);
        }
    });
    tunable
}

/// A length scale for each column that a leaf reads: `numbers` where it names none.
fn spread(leaf: &mut Leaf, numbers: usize) {
    let takes_many = leaf
        .spec()
        .settings
        .iter()
        .any(|s| s.name == "length_scale" && matches!(s.kind, SettingKind::Positive { per_column: true, .. }));
    let Some(Setting::One(scale)) = leaf.setting("length_scale").filter(|_| takes_many) else { return };
    let columns = match leaf.columns() {
        Columns::Named(names) => names.len(),
        Columns::All => numbers,
    };
    if columns >= 2 && scale.free {
        let scales = Setting::Many(vec![scale.clone(); columns]);
        // A list that the kernel refuses leaves it as it was.
        let _ = leaf.set("length_scale", scales);
    }
}
