//! One program, solved.

use crate::certificate::Stop;
use crate::error::{Error, Result};
use crate::run::Run;
use crate::solver::dual::{self, DualParams, KernelRows};

use super::problem::{Form, Problem};

/// A function on the rows of a problem.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    /// The coefficient of each row.
    pub(crate) v: Vec<f64>,
    pub(crate) b: f64,
    /// f(xᵢ) of each row, without b; as exact as the parameters asked for.
    pub(crate) f: Vec<f64>,
    /// ε, or the ρ that all was divided by.
    pub(crate) width: f64,
    /// The gap of the program over its objective.
    pub(crate) gap: f64,
    pub(crate) stop: Stop,
    pub(crate) iterations: u64,
}

/// The share of the objective that its gap may be where a margin is said to be there.
const KNOWN: f64 = 0.01;
/// How often the tolerance may be lowered to know it, and by how much.
const FINER: (usize, f64) = (3, 1e-3);
/// Moves of each time: some, and more for each row.
const FINER_MOVES: (u64, u64) = (500_000, 100);

/// Solves a problem, near these coefficients if there are any.
pub(crate) fn solve(
    kernel: &dyn KernelRows,
    problem: &Problem,
    near: Option<&[f64]>,
    params: &DualParams,
    run: &Run,
) -> Result<Solved> {
    let mut found = solve_as_it_is(kernel, problem, near, params, run)?;
    let Form::NuMargin { .. } = problem.form else { return Ok(found) };
    // Who is cut off gets what was reached, with its gap.
    let mut cut_off = matches!(found.stop, Stop::Deadline | Stop::Interrupted | Stop::MaxIterations);
    let mut finer = DualParams { exact: true, ..*params };
    for _ in 0..FINER.0 {
        if cut_off || found.has_margin(kernel) || found.may_have_none(kernel) {
            break;
        }
        // A margin at the level of the tolerance may as well be none.
        finer.tolerance *= FINER.1;
        finer.max_iterations = params.max_iterations.min(FINER_MOVES.0 + FINER_MOVES.1 * problem.len() as u64);
        let again = solve_as_it_is(kernel, problem, Some(&found.v), &finer, run)?;
        cut_off = matches!(again.stop, Stop::Deadline | Stop::Interrupted);
        found = Solved { iterations: found.iterations + again.iterations, ..again };
    }
    let width = found.width;
    if !(found.has_margin(kernel) || cut_off && width > 0.0) {
        return Err(no_margin(width));
    }
    found.v.iter_mut().chain(&mut found.f).for_each(|x| *x /= width);
    Ok(Solved { b: found.b / width, ..found })
}

impl Solved {
    /// ‖f‖², and below what it cannot be told from 0.
    fn square(&self, kernel: &dyn KernelRows) -> (f64, f64) {
        let largest = kernel.diagonal().iter().fold(0.0f64, |m, k| m.max(k.abs()));
        let (mut square, mut mass, mut count) = (0.0, 0.0, 0.0);
        for (v, f) in self.v.iter().zip(&self.f).filter(|(v, _)| **v != 0.0) {
            (square, mass, count) = (square + v * f, mass + v.abs(), count + 1.0);
        }
        (square, 4.0 * (count + 16.0) * f64::EPSILON * largest * mass * mass)
    }

    /// Whether the reduced hulls are apart: the gap bounds how much nearer than ‖f‖ they may be.
    fn has_margin(&self, kernel: &dyn KernelRows) -> bool {
        let (square, level) = self.square(kernel);
        self.gap <= KNOWN && square > level && self.width > 0.0
    }

    /// Whether they are as near as rounding lets one see.
    fn may_have_none(&self, kernel: &dyn KernelRows) -> bool {
        let (square, level) = self.square(kernel);
        square <= level
    }
}

/// Solves a problem in its own units.
fn solve_as_it_is(
    kernel: &dyn KernelRows,
    problem: &Problem,
    near: Option<&[f64]>,
    params: &DualParams,
    run: &Run,
) -> Result<Solved> {
    let program = problem.program(kernel);
    let settled = dual::solve(&program, problem.start(near), params, run)?;
    let mut v = vec![0.0; problem.len()];
    program.row.iter().zip(&settled.v).for_each(|(i, value)| v[*i as usize] += value);
    let levels = problem.levels(settled.offsets);
    let (gap, stop, iterations) = (settled.gap, settled.stop, settled.iterations);
    Ok(Solved { v, b: levels.b, f: settled.product, width: levels.width, gap, stop, iterations })
}

fn no_margin(width: f64) -> Error {
    Error::Unsupported {
        what: format!(
            "a margin of {:.1e}, which cannot be told from none, between classes whose reduced hulls meet,",
            width.max(0.0)
        ),
        alternative: "lower `nu`, use a kernel that tells more points apart, or use the model `svc`".into(),
    }
}

impl Problem {
    /// The problem whose solution this is, too, once ρ or ε is known: of classes that with costs over ρ, of numbers that with ε.
    pub(crate) fn comes_to(&self, width: f64) -> Problem {
        match self.form {
            Form::NuMargin { .. } => {
                Problem { form: Form::Margin, cost: self.cost.iter().map(|c| c / width).collect(), ..self.clone() }
            }
            Form::NuTube { .. } => Problem { form: Form::Tube { epsilon: width }, ..self.clone() },
            _ => self.clone(),
        }
    }
}
