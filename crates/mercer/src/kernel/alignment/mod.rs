//! Kernels of two texts letter by letter: subsequences with gaps, blocks at the same places, local alignments. One a file.

mod lanes;
mod levels;
pub(crate) mod local_alignment;
mod scores;
pub(crate) mod subsequence;
pub(crate) mod substitution;
pub(crate) mod weighted_degree;
mod wide;

pub use local_alignment::{Aligned, LocalAlignment};
pub use scores::Score;
pub use subsequence::{Sequence, Subsequence};
pub use substitution::{Residues, Substitution};
pub use weighted_degree::{Planes, WeightedDegree};
