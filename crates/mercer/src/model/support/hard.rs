//! Hard margins: the largest one, or weights that prove there is none.
//!
//! **Solves** min ½‖Σ vᵢk(xᵢ, ·)‖² over convex weights of each class, vᵢ ≥ 0 above and ≤ 0 below: the nearest points of the two
//! convex hulls. Their distance δ is twice the largest half-margin (Crisp & Burges 1999, *A geometric interpretation of ν-SVM
//! classifiers*, NeurIPS 12), so f/ρ with ρ = δ²/2 is the hard margin machine. Without b, the classes are mirrored through the origin:
//! the point of the hull of yᵢk(xᵢ, ·) that is nearest to 0, whose distance δ is the largest margin.
//!
//! **Stops when** the function separates the classes and its margin is within the tolerance of the largest, which the distance
//! bounds; or when the distance is at the level of rounding: then the weights are a witness that no margin above it exists. The program
//! always has a solution, so there is always a verdict; if it is not reached within a number of moves, that is said.

use crate::certificate::Stop;
use crate::error::{Error, Result};
use crate::run::Run;
use crate::solver::dual::{self, DualParams, KernelRows, Row};

use super::problem::{Form, Problem};
use super::{Solved, View};

/// Moves of a verdict: some, and more for each row.
const MOVES: (u64, u64) = (2_000_000, 200);

/// The machine of rows that are numbered so in the data, or the witness.
pub(crate) fn solve(
    view: &View<'_>,
    problem: &Problem,
    rows: &[usize],
    params: &DualParams,
    run: &Run,
) -> Result<Solved> {
    if problem.intercept {
        let hulls = Problem { form: Form::NuMargin { mass: 1.0 }, ..problem.clone() };
        return Hull { kernel: view, problem: &hulls, y: &problem.y, rows }.verdict(params, run);
    }
    let mirrored = Mirrored { kernel: view, y: &problem.y };
    let hull = Problem { form: Form::Level { mass: 1.0 }, ..problem.clone() };
    Hull { kernel: &mirrored, problem: &hull, y: &problem.y, rows }.verdict(params, run)
}

/// The program of nearest points.
struct Hull<'a> {
    kernel: &'a dyn KernelRows,
    problem: &'a Problem,
    y: &'a [f64],
    rows: &'a [usize],
}

/// Where a point of the program stands: the distance of the hulls is at most the root of `square`, and at least
/// `between`/root.
struct Standing {
    square: f64,
    /// What the function leaves between the classes, times its norm.
    between: f64,
    /// Below this nothing can be told from 0.
    level: f64,
    b: f64,
}

impl Hull<'_> {
    fn verdict(&self, params: &DualParams, run: &Run) -> Result<Solved> {
        let largest = self.kernel.diagonal().iter().fold(0.0f64, |m, k| m.max(k.abs()));
        let program = self.problem.program(self.kernel);
        let most = params.max_iterations.min(MOVES.0 + MOVES.1 * self.y.len() as u64);
        let (mut v, mut tolerance, mut iterations) = (self.problem.start(None), 0.1 * largest, 0);
        loop {
            let step = DualParams { tolerance, gap: f64::INFINITY, max_iterations: most - iterations, exact: true };
            let settled = dual::solve(&program, v, &step, run)?;
            iterations += settled.iterations;
            let at = self.standing(&settled.v, &settled.product, largest);
            let near = at.between >= (1.0 - params.tolerance) * at.square && at.between > at.level;
            let stopped = matches!(settled.stop, Stop::Deadline | Stop::Interrupted);
            if near || (stopped && at.between > at.level) {
                let stop = if near { Stop::Tolerance } else { settled.stop };
                return Ok(self.machine(&settled.v, &settled.product, &at, stop, iterations));
            }
            if at.square <= at.level {
                return Err(self.witness(&settled.v, &at));
            }
            if let Some(reason) = run.stop_reason().filter(|_| stopped) {
                return Err(run.task("hard margin", None).cancelled(reason));
            }
            if iterations >= most || tolerance < 1e-18 * largest {
                return Err(self.undecided(&at, iterations));
            }
            (v, tolerance) = (settled.v, 0.1 * tolerance.min(at.square));
        }
    }

    fn is_mirrored(&self) -> bool {
        matches!(self.problem.form, Form::Level { .. })
    }

    fn standing(&self, v: &[f64], f: &[f64], largest: f64) -> Standing {
        let square: f64 = v.iter().zip(f).map(|(v, f)| v * f).sum();
        let count = v.iter().filter(|v| **v != 0.0).count() as f64;
        let level = 4.0 * (count + 16.0) * f64::EPSILON * largest;
        let least = |sign: f64| {
            let of_side = self.y.iter().zip(f).filter(|(y, _)| **y == sign);
            of_side.map(|(_, f)| sign * f).fold(f64::INFINITY, f64::min)
        };
        if self.is_mirrored() {
            return Standing { square, between: f.iter().copied().fold(f64::INFINITY, f64::min), level, b: 0.0 };
        }
        let (above, below) = (least(1.0), least(-1.0));
        Standing { square, between: above + below, level, b: -0.5 * (above - below) }
    }

    /// Scaled so that the nearest rows have yᵢ(f(xᵢ) + b) = 1.
    fn machine(&self, v: &[f64], f: &[f64], at: &Standing, stop: Stop, iterations: u64) -> Solved {
        let mirrored = self.is_mirrored();
        let margin = if mirrored { at.between } else { 0.5 * at.between };
        let sign = |i: usize| if mirrored { self.y[i] } else { 1.0 };
        let scaled = |values: &[f64]| values.iter().enumerate().map(|(i, x)| sign(i) * x / margin).collect();
        Solved { v: scaled(v), f: scaled(f), b: at.b / margin, width: 1.0, gap: 0.0, stop, iterations }
    }

    fn witness(&self, v: &[f64], at: &Standing) -> Error {
        let weights = self.rows.iter().zip(v).filter(|(_, v)| **v != 0.0);
        Error::NotSeparable {
            distance: at.square.max(0.0).sqrt(),
            witness: weights.map(|(row, v)| (*row, v.abs())).collect(),
            intercept: !self.is_mirrored(),
        }
    }

    fn undecided(&self, at: &Standing, iterations: u64) -> Error {
        let (root, halves) = (at.square.max(0.0).sqrt(), if self.is_mirrored() { 1.0 } else { 2.0 });
        let (low, high) = ((at.between / root).max(0.0) / halves, root / halves);
        Error::Unsupported {
            what: format!("a verdict on a margin between {low:.1e} and {high:.1e}, open after {iterations} moves,"),
            alternative: "give a finite `C`, scale the columns, or choose another length scale".into(),
        }
    }
}

/// The kernel matrix of points whose second class is mirrored through the origin: yᵢyⱼk(xᵢ, xⱼ).
struct Mirrored<'a> {
    kernel: &'a dyn KernelRows,
    y: &'a [f64],
}

impl KernelRows for Mirrored<'_> {
    fn parts(&self) -> Vec<usize> {
        vec![self.y.len()]
    }

    fn diagonal(&self) -> &[f64] {
        self.kernel.diagonal()
    }

    fn rows(&self, rows: &[usize], run: &Run) -> Result<Vec<Row>> {
        let plain = self.kernel.rows(rows, run)?;
        let mirror = |(i, row): (&usize, Row)| {
            let values = row.iter().flat_map(|part| part.iter());
            vec![values.zip(self.y).map(|(k, y)| k * (y * self.y[*i]) as f32).collect::<Vec<f32>>().into()]
        };
        Ok(rows.iter().zip(plain).map(mirror).collect())
    }

    fn product(&self, rows: &[usize], v: &[f64], out: &mut [f64], run: &Run) -> Result<()> {
        let signed: Vec<f64> = rows.iter().zip(v).map(|(i, v)| self.y[*i] * v).collect();
        self.kernel.product(rows, &signed, out, run)?;
        out.iter_mut().zip(self.y).for_each(|(f, y)| *f *= y);
        Ok(())
    }

    fn between(&self, rows: &[usize], run: &Run) -> Result<Vec<f64>> {
        let mut values = self.kernel.between(rows, run)?;
        for (i, row) in rows.iter().zip(values.chunks_mut(rows.len().max(1))) {
            row.iter_mut().zip(rows).for_each(|(k, j)| *k *= self.y[*i] * self.y[*j]);
        }
        Ok(values)
    }

    fn room(&self) -> usize {
        self.kernel.room()
    }
}
