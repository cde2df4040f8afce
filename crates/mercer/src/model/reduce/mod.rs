//! Coordinates: few numbers for each point that keep most of what varies.

mod covariance;
mod eigenvectors;
mod inverse;
mod landmarks;
mod missed;
mod outlier;
mod pairs;
mod pca;

pub use pca::{KernelPca, PcaSolver};
