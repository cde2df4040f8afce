//! Kernels of bags of points, one a file.

pub(crate) mod mean_embedding;

pub use mean_embedding::MeanEmbedding;

/// A column of bags.
pub(crate) type Bags = crate::data::Values<crate::data::Bag>;
