//! A penalty found in the data.

use serde::Serialize;

use crate::error::Result;
use crate::gram::{KernelMatrix, TileMut, apply};
use crate::run::Run;

/// The factor of the rule, chosen on series made by chance (docs/decisions/0026).
const FACTOR: f64 = 1.5;
/// How much more than all points vary, dependence is believed to make a mean vary.
const LARGEST_SHARE: f64 = 4.0;
/// The largest correlation of neighbours that is believed.
const LARGEST_CORRELATION: f64 = 0.9;

/// The automatic penalty, and what it was made of: β = 1.5·√(u·v)·ln n with u = w kept in [v, 4v].
///
/// v is the variance of all points in feature space. With half the mean squared distances of neighbours d₁, and of points two
/// apart d₂, which feel few changes, neighbours correlate by ρ = d₂/d₁ − 1 as those of a process of order 1 do, kept in [0, 0.9], and
/// the variance that a mean of many points feels is w = d₁·(1 + ρ)/(1 − ρ)². Where points move smoothly it is far above v.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AutomaticPenalty {
    /// β.
    pub penalty: f64,
    /// v.
    pub variance: f64,
    /// d₁.
    pub neighbour_variance: f64,
    /// ρ.
    pub correlation: f64,
}

impl AutomaticPenalty {
    /// From one pass over half of the matrix.
    pub(super) fn of(matrix: &dyn KernelMatrix, run: &Run) -> Result<Self> {
        let mut sums = vec![0.0; matrix.nrows()];
        apply(matrix, &vec![1.0; matrix.nrows()], 1, &mut sums, run)?;
        Ok(Self::with_sum(matrix, sums.iter().sum()))
    }

    /// From the sum of all kernel values, which may be an approximation.
    pub(super) fn with_sum(matrix: &dyn KernelMatrix, sum: f64) -> Self {
        let n = matrix.nrows();
        let mut diagonal = vec![0.0; n];
        matrix.diag(&mut diagonal);
        let (count, trace) = (n as f64, diagonal.iter().sum::<f64>());
        let variance = ((trace - sum / count) / count).max(0.0);
        let [near, far] = [1, 2].map(|lag| lagged(matrix, &diagonal, lag));
        let correlation = if near > 0.0 { (far / near - 1.0).clamp(0.0, LARGEST_CORRELATION) } else { 0.0 };
        let felt = near * (1.0 + correlation) / (1.0 - correlation).powi(2);
        let felt = felt.clamp(variance, LARGEST_SHARE * variance);
        let penalty = FACTOR * (felt * variance).sqrt() * count.ln();
        // Points that are all equal have costs that are rounding, which is no reason for a change.
        let size = diagonal.iter().map(|k| k.abs()).sum::<f64>() + sum.abs() / count;
        let rounding = 64.0 * count * f64::EPSILON * size;
        AutomaticPenalty { penalty: penalty.max(rounding), variance, neighbour_variance: near, correlation }
    }
}

/// ½·mean ‖φ(xᵢ₊ₗ) − φ(xᵢ)‖², 0 where there are no such points.
fn lagged(matrix: &dyn KernelMatrix, diagonal: &[f64], lag: usize) -> f64 {
    let pairs = diagonal.len().saturating_sub(lag);
    let between = |i: usize| {
        let mut value = [0.0];
        matrix.block(i..i + 1, i + lag..i + lag + 1, TileMut::contiguous(&mut value, 1, 1));
        0.5 * (diagonal[i] + diagonal[i + lag]) - value[0]
    };
    (0..pairs).map(between).sum::<f64>().max(0.0) / pairs.max(1) as f64
}
