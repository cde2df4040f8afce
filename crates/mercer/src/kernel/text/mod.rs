//! Kernels of text, one a file.

pub(crate) mod ngram;

pub use ngram::{Ngram, Unit};
