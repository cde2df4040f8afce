//! Columns whose values have a structure of their own: text, and whatever comes beside it.
//!
//! Everything that Mercer does with a column goes through [`Structured`], and everything it says of a type
//! through its [`StructuredType`], so a new type is one file and one line in the list below. A type whose
//! values are read and written cell by cell implements [`Value`](super::Value) alone.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::error::{Error, Result};

use super::{Texts, bag, set, text};

/// Every type that is neither numbers nor categories, in the order in which messages name them.
static TYPES: &[&StructuredType] = &[
    &text::TYPE,
    &set::TYPE,
    &bag::TYPE,
    #[cfg(test)]
    &super::interval::TYPE,
];

/// What a type of column is called, and how its columns are made.
pub struct StructuredType {
    /// The one word for it: `--type`, schemas, model files, messages.
    pub name: &'static str,
    /// What a kernel of it needs, such as "text columns".
    pub columns: &'static str,
    /// What the size of a value counts, such as "characters".
    pub unit: &'static str,
    /// The cell of the value that stands for nothing, where there is one: it fills gaps.
    pub blank: Option<&'static str>,
    /// Makes a column from cells of text.
    pub read: fn(&Texts) -> Result<Arc<dyn Structured>, BadCell>,
    /// Makes a column of so many rows from what [`Structured::save`] wrote.
    pub load: fn(&mut dyn ReadArrays, usize) -> Result<Arc<dyn Structured>>,
}

impl StructuredType {
    /// Every type of the list.
    pub fn all() -> impl Iterator<Item = &'static StructuredType> {
        TYPES.iter().copied()
    }

    /// The type of this name.
    pub fn by_name(name: &str) -> Option<&'static StructuredType> {
        Self::all().find(|t| t.name == name)
    }

    /// A column of one cell, which every row has.
    pub(crate) fn repeated(&self, cell: Option<&str>, rows: usize) -> Result<Arc<dyn Structured>, BadCell> {
        let one = (self.read)(&Texts::from_values([cell]))?;
        Ok(one.take(&vec![0; rows]))
    }
}

impl fmt::Debug for StructuredType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for StructuredType {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for StructuredType {}

/// A column of structured values, cheap to share. A missing value is marked as such.
pub trait Structured: fmt::Debug + Send + Sync + Any {
    /// What it holds.
    fn structured_type(&self) -> &'static StructuredType;

    /// Number of values.
    fn len(&self) -> usize;

    /// Whether value `i` is missing.
    fn is_missing(&self, i: usize) -> bool;

    /// The rows of the given indices, in that order.
    fn take(&self, indices: &[usize]) -> Arc<dyn Structured>;

    /// These rows and then those of `next`; `None` if that is of another type.
    fn concatenate(&self, next: &dyn Structured) -> Option<Arc<dyn Structured>>;

    /// Value `i` as a cell of a file, from which [`StructuredType::read`] makes it again.
    fn cell(&self, i: usize) -> Cow<'_, str>;

    /// How large value `i` is, in units of its type.
    fn size(&self, i: usize) -> usize;

    /// Adds the arrays of a model file.
    fn save(&self, arrays: &mut dyn WriteArrays);

    /// Whether there are no values.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Value `i` for people.
    fn describe(&self, i: usize) -> Cow<'_, str> {
        self.cell(i)
    }

    /// Whether value `i` is value `j` of a column of the same type; two missing values are equal.
    fn same(&self, i: usize, other: &dyn Structured, j: usize) -> bool {
        self.is_missing(i) == other.is_missing(j) && self.cell(i) == other.cell(j)
    }

    /// Feeds value `i` to a hash; equal values feed the same.
    fn hash(&self, i: usize, mut state: &mut dyn Hasher) {
        self.cell(i).hash(&mut state);
    }

    /// The values, if they are plain words: these may be read as any other type.
    fn words(&self) -> Option<&Texts> {
        None
    }
}

impl dyn Structured {
    /// The column as the Rust type that holds it.
    pub fn downcast<S: Structured>(&self) -> Option<&S> {
        let any: &dyn Any = self;
        any.downcast_ref()
    }

    /// All cells, in order; `None` is missing.
    pub fn cells(&self) -> impl Iterator<Item = Option<Cow<'_, str>>> {
        (0..self.len()).map(|i| (!self.is_missing(i)).then(|| self.cell(i)))
    }

    /// The column with its gaps at the blank of its type; `None` if that has none.
    pub(crate) fn filled(&self) -> Option<Arc<dyn Structured>> {
        let kind = self.structured_type();
        let blank = kind.repeated(Some(kind.blank?), 1).ok()?;
        let rows: Vec<usize> = (0..self.len()).map(|i| if self.is_missing(i) { self.len() } else { i }).collect();
        Some(self.concatenate(blank.as_ref())?.take(&rows))
    }
}

/// A cell that is no value of the type it is read as.
#[derive(Clone, Debug, PartialEq)]
pub struct BadCell {
    /// Its row.
    pub row: usize,
    /// What it says.
    pub cell: String,
    /// What was expected, such as "an interval like `[1, 2]`".
    pub expected: String,
}

impl BadCell {
    /// What is wrong, in words.
    pub(crate) fn problem(&self) -> String {
        const ENOUGH: usize = 40;
        let shown: String = self.cell.chars().take(ENOUGH).collect();
        let more = if self.cell.chars().nth(ENOUGH).is_some() { "…" } else { "" };
        format!("expected {}, got `{shown}{more}`", self.expected)
    }

    /// How to go on, in words.
    pub(crate) const HINT: &str = "correct the cell, or read the column as text";

    /// The error where nothing but the type is known.
    pub(crate) fn error(&self, kind: &str) -> Error {
        let got = format!("`{}` at row {} (rows count from 0)", self.cell, self.row);
        Error::invalid(format!("a {kind} column"), "cell", got, &self.expected)
    }
}

/// Where a column puts its arrays, each under a word of its own such as `bytes`.
pub trait WriteArrays {
    /// Adds numbers.
    fn numbers(&mut self, part: &str, values: &[f64]);
    /// Adds positions.
    fn places(&mut self, part: &str, values: &[u64]);
    /// Adds codes.
    fn codes(&mut self, part: &str, values: &[u32]);
    /// Adds bytes.
    fn bytes(&mut self, part: &str, values: &[u8]);
}

/// Where a column finds its arrays again. Nothing in them is to be trusted.
pub trait ReadArrays {
    /// Whether there is an array of this word.
    fn has(&self, part: &str) -> bool;
    /// So many numbers.
    fn numbers(&mut self, part: &str, length: usize) -> Result<Vec<f64>>;
    /// So many positions.
    fn places(&mut self, part: &str, length: usize) -> Result<Vec<u64>>;
    /// So many codes.
    fn codes(&mut self, part: &str, length: usize) -> Result<Vec<u32>>;
    /// Bytes, however many.
    fn bytes(&mut self, part: &str) -> Result<Vec<u8>>;
    /// The array's name, for messages.
    fn name(&self, part: &str) -> String;
    /// The error of a file with this problem.
    fn refuse(&self, problem: String) -> Error;
}
