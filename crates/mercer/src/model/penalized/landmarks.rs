//! Fits of many rows whose functions are sums over a few of them.
//!
//! **Solves** min Σ wᵢℓᵢ(f(xᵢ) + b) + (alpha/2)‖f‖² over the functions f = Σ aⱼ·k(zⱼ, ·) of landmarks z, which are some of the
//! rows. In the coordinates θ = Lᵀa, with LLᵀ the kernel matrix of the landmarks, the norm is that of numbers.
//!
//! **Certificate** The objective is alpha-strongly convex in θ: with the gradient r there it is at most ‖r‖²/(2·alpha) above its minimum
//! over these functions. What other functions would reach, landmarks cannot say.

use crate::approx::LandmarkSystem;
use crate::certificate::{Algorithm, Certificate, Measure, Stop};
use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::{Bound, KernelMatrix, apply, dense};
use crate::linalg::{dot, largest_magnitude, multiply_first_transposed, power_of_two};
use crate::loss::{RowLoss, ScalarRows, SoftmaxRows};
use crate::model::sample::subset;
use crate::model::{Certified, Extra, Fitted, Learn, Model, ModelParts, Report, Sample};
use crate::note::Note;
use crate::run::Run;
use crate::solver::penalized::{Explicit, PenalizedParams, newton_explicit};

use super::{Claims, Part, Penalty};

/// What landmarks are fitted with.
pub(crate) struct LandmarkFit<'a> {
    pub(crate) sample: &'a Sample,
    pub(crate) fit_intercept: bool,
    pub(crate) params: PenalizedParams,
    /// How many rows stand for all.
    pub(crate) count: usize,
    pub(crate) seed: u64,
}

impl LandmarkFit<'_> {
    /// The model of one loss, whose outputs are all that there are.
    pub(crate) fn fit(&self, part: &Part, alpha: f64, learner: impl Learn, run: &Run) -> Result<Fitted> {
        let sample = self.sample;
        let rows = sample.landmarks(self.count.min(sample.n), self.seed, run)?;
        let k_zz = dense::<f64>(&sample.space.gram(&subset(&sample.x, &rows), run)?, run)?;
        let (system, kept) = LandmarkSystem::new(k_zz.into_values(), rows.len(), part.outputs(), run)?;
        let rows: Vec<usize> = kept.into_iter().map(|at| rows[at]).collect();
        let cross = sample.cross(None, &rows, run)?;
        let features = Features::new(&system, &cross, run)?;
        let (weights, unit) = scaled_weights(sample);
        let problem = Explicit {
            features: &features.rows,
            weights: &weights,
            alpha: alpha / unit,
            intercept: self.fit_intercept,
        };
        let found = with_loss(part, |loss| newton_explicit(&problem, loss, &self.params, run))?;
        let a = system.coefficients(&found.coordinates);
        let seen = Seen { sample, cross: &cross, system: &system, features: &features, free: self.fit_intercept };
        let measured = with_loss(part, |loss| seen.measure(loss, alpha, (&a, &found.intercept), &run.without_stops()))?;
        let reached =
            found.stop == Stop::Tolerance && measured.gap > self.params.tolerance * measured.primal + measured.rounding;
        let stop = if reached { Stop::Stagnation } else { found.stop };
        let mut report = Report::of(sample);
        if !stop.is_complete() {
            report.notes.push(Note::FitStopped { stop });
        }
        report.history = found.history.iter().map(|v| v * unit).collect();
        let reason = format!("the loss is smooth, and {} of {} rows stand for all", rows.len(), sample.n);
        let certificate = Certificate::new(Algorithm::Nystrom, reason, stop)
            .count(Measure::Iterations, found.iters)
            .count(Measure::Rank, rows.len());
        let model = Model::from_parts(ModelParts {
            learner: learner.with_kernel(sample.space.kernel().clone()).into(),
            expansion: sample.expansion(a, found.intercept, Some(&rows))?,
            weights: None,
            extra: Extra::None,
            certificate: measured.written(certificate),
        })?;
        Ok(Fitted { model, report })
    }
}

/// φ of every row, with the memory that it takes.
struct Features {
    rows: Vec<f64>,
    _reserved: crate::run::Reservation,
}

impl Features {
    fn new(system: &LandmarkSystem, cross: &dyn KernelMatrix, run: &Run) -> Result<Self> {
        let bytes = 8 * cross.nrows() as u128 * system.rank() as u128;
        let _reserved = run.reserve(bytes, "the features of the landmarks", "use fewer landmarks")?;
        Ok(Features { rows: system.features(cross, run)?, _reserved })
    }
}

/// The certificate of a model of landmarks, computed again from the rows of its fit.
pub(crate) fn certify(model: &Model, sample: &Sample, claims: &Claims, run: &Run) -> Result<Certified> {
    let refused = |what: &str| Error::Unsupported {
        what: format!("verifying a model of landmarks {what}"),
        alternative: "fit it without landmarks".into(),
    };
    let (f, c) = (model.expansion(), model.outputs());
    let ([part], Penalty::Alpha(alpha)) = (claims.parts.as_slice(), claims.penalty) else {
        return Err(refused("with several losses or a bound of the norm"));
    };
    let (points, rows) = points(model, sample);
    let k_zz = dense::<f64>(&sample.space.gram(&points, run)?, run)?;
    let (system, order) = LandmarkSystem::new(k_zz.into_values(), points.len(), c, run)?;
    if order.len() < points.len() {
        return Err(refused("that depend on each other to rounding"));
    }
    let cross = match &rows {
        Some(rows) => sample.cross(None, &order.iter().map(|at| rows[*at]).collect::<Vec<_>>(), run)?,
        None => sample.space.cross(&sample.x, &subset(&points, &order), run)?,
    };
    let own = |at: usize| f.coefficients()[rows.as_ref().map_or(at, |rows| sample.row(rows[at])) * c..][..c].to_vec();
    let a: Vec<f64> = order.iter().flat_map(|at| own(*at)).collect();
    let features = Features::new(&system, &cross, run)?;
    let seen = Seen { sample, cross: &cross, system: &system, features: &features, free: claims.free };
    let measured = with_loss(part, |loss| seen.measure(loss, alpha, (&a, model.intercept()), run))?;
    Ok(Certified { certificate: measured.written(model.certificate().clone()), broken: None })
}

/// The landmarks of a model; of a precomputed matrix also which rows of the sample they are.
fn points(model: &Model, sample: &Sample) -> (Inputs, Option<Vec<usize>>) {
    let Inputs::Precomputed(_) = &sample.x else { return (model.points().clone(), None) };
    let c = model.outputs();
    let used = |i: &usize| model.expansion().coefficients()[sample.row(*i) * c..][..c].iter().any(|a| *a != 0.0);
    let rows: Vec<usize> = (0..sample.n).filter(used).collect();
    (subset(&sample.x, &rows), Some(rows))
}

/// The weights over a power of two, and that.
fn scaled_weights(sample: &Sample) -> (Vec<f64>, f64) {
    let given = sample.weights.as_ref().map_or_else(|| vec![1.0; sample.n], |w| w.to_vec());
    let unit = power_of_two(largest_magnitude(&given));
    (given.iter().map(|w| (w / unit).max(f64::MIN_POSITIVE)).collect(), unit)
}

/// The losses of all rows.
fn with_loss<T>(part: &Part, work: impl FnOnce(&dyn RowLoss) -> Result<T>) -> Result<T> {
    match part {
        Part::One(loss, y) => work(&ScalarRows { loss: &**loss, y }),
        Part::Softmax(codes, classes) => work(&SoftmaxRows::new(codes, *classes)?),
    }
}

/// What is known of the function of some coefficients.
struct Measured {
    primal: f64,
    gap: f64,
    rounding: f64,
    residual: f64,
    norm: f64,
}

impl Measured {
    /// Into a certificate.
    fn written(&self, certificate: Certificate) -> Certificate {
        certificate
            .of_system("the gradient at the landmarks, in the norm of the space, over that of f = 0", self.residual)
            .with(Measure::Primal, self.primal + self.rounding)
            .with(Measure::Dual, self.primal - self.gap - self.rounding)
            .with(Measure::Rounding, self.rounding)
            .with(Measure::Norm, self.norm)
    }
}

/// Rows with kernel values at the landmarks.
struct Seen<'a> {
    sample: &'a Sample,
    cross: &'a Bound,
    system: &'a LandmarkSystem,
    features: &'a Features,
    free: bool,
}

impl Seen<'_> {
    /// Objective, gap and residual of coefficients and intercept, from the kernel values that predictions take.
    fn measure(&self, loss: &dyn RowLoss, alpha: f64, (a, b): (&[f64], &[f64]), run: &Run) -> Result<Measured> {
        let (weights, unit) = scaled_weights(self.sample);
        let (n, c, alpha) = (self.sample.n, b.len(), alpha / unit);
        let mut z = vec![0.0; n * c];
        apply(self.cross, a, c, &mut z, run)?;
        z.iter_mut().enumerate().for_each(|(at, z)| *z += b[at % c]);
        let theta = self.system.coordinates(a);
        let square = dot(&theta, &theta);
        let mut values = vec![0.0; n];
        loss.values(&z, &mut values);
        let primal = dot(&weights, &values) + 0.5 * alpha * square;
        let (mut gradient, sums) = self.gathered(loss, &weights, &z, run)?;
        gradient.iter_mut().zip(&theta).for_each(|(g, t)| *g += alpha * t);
        let off: f64 = sums.iter().zip(b).filter(|_| self.free).map(|(g, b)| (g * b).abs()).sum();
        let size = dot(&gradient, &gradient);
        let of_zero = self.gathered(loss, &weights, &vec![0.0; n * c], run)?.0;
        let rounding = self.rounding(loss, &weights, (a, b), &z)? + n as f64 * f64::EPSILON * primal;
        Ok(Measured {
            primal: primal * unit,
            gap: (size / (2.0 * alpha) + off) * unit,
            rounding: rounding * unit,
            residual: if size == 0.0 {
                0.0
            } else {
                size.sqrt() / dot(&of_zero, &of_zero).sqrt().max(f64::MIN_POSITIVE)
            },
            norm: square.sqrt(),
        })
    }

    /// φᵀ·w∇ℓ(z) and Σ w∇ℓ(z).
    fn gathered(&self, loss: &dyn RowLoss, weights: &[f64], z: &[f64], run: &Run) -> Result<(Vec<f64>, Vec<f64>)> {
        let (n, m, c) = (self.sample.n, self.system.rank(), loss.outputs());
        let mut slopes = vec![0.0; z.len()];
        loss.gradients(z, &mut slopes);
        slopes.chunks_mut(c).zip(weights).for_each(|(row, w)| row.iter_mut().for_each(|g| *g *= w));
        let mut gathered = vec![0.0; m * c];
        multiply_first_transposed(&self.features.rows, &slopes, [m, n, c], &mut gathered, run)?;
        let sums = (0..c).map(|o| slopes.iter().skip(o).step_by(c).sum()).collect();
        Ok((gathered, sums))
    }

    /// How much of the losses the rounding of z may be: |k(x, z)| ≤ √(k(x, x)·k(z, z)), and a sum of m terms is off by no more than
    /// m + 32 units of what its terms are in all, those of the kernel values included.
    fn rounding(&self, loss: &dyn RowLoss, weights: &[f64], (a, b): (&[f64], &[f64]), z: &[f64]) -> Result<f64> {
        let (n, m, c) = (self.sample.n, self.system.rank(), b.len());
        let mut own = vec![0.0; n];
        self.sample.space.gram(&self.sample.x, &Run::new())?.diag(&mut own);
        let largest = own.iter().fold(0.0f64, |most, k| most.max(k.abs())).sqrt();
        let total = (0..c).map(|o| a.iter().skip(o).step_by(c).map(|a| a.abs()).sum::<f64>()).fold(0.0, f64::max);
        let reach = (m as f64 + 32.0) * f64::EPSILON * (largest * largest * total + largest_magnitude(b));
        let mut steepness = vec![0.0; n];
        loss.steepness(z, reach * (c as f64).sqrt(), &mut steepness);
        Ok(dot(weights, &steepness) * reach * (c as f64).sqrt())
    }
}
