//! Kernels of sets, one a file. An element that a set has several times counts as often.

pub(crate) mod intersection;
pub(crate) mod jaccard;

pub use intersection::Intersection;
pub use jaccard::Jaccard;

/// A column of sets.
pub(crate) type Sets = crate::data::Values<crate::data::Set>;

/// A column `tags` of sets: empty, equal, apart, one inside another, with elements that repeat.
#[cfg(test)]
fn points() -> (crate::data::Inputs, Vec<crate::data::Set>) {
    let cells = ["[]", "a", "b", "a|b", "b|a|c", "a|b|c|d|e", "x", "x|x|x", "x|a", "[]", "a|b|b", "b|a", "ä|ö|ü"];
    let values: Vec<crate::data::Set> =
        cells.iter().map(|cell| crate::data::CellValue::parse(cell).expect("a set")).collect();
    let column = Sets::from_values(values.iter().cloned().map(Some)).into();
    (crate::data::Table::new(vec![("tags".into(), column)]).expect("one column").into(), values)
}
