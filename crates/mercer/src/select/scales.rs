//! The length scales that tuning gave single columns.

use serde::Serialize;

use crate::data::Inputs;
use crate::kernel::{KernelExpr, Leaf, Setting};

/// The length scale of a column: how far values must be apart for rows to be unlike each other. A long one says that the column hardly
/// matters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnScale {
    /// The column.
    pub column: String,
    /// Its length scale, in standard deviations where columns are standardised; of several, the shortest.
    pub length_scale: f64,
}

/// The length scales of the columns of `x` that have one of their own in `kernel`, the shortest first.
///
/// ```
/// use mercer::{KernelExpr, data, select::length_scales};
/// let iris = data::load("iris")?.with_target("sepal_length_cm")?;
/// let kernel = KernelExpr::parse("rbf(petal_width_cm, sepal_width_cm, length_scale=[2, 0.5]) + matern32(petal_width_cm, length_scale=9)")?;
/// let found = length_scales(&kernel, &iris.inputs);
/// assert_eq!((found[0].column.as_str(), found[0].length_scale), ("sepal_width_cm", 0.5));
/// assert_eq!((found[1].column.as_str(), found[1].length_scale), ("petal_width_cm", 2.0));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn length_scales(kernel: &KernelExpr, x: &Inputs) -> Vec<ColumnScale> {
    let mut found: Vec<ColumnScale> = Vec::new();
    for leaf in kernel.leaves() {
        for (column, length_scale) in of_leaf(leaf, kernel, x) {
            match found.iter_mut().find(|f| f.column == column) {
                Some(known) => known.length_scale = known.length_scale.min(length_scale),
                None => found.push(ColumnScale { column, length_scale }),
            }
        }
    }
    found.sort_by(|a, b| a.length_scale.total_cmp(&b.length_scale));
    found
}

fn of_leaf(leaf: &Leaf, kernel: &KernelExpr, x: &Inputs) -> Vec<(String, f64)> {
    let scales: Vec<f64> = match leaf.setting("length_scale") {
        Some(Setting::One(scale)) => scale.number().into_iter().collect(),
        Some(Setting::Many(scales)) => scales.iter().filter_map(|s| s.number()).collect(),
        _ => return Vec::new(),
    };
    let names = kernel.columns_of(leaf.columns(), leaf.spec().domain, x);
    // One scale for several columns says nothing of any of them.
    if names.len() != scales.len() {
        return Vec::new();
    }
    names.iter().map(|name| name.to_string()).zip(scales).collect()
}
