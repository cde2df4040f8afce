//! The scores of a list of alphas, and the choice among them.

use crate::error::{Error, Result};
use crate::model::AlphaScore;
use crate::run::Run;
use crate::solver::{SpectralRidge, Spread};

use super::Alpha;
use super::problem::Problem;

/// All alphas solved, and the one that was chosen.
pub(super) struct Path {
    pub(super) scores: Vec<AlphaScore>,
    pub(super) chosen: usize,
    /// β of the chosen alpha, row-major: n×outputs.
    pub(super) beta: Vec<f64>,
    /// Leave-one-out residuals of the chosen alpha, where there are any.
    pub(super) loo: Option<Vec<f64>>,
}

/// Solves for every alpha of the list and takes the best by the user's criterion.
pub(super) fn path(problem: &Problem, spectral: &SpectralRidge, alpha: &Alpha, run: &Run) -> Result<Path> {
    let list = alpha.list();
    let scaled: Vec<f64> = list.iter().map(|a| problem.scaled_alpha(*a)).collect();
    let betas = spectral.solve(&scaled, run)?;
    let spreads = spectral.spread(&scaled, run)?;
    let c = problem.outputs;
    // With an intercept and one row, nothing is left to predict that row from.
    let has_loo = problem.n > 1 || !problem.intercept;
    if !has_loo && matches!(alpha, Alpha::Loo(_)) {
        return Err(Error::shape("leave-one-out with an intercept", "two rows or more of positive weight", problem.n));
    }
    let mut found: Vec<(AlphaScore, Option<Vec<f64>>, Vec<f64>)> = Vec::with_capacity(list.len());
    for (a, spread) in spreads.iter().enumerate() {
        let width = c * list.len();
        let beta: Vec<f64> = betas.chunks(width).flat_map(|row| row[a * c..(a + 1) * c].iter().copied()).collect();
        let loo = has_loo.then(|| residuals(problem, spectral, scaled[a], &beta, spread, run)).transpose()?;
        found.push((score(problem, list[a], scaled[a], &beta, loo.as_deref(), spread), loo, beta));
    }
    let value = |s: &AlphaScore| match alpha {
        Alpha::Gcv(_) => s.gcv,
        _ => s.loo.unwrap_or(s.gcv),
    };
    // A score that is not a number never wins; of equal ones, the first does.
    let chosen = (0..found.len()).reduce(|best, a| {
        if value(&found[a].0) < value(&found[best].0) || value(&found[best].0).is_nan() { a } else { best }
    });
    let chosen = chosen.unwrap_or(0);
    let scores = found.iter().map(|f| f.0).collect();
    let (_, loo, beta) = found.swap_remove(chosen);
    Ok(Path { scores, chosen, beta, loo })
}

/// e = β/(Q·√w), row by row.
fn residuals(
    problem: &Problem,
    spectral: &SpectralRidge,
    alpha: f64,
    beta: &[f64],
    spread: &Spread,
    run: &Run,
) -> Result<Vec<f64>> {
    let mut residuals = spectral.leave_one_out(alpha, beta, spread, run)?;
    if let Some(roots) = problem.root_weights() {
        for (row, s) in residuals.chunks_mut(problem.outputs).zip(&roots) {
            row.iter_mut().for_each(|e| *e /= s);
        }
    }
    Ok(residuals)
}

fn score(problem: &Problem, alpha: f64, scaled: f64, beta: &[f64], loo: Option<&[f64]>, spread: &Spread) -> AlphaScore {
    let (n, c) = (problem.n as f64, problem.outputs);
    let squares = |values: &[f64], weight: &dyn Fn(usize) -> f64| -> f64 {
        values.iter().enumerate().map(|(at, v)| weight(at / c) * (v * problem.units[at % c]).powi(2)).sum()
    };
    let total: f64 = (0..problem.n).map(|i| problem.weight(i)).sum();
    AlphaScore {
        alpha,
        loo: loo.map(|e| squares(e, &|i| problem.weight(i)) / total),
        // The residual is alpha·β and n − tr H is alpha·tr Q, so alpha cancels.
        gcv: n * problem.weight_unit * squares(beta, &|_| 1.0) / spread.trace.powi(2),
        freedom: n - scaled * spread.trace,
    }
}
