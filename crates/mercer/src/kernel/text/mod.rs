//! Kernels of text, one a file.

pub(crate) mod hierarchy;
pub(crate) mod ngram;
pub(crate) mod tfidf;

pub use hierarchy::Hierarchy;
pub use ngram::{Ngram, Unit};
pub use tfidf::Tfidf;
