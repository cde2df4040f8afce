//! Which rows stand for all: candidates by the kernel, landmarks among them by the targets.
//!
//! Pivots of a randomly pivoted Cholesky factor span the rows well, and know nothing of the targets.
//! So half as many again are drawn as are needed, ridge regression on all of them is solved on a
//! sample of the rows, and those go whose removal costs its objective least.

use crate::approx::{LandmarkData, LandmarkSystem};
use crate::error::{Error, Result};
use crate::gram::dense;
use crate::model::sample::subset;
use crate::run::Run;

use super::landmarks::mass;
use super::problem::Problem;

/// `m` rows, or fewer where fewer span the sample. `alpha` need only be near the one that is used. Where memory is too
/// scarce for a choice, the pivots are taken as they were drawn, with a warning.
pub(super) fn select(problem: &Problem, alpha: f64, m: usize, run: &Run) -> Result<Vec<usize>> {
    match by_targets(problem, alpha, m, run) {
        Err(Error::Memory { .. }) => {
            run.warn("landmarks were not chosen by the targets, for which the memory limit leaves no room");
            problem.training.landmarks(m, problem.seed, run)
        }
        chosen => chosen,
    }
}

fn by_targets(problem: &Problem, alpha: f64, m: usize, run: &Run) -> Result<Vec<usize>> {
    let training = &problem.training;
    let rows = training.rows_for_landmarks(m);
    let candidates = training.pivots(&rows, (m + m / 2).min(rows.len()), problem.seed, run)?;
    if candidates.len() > m { narrow(problem, &rows, alpha, &candidates, m, run) } else { Ok(candidates) }
}

/// The `m` candidates that the objective on some rows would miss most.
fn narrow(
    problem: &Problem,
    rows: &[usize],
    alpha: f64,
    candidates: &[usize],
    m: usize,
    run: &Run,
) -> Result<Vec<usize>> {
    let (training, c) = (&problem.training, problem.outputs);
    let k_zz = dense::<f64>(&training.space.gram(&subset(&training.x, candidates), run)?, run)?;
    let (mut system, kept) = LandmarkSystem::new(k_zz.into_values(), candidates.len(), c, run)?;
    let kept: Vec<usize> = kept.into_iter().map(|i| candidates[i]).collect();
    if kept.len() <= m {
        return Ok(kept);
    }
    // A sum over fewer rows outweighs the same penalty by less.
    let alpha = problem.scaled_alpha(alpha) * rows.len() as f64 / problem.n as f64;
    let bound = training.cross(Some(rows), &kept, run)?;
    let y: Vec<f64> = rows.iter().flat_map(|&i| problem.y[i * c..(i + 1) * c].iter().copied()).collect();
    let weights: Option<Vec<f64>> = problem.weights.as_ref().map(|w| rows.iter().map(|&i| w[i]).collect());
    let data = LandmarkData { cross: &bound, y: &y, weights: weights.as_deref() };
    system.accumulate(&data, !system.raw_is_safe(alpha, mass(&data, &bound, &training.x, &kept)), run)?;
    let costs = system.removal_costs(alpha, problem.intercept, run)?;
    let mut order: Vec<usize> = (0..kept.len()).collect();
    // A stable sort: equal costs keep the order in which they were drawn.
    order.sort_by(|&i, &j| costs[j].total_cmp(&costs[i]));
    Ok(order[..m].iter().map(|&i| kept[i]).collect())
}
