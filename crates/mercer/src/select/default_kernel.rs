//! Kernels to begin with, by the types of the columns.

use crate::data::{Column, ColumnType, Inputs};
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;

/// Kernels of numbers that are tried: smooth, and less smooth.
const FAMILIES: [&str; 2] = ["rbf", "matern32"];

/// The formulas that are tried when the user gives none. Numbers and categories meet in a product
/// of kernels that each have a constant, so that either may matter alone; text is added.
///
/// ```
/// let penguins = mercer::data::load("penguins")?.with_target("species")?;
/// let formulas = mercer::select::default_kernels(&penguins.inputs)?;
/// assert_eq!(formulas[0].to_string(), "(rbf(length_scale=median) + 1)*(hamming + 1)");
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn default_kernels(x: &Inputs) -> Result<Vec<KernelExpr>> {
    let has = |wanted: ColumnType| match x {
        Inputs::Table(table) => table.iter().any(|(_, column): (_, &Column)| column.column_type() == wanted),
        Inputs::Precomputed(_) => false,
        _ => wanted == ColumnType::Number,
    };
    if matches!(x, Inputs::Precomputed(_)) {
        return Ok(vec![KernelExpr::parse("precomputed")?]);
    }
    let (numbers, categories) = (has(ColumnType::Number), has(ColumnType::Category));
    let text = has(ColumnType::Text).then_some("normalize(ngram(n=3))");
    let families: &[&str] = if numbers { &FAMILIES } else { &[""] };
    let formula = |family: &&str| {
        let table = match (numbers, categories) {
            (true, true) => Some(format!("({family} + 1)*(hamming + 1)")),
            (true, false) => Some((*family).to_owned()),
            (false, true) => Some("hamming".to_owned()),
            (false, false) => None,
        };
        let parts: Vec<String> = table.into_iter().chain(text.map(str::to_owned)).collect();
        KernelExpr::parse(&parts.join(" + "))
    };
    if !numbers && !categories && text.is_none() {
        return Err(Error::shape("the data", "at least 1 column for a kernel to read", 0));
    }
    families.iter().map(formula).collect()
}
