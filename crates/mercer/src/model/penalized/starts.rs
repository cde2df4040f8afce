//! Losses that need not be convex: several starts, the best kept.

use crate::chance::Chance;
use crate::error::Result;
use crate::linalg::multiply;
use crate::note::Note;
use crate::run::Run;

use super::fit::{Answer, Ask, LossFit, Starts};

/// Spread of the values of a random start.
const SPREAD: f64 = 2.0;

/// Minimises from f = 0 and from random functions.
pub(super) fn best(fit: &LossFit<'_>, ask: Ask<'_>, starts: Starts, run: &Run) -> Result<Answer> {
    let mut best = fit.at(ask, None, run)?;
    let mut objectives = vec![best.primal];
    let mut chance = Chance::new(starts.seed);
    for _ in 1..starts.count {
        if run.stop_reason().is_some() {
            break;
        }
        let start = random(fit, ask.alpha, &mut chance, run)?;
        let other = fit.at(ask, Some(&start), run)?;
        objectives.push(other.primal);
        // Of equal ones the first is kept; their last digits are rounding.
        if other.primal < best.primal - 1e-12 * best.primal.abs() {
            best = other;
        }
    }
    let (low, high) = objectives.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    best.notes.push(Note::BestOfStarts {
        loss: ask.loss.name().to_owned(),
        starts: objectives.len(),
        lowest: low * fit.unit,
        highest: high * fit.unit,
    });
    Ok(best)
}

/// Slopes of a function with values of the size of `SPREAD`.
fn random(fit: &LossFit<'_>, alpha: f64, chance: &mut Chance, run: &Run) -> Result<Vec<f64>> {
    let n = fit.sample.n;
    let mut slopes: Vec<f64> = (0..n).map(|_| 2.0 * chance.unit() - 1.0).collect();
    let mut values = vec![0.0; n];
    multiply(fit.gram.values(), &slopes, [n, n, 1], &mut values, run)?;
    let size = (values.iter().map(|v| v * v).sum::<f64>() / n as f64).sqrt() / alpha;
    let scale = if size > 0.0 && size.is_finite() { SPREAD / size } else { 0.0 };
    slopes.iter_mut().for_each(|v| *v *= scale);
    Ok(slopes)
}
