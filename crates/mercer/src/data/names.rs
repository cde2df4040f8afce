//! Names and types of columns.
//!
//! Rows without names have `x0`, `x1`, …. Sparse rows may have a hundred million columns in a file of a
//! few bytes, so such a name is made when it is asked for and never before.

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::quote_list;

use super::ColumnType;

/// The name of column `j` of rows that have none: `x0`, `x1`, ….
pub fn default_name(j: usize) -> String {
    format!("x{j}")
}

/// The number of a column by its default name, written as [`default_name`] writes it.
fn default_number(name: &str) -> Option<usize> {
    let digits = name.strip_prefix('x')?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    digits.parse().ok().filter(|_| plain)
}

/// The names of columns, in order.
#[derive(Clone, Debug)]
pub enum Names {
    /// `x0`, `x1`, …, this many.
    Numbered(usize),
    /// Names that were given.
    Given(Arc<[String]>),
}

impl Names {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Names::Numbered(count) => *count,
            Names::Given(names) => names.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of column `j`.
    pub fn get(&self, j: usize) -> Option<Cow<'_, str>> {
        match self {
            Names::Numbered(count) => (j < *count).then(|| default_name(j).into()),
            Names::Given(names) => names.get(j).map(|name| name.as_str().into()),
        }
    }

    /// Where a name stands.
    pub fn position(&self, name: &str) -> Option<usize> {
        match self {
            Names::Numbered(count) => default_number(name).filter(|j| j < count),
            Names::Given(names) => names.iter().position(|own| own == name),
        }
    }

    /// All of them, each made when it is reached.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.len()).filter_map(|j| self.get(j))
    }

    /// The first few, in backticks.
    pub(crate) fn quoted(&self) -> String {
        const ENOUGH: usize = 6;
        let first: Vec<Cow<'_, str>> = self.iter().take(ENOUGH).collect();
        match self.len().saturating_sub(ENOUGH) {
            0 => quote_list(&first),
            rest => format!("{} and {rest} more", quote_list(&first)),
        }
    }
}

impl From<Vec<String>> for Names {
    fn from(names: Vec<String>) -> Self {
        Names::Given(names.into())
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Names::Numbered(a), Names::Numbered(b)) => a == b,
            (Names::Given(a), Names::Given(b)) => a == b,
            _ => self.len() == other.len() && self.iter().eq(other.iter()),
        }
    }
}

/// Names and types of columns, in order.
///
/// ```
/// use mercer::data::{ColumnType, Csr, Inputs};
/// let wide = Inputs::from(Csr::new(vec![0, 1], vec![99_999_999], vec![1.0], 100_000_000)?);
/// let columns = wide.columns();
/// assert_eq!(columns.len(), 100_000_000);
/// assert_eq!(columns.find("x7"), Some((7, ColumnType::Number)));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnList(List);

#[derive(Clone, Debug)]
enum List {
    Numbers(Names),
    Typed(Vec<(String, ColumnType)>),
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (List::Numbers(a), List::Numbers(b)) => a == b,
            (List::Typed(a), List::Typed(b)) => a == b,
            _ => false,
        }
    }
}

impl ColumnList {
    /// Columns of numbers.
    pub(super) fn numbers(names: Names) -> Self {
        ColumnList(List::Numbers(names))
    }

    /// Columns of a table.
    pub(crate) fn typed(columns: Vec<(String, ColumnType)>) -> Self {
        ColumnList(List::Typed(columns))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            List::Numbers(names) => names.len(),
            List::Typed(columns) => columns.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Name and type of column `j`.
    pub fn get(&self, j: usize) -> Option<(Cow<'_, str>, ColumnType)> {
        match &self.0 {
            List::Numbers(names) => names.get(j).map(|name| (name, ColumnType::Number)),
            List::Typed(columns) => columns.get(j).map(|(name, kind)| (name.as_str().into(), *kind)),
        }
    }

    /// Where the column of this name stands, and its type.
    pub fn find(&self, name: &str) -> Option<(usize, ColumnType)> {
        match &self.0 {
            List::Numbers(names) => names.position(name).map(|j| (j, ColumnType::Number)),
            List::Typed(columns) => columns.iter().position(|(own, _)| own == name).map(|j| (j, columns[j].1)),
        }
    }

    /// All of them, each made when it is reached: there may be a hundred million.
    pub fn iter(&self) -> impl Iterator<Item = (Cow<'_, str>, ColumnType)> {
        (0..self.len()).filter_map(|j| self.get(j))
    }

    /// The names of all columns.
    pub fn names(&self) -> Names {
        match &self.0 {
            List::Numbers(names) => names.clone(),
            List::Typed(columns) => columns.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>().into(),
        }
    }

    /// The names of the columns of one type.
    pub fn of_type(&self, wanted: ColumnType) -> Names {
        match &self.0 {
            List::Numbers(names) if wanted == ColumnType::Number => names.clone(),
            List::Numbers(_) => Names::Numbered(0),
            List::Typed(columns) => {
                let fitting = columns.iter().filter(|(_, kind)| *kind == wanted);
                fitting.map(|(name, _)| name.clone()).collect::<Vec<_>>().into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_names_are_those_that_would_have_been_given() {
        let given: Names = (0..12).map(default_name).collect::<Vec<_>>().into();
        let numbered = Names::Numbered(12);
        assert_eq!(given, numbered);
        assert_ne!(Names::Numbered(11), given);
        for word in
            ["x0", "x11", "x12", "x", "x00", "x01", "x+1", "x-1", "x1 ", "y1", "", "x18446744073709551616", "x１"]
        {
            assert_eq!(given.position(word), numbered.position(word), "{word}");
        }
        assert_eq!(given.quoted(), numbered.quoted());
        assert_eq!(numbered.quoted(), "`x0`, `x1`, `x2`, `x3`, `x4`, `x5` and 6 more");
        assert_eq!(Names::Numbered(2).quoted(), "`x0`, `x1`");
    }

    #[test]
    fn very_many_names_cost_nothing() {
        let all = ColumnList::numbers(Names::Numbered(usize::MAX));
        assert_eq!(all.find("x18446744073709551614"), Some((usize::MAX - 1, ColumnType::Number)));
        assert_eq!(all.get(usize::MAX), None);
        assert_eq!(all.of_type(ColumnType::Number), all.names());
        assert!(all.of_type(ColumnType::TEXT).is_empty());
        assert_eq!(all.clone(), all);
    }
}
