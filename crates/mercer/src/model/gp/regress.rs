//! Gaussian process regression.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::certificate::{Certificate, Measure};
use crate::data::{Inputs, TargetKind, Targets, Weights};
use crate::error::{Error, Result};
use crate::gram::dense;
use crate::kernel::{KernelExpr, Param, Transform, Value};
use crate::model::posterior::Posterior;
use crate::model::{
    Answer, Certified, Choice, Complexity, Extra, Fitted, Learn, LearnerSpec, Model, ModelParts, Process, Report,
    Sample, SettingSpec, SettingValues, Tune, Tuned, Tuning, has_kernel, maximise,
};
use crate::note::Note;
use crate::rkhs::Space;
use crate::run::Run;

use super::certify::{Mean, regression, regression_again};
use super::evidence::{Factored, GpEvidence};
use super::in_time::in_time;
use super::problem::Problem;
use super::sample::{Draw, Samples, draw};

/// How free parameters are looked for, as a setting.
pub(super) const TUNING: SettingSpec = SettingSpec {
    name: "tuning",
    summary: "how free parameters are chosen by the evidence",
    values: SettingValues::Other("restarts, max_iterations, tolerance and seed, or nothing"),
};

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
#[serde(default, deny_unknown_fields)]
pub struct GaussianProcessRegressor {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip, default = "scaled")]
    pub kernel: KernelExpr,
    /// The variance of the noise, as in ridge regression: its mean is that of a ridge with this alpha.
    /// Free or fixed, with bounds, on the log scale.
    pub alpha: Param,
    /// Whether targets are brought to (weighted) mean 0 and standard deviation 1 first, which makes the
    /// variance of the kernel a share of theirs.
    pub normalize_target: bool,
    /// How the free parameters are chosen by the evidence; `None` leaves them as given.
    pub tuning: Option<Tuning>,
}

/// `1*rbf`, whose variance is a parameter, too.
pub(super) fn scaled() -> KernelExpr {
    let kernel = KernelExpr::default();
    kernel.clone().scale(1.0).unwrap_or(kernel)
}

impl Default for GaussianProcessRegressor {
    /// `1*rbf` with the median distance as its first length scale, alpha from 0.1, both tuned.
    fn default() -> Self {
        GaussianProcessRegressor {
            kernel: scaled(),
            alpha: Param::new(0.1, Transform::Log),
            normalize_target: false,
            tuning: Some(Tuning::default()),
        }
    }
}

impl Tune for GaussianProcessRegressor {
    fn complexity(&self) -> Option<Complexity> {
        Some(Complexity::alpha(self.alpha.number()))
    }

    fn with_complexity(&self, alpha: f64, _: f64) -> Self {
        GaussianProcessRegressor { alpha: Param::new(alpha, Transform::Log).fixed(), ..self.clone() }
    }

    /// The evidence chooses it, with the kernel.
    fn choosing(&self, _: Option<f64>, _: usize) -> Option<(Self, Choice)> {
        Some((self.clone(), Choice::Evidence))
    }
}

impl Learn for GaussianProcessRegressor {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "gp",
        class: "GaussianProcessRegressor",
        summary: "a Gaussian process, tuned by its own evidence: numbers with variances, classes with probabilities",
        targets: &[TargetKind::Numbers],
        answers: &[Answer::Numbers, Answer::Intervals],
        weights: true,
        for_classes: Some("gp_classifier"),
        settings: &[
            SettingSpec {
                name: "alpha",
                summary: "the variance of the noise",
                values: SettingValues::Other("a number ≥ 0 with its bounds, free or fixed"),
            },
            SettingSpec {
                name: "normalize_target",
                summary: "whether targets are brought to mean 0 and standard deviation 1 first",
                values: SettingValues::Flag,
            },
            TUNING,
        ],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        let name = &Self::SPEC.title();
        let Some(alpha) = self.alpha.number() else {
            return Err(Error::invalid(name, "alpha", &self.alpha, "a number, not a rule"));
        };
        let (low, high) = self.alpha.bounds();
        let bad = |must: &str| Err(Error::invalid(name, "alpha", &self.alpha, must));
        if !(alpha >= 0.0 && alpha.is_finite()) {
            return bad("a finite number ≥ 0");
        }
        if self.alpha.free && !(alpha > 0.0 && self.alpha.transform == Transform::Log && low <= high && low >= 0.0) {
            return bad("positive, with bounds in order and on the log scale, to be tuned; or fixed");
        }
        self.tuning.map_or(Ok(()), |tuning| tuning.validate(name))
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        let problem = Arc::new(self.problem(sample)?);
        let alpha = self.alpha.number().unwrap_or(0.0);
        let Some(tuning) = &self.tuning else { return self.finish(&problem, sample.space.clone(), alpha, None, run) };
        let evidence = self.evidence_of(&problem);
        let (at, tuned) = maximise(&evidence, tuning, run)?;
        let (kernel, alpha) = evidence.model_at(&at)?;
        let space = Space::new(&kernel, &sample.x, &run.without_stops())?;
        in_time(sample, run, |rows, run| match rows {
            None => self.finish(&problem, space.clone(), alpha, Some(tuned.clone()), run),
            Some(few) => self.finish(&self.problem(few)?, space.clone(), alpha, Some(tuned.clone()), run),
        })
    }

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        let Extra::Process(process) = model.extra() else {
            return Err(Error::shape("a model of a Gaussian process", "the unit of its outputs", "none"));
        };
        Ok(regression_again(model, process.prior(), self.alpha.number().unwrap_or(0.0), sample, run)?.into())
    }
}

impl GaussianProcessRegressor {
    /// The evidence on these data, as a function of the free parameters.
    pub fn evidence(&self, x: &Inputs, y: &Targets, weights: Option<&Weights>, run: &Run) -> Result<GpEvidence> {
        self.validate()?;
        let sample = Sample::new(&Self::SPEC.title(), &self.kernel, x, y.into(), weights, run)?;
        Ok(self.evidence_of(&Arc::new(self.problem(&sample)?)))
    }

    fn evidence_of(&self, problem: &Arc<Problem>) -> GpEvidence {
        let kernel = problem.training.space.kernel().clone();
        GpEvidence { kernel, alpha: Some(self.alpha.clone()), of: Arc::clone(problem) as _ }
    }

    fn problem(&self, sample: &Sample) -> Result<Problem> {
        Ok(Problem::new(sample.clone(), &sample.numbers()?, self.normalize_target))
    }

    /// Functions of one output drawn before any target is seen; rules are resolved on `x`.
    pub fn sample_prior(&self, x: &Inputs, count: usize, seed: u64, run: &Run) -> Result<Samples> {
        let space = Space::new(&self.kernel, x, run)?;
        let trace = space.diag(x, run)?.iter().sum();
        let covariance = dense::<f64>(&space.gram(x, run)?, run)?;
        draw(covariance, trace, Draw { count, seed, prior: &[1.0], mean: None }, run)
    }

    /// The model at chosen parameters.
    fn finish(&self, problem: &Problem, space: Space, alpha: f64, tuned: Option<Tuned>, run: &Run) -> Result<Fitted> {
        let sample = Sample { space, ..problem.training.clone() };
        let bound = sample.space.gram(&sample.x, run)?;
        let factored = Factored::new(problem, &bound, alpha, run)?;
        let log_evidence = factored.log_evidence(problem, alpha);
        let coefficients: Vec<f64> =
            factored.beta.iter().enumerate().map(|(at, b)| b * problem.unit[at % problem.outputs]).collect();
        let mean = Mean { y: &problem.given, shift: &problem.shift, coefficients: &coefficients, alpha };
        let certificate = regression(&sample, &bound, &mean, &factored.info, &run.without_stops())?
            .with(Measure::LogEvidence, log_evidence);
        let mut noise = self.alpha.clone();
        noise.value = Value::Number(alpha);
        let learner = GaussianProcessRegressor { kernel: sample.space.kernel().clone(), alpha: noise, ..self.clone() };
        let process = Process {
            prior: problem.prior.clone(),
            factor: OnceLock::from(Arc::new(Posterior { factor: factored.factor, roots: None })),
        };
        let report = Report {
            notes: notes(tuned.as_ref(), &certificate, run),
            tuned,
            // The space of tuned parameters had no rules to resolve.
            ..Report::of(&problem.training)
        };
        let model = Model::from_parts(ModelParts {
            learner: learner.into(),
            expansion: sample.expansion(coefficients, problem.shift.clone(), None)?,
            weights: sample.weights.clone(),
            extra: Extra::Process(process),
            certificate,
        })?;
        Ok(Fitted { model, report })
    }
}

fn notes(tuned: Option<&Tuned>, certificate: &Certificate, run: &Run) -> Vec<Note> {
    let mut notes = tuned.map_or_else(Vec::new, Tuned::notes);
    if certificate.jitter() > 0.0 {
        notes.push(Note::JitterAdded { jitter: certificate.jitter() });
    }
    notes.iter().for_each(|note| run.warn(&note.to_string()));
    notes
}
