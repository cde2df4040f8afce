//! Kernels of categories, one a file. A point is the list of its level codes.

pub(crate) mod delta;
pub(crate) mod hamming;
pub(crate) mod ordinal;

pub use delta::Delta;
pub use hamming::Hamming;
pub use ordinal::Ordinal;
