//! Kernels of two texts letter by letter: subsequences with gaps, blocks at the same places, local alignments. One a file.

mod lanes;
pub(crate) mod subsequence;

pub use subsequence::{Sequence, Subsequence};
