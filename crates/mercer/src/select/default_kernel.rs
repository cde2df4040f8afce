//! Kernels to begin with, by the types of the columns.

use crate::data::{Column, ColumnType, Inputs, StructuredType};
use crate::error::{Error, Result};
use crate::kernel::{KernelExpr, Kind};

/// Kernels of numbers that are tried: smooth, less smooth, and with kinks along the columns.
const FAMILIES: [&str; 3] = ["rbf", "matern32", "laplace_l1"];

/// Lengths of n-grams of text: syllables, stems and words. How much each counts is tuned.
const TEXT: &str = "0.5*normalize(ngram(n=2)) + normalize(ngram(n=3)) + 0.5*normalize(ngram(n=5))";

/// The formula of structured values whose first kernel is this one.
fn usual(kernel: Kind) -> String {
    match kernel {
        Kind::Ngram => TEXT.to_owned(),
        other => format!("normalize({})", other.spec().name),
    }
}

/// Whether some column of numbers tells rows apart: a kernel of columns that do not has no length scale.
fn numbers_vary(x: &Inputs) -> bool {
    let varies = |column: &Column| match column {
        Column::Number(values) => values.iter().any(|v| *v != values[0]),
        _ => false,
    };
    !matches!(x, Inputs::Table(table) if !table.iter().any(|(_, column)| varies(column)))
}

/// The formulas that are tried when the user gives none. Numbers and categories meet in a product
/// of kernels that each have a constant, so that either may matter alone; text, and what else has a structure, is added.
///
/// ```
/// let penguins = mercer::data::load("penguins")?.with_target("species")?;
/// let formulas = mercer::select::default_kernels(&penguins.inputs)?;
/// assert_eq!(formulas[0].to_string(), "(rbf(length_scale=median) + 1)*(hamming + 1)");
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn default_kernels(x: &Inputs) -> Result<Vec<KernelExpr>> {
    if matches!(x, Inputs::Precomputed(_)) {
        return Ok(vec![KernelExpr::parse("precomputed")?]);
    }
    let has = |wanted: ColumnType| count(x, wanted) > 0;
    let (numbers, categories) = (has(ColumnType::Number), has(ColumnType::Category));
    let structured: Vec<String> = StructuredType::all()
        .filter(|kind| has(ColumnType::Structured(kind)))
        .filter_map(|kind| Kind::first_of(kind).map(usual))
        .collect();
    let others = categories || !structured.is_empty();
    let numbers = numbers && (!others || numbers_vary(x));
    let families: &[&str] = if numbers { &FAMILIES } else { &[""] };
    let formula = |family: &&str| {
        let table = match (numbers, categories) {
            (true, true) => Some(format!("({family} + 1)*(hamming + 1)")),
            (true, false) => Some((*family).to_owned()),
            (false, true) => Some("hamming".to_owned()),
            (false, false) => None,
        };
        let parts: Vec<String> = table.into_iter().chain(structured.iter().cloned()).collect();
        KernelExpr::parse(&parts.join(" + "))
    };
    if !numbers && !categories && structured.is_empty() {
        return Err(Error::shape("the data", "at least 1 column for a kernel to read", 0));
    }
    families.iter().map(formula).collect()
}

/// Columns of a type; 1 where all are numbers, since sparse rows may have a hundred million columns and nobody counts those.
pub(super) fn count(x: &Inputs, wanted: ColumnType) -> usize {
    match x {
        Inputs::Table(table) => table.iter().filter(|(_, column)| column.column_type() == wanted).count(),
        Inputs::Precomputed(_) => 0,
        _ => usize::from(wanted == ColumnType::Number),
    }
}
