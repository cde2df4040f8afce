//! The types of columns, by their words.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, Result};

use super::structured::StructuredType;
use super::text;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnType {
    /// Numbers.
    Number,
    /// Values from a small set of levels.
    Category,
    /// Values with a structure of their own, such as text.
    Structured(&'static StructuredType),
}

impl ColumnType {
    /// Free text.
    pub const TEXT: ColumnType = ColumnType::Structured(&text::TYPE);

    /// Every type that has a word.
    ///
    /// ```
    /// let words: Vec<&str> = mercer::data::ColumnType::all().map(|t| t.name()).collect();
    /// assert_eq!(words, ["number", "category", "text", "set", "bag"]);
    /// ```
    pub fn all() -> impl Iterator<Item = ColumnType> {
        let structured = StructuredType::all().map(ColumnType::Structured);
        [ColumnType::Number, ColumnType::Category].into_iter().chain(structured)
    }

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Number => "number",
            ColumnType::Category => "category",
            ColumnType::Structured(kind) => kind.name,
        }
    }

    /// All words as a list to choose from, each as `shown`: "number, category or text".
    pub fn choices(shown: impl Fn(&str) -> String) -> String {
        let words: Vec<String> = Self::all().map(|t| shown(t.name())).collect();
        match words.split_last() {
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
            None => String::new(),
        }
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ColumnType {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        Self::all().find(|t| t.name() == word).ok_or_else(|| {
            let must = Self::choices(|word| format!("`{word}`"));
            Error::invalid("a column", "type", format!("`{word}`"), must)
        })
    }
}

impl Serialize for ColumnType {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for ColumnType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Self::all().find(|t| t.name() == word).ok_or_else(|| {
            let expected = Self::all().map(|t| format!("`{t}`")).collect::<Vec<_>>().join(", ");
            serde::de::Error::custom(format!("unknown variant `{word}`, expected one of {expected}"))
        })
    }
}
