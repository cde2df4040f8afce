//! Kernels of sequences of letters, such as DNA and proteins, one a file.
//!
//! All of them compare windows of a few letters: a sequence is the list of its [`windows`](Windows), and a kernel is a
//! function of how many pairs of windows differ in how many places ([`ByDistance`]). [`HammingScheme`] says which of
//! these functions are positive definite.

mod alphabet;
mod by_distance;
pub(crate) mod gapped_kmer;
mod hamming_scheme;
pub(crate) mod mismatch;
mod windows;
mod words;

pub use alphabet::Alphabet;
pub use by_distance::ByDistance;
pub use gapped_kmer::{Filter, GappedKmer};
pub use hamming_scheme::HammingScheme;
pub use mismatch::Mismatch;
pub use windows::{Strands, Windows};
pub use words::Words;
