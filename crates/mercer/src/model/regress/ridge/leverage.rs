//! Leave-one-out residuals in the coordinates of features.

use crate::approx::LandmarkSystem;
use crate::error::Result;
use crate::gram::{KernelMatrix, apply};
use crate::linalg::solve_cholesky_lower_rows;
use crate::run::Run;

use super::problem::Problem;

/// eᵢ = rᵢ/(1 − hᵢ) with the residuals r of coefficients and intercept and the leverages h = w·φᵀ(G + alpha)⁻¹φ; with an
/// intercept, of features less their weighted mean, and w/Σw more. Row-major: n×outputs.
pub(super) fn leave_one_out(
    problem: &Problem,
    system: &LandmarkSystem,
    cross: &dyn KernelMatrix,
    (a, b): (&[f64], &[f64]),
    alpha: f64,
    run: &Run,
) -> Result<Vec<f64>> {
    let (n, m, c) = (problem.n, system.rank(), problem.outputs);
    let mut features = system.features(cross, run)?;
    let total: f64 = (0..n).map(|i| problem.weight(i)).sum();
    let mut own = 0.0;
    if problem.intercept {
        let mut mean = vec![0.0; m];
        for (i, row) in features.chunks(m).enumerate() {
            mean.iter_mut().zip(row).for_each(|(s, v)| *s += problem.weight(i) / total * v);
        }
        features.chunks_mut(m).for_each(|row| row.iter_mut().zip(&mean).for_each(|(v, s)| *v -= s));
        own = 1.0 / total;
    }
    let (factor, ..) = system.factor(alpha, problem.intercept, run)?;
    solve_cholesky_lower_rows(&factor, m, &mut features, run)?;
    let mut residuals = vec![0.0; n * c];
    apply(cross, a, c, &mut residuals, run)?;
    for (i, (row, phi)) in residuals.chunks_mut(c).zip(features.chunks(m)).enumerate() {
        let leverage = problem.weight(i) * (own + phi.iter().map(|v| v * v).sum::<f64>());
        // A row that is met whatever its target leaves 1 − h of rounding alone.
        let left = (1.0 - leverage).max(f64::EPSILON);
        row.iter_mut().enumerate().for_each(|(o, f)| *f = (problem.y[i * c + o] - *f - b[o]) / left);
    }
    Ok(residuals)
}
