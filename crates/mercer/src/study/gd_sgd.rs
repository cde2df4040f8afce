//! Gradient descent beside stochastic gradient descent on the unit square.
//!
//! Points are uniform on [0, 1]², the target is a smooth function with noise, the kernel is Gaussian. A
//! descent has converged when its root mean squared residual is at most a tolerance a little above the
//! noise: what is left then is noise, which nobody wants to fit.

use std::time::Instant;

use serde::Serialize;

use crate::certificate::{Measure, Stop};
use crate::chance::Chance;
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::model::Fitted;
use crate::model::descent::{KernelGradientDescent, StepSize, Stopping};
use crate::model::regress::{Alpha, KernelRidge};
use crate::run::Run;

use super::methods::{MethodRow, methods};
use super::problem::Square;

/// step·μ₁ of the curves.
const SHOWN: [f64; 5] = [0.1, 0.5, 1.0, 1.5, 1.9];
/// step·μ₁ of the counts.
const COUNTED: [f64; 22] = [
    0.05, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4, 0.5, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.7, 1.8, 1.85, 1.9, 1.95, 1.98, 1.99,
    1.999,
];
/// step·μ₁ where only one step is shown.
pub(super) const USUAL: f64 = 0.95;
/// The weight of the norm, over n, of the solution that is disturbed.
const LAMBDA: f64 = 1e-4;

/// The choices of the study.
///
/// ```
/// use mercer::{Run, study::GdSgd};
/// let study = GdSgd { n: 40, ..GdSgd::default() }.run(&Run::new())?;
/// // Below 1/μ₁ the residual falls from step to step; twice the step needs about half the iterations.
/// assert!(study.curves[1].points.windows(2).all(|w| w[1][1] <= w[0][1]));
/// let count = |i: usize| study.by_step[i].iterations.map(|t| t as f64);
/// let (small, twice) = (count(0).expect("converges"), count(2).expect("converges")); // 0.05 and 0.1
/// assert!((small / twice - 2.0).abs() < 0.1);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GdSgd {
    /// Number of points.
    pub n: usize,
    /// Where chance begins.
    pub seed: u64,
    /// The standard deviation of the noise.
    pub noise: f64,
    /// The tolerance over the noise, above 1.
    pub factor: f64,
    /// The length scale of the Gaussian kernel.
    pub length_scale: f64,
    /// Iterations that are drawn.
    pub shown_iterations: usize,
    /// Iterations after which a descent counts as not converging.
    pub max_iterations: usize,
    /// Largest number of passes over the data of a stochastic descent.
    pub max_passes: usize,
}

impl Default for GdSgd {
    fn default() -> Self {
        GdSgd {
            n: 200,
            seed: 0,
            noise: 0.1,
            factor: 1.1,
            length_scale: 0.2,
            shown_iterations: 300,
            max_iterations: 20_000,
            max_passes: 64,
        }
    }
}

/// Root mean squared residual after each iteration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// What it shows.
    pub name: String,
    /// The step.
    pub step_size: f64,
    /// [iteration, residual].
    pub points: Vec<[f64; 2]>,
    /// Iterations to the tolerance; nothing if it was not reached.
    pub iterations: Option<usize>,
}

/// How long a descent with one step takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepCount {
    /// The step.
    pub step_size: f64,
    /// step·μ₁.
    pub share: f64,
    /// Iterations to the tolerance; nothing if it was not reached.
    pub iterations: Option<usize>,
    /// Their time, the kernel matrix included.
    pub seconds: f64,
}

/// What the study saw.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GdSgdStudy {
    /// Number of points.
    pub n: usize,
    /// Where chance began.
    pub seed: u64,
    /// The kernel.
    pub kernel: String,
    /// The noise.
    pub noise: f64,
    /// The residual that counts as converged.
    pub tolerance: f64,
    /// μ₁, the largest eigenvalue of K/n.
    pub largest_eigenvalue: f64,
    /// Descents with several steps.
    pub curves: Vec<Curve>,
    /// Iterations by step.
    pub by_step: Vec<StepCount>,
    /// Descents from several starts.
    pub starts: Vec<Curve>,
    /// Descent beside stochastic descents.
    pub methods: Vec<MethodRow>,
}

impl GdSgd {
    /// Runs the study. All but the times repeat exactly.
    pub fn run(&self, run: &Run) -> Result<GdSgdStudy> {
        self.validate()?;
        let square = Square::new(self.n, self.noise, self.seed)?;
        let kernel = KernelExpr::parse(&format!("rbf(length_scale={})", self.length_scale))?;
        let base = KernelGradientDescent { kernel, ..KernelGradientDescent::default() };
        let largest = largest_eigenvalue(&base, &square, run)?;
        let bench = Bench { choices: self, square: &square, base: &base, largest };
        let task = run.task("study", Some(4));
        let curves = SHOWN
            .iter()
            .map(|share| bench.curve(&format!("step·μ₁ = {share}"), share / largest, None, run))
            .collect::<Result<_>>()?;
        task.step_or_cancel()?;
        let by_step = COUNTED.iter().map(|share| bench.count(*share, run)).collect::<Result<_>>()?;
        task.step_or_cancel()?;
        let starts = bench.starts(run)?;
        task.step_or_cancel()?;
        let methods = methods(&bench, run)?;
        task.step_or_cancel()?;
        Ok(GdSgdStudy {
            n: self.n,
            seed: self.seed,
            kernel: base.kernel.to_string(),
            noise: self.noise,
            tolerance: self.tolerance(),
            largest_eigenvalue: largest,
            curves,
            by_step,
            starts,
            methods,
        })
    }

    /// The root mean squared residual that counts as converged.
    pub fn tolerance(&self) -> f64 {
        self.factor * self.noise
    }

    fn validate(&self) -> Result<()> {
        let bad = |name: &str, value: String, must: &str| Err(Error::invalid("the study", name, value, must));
        let positive = |v: f64| v > 0.0 && v.is_finite();
        match self {
            s if s.n < 2 => bad("n", s.n.to_string(), "at least 2"),
            s if !positive(s.noise) => bad("noise", s.noise.to_string(), "a finite number above 0"),
            s if !(s.factor >= 1.0 && s.factor.is_finite()) => {
                bad("factor", s.factor.to_string(), "finite, at least 1")
            }
            s if !positive(s.length_scale) => {
                bad("length_scale", s.length_scale.to_string(), "a finite number above 0")
            }
            s if s.shown_iterations == 0 || s.max_iterations == 0 || s.max_passes == 0 => {
                bad("iterations and passes", "0".into(), "at least 1")
            }
            _ => Ok(()),
        }
    }
}

/// The study under way.
pub(super) struct Bench<'a> {
    pub(super) choices: &'a GdSgd,
    pub(super) square: &'a Square,
    pub(super) base: &'a KernelGradientDescent,
    pub(super) largest: f64,
}

impl Bench<'_> {
    fn descend(&self, descent: &KernelGradientDescent, run: &Run) -> Result<Fitted> {
        let fitted = descent.fit(&self.square.x, &self.square.y, None, run)?;
        match fitted.model.certificate().stop {
            // A curve that was cut off would lie.
            Stop::Deadline | Stop::Interrupted => {
                run.task("study", None).step_or_cancel()?;
                Ok(fitted)
            }
            _ => Ok(fitted),
        }
    }

    fn discrepancy(&self) -> Stopping {
        let GdSgd { noise, factor, max_iterations, .. } = *self.choices;
        Stopping::Discrepancy { noise, factor, max_iterations }
    }

    /// The first iterations of a descent.
    pub(super) fn curve(&self, name: &str, step_size: f64, start: Option<Vec<f64>>, run: &Run) -> Result<Curve> {
        let stopping = Stopping::Iterations(self.choices.shown_iterations);
        let step = StepSize::Constant(step_size);
        let descent = KernelGradientDescent { step_size: step, stopping, start, ..self.base.clone() };
        let history = self.descend(&descent, run)?.report.history;
        let points = history.iter().enumerate().map(|(t, r)| [t as f64, *r]).collect();
        let iterations = history.iter().position(|r| *r <= self.choices.tolerance());
        Ok(Curve { name: name.into(), step_size, points, iterations })
    }

    /// Iterations and time to the tolerance.
    pub(super) fn count(&self, share: f64, run: &Run) -> Result<StepCount> {
        let step_size = share / self.largest;
        let step = StepSize::Constant(step_size);
        let descent = KernelGradientDescent { step_size: step, stopping: self.discrepancy(), ..self.base.clone() };
        let begin = Instant::now();
        let certificate = self.descend(&descent, run)?.model.certificate().clone();
        let seconds = begin.elapsed().as_secs_f64();
        let iterations = certificate.iterations().filter(|_| certificate.stop == Stop::Tolerance);
        Ok(StepCount { step_size, share, iterations, seconds })
    }

    /// From zero, from chance, and from the solution of a ridge regression, disturbed by a tenth.
    fn starts(&self, run: &Run) -> Result<Vec<Curve>> {
        let n = self.choices.n;
        let mut chance = Chance::new(self.choices.seed.wrapping_add(1));
        // Values of size 1: n·mean k² coefficients add up to one value.
        let size = (1.0 / (n as f64 * self.largest.powi(2).max(f64::MIN_POSITIVE))).sqrt();
        let random: Vec<f64> = (0..n).map(|_| size * chance.normal()).collect();
        let ridge = KernelRidge {
            kernel: self.base.kernel.clone(),
            alpha: Alpha::Value(LAMBDA * n as f64),
            ..KernelRidge::default()
        };
        let solution = ridge.fit(&self.square.x, &self.square.y, None, run)?.model;
        let disturbed = solution.coefficients().iter().map(|a| a * (1.0 + 0.1 * chance.normal())).collect();
        let step = USUAL / self.largest;
        [("zero", None), ("by chance", Some(random)), ("solution, disturbed by a tenth", Some(disturbed))]
            .into_iter()
            .map(|(name, start)| self.curve(name, step, start, run))
            .collect()
    }
}

fn largest_eigenvalue(base: &KernelGradientDescent, square: &Square, run: &Run) -> Result<f64> {
    let nothing = KernelGradientDescent { stopping: Stopping::Iterations(0), ..base.clone() };
    let machine = nothing.fit(&square.x, &square.y, None, run)?.model;
    Ok(machine.certificate().get(Measure::LargestEigenvalue).unwrap_or(1.0))
}
