//! A column of text.

use std::sync::Arc;

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
