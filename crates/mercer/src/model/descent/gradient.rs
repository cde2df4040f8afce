//! Gradient descent in the RKHS, as an iteration and in closed form.

use serde::{Deserialize, Serialize};

use crate::certificate::{Algorithm, Certificate, Stop};
use crate::chance::Chance;
use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::kernel::{KernelExpr, Kind, Registry};
use crate::linalg::largest_eigenvalue;
use crate::model::training::{NamedKernel, Training, subset};
use crate::model::{Fitted, FittedMachine, KernelMachine, Link, MachineReport};
use crate::run::Run;
use crate::solver::Filter;

use super::attained::{attained, residuals};
use super::empirical::{Directions, Empirical, Kept, norm, shares};
use super::step::{StepSize, Steps};
use super::stopping::Stopping;

const NAME: &str = "KernelGradientDescent";

/// The choices of a gradient descent for the squared loss.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}};
/// use mercer::model::descent::{KernelGradientDescent, StepSize, Stopping};
/// // One point with k(x, x) = 1 and y = 1: F ← F + step·(1 − F), so 1 − Fᵗ = (1 − step)ᵗ.
/// let (x, y): (Inputs, _) = (Rows::new(vec![0.0], 1, 1)?.into(), Targets::new(vec![1.0], 1)?);
/// let descent = KernelGradientDescent {
///     kernel: KernelExpr::parse("rbf(length_scale=1)")?, step_size: StepSize::Constant(0.5),
///     stopping: Stopping::Iterations(3), ..KernelGradientDescent::default() };
/// let f = descent.fit(&x, &y, None, &Run::new())?.model.decision(&x, &Run::new())?;
/// assert!((f[0] - (1.0 - 0.125)).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelGradientDescent {
    /// The kernel; rules such as `median` are resolved on the training points.
    pub kernel: KernelExpr,
    /// How far to go at each iteration.
    pub step_size: StepSize,
    /// When to end.
    pub stopping: Stopping,
    /// The coefficients to start from, row-major: rows×outputs; zeros without.
    pub start: Option<Vec<f64>>,
    /// Whether to take the eigendecomposition and jump to the last iterate, instead of iterating.
    pub closed_form: bool,
    /// Where chance begins: of the rows held out.
    pub seed: u64,
}

impl Default for KernelGradientDescent {
    fn default() -> Self {
        KernelGradientDescent {
            kernel: KernelExpr::of(Kind::Rbf),
            step_size: StepSize::Auto,
            stopping: Stopping::default(),
            start: None,
            closed_form: false,
            seed: 0,
        }
    }
}

impl KernelGradientDescent {
    /// Fits to points, targets and weights ≥ 0, one a row.
    pub fn fit(&self, x: &Inputs, y: &Targets, weights: Option<&[f64]>, run: &Run) -> Result<FittedMachine> {
        self.fit_with(x, y, weights, &Registry::new(), run)
    }

    /// As [`fit`](Self::fit), with a kernel that may name the kernels of `registry`.
    pub fn fit_with(
        &self,
        x: &Inputs,
        y: &Targets,
        weights: Option<&[f64]>,
        registry: &Registry,
        run: &Run,
    ) -> Result<FittedMachine> {
        self.stopping.validate(NAME)?;
        let kernel = NamedKernel { kernel: &self.kernel, registry };
        let training = Training::new(NAME, kernel, x, y.nrows(), weights, run)?;
        let start = self.start(&training, y)?;
        let problem = Problem::new(training, y, start, run)?;
        let steps = Steps::new(NAME, &self.step_size, problem.largest)?;
        let done = self.descend(&problem, &steps, run)?;
        self.finish(problem, steps, done, &run.without_stops())
    }

    /// The coefficients to start from, of the rows that count.
    fn start(&self, training: &Training, y: &Targets) -> Result<Vec<f64>> {
        let c = y.outputs();
        let Some(start) = &self.start else { return Ok(vec![0.0; training.n * c]) };
        if start.len() != training.all.len() * c {
            let expected = format!("{} rows times {c} outputs", training.all.len());
            return Err(Error::shape("the coefficients to start from", expected, start.len()));
        }
        if let Some(bad) = start.iter().find(|v| !v.is_finite()) {
            return Err(Error::invalid(NAME, "start", bad, "finite"));
        }
        Ok((0..training.n).flat_map(|i| start[training.row(i) * c..(training.row(i) + 1) * c].to_vec()).collect())
    }

    fn descend(&self, problem: &Problem, steps: &Steps, run: &Run) -> Result<Descended> {
        let most = match self.stopping {
            Stopping::HoldOut { share, max_iterations } => {
                problem.best_on_held_out(share, max_iterations, steps, self.seed, run)?
            }
            other => other.most(),
        };
        let enough = match self.stopping {
            Stopping::Discrepancy { noise, factor, .. } => noise * factor,
            _ => 0.0,
        };
        match (self.closed_form, self.stopping) {
            (true, Stopping::Discrepancy { .. }) => Err(Error::Unsupported {
                what: "the discrepancy principle in closed form".into(),
                alternative: "iterate, or give the number of iterations".into(),
            }),
            (true, _) => problem.jump(steps, most, run),
            (false, _) => problem.iterate(steps, most, enough, run),
        }
    }

    fn finish(&self, problem: Problem, steps: Steps, done: Descended, run: &Run) -> Result<FittedMachine> {
        let Problem { training, outputs, shares, y, .. } = &problem;
        let mut notes = steps.notes.clone();
        if let Stopping::HoldOut { share, .. } = self.stopping {
            notes.push(format!("{} iterations did best on the {} % of rows held out", done.iterations, 100.0 * share));
        }
        let mut settings = serde_json::Map::new();
        settings.insert("iterations".into(), done.iterations.into());
        settings.insert("step_size".into(), steps.at(done.iterations).into());
        settings.insert("largest_eigenvalue".into(), problem.largest.into());
        let reason = if self.closed_form { "the iterate in closed form" } else { "one product with K an iteration" };
        let certificate = Certificate {
            iterations: Some(done.iterations),
            filter_error: done.filter_error,
            ..Certificate::new(Algorithm::GradientDescent, reason, done.stop)
        };
        let left = residuals(problem.kernel.matrix(), &done.coefficients, y, run)?;
        let certificate = attained(certificate, &left, y, shares);
        let report = MachineReport {
            rows: training.n,
            rows_of_weight_zero: training.all.len() - training.n,
            notes,
            history: done.history,
        };
        let model = KernelMachine {
            learner: "kernel_gradient_descent".into(),
            expansion: training.expansion(done.coefficients, vec![0.0; *outputs], None)?,
            link: Link::Identity,
            certificate,
            settings,
        };
        Ok(Fitted { model, report })
    }
}

/// What a descent reached.
struct Descended {
    coefficients: Vec<f64>,
    iterations: usize,
    /// √(Σ p·(y − f)²), before each iteration and at the end.
    history: Vec<f64>,
    /// How far the residuals are from the closed form, where that was taken.
    filter_error: Option<f64>,
    stop: Stop,
}

/// Rows that count with their shares, targets and start.
struct Problem {
    training: Training,
    outputs: usize,
    shares: Vec<f64>,
    y: Vec<f64>,
    start: Vec<f64>,
    kernel: Kept,
    /// The largest eigenvalue of K/n.
    largest: f64,
}

impl Problem {
    fn new(training: Training, targets: &Targets, start: Vec<f64>, run: &Run) -> Result<Self> {
        let (shares, y, outputs) = (shares(&training), super::targets(&training, targets), targets.outputs());
        let kernel = Kept::new(training.space.gram(&training.x, run)?, run)?;
        let roots: Vec<f64> = shares.iter().map(|p| p.sqrt()).collect();
        let largest = largest_eigenvalue(&Empirical { kernel: &kernel, roots: &roots }, run)?;
        Ok(Problem { training, outputs, shares, y, start, kernel, largest })
    }

    /// y − K·a.
    fn residuals(&self, a: &[f64], run: &Run) -> Result<Vec<f64>> {
        let mut r = vec![0.0; a.len()];
        self.kernel.multiply(a, self.outputs, &mut r, run)?;
        r.iter_mut().zip(&self.y).for_each(|(r, y)| *r = y - *r);
        Ok(r)
    }

    /// a ← a + step·p·r with the residuals r = y − K·a; those of the new a.
    fn step(&self, a: &mut [f64], r: &[f64], step: f64, run: &Run) -> Result<Vec<f64>> {
        let c = self.outputs;
        a.iter_mut().zip(r).enumerate().for_each(|(at, (a, r))| *a += step * self.shares[at / c] * r);
        self.residuals(a, run)
    }

    /// Takes steps, at most so many, until the residual is small enough.
    fn iterate(&self, steps: &Steps, most: usize, enough: f64, run: &Run) -> Result<Descended> {
        let (mut a, c, task) = (self.start.clone(), self.outputs, run.task("gradient descent", Some(most as u64)));
        let calm = run.without_stops();
        let mut r = self.residuals(&a, &calm)?;
        let (mut history, mut stop) = (vec![norm(&r, &self.shares, c)], Stop::Direct);
        for t in 0..most {
            if history[t] <= enough {
                stop = Stop::Tolerance;
                break;
            }
            if let Some(reason) = task.step(Some(history[t])) {
                stop = reason.into();
                break;
            }
            r = self.step(&mut a, &r, steps.at(t), &calm)?;
            history.push(norm(&r, &self.shares, c));
        }
        let iterations = history.len() - 1;
        if enough > 0.0 && history[iterations] > enough && stop == Stop::Direct {
            stop = Stop::MaxIterations;
        }
        Ok(Descended { coefficients: a, iterations, history, filter_error: None, stop })
    }

    /// The iterate after `t` steps: in each direction of T, what is added is G·(√p·y − T·b) with
    /// G ← G + step·(1 − σG) from 0.
    fn jump(&self, steps: &Steps, t: usize, run: &Run) -> Result<Descended> {
        let c = self.outputs;
        let directions = Directions::new(&self.training, run)?;
        let r = self.residuals(&self.start, run)?;
        let before = directions.coordinates(&r, c, run)?;
        let mut a = directions.coefficients(&directions.times(&before, c, |s| gone(steps, t, s)), c, run)?;
        a.iter_mut().zip(&self.start).for_each(|(a, s)| *a += s);
        let residuals = self.residuals(&a, run)?;
        let expected = directions.times(&before, c, |s| left(steps, t, s));
        let filter_error = Some(directions.apart(&residuals, &expected, &self.y, c, run)?);
        let history = vec![norm(&residuals, &self.shares, c)];
        Ok(Descended { coefficients: a, iterations: t, history, filter_error, stop: Stop::Direct })
    }

    /// The number of iterations whose error on held-out rows is least.
    fn best_on_held_out(&self, share: f64, most: usize, steps: &Steps, seed: u64, run: &Run) -> Result<usize> {
        let (held, kept) = split(self.training.n, share, seed)?;
        let c = self.outputs;
        let part = self.part(&kept, run)?;
        let across = Kept::new(self.training.cross(Some(&held), &kept, run)?, run)?;
        let truth: Vec<f64> = held.iter().flat_map(|i| self.y[i * c..(i + 1) * c].to_vec()).collect();
        let weights: Vec<f64> = held.iter().map(|i| self.shares[*i]).collect();
        let calm = run.without_stops();
        let error = |a: &[f64]| -> Result<f64> {
            let mut r = vec![0.0; truth.len()];
            across.multiply(a, c, &mut r, &calm)?;
            r.iter_mut().zip(&truth).for_each(|(r, y)| *r = y - *r);
            Ok(norm(&r, &weights, c))
        };
        let task = run.task("early stopping", Some(most as u64));
        let mut a = part.start.clone();
        let mut r = part.residuals(&a, &calm)?;
        let mut best = (error(&a)?, 0);
        for t in 0..most {
            if task.step(Some(best.0)).is_some() {
                break;
            }
            r = part.step(&mut a, &r, steps.at(t), &calm)?;
            let now = error(&a)?;
            if now < best.0 {
                best = (now, t + 1);
            }
        }
        Ok(best.1)
    }

    /// The problem of some rows alone.
    fn part(&self, rows: &[usize], run: &Run) -> Result<Problem> {
        let (x, c) = (subset(&self.training.x, rows), self.outputs);
        let of = |values: &[f64]| rows.iter().flat_map(|i| values[i * c..(i + 1) * c].to_vec()).collect::<Vec<f64>>();
        let weights = self.training.weights.as_ref().map(|w| rows.iter().map(|i| w[*i]).collect());
        let training =
            Training { space: self.training.space.clone(), n: rows.len(), all: x.clone(), x, kept: None, weights };
        let kernel = Kept::new(training.space.gram(&training.x, run)?, run)?;
        Ok(Problem {
            shares: shares(&training),
            outputs: c,
            y: of(&self.y),
            start: of(&self.start),
            kernel,
            largest: self.largest,
            training,
        })
    }
}

/// G(σ) after t steps.
fn gone(steps: &Steps, t: usize, sigma: f64) -> f64 {
    match steps.constant() {
        Some(step_size) => Filter::Landweber { step_size: Some(step_size), iterations: t }.value(sigma),
        None => (0..t).fold(0.0, |g, i| g + steps.at(i) * (1.0 - sigma * g)),
    }
}

/// 1 − σ·G(σ): the product of what every step leaves.
fn left(steps: &Steps, t: usize, sigma: f64) -> f64 {
    match steps.constant() {
        Some(step_size) => Filter::Landweber { step_size: Some(step_size), iterations: t }.residual(sigma),
        None => (0..t).map(|i| 1.0 - steps.at(i) * sigma).product(),
    }
}

/// Rows held out, and the others.
fn split(n: usize, share: f64, seed: u64) -> Result<(Vec<usize>, Vec<usize>)> {
    let count = ((share * n as f64).round() as usize).max(1);
    if count >= n {
        return Err(Error::shape(
            "the rows of an early stopping by hold-out",
            "rows on both sides",
            format!("{n} in all"),
        ));
    }
    Ok(Chance::new(seed).draw(n, count))
}
