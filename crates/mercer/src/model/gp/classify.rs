//! Gaussian process classification by Laplace's approximation.

use std::sync::{Arc, Mutex, OnceLock};

use serde::{Deserialize, Serialize};

use crate::certificate::{Certificate, Measure, Stop};
use crate::data::{Inputs, Target, TargetKind, Weights};
use crate::error::{Error, Result};
use crate::gram::{Bound, dense};
use crate::kernel::KernelExpr;
use crate::model::classify::{CLASS_WEIGHT, ClassWeight};
use crate::model::posterior::Posterior;
use crate::model::{
    Answer, Certified, Extra, Fitted, Learn, Learner, LearnerSpec, Model, ModelParts, Modes, OwnLoss, Report, Sample,
    Tune, Tuned, Tuning, has_kernel, maximise,
};
use crate::note::Note;
use crate::rkhs::Space;
use crate::run::Run;

use super::certify::{classification, classification_again, joined};
use super::classify_evidence::LabelProblem;
use super::evidence::GpEvidence;
use super::in_time::in_time;
use super::laplace::Mode;
use super::regress::{TUNING, scaled};

/// The choices of a Gaussian process classification: P(class | f) = 1/(1 + e^(−f)) with f a process of
/// mean 0, whose posterior is taken as the Gaussian at its mode (Laplace).
///
/// Targets are coded as −1 and 1: two classes are one output, several are one output each, the class
/// against the rest; all share the kernel.
///
/// ```
/// use mercer::{KernelExpr, Run, data::{Inputs, Rows, Targets}, model::gp::GaussianProcessClassifier};
/// let run = Run::new();
/// let x: Inputs = Rows::new(vec![-1.0, 1.0], 2, 1)?.into();
/// let y = Targets::new(vec![-1.0, 1.0], 1)?;
/// let gp = GaussianProcessClassifier { kernel: KernelExpr::parse("4*rbf(length_scale=1)")?, tuning: None,
///     ..Default::default() };
/// let model = gp.fit(&x, &y, None, &run)?.model;
/// let p = model.probabilities(&Rows::new(vec![0.0, 1.0], 2, 1)?.into(), &run)?; // P(−1), P(1) of each point
/// assert!((p[0] - 0.5).abs() < 1e-12 && p[3] > 0.5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GaussianProcessClassifier {
    /// The kernel; rules such as `median` are resolved on the training points.
    #[serde(skip, default = "scaled")]
    pub kernel: KernelExpr,
    /// Factors on the weights of the rows, by class.
    #[serde(deserialize_with = "crate::model::short::short")]
    pub class_weight: ClassWeight,
    /// How the free parameters are chosen by the evidence; `None` leaves them as given.
    pub tuning: Option<Tuning>,
}

impl Default for GaussianProcessClassifier {
    /// `1*rbf` with the median distance as its first length scale, both tuned.
    fn default() -> Self {
        GaussianProcessClassifier {
            kernel: scaled(),
            class_weight: ClassWeight::Equal,
            tuning: Some(Tuning::default()),
        }
    }
}

impl Tune for GaussianProcessClassifier {
    fn own_loss(&self) -> Result<OwnLoss> {
        Ok(OwnLoss::Log)
    }
}

impl Learn for GaussianProcessClassifier {
    const SPEC: LearnerSpec = LearnerSpec {
        name: "gp_classifier",
        class: "GaussianProcessClassifier",
        summary: "a Gaussian process for classes, by Laplace's approximation, tuned by its own evidence",
        targets: &[TargetKind::Classes],
        answers: &[Answer::Classes, Answer::Probabilities],
        weights: true,
        for_classes: None,
        settings: &[CLASS_WEIGHT, TUNING],
    };

    has_kernel!();

    fn validate(&self) -> Result<()> {
        self.tuning.map_or(Ok(()), |tuning| tuning.validate(&Self::SPEC.title()))
    }

    fn weigh(&self, target: &Target, own: Option<&Weights>) -> Result<Option<Weights>> {
        self.class_weight.rows(&Self::SPEC.title(), &target.labels()?, own)
    }

    fn learn(&self, sample: &Sample, run: &Run) -> Result<Fitted> {
        let problem = Arc::new(problem(sample)?);
        let Some(tuning) = &self.tuning else { return self.finish(&problem, sample.space.clone(), None, run) };
        let evidence = evidence_of(&problem);
        let (at, tuned) = maximise(&evidence, tuning, run)?;
        let (kernel, _) = evidence.model_at(&at)?;
        let space = Space::new(&kernel, &sample.x, &run.without_stops())?;
        in_time(sample, run, |rows, run| match rows {
            None => self.finish(&problem, space.clone(), Some(tuned.clone()), run),
            Some(few) => self.finish(&self::problem(few)?, space.clone(), Some(tuned.clone()), run),
        })
    }

    fn certify(&self, model: &Model, sample: &Sample, run: &Run) -> Result<Certified> {
        Ok(classification_again(model, &problem(sample)?, run)?.into())
    }
}

impl GaussianProcessClassifier {
    /// The evidence on these data, as a function of the free parameters.
    pub fn evidence(
        &self,
        x: &Inputs,
        y: impl Into<Target>,
        weights: Option<&Weights>,
        run: &Run,
    ) -> Result<GpEvidence> {
        let sample = Learner::from(self.clone()).sample(x, y.into(), weights, run)?;
        Ok(evidence_of(&Arc::new(problem(&sample)?)))
    }

    /// The model at chosen parameters.
    fn finish(&self, problem: &LabelProblem, space: Space, tuned: Option<Tuned>, run: &Run) -> Result<Fitted> {
        let sample = Sample { space, ..problem.training.clone() };
        let (n, c) = (sample.n, problem.outputs);
        let bound = sample.space.gram(&sample.x, run)?;
        let k = dense::<f64>(&bound, run)?;
        let modes = (0..c).map(|o| problem.mode(&k, o, run)).collect::<Result<Vec<Mode>>>()?;
        drop(k);
        let certificates = certify(problem, &bound, &modes, &run.without_stops())?;
        let log_evidence: f64 = modes.iter().map(Mode::log_evidence).sum();
        let certificate = joined(&certificates).with(Measure::LogEvidence, log_evidence);
        let mut notes = tuned.as_ref().map_or_else(Vec::new, Tuned::notes);
        if !certificate.stop.is_complete() {
            notes.push(Note::ModeStopped { stop: certificate.stop });
        }
        notes.iter().for_each(|note| run.warn(&note.to_string()));
        let history = modes.iter().flat_map(|m| m.history.iter().map(|v| -v)).collect();
        let report = Report { tuned, notes, history, certificates, ..Report::of(&problem.training) };
        let coefficients = (0..n * c).map(|at| modes[at % c].a[at / c]).collect();
        let posteriors = modes.into_iter().map(|m| Posterior { factor: m.factor, roots: Some(m.roots) }).collect();
        let model = Model::from_parts(ModelParts {
            learner: self.with_kernel(sample.space.kernel().clone()).into(),
            expansion: sample.expansion(coefficients, vec![0.0; c], None)?,
            weights: sample.weights.clone(),
            extra: Extra::Modes(Modes { factors: OnceLock::from(Arc::new(posteriors)) }),
            certificate,
        })?;
        Ok(Fitted { model, report })
    }
}

fn evidence_of(problem: &Arc<LabelProblem>) -> GpEvidence {
    let kernel = problem.training.space.kernel().clone();
    GpEvidence { kernel, alpha: None, of: Arc::clone(problem) as _ }
}

fn problem(sample: &Sample) -> Result<LabelProblem> {
    let y = sample.numbers()?;
    let (n, outputs) = (sample.n, y.outputs());
    let labels: Vec<f64> = (0..outputs * n).map(|at| y.row(at % n)[at / n]).collect();
    check_labels(&labels, n, outputs)?;
    Ok(LabelProblem { training: sample.clone(), labels, outputs, last: Mutex::new(Vec::new()) })
}

/// −1 and 1, both in every output; of several outputs, one 1 a row.
fn check_labels(labels: &[f64], n: usize, outputs: usize) -> Result<()> {
    let bad =
        |value: String, must: &str| Err(Error::invalid(GaussianProcessClassifier::SPEC.title(), "y", value, must));
    if let Some(at) = labels.iter().position(|y| y.abs() != 1.0) {
        return bad(format!("{} at row {}", labels[at], at % n), "coded as −1 and 1");
    }
    if let Some(o) = labels.chunks(n).position(|y| y.iter().all(|v| *v == y[0])) {
        let which = if outputs == 1 { String::new() } else { format!(" in output {o}") };
        return bad(format!("only {}{which}, in rows of positive weight", labels[o * n]), "of at least two classes");
    }
    let ones = |i: usize| (0..outputs).filter(|o| labels[o * n + i] == 1.0).count();
    match (0..n).find(|i| outputs > 1 && ones(*i) != 1) {
        Some(i) => bad(format!("{} at row {i}", ones(i)), "1 in one output a row and −1 in the others"),
        None => Ok(()),
    }
}

/// The certificate of each output.
fn certify(problem: &LabelProblem, bound: &Bound, modes: &[Mode], run: &Run) -> Result<Vec<Certificate>> {
    let one = |(o, mode): (usize, &Mode)| {
        let mut found = classification(problem.output(o), bound, &mode.a, 0.0, run)?;
        found.stop = if mode.stop.is_complete() { Stop::Tolerance } else { mode.stop };
        Ok(found.count(Measure::Iterations, mode.history.len() - 1))
    };
    modes.iter().enumerate().map(one).collect()
}
