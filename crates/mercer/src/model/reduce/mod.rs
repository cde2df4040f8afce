//! Coordinates: few numbers for each point that keep most of what varies.

mod covariance;
mod inverse;
mod landmarks;
mod outlier;
mod pairs;
mod pca;

pub use pca::{KernelPca, PcaSolver};
