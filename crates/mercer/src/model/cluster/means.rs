//! Means of clusters, and how far points are from them.

use crate::error::Result;
use crate::gram::{KernelMatrix, apply};
use crate::run::Run;

/// The means of clusters of points.
#[derive(Debug)]
pub(super) struct Means {
    /// The share of each point in the mean of its cluster.
    pub(super) shares: Vec<f64>,
    /// ‖μ_c‖².
    pub(super) norms: Vec<f64>,
    /// Σ w‖φ − μ‖².
    pub(super) inertia: f64,
    /// Whether a point is nearer to another mean, by more than rounding.
    pub(super) misplaced: Vec<bool>,
}

impl Means {
    /// Of points in clusters that all have some, by the matrix of their kernel values and weights.
    pub(super) fn of(
        matrix: &dyn KernelMatrix,
        labels: &[usize],
        clusters: usize,
        weights: &[f64],
        run: &Run,
    ) -> Result<Self> {
        let (n, k) = (labels.len(), clusters);
        let shares = shares(labels, k, weights);
        let mut spread = vec![0.0; n * k];
        labels.iter().enumerate().for_each(|(i, c)| spread[i * k + c] = shares[i]);
        // ⟨φᵢ, μ_c⟩.
        let mut inner = vec![0.0; n * k];
        apply(matrix, &spread, k, &mut inner, run)?;
        let mut norms = vec![0.0; k];
        labels.iter().enumerate().for_each(|(i, c)| norms[*c] += shares[i] * inner[i * k + c]);
        let mut diagonal = vec![0.0; n];
        matrix.diag(&mut diagonal);
        let largest = diagonal.iter().fold(0.0f64, |m, d| m.max(d.abs()));
        let rounding = 16.0 * n as f64 * f64::EPSILON * largest;
        let far = |i: usize, c: usize| diagonal[i] - 2.0 * inner[i * k + c] + norms[c];
        let inertia = (0..n).map(|i| weights[i] * far(i, labels[i]).max(0.0)).sum();
        let misplaced = (0..n).map(|i| (0..k).any(|c| far(i, c) < far(i, labels[i]) - rounding)).collect();
        Ok(Means { shares, norms, inertia, misplaced })
    }
}

/// The share of each point in its cluster.
fn shares(labels: &[usize], clusters: usize, weights: &[f64]) -> Vec<f64> {
    let mut total = vec![0.0; clusters];
    labels.iter().zip(weights).for_each(|(c, w)| total[*c] += w);
    labels.iter().zip(weights).map(|(c, w)| w / total[*c]).collect()
}
