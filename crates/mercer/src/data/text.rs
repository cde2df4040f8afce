//! A column of text.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::error::Result;

use super::structured::{ReadArrays, Structured, StructuredType, WriteArrays};

/// Free text: any cell as it stands.
pub static TYPE: StructuredType = StructuredType {
    name: "text",
    columns: "text columns",
    unit: "characters",
    blank: Some(""),
    read: |cells| Ok(Arc::new(cells.clone())),
    load: |arrays, rows| Ok(Arc::new(load_words(arrays, rows)?)),
};

/// Strings in one shared buffer. Taking rows copies positions, never characters.
///
/// A missing string is marked as such and reads as the empty string.
#[derive(Clone, Debug)]
pub struct Texts {
    buffer: Arc<str>,
    spans: Arc<[Span]>,
}

/// Where a string stands in the buffer; `None` is missing.
type Span = Option<(usize, usize)>;

impl Texts {
    /// Collects strings; `None` is missing.
    pub fn from_values<S: AsRef<str>>(values: impl IntoIterator<Item = Option<S>>) -> Self {
        let mut buffer = String::new();
        let spans = values
            .into_iter()
            .map(|value| {
                value.map(|v| {
                    let start = buffer.len();
                    buffer.push_str(v.as_ref());
                    (start, buffer.len())
                })
            })
            .collect();
        Texts { buffer: buffer.into(), spans }
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there are no strings.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// String `i`; empty if it is missing.
    pub fn get(&self, i: usize) -> &str {
        self.spans[i].map_or("", |(start, end)| &self.buffer[start..end])
    }

    /// Whether string `i` is missing.
    pub fn is_missing(&self, i: usize) -> bool {
        self.spans[i].is_none()
    }

    /// All strings, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// All strings, in order; `None` is missing.
    pub fn iter_optional(&self) -> impl Iterator<Item = Option<&str>> {
        (0..self.len()).map(|i| (!self.is_missing(i)).then(|| self.get(i)))
    }

    /// The rows of the given indices.
    pub fn take(&self, indices: &[usize]) -> Self {
        let spans = indices.iter().map(|&i| self.spans[i]).collect();
        Texts { buffer: Arc::clone(&self.buffer), spans }
    }
}

impl Structured for Texts {
    fn structured_type(&self) -> &'static StructuredType {
        &TYPE
    }

    fn len(&self) -> usize {
        self.spans.len()
    }

    fn is_missing(&self, i: usize) -> bool {
        self.spans[i].is_none()
    }

    fn take(&self, indices: &[usize]) -> Arc<dyn Structured> {
        Arc::new(Texts::take(self, indices))
    }

    fn concatenate(&self, next: &dyn Structured) -> Option<Arc<dyn Structured>> {
        let next = next.words()?;
        Some(Arc::new(Texts::from_values(self.iter_optional().chain(next.iter_optional()))))
    }

    fn cell(&self, i: usize) -> Cow<'_, str> {
        self.get(i).into()
    }

    fn size(&self, i: usize) -> usize {
        self.get(i).chars().count()
    }

    fn save(&self, arrays: &mut dyn WriteArrays) {
        save_words(self.iter_optional(), arrays);
    }

    fn hash(&self, i: usize, mut state: &mut dyn Hasher) {
        self.get(i).hash(&mut state);
    }

    fn words(&self) -> Option<&Texts> {
        Some(self)
    }
}

/// Adds words as the arrays `offsets` into the UTF-8 of `bytes`, with a flag in `missing` if some are missing.
pub(super) fn save_words<S: AsRef<str>>(words: impl Iterator<Item = Option<S>>, arrays: &mut dyn WriteArrays) {
    let (mut offsets, mut bytes, mut missing) = (vec![0u64], Vec::new(), Vec::new());
    for word in words {
        bytes.extend_from_slice(word.as_ref().map_or(&[], |word| word.as_ref().as_bytes()));
        offsets.push(bytes.len() as u64);
        missing.push(u8::from(word.is_none()));
    }
    arrays.places("offsets", &offsets);
    arrays.bytes("bytes", &bytes);
    if missing.contains(&1) {
        arrays.bytes("missing", &missing);
    }
}

/// Reads what [`save_words`] wrote.
pub(super) fn load_words(arrays: &mut dyn ReadArrays, rows: usize) -> Result<Texts> {
    let length = rows.checked_add(1).ok_or_else(|| arrays.refuse("its points are too many".into()))?;
    let refuse = |arrays: &dyn ReadArrays, part: &str, problem: String| {
        Err(arrays.refuse(format!("the array `{}` {problem}", arrays.name(part))))
    };
    let places: std::result::Result<Vec<usize>, _> =
        arrays.places("offsets", length)?.into_iter().map(usize::try_from).collect();
    let Ok(offsets) = places else { return refuse(arrays, "offsets", "points outside the file".into()) };
    let bytes = arrays.bytes("bytes")?;
    let text =
        std::str::from_utf8(&bytes).map_err(|e| arrays.refuse(format!("the array `{}`: {e}", arrays.name("bytes"))))?;
    let missing = if arrays.has("missing") { Some(arrays.bytes("missing")?) } else { None };
    if missing.as_ref().is_some_and(|m| m.len() != rows || m.iter().any(|flag| *flag > 1)) {
        return refuse(arrays, "missing", format!("must have a 0 or 1 for each of {rows} rows"));
    }
    if offsets.first() != Some(&0) || offsets.last() != Some(&text.len()) {
        return refuse(arrays, "offsets", format!("must go from 0 to {}", text.len()));
    }
    let mut values = Vec::with_capacity(rows);
    for (i, pair) in offsets.windows(2).enumerate() {
        let Some(value) = text.get(pair[0]..pair[1]) else {
            return refuse(arrays, "offsets", format!("cuts a character or decreases at {i}"));
        };
        values.push(missing.as_ref().is_none_or(|m| m[i] == 0).then_some(value));
    }
    Ok(Texts::from_values(values))
}

/// Collects strings one at a time, as readers meet them.
#[derive(Debug, Default)]
pub(crate) struct TextBuilder {
    buffer: String,
    spans: Vec<Span>,
}

impl TextBuilder {
    /// Adds a string; `None` is missing.
    pub(crate) fn push(&mut self, value: Option<&str>) {
        let start = self.buffer.len();
        self.buffer.push_str(value.unwrap_or(""));
        self.spans.push(value.map(|_| (start, self.buffer.len())));
    }

    /// The column of all strings so far.
    pub(crate) fn finish(self) -> Texts {
        Texts { buffer: self.buffer.into(), spans: self.spans.into() }
    }
}

impl PartialEq for Texts {
    fn eq(&self, other: &Self) -> bool {
        let value = |t: &Texts, i| (!t.is_missing(i)).then(|| t.get(i).to_owned());
        self.len() == other.len() && (0..self.len()).all(|i| value(self, i) == value(other, i))
    }
}
