//! Groups of points.

mod affinity;
mod bound;
mod distances;
mod gram;
mod k_means;
mod means;
mod merged;
mod settings;
mod spectral;
mod sphere;

pub use k_means::KernelKMeans;
pub use spectral::SpectralClustering;
