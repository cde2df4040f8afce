//! f = 0 with the best intercept: the answer wherever it loses nothing, and the one that none may be worse than.

use crate::certificate::Stop;
use crate::loss::{Against, Loss, ScalarRows};

use super::inner::best_intercept;
use super::pieces::Pieces;
use super::{Penalized, PenalizedAnswer};

/// f = 0, measured as a point of the quadratic program. Its slopes are 0, or as near 0 as their bounds allow.
pub(super) fn constant(problem: &Penalized<'_>, loss: &dyn Loss, y: &[f64], pieces: &Pieces) -> PenalizedAnswer {
    let n = problem.n();
    let at = |b: f64| pieces.loss(&vec![b / pieces.unit; n]);
    let candidates = if problem.intercept { intercepts(problem, loss, y) } else { vec![0.0] };
    let b = candidates.into_iter().reduce(|best, b| if at(b) < at(best) { b } else { best }).unwrap_or(0.0);
    let z = vec![b / pieces.unit; n];
    let none: Vec<f64> = (0..pieces.len()).map(|j| 0f64.clamp(pieces.bounds(j).0, pieces.bounds(j).1)).collect();
    // Slopes that cannot be 0 belong to no f = 0: then nothing is known of the minimum.
    let gap = if none.iter().all(|v| *v == 0.0) { pieces.slack(&z, &none) } else { f64::INFINITY };
    let value = at(b);
    PenalizedAnswer {
        slopes: vec![0.0; n],
        intercept: vec![b],
        values: vec![b; n],
        loss: value * pieces.unit,
        slopes_square: 0.0,
        gap: gap.is_finite().then_some(gap * pieces.unit),
        residual: gap / value.max(pieces.nothing()),
        iters: 0,
        stop: Stop::Stagnation,
        jitter: 0.0,
        history: Vec::new(),
    }
}

/// The number where the slopes of all rows add up to 0 and, of numbers, those in the middle of the targets, which
/// equal ones are met by to the last digit.
fn intercepts(problem: &Penalized<'_>, loss: &dyn Loss, y: &[f64]) -> Vec<f64> {
    let (mut z, mut b) = (vec![0.0; y.len()], vec![0.0]);
    best_intercept(&ScalarRows { loss, y }, problem.weights, &mut z, &mut b);
    if loss.against() == Against::Numbers {
        let (low, high) = y.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(*y), h.max(*y)));
        b.push(low + 0.5 * (high - low));
    }
    b.retain(|b| b.is_finite());
    b
}

#[cfg(test)]
mod tests {
    use super::super::{Penalized, PenalizedParams, interior_point};
    use crate::certificate::Stop;
    use crate::loss::{Absolute, EpsilonInsensitive, Loss, Pinball};
    use crate::run::Run;

    #[test]
    fn targets_that_a_number_meets_are_met_by_it_alone() {
        let kernel: Vec<f64> = (0..36).map(|at| if at / 6 == at % 6 { 1.0 } else { 0.3 }).collect();
        let (weights, run) = (vec![1.0; 6], Run::new());
        let problem = Penalized { kernel: &kernel, weights: &weights, alpha: 0.1, intercept: true };
        let losses: [(&dyn Loss, [f64; 6]); 4] = [
            (&Absolute, [5.1; 6]),
            (&EpsilonInsensitive::new(0.25).expect("a width"), [5.1; 6]),
            (&EpsilonInsensitive::new(0.25).expect("a width"), [1.0, 1.1, 1.2, 1.3, 1.4, 1.49]),
            (&Pinball::new(0.1).expect("a quantile"), [-1e-9; 6]),
        ];
        for (loss, y) in losses {
            let answer = interior_point(&problem, loss, &y, &PenalizedParams::default(), &run).expect("solved");
            assert_eq!(
                (answer.stop, answer.loss, answer.slopes_square),
                (Stop::Tolerance, 0.0, 0.0),
                "{}",
                loss.name()
            );
        }
    }
}
