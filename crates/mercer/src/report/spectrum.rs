//! The spectrum of a kernel matrix.

use serde::Serialize;

use crate::error::Result;
use crate::rkhs::{Decay, Spectrum};

/// Penalties for the effective dimension, as shares of the mean diagonal value.
const PENALTIES: [f64; 6] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

/// The effective dimension at one penalty.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Dimension {
    /// λ.
    pub lambda: f64,
    /// Σ λ̂/(λ̂ + λ).
    pub dimension: f64,
}

/// Eigenvalues, how fast they fall, and what a penalty leaves of them.
#[derive(Clone, Debug, Serialize)]
pub struct SpectrumReport {
    /// λ̂ = eig(K)/n, all of them, in decreasing order.
    pub eigenvalues: Vec<f64>,
    /// How many are above the tolerance.
    pub rank: usize,
    /// Eigenvalues up to this are rounding.
    pub tolerance: f64,
    /// Σ λ̂, the mean of the diagonal.
    pub trace: f64,
    /// How fast they fall.
    pub decay: Decay,
    /// The effective dimension for some penalties.
    pub effective_dimension: Vec<Dimension>,
}

impl SpectrumReport {
    /// Of a spectrum, with the effective dimension at penalties from a tenth to a millionth of its trace.
    pub fn new(spectrum: &Spectrum) -> Result<Self> {
        let trace = spectrum.trace();
        let dimension = |share: &f64| {
            let lambda = share * trace;
            Ok(Dimension { lambda, dimension: spectrum.effective_dimension(lambda)? })
        };
        let effective_dimension = match trace > 0.0 {
            true => PENALTIES.iter().map(dimension).collect::<Result<_>>()?,
            false => Vec::new(),
        };
        Ok(SpectrumReport {
            rank: spectrum.rank(),
            tolerance: spectrum.tolerance(),
            trace,
            decay: spectrum.decay(),
            effective_dimension,
            eigenvalues: spectrum.values().to_vec(),
        })
    }
}
