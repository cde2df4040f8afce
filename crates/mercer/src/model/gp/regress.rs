//! Gaussian process regression.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::certificate::Certificate;
use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::gram::{Resolution, dense};
use crate::kernel::{KernelExpr, Kind, Param, Registry, Transform};
use crate::model::training::{NamedKernel, Training};
use crate::model::{Fitted, Model};
use crate::rkhs::Space;
use crate::run::Run;

use super::certify::{Mean, regression};
use super::evidence::{Factored, GpEvidence};
use super::problem::Problem;
use super::regress_model::{GaussianProcessModel, GpParts};
use super::sample::{Draw, Samples, draw};
use super::tuning::{GpTuned, GpTuning, maximise};

const NAME: &str = "GaussianProcessRegressor";

/// The choices of a Gaussian process regression.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, kernel::{Param, Transform}};
/// use mercer::model::gp::GaussianProcessRegressor;
/// let run = Run::new();
/// let x: Inputs = Rows::new(vec![0.0], 1, 1)?.into();
/// let y = Targets::new(vec![3.0], 1)?;
/// let alpha = Param::new(0.5, Transform::Log).fixed();
/// let gp = GaussianProcessRegressor { kernel: KernelExpr::parse("2*rbf(length_scale=1)")?, alpha, tuning: None,
///     ..Default::default() };
/// let model = gp.fit(&x, &y, None, &run)?.model;
/// // One point: mean k·y/(k + alpha), variance k − k²/(k + alpha) with k = 2.
/// assert!((model.predict(&x, &run)?[0] - 2.0 * 3.0 / 2.5).abs() < 1e-14);
/// assert!((model.variance(&x, false, &run)?[0] - (2.0 - 4.0 / 2.5)).abs() < 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GaussianProcessRegressor {
    /// The kernel; rules such as `median` are resolved on the training points.
    pub kernel: KernelExpr,
    /// The variance of the noise, as in ridge regression: its mean is that of a ridge with this alpha.
    /// Free or fixed, with bounds, on the log scale.
    pub alpha: Param,
    /// Whether targets are brought to (weighted) mean 0 and standard deviation 1 first, which makes the
    /// variance of the kernel a share of theirs.
    pub normalize_target: bool,
    /// How the free parameters are chosen by the evidence; `None` leaves them as given.
    pub tuning: Option<GpTuning>,
}

impl Default for GaussianProcessRegressor {
    /// `1*rbf` with the median distance as its first length scale, alpha from 0.1, both tuned.
    fn default() -> Self {
        let kernel = KernelExpr::of(Kind::Rbf);
        GaussianProcessRegressor {
            kernel: kernel.clone().scale(1.0).unwrap_or(kernel),
            alpha: Param::new(0.1, Transform::Log),
            normalize_target: false,
            tuning: Some(GpTuning::default()),
        }
    }
}

/// How a Gaussian process regression was fitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpReport {
    /// Number of rows of positive weight.
    pub rows: usize,
    /// Rows left out because their weight is 0.
    pub rows_of_weight_zero: usize,
    /// Number of outputs.
    pub outputs: usize,
    /// The kernel, without rules, as tuned.
    pub kernel: KernelExpr,
    /// The variance of the noise, in units of the process.
    pub alpha: f64,
    /// log p(y | X, θ), of the normalised targets where they were, summed over the outputs.
    pub log_evidence: f64,
    /// How the parameters were found, if they were looked for.
    pub tuned: Option<GpTuned>,
    /// What the rules of the kernel found.
    pub resolutions: Vec<Resolution>,
    /// What the user should know, as sentences.
    pub notes: Vec<String>,
    /// How far the mean is from the solution.
    pub certificate: Certificate,
}

impl Model for GaussianProcessModel {
    type Report = GpReport;
}

impl GaussianProcessRegressor {
    /// Fits to points, targets and weights ≥ 0, one a row; a row of weight w is as good as w equal rows.
    pub fn fit(
        &self,
        x: &Inputs,
        y: &Targets,
        weights: Option<&[f64]>,
        run: &Run,
    ) -> Result<Fitted<GaussianProcessModel>> {
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
    ) -> Result<Fitted<GaussianProcessModel>> {
        let problem = Arc::new(self.problem(x, y, weights, registry, run)?);
        let given = problem.training.space.clone();
        let alpha = self.alpha.number().unwrap_or(0.0);
        let Some(tuning) = &self.tuning else { return finish(&problem, given, alpha, None, run) };
        let evidence = GpEvidence {
            kernel: given.kernel().clone(),
            alpha: Some(self.alpha.clone()),
            of: Arc::clone(&problem) as _,
        };
        let (at, tuned) = maximise(&evidence, tuning, run)?;
        let (kernel, alpha) = evidence.model_at(&at)?;
        // Whatever time tuning has left, its result is worth a factor.
        let late = run.without_stops();
        let space = Space::with_registry(&kernel, registry, x, &late)?;
        finish(&problem, space, alpha, Some(tuned), &late)
    }

    /// The evidence on these data, as a function of the free parameters.
    pub fn evidence(&self, x: &Inputs, y: &Targets, weights: Option<&[f64]>, run: &Run) -> Result<GpEvidence> {
        self.evidence_with(x, y, weights, &Registry::new(), run)
    }

    /// As [`evidence`](Self::evidence), with a kernel that may name the kernels of `registry`.
    pub fn evidence_with(
        &self,
        x: &Inputs,
        y: &Targets,
        weights: Option<&[f64]>,
        registry: &Registry,
        run: &Run,
    ) -> Result<GpEvidence> {
        let problem = self.problem(x, y, weights, registry, run)?;
        let kernel = problem.training.space.kernel().clone();
        Ok(GpEvidence { kernel, alpha: Some(self.alpha.clone()), of: Arc::new(problem) })
    }

    /// Functions of one output drawn before any target is seen; rules are resolved on `x`.
    pub fn sample_prior(&self, x: &Inputs, count: usize, seed: u64, run: &Run) -> Result<Samples> {
        let space = Space::new(&self.kernel, x, run)?;
        let trace = space.diag(x, run)?.iter().sum();
        let covariance = dense::<f64>(&space.gram(x, run)?, run)?;
        draw(covariance, trace, Draw { count, seed, prior: &[1.0], mean: None }, run)
    }

    fn problem(
        &self,
        x: &Inputs,
        y: &Targets,
        weights: Option<&[f64]>,
        registry: &Registry,
        run: &Run,
    ) -> Result<Problem> {
        self.validate()?;
        Problem::new(NamedKernel { kernel: &self.kernel, registry }, x, y, weights, self.normalize_target, run)
    }

    fn validate(&self) -> Result<()> {
        let Some(alpha) = self.alpha.number() else {
            return Err(Error::invalid(NAME, "alpha", &self.alpha, "a number, not a rule"));
        };
        let (low, high) = self.alpha.bounds();
        let bad = |must: &str| Err(Error::invalid(NAME, "alpha", &self.alpha, must));
        if !(alpha >= 0.0 && alpha.is_finite()) {
            return bad("a finite number ≥ 0");
        }
        if self.alpha.free && !(alpha > 0.0 && self.alpha.transform == Transform::Log && low <= high && low >= 0.0) {
            return bad("positive, with bounds in order and on the log scale, to be tuned; or fixed");
        }
        self.tuning.map_or(Ok(()), |tuning| tuning.validate(NAME))
    }
}

/// The model at chosen parameters.
fn finish(
    problem: &Problem,
    space: Space,
    alpha: f64,
    tuned: Option<GpTuned>,
    run: &Run,
) -> Result<Fitted<GaussianProcessModel>> {
    let training = Training { space, ..problem.training.clone() };
    let bound = training.space.gram(&training.x, run)?;
    let factored = Factored::new(problem, &bound, alpha, run)?;
    let log_evidence = factored.log_evidence(problem, alpha);
    let coefficients: Vec<f64> =
        factored.beta.iter().enumerate().map(|(at, b)| b * problem.unit[at % problem.outputs]).collect();
    let mean = Mean { y: &problem.given, shift: &problem.shift, coefficients: &coefficients, alpha };
    let certificate = regression(&training, &bound, &mean, &factored.info, &run.without_stops())?;
    let parts = GpParts {
        expansion: training.expansion(coefficients, problem.shift.clone(), None)?,
        alpha,
        weights: training.weights.clone(),
        prior: problem.prior.clone(),
        log_evidence,
        certificate: certificate.clone(),
    };
    let report = GpReport {
        rows: training.n,
        rows_of_weight_zero: training.all.len() - training.n,
        outputs: problem.outputs,
        kernel: training.space.kernel().clone(),
        alpha,
        log_evidence,
        notes: notes(tuned.as_ref(), &certificate, run),
        tuned,
        resolutions: problem.training.space.resolutions().to_vec(),
        certificate,
    };
    Ok(Fitted { model: GaussianProcessModel::from_parts(parts)?.with_factor(factored.factor), report })
}

fn notes(tuned: Option<&GpTuned>, certificate: &Certificate, run: &Run) -> Vec<String> {
    let mut notes = tuned.map_or_else(Vec::new, GpTuned::notes);
    if certificate.jitter > 0.0 {
        notes.push(format!(
            "the kernel matrix plus noise is not positive definite to rounding: {:e} was added to its diagonal, \
             as if the noise were larger by that",
            certificate.jitter
        ));
    }
    notes.iter().for_each(|note| run.warn(note));
    notes
}
