//! Columns that tell every row from all others and say nothing else: numbers of rows, keys, codes.
//!
//! The rule, for a column of ten values or more that are all there and all different: words without a blank inside are codes; whole
//! numbers are keys if they count the rows from 0 or 1, or if the column is called so (`id`, `passenger_id`, `rowId`, `index`, …).

use std::collections::HashSet;

use super::{Column, Table};

/// Rows from which values that are all different mean anything.
const LEAST_ROWS: usize = 10;
/// Characters of a code at most.
const LONGEST: usize = 64;
/// What keys are called.
const NAMES: [&str; 10] = ["id", "ids", "index", "idx", "key", "uuid", "guid", "rownames", "rowid", "unnamed: 0"];

/// The columns of a table that only tell rows apart.
///
/// ```
/// use mercer::data::{Column, Table, identifiers};
/// let number = |i: usize| i as f64;
/// let table = Table::new(vec![
///     ("row".into(), (1..=20).map(number).collect()),
///     ("size".into(), (1..=20).map(|i| number(i * i % 7)).collect()),
/// ])?;
/// assert_eq!(identifiers(&table), ["row"]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn identifiers(table: &Table) -> Vec<String> {
    let found = table.iter().filter(|(name, column)| column.len() >= LEAST_ROWS && identifies(name, column));
    found.map(|(name, _)| name.to_owned()).collect()
}

fn identifies(name: &str, column: &Column) -> bool {
    match column {
        Column::Number(values) => (counts(values) || (is_key(name) && column.has_categories())) && all_differ(values),
        _ => column.words().is_some_and(|words| {
            let code = |word: &str| word.chars().count() <= LONGEST && !word.trim().contains(char::is_whitespace);
            let mut seen = HashSet::new();
            words.iter_optional().all(|word| word.is_some_and(|word| code(word) && seen.insert(word)))
        }),
    }
}

/// Whether the values are 0, 1, 2, … or 1, 2, 3, ….
fn counts(values: &[f64]) -> bool {
    let first = values.first().copied().unwrap_or(f64::NAN);
    (first == 0.0 || first == 1.0) && values.iter().enumerate().all(|(i, v)| *v == first + i as f64)
}

/// NaN is no value: a column with a gap does not tell all rows apart.
fn all_differ(values: &[f64]) -> bool {
    let mut seen = HashSet::new();
    values.iter().all(|v| !v.is_nan() && seen.insert((v + 0.0).to_bits()))
}

/// Whether a column is called as keys are: `id`, `user_id`, `userId`, `UserID`.
fn is_key(name: &str) -> bool {
    let lower = name.trim().to_lowercase();
    let parted = ["_id", "-id", " id", ".id", "_key", "_index"].iter().any(|end| lower.ends_with(end));
    NAMES.contains(&lower.as_str()) || parted || name.ends_with("Id") || name.ends_with("ID")
}

#[cfg(test)]
mod tests {
    use super::super::Texts;
    use super::*;

    fn found(name: &str, column: Column) -> bool {
        identifies(name, &column)
    }

    #[test]
    fn keys_are_told_from_measurements() {
        let shuffled = || (0..20).map(|i| f64::from((i * 7 + 100) % 1000)).collect::<Column>();
        assert!(found("userId", shuffled()) && found("ID", shuffled()) && found("order_id", shuffled()));
        assert!(!found("price", shuffled()) && !found("humid", shuffled()));
        assert!(found("n", (0..20).map(f64::from).collect()));
        assert!(!found("year", (1900..1920).map(f64::from).collect()), "a year is more than the number of a row");
        assert!(!found("id", (0..20).map(|i| f64::from(i % 10)).collect()));
        assert!(!found("id", (0..20).map(|i| f64::from(i) + 0.5).collect()));
        let words = |f: &dyn Fn(usize) -> String| Column::from(Texts::from_values((0..20).map(|i| Some(f(i)))));
        assert!(found("code", words(&|i| format!("A-{i:04}"))));
        assert!(!found("note", words(&|i| format!("row number {i}"))));
        assert!(!found("code", words(&|i| format!("A-{}", i / 2))));
    }
}
