//! Which rows stand for all: candidates by the kernel, landmarks among them by the targets.
//!
//! Pivots of a randomly pivoted Cholesky factor span the rows well, and know nothing of the targets.
//! So half as many again are drawn as are needed, ridge regression on all of them is solved on a
//! sample of the rows, and those go whose removal costs its objective least.

use crate::approx::{LandmarkData, LandmarkSystem, landmarks};
use crate::data::Inputs;
use crate::error::Result;
use crate::gram::dense;
use crate::model::training::subset;
use crate::run::Run;

use super::landmarks::{cross, mass};
use super::problem::Problem;

/// Rows of the sample, for each landmark, and at least.
const ROWS_A_LANDMARK: usize = 10;
const LEAST_ROWS: usize = 10_000;

/// `m` rows, or fewer where fewer span the sample. `alpha` need only be near the one that is used.
pub(super) fn select(problem: &Problem, alpha: f64, m: usize, run: &Run) -> Result<Vec<usize>> {
    let sample = Sample::new(problem, LEAST_ROWS.max(ROWS_A_LANDMARK * m).min(problem.n));
    let count = (m + m / 2).min(sample.rows.len());
    let candidates = landmarks(&problem.training.space.gram(&sample.x, run)?, count, problem.seed, run)?;
    let chosen = if candidates.len() > m { sample.narrow(alpha, &candidates, m, run)? } else { candidates };
    Ok(chosen.into_iter().map(|p| sample.rows[p]).collect())
}

/// Evenly spread rows of a problem.
struct Sample<'a> {
    problem: &'a Problem,
    rows: Vec<usize>,
    x: Inputs,
    y: Vec<f64>,
    weights: Option<Vec<f64>>,
}

impl<'a> Sample<'a> {
    fn new(problem: &'a Problem, count: usize) -> Self {
        let rows: Vec<usize> = (0..count).map(|i| i * problem.n / count).collect();
        let c = problem.outputs;
        Sample {
            problem,
            x: subset(&problem.training.x, &rows),
            y: rows.iter().flat_map(|&i| problem.y[i * c..(i + 1) * c].iter().copied()).collect(),
            weights: problem.weights.as_ref().map(|w| rows.iter().map(|&i| w[i]).collect()),
            rows,
        }
    }

    /// The `m` candidates that the objective would miss most.
    fn narrow(&self, alpha: f64, candidates: &[usize], m: usize, run: &Run) -> Result<Vec<usize>> {
        let (space, problem) = (&self.problem.training.space, self.problem);
        let k_zz = dense::<f64>(&space.gram(&subset(&self.x, candidates), run)?, run)?;
        let (mut system, kept) = LandmarkSystem::new(k_zz.into_values(), candidates.len(), problem.outputs, run)?;
        let kept: Vec<usize> = kept.into_iter().map(|i| candidates[i]).collect();
        if kept.len() <= m {
            return Ok(kept);
        }
        // A sum over fewer rows outweighs the same penalty by less.
        let alpha = problem.scaled_alpha(alpha) * self.rows.len() as f64 / problem.n as f64;
        let bound = cross(space, &self.x, &kept, run)?;
        let data = LandmarkData { cross: &bound, y: &self.y, weights: self.weights.as_deref() };
        system.accumulate(&data, !system.raw_is_safe(alpha, mass(&data, &bound, &self.x, &kept)), run)?;
        let costs = system.removal_costs(alpha, problem.intercept, run)?;
        let mut order: Vec<usize> = (0..kept.len()).collect();
        // A stable sort: equal costs keep the order in which they were drawn.
        order.sort_by(|&i, &j| costs[j].total_cmp(&costs[i]));
        Ok(order[..m].iter().map(|&i| kept[i]).collect())
    }
}
