//! Gradient descent in the RKHS, as an iteration and in closed form.

use serde::{Deserialize, Serialize};

use crate::certificate::{Algorithm, Certificate, Measure, Stop};
use crate::chance::Chance;
use crate::data::{TargetKind, Targets};
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::linalg::largest_eigenvalue;
use crate::model::penalized::SEED;
use crate::model::{
    Answer, Certified, Choice, Complexity, Extra, Fitted, Learn, LearnerSpec, Model, ModelParts, Report, Sample,
    SettingSpec, SettingValues, Tune, has_kernel,
};
use crate::note::Note;
use crate::run::Run;
use crate::solver::Filter;

use super::attained::{attained, attained_again, residuals};
use super::empirical::{Directions, Empirical, Kept, norm};
use super::step::{StepSize, Steps};
use super::stopping::Stopping;

/// The share of rows on which a descent finds by itself when to stop, and its largest number of iterations.
const HELD_OUT: f64 = 0.2;
const MOST_ITERATIONS: usize = 2000;

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
/// let f = descent.fit(&x, &y, None, &Run::new())?.model.predict(&x, &Run::new())?;
/// assert!((f[0] - (1.0 - 0.125)).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelGradientDescent {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip)]
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
            kernel: KernelExpr::default(),
            step_size: StepSize::Auto,
            stopping: Stopping::default(),
            start: None,
            closed_form: false,
            seed: 0,
        }
    }
}

impl Tune for KernelGradientDescent {
    fn complexity(&self) -> Option<Complexity> {
        let value = match self.stopping {
            Stopping::Iterations(iterations) => Some(iterations as f64),
            _ => None,
        };
        Some(Complexity::counted("iterations", 1e6, 100.0, value))
    }

    fn with_complexity(&self, value: f64, _: f64) -> Self {
        let stopping = Stopping::Iterations(value.round().clamp(0.0, 1e9) as usize);
        KernelGradientDescent { stopping, ..self.clone() }
    }

    fn choosing(&self, _: Option<f64>, _: usize) -> Option<(Self, Choice)> {
        let stopping = Stopping::HoldOut { share: HELD_OUT, max_iterations: MOST_ITERATIONS };
        Some((KernelGradientDescent { stopping, ..self.clone() }, Choice::HeldOut { share: HELD_OUT }))
    }
}

impl Learn for KernelGradientDescent {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "descent",
        class: "KernelGradientDescent",
        summary: "gradient descent, stopped early",
        targets: &[TargetKind::Numbers, TargetKind::Classes],
        answers: &[Answer::Numbers, Answer::Classes],
        weights: true,
        for_classes: None,
        settings: &[
            SettingSpec {
                name: "step_size",
                summary: "how far to go at each iteration",
                values: SettingValues::Other("auto, `constant` with a number or `varying` with a list"),
            },
            SettingSpec {
                name: "stopping",
                summary: "when to end",
                values: SettingValues::Other("`iterations`, `hold_out` or `discrepancy` with their numbers"),
            },
            SettingSpec {
                name: "start",
                summary: "the coefficients to start from",
                values: SettingValues::Other("a number a row and output, or nothing"),
            },
            SettingSpec {
                name: "closed_form",
                summary: "whether to jump to the last iterate by an eigendecomposition",
                values: SettingValues::Flag,
            },
            SEED,
        ],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        self.stopping.validate(&Self::SPEC.title())
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        let y = sample.target().numbers()?;
        let start = self.start(sample, &y)?;
        let problem = Problem::new(sample.clone(), start, run)?;
        let steps = Steps::new(&Self::SPEC.title(), &self.step_size, problem.largest)?;
        let done = self.descend(&problem, &steps, run)?;
        self.finish(problem, steps, done, &run.without_stops())
    }

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        Ok(attained_again(model, sample, run)?.into())
    }
}

impl KernelGradientDescent {
    /// The coefficients to start from, of the rows that count.
    fn start(&self, training: &Sample, y: &Targets) -> Result<Vec<f64>> {
        let c = y.outputs();
        let Some(start) = &self.start else { return Ok(vec![0.0; training.n * c]) };
        if start.len() != training.all.len() * c {
            let expected = format!("{} rows times {c} outputs", training.all.len());
            return Err(Error::shape("the coefficients to start from", expected, start.len()));
        }
        if let Some(bad) = start.iter().find(|v| !v.is_finite()) {
            return Err(Error::invalid(Self::SPEC.title(), "start", bad, "finite"));
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

    fn finish(&self, problem: Problem, steps: Steps, done: Descended, run: &Run) -> Result<Fitted> {
        let Problem { sample, outputs, shares, y, .. } = &problem;
        let mut notes = steps.notes.clone();
        if let Stopping::HoldOut { share, .. } = self.stopping {
            notes.push(Note::HeldOut { iterations: done.iterations, share });
        }
        let reason = if self.closed_form { "the iterate in closed form" } else { "one product with K an iteration" };
        let none = vec![0.0; *outputs];
        let left = residuals(problem.kernel.matrix(), &done.coefficients, y, &none, run)?;
        let certificate = Certificate::new(Algorithm::GradientDescent, reason, done.stop)
            .count(Measure::Iterations, done.iterations)
            .with(Measure::FilterError, done.filter_error)
            .with(Measure::StepSize, steps.at(done.iterations))
            .with(Measure::LargestEigenvalue, problem.largest);
        let learner = KernelGradientDescent {
            kernel: sample.space.kernel().clone(),
            stopping: Stopping::Iterations(done.iterations),
            start: None,
            ..self.clone()
        };
        let model = Model::from_parts(ModelParts {
            learner: learner.into(),
            expansion: sample.expansion(done.coefficients, none, None)?,
            weights: None,
            extra: Extra::None,
            certificate: attained(certificate, &left, y, shares),
        })?;
        Ok(Fitted { model, report: Report { notes, history: done.history, ..Report::of(sample) } })
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
    sample: Sample,
    outputs: usize,
    shares: Vec<f64>,
    y: Vec<f64>,
    start: Vec<f64>,
    kernel: Kept,
    /// The largest eigenvalue of K/n.
    largest: f64,
}

impl Problem {
    fn new(sample: Sample, start: Vec<f64>, run: &Run) -> Result<Self> {
        let targets = sample.numbers()?;
        let (shares, y, outputs) = (sample.shares(), targets.values().to_vec(), targets.outputs());
        let kernel = Kept::new(sample.space.gram(&sample.x, run)?, run)?;
        let roots: Vec<f64> = shares.iter().map(|p| p.sqrt()).collect();
        let largest = largest_eigenvalue(&Empirical { kernel: &kernel, roots: &roots }, run)?;
        Ok(Problem { sample, outputs, shares, y, start, kernel, largest })
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
        let directions = Directions::new(&self.sample, run)?;
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
        let (held, kept) = split(self.sample.n, share, seed)?;
        let c = self.outputs;
        let part = self.part(&kept, run)?;
        let across = Kept::new(self.sample.cross(Some(&held), &kept, run)?, run)?;
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
        let (sample, c) = (self.sample.part(rows)?, self.outputs);
        let of = |values: &[f64]| rows.iter().flat_map(|i| values[i * c..(i + 1) * c].to_vec()).collect::<Vec<f64>>();
        let kernel = Kept::new(sample.space.gram(&sample.x, run)?, run)?;
        Ok(Problem {
            shares: sample.shares(),
            outputs: c,
            y: of(&self.y),
            start: of(&self.start),
            kernel,
            largest: self.largest,
            sample,
        })
    }
}

/// G(σ) after t steps.
fn gone(steps: &Steps, t: usize, sigma: f64) -> f64 {
    let (first, last, iterations) = steps.parted(t);
    let g = first.iter().fold(0.0, |g, step| g + step * (1.0 - sigma * g));
    g + (1.0 - sigma * g) * Filter::Landweber { step_size: Some(last), iterations }.value(sigma)
}

/// 1 − σ·G(σ): the product of what every step leaves.
fn left(steps: &Steps, t: usize, sigma: f64) -> f64 {
    let (first, last, iterations) = steps.parted(t);
    let before: f64 = first.iter().map(|step| 1.0 - step * sigma).product();
    before * Filter::Landweber { step_size: Some(last), iterations }.residual(sigma)
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
