//! Kernels of two texts letter by letter: subsequences with gaps, blocks at the same places, local alignments. One a file.

mod lanes;
pub(crate) mod subsequence;
pub(crate) mod weighted_degree;

pub use subsequence::{Sequence, Subsequence};
pub use weighted_degree::{Planes, WeightedDegree};
