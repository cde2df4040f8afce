//! What a column of words holds.
//!
//! The rule, for a column that is not all numbers, with n values present and k distinct ones: it
//! is a category if no value is longer than 64 characters, some value repeats, values stand twice
//! on average (2k ≤ n + 1), and k ≤ max(20, n / 20). Otherwise it is text. Blanks around a
//! category are dropped; text is kept as it is. A column of numbers, or of nothing but missing
//! values, is a number column.

use std::collections::HashSet;

use crate::error::Result;

use super::super::{BadCell, Categories, Column, ColumnType, Texts};

/// Longest level of a category that is inferred, in characters.
const LONGEST_LEVEL: usize = 64;

/// The column these words make: of the type that was asked for, or inferred.
///
/// Words never become numbers here; the reader that has the place of each word does that.
pub(super) fn words(texts: Texts, wanted: Option<ColumnType>) -> Result<Column, BadCell> {
    match wanted {
        Some(ColumnType::Structured(kind)) => return (kind.read)(&texts).map(Column::from),
        None if !repeats(&texts) => return Ok(texts.into()),
        _ => {}
    }
    Ok(Categories::from_values(texts.iter_optional().map(|v| v.map(str::trim))).into())
}

impl Column {
    /// The column that words make, by the readers' rule: of the type that is wanted, or a category
    /// where the values are few, short and repeated, or text. Words never become numbers.
    ///
    /// ```
    /// use mercer::data::{Column, ColumnType, Texts};
    /// let words = Texts::from_values([Some("yes"), Some("no"), None, Some("yes")]);
    /// assert_eq!(Column::from_words(words.clone(), None)?.column_type(), ColumnType::Category);
    /// assert_eq!(Column::from_words(words, Some(ColumnType::TEXT))?.column_type(), ColumnType::TEXT);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn from_words(words: Texts, wanted: Option<ColumnType>) -> Result<Self> {
        let name = wanted.map_or("text", ColumnType::name);
        self::words(words, wanted).map_err(|bad| bad.error(name))
    }
}

impl Texts {
    /// Whether no value is longer than a level that is inferred, and some value stands twice: words
    /// that may be categories, however many they are.
    pub(crate) fn are_short_and_repeat(&self) -> bool {
        let present = self.iter_optional().flatten().count();
        at_most(self, present.saturating_sub(1))
    }
}

/// Whether the values are few, short and repeated.
fn repeats(texts: &Texts) -> bool {
    let present = texts.iter_optional().flatten().count();
    at_most(texts, (present / 20).max(20).min(present.div_ceil(2)).min(present.saturating_sub(1)))
}

/// Whether the values are short, and no more than `limit` are distinct.
fn at_most(texts: &Texts, limit: usize) -> bool {
    let mut seen = HashSet::new();
    texts.iter_optional().flatten().all(|value| {
        let value = value.trim();
        // More bytes than four a character cannot be short; counting every long text would be slow.
        let short = value.len() <= 4 * LONGEST_LEVEL && value.chars().count() <= LONGEST_LEVEL;
        seen.insert(value);
        short && seen.len() <= limit
    })
}

/// A number as a cell spells it, blanks around it allowed.
pub(super) fn number(cell: &str) -> Option<f64> {
    cell.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(values: &[&str]) -> ColumnType {
        words(Texts::from_values(values.iter().map(Some)), None).expect("words").column_type()
    }

    #[test]
    fn few_short_repeated_values_are_categories() {
        assert_eq!(kind(&["y", "n", "y"]), ColumnType::Category);
        assert_eq!(kind(&["a", "a "]), ColumnType::Category);
        assert_eq!(kind(&["a", "b"]), ColumnType::TEXT);
        assert_eq!(kind(&["a"]), ColumnType::TEXT);
        let long = "x".repeat(65);
        assert_eq!(kind(&[&long, &long, &long]), ColumnType::TEXT);
    }

    #[test]
    fn the_limit_grows_with_the_rows() {
        let values = |n: usize, k: usize| (0..n).map(|i| format!("v{}", i % k)).collect::<Vec<_>>();
        let kind = |v: Vec<String>| words(Texts::from_values(v.iter().map(Some)), None).expect("words").column_type();
        assert_eq!(kind(values(100, 20)), ColumnType::Category);
        assert_eq!(kind(values(100, 21)), ColumnType::TEXT);
        assert_eq!(kind(values(1000, 50)), ColumnType::Category);
    }

    #[test]
    fn numbers_may_have_blanks_and_signs() {
        assert_eq!(number(" +1.5e3 "), Some(1500.0));
        assert_eq!(number("inf"), Some(f64::INFINITY));
        assert_eq!(number("1,5"), None);
    }
}
