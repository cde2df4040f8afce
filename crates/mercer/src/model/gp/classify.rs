//! Gaussian process classification by Laplace's approximation.

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use crate::certificate::{Certificate, Stop};
use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::gram::{Bound, Resolution, dense};
use crate::kernel::{KernelExpr, Kind, Registry};
use crate::linalg::Ball;
use crate::model::training::{NamedKernel, Training};
use crate::model::{Fitted, Model};
use crate::rkhs::Space;
use crate::run::Run;

use super::certify::classification;
use super::classify_evidence::LabelProblem;
use super::classify_model::{GaussianProcessClassifierModel, GpClassifierParts};
use super::evidence::GpEvidence;
use super::laplace::Mode;
use super::tuning::{GpTuned, GpTuning, maximise};

const NAME: &str = "GaussianProcessClassifier";

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
/// let gp = GaussianProcessClassifier { kernel: KernelExpr::parse("4*rbf(length_scale=1)")?, tuning: None };
/// let model = gp.fit(&x, &y, None, &run)?.model;
/// let p = model.probabilities(&Rows::new(vec![0.0, 1.0], 2, 1)?.into(), &run)?; // P(−1), P(1) of each point
/// assert!((p[0] - 0.5).abs() < 1e-12 && p[3] > 0.5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GaussianProcessClassifier {
    /// The kernel; rules such as `median` are resolved on the training points.
    pub kernel: KernelExpr,
    /// How the free parameters are chosen by the evidence; `None` leaves them as given.
    pub tuning: Option<GpTuning>,
}

impl Default for GaussianProcessClassifier {
    /// `1*rbf` with the median distance as its first length scale, both tuned.
    fn default() -> Self {
        let kernel = KernelExpr::of(Kind::Rbf);
        GaussianProcessClassifier {
            kernel: kernel.clone().scale(1.0).unwrap_or(kernel),
            tuning: Some(GpTuning::default()),
        }
    }
}

/// How a Gaussian process classification was fitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpClassifierReport {
    /// Number of rows of positive weight.
    pub rows: usize,
    /// Rows left out because their weight is 0.
    pub rows_of_weight_zero: usize,
    /// Number of outputs: 1 for two classes.
    pub outputs: usize,
    /// The kernel, without rules, as tuned.
    pub kernel: KernelExpr,
    /// log q(y | X, θ), Laplace's approximation of the log evidence, summed over the outputs.
    pub log_evidence: f64,
    /// How the parameters were found, if they were looked for.
    pub tuned: Option<GpTuned>,
    /// What the rules of the kernel found.
    pub resolutions: Vec<Resolution>,
    /// What the user should know, as sentences.
    pub notes: Vec<String>,
    /// −ψ, the objective, after each Newton step, output by output.
    pub history: Vec<Vec<f64>>,
    /// How far the modes are from the solution: the worst residual of the outputs, the objectives summed.
    pub certificate: Certificate,
    /// The same of each output by itself.
    pub certificates: Vec<Certificate>,
}

impl Model for GaussianProcessClassifierModel {
    type Report = GpClassifierReport;
}

impl GaussianProcessClassifier {
    /// Fits to points, labels −1 and 1 and weights ≥ 0, one a row; a row of weight w is as good as w
    /// equal rows.
    pub fn fit(
        &self,
        x: &Inputs,
        y: &Targets,
        weights: Option<&[f64]>,
        run: &Run,
    ) -> Result<Fitted<GaussianProcessClassifierModel>> {
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
    ) -> Result<Fitted<GaussianProcessClassifierModel>> {
        let problem = Arc::new(self.problem(x, y, weights, registry, run)?);
        let given = problem.training.space.clone();
        let Some(tuning) = &self.tuning else { return finish(&problem, given, None, run) };
        let evidence = GpEvidence { kernel: given.kernel().clone(), alpha: None, of: Arc::clone(&problem) as _ };
        let (at, tuned) = maximise(&evidence, tuning, run)?;
        let (kernel, _) = evidence.model_at(&at)?;
        // Whatever time tuning has left, its result is worth a mode.
        let late = run.without_stops();
        let space = Space::with_registry(&kernel, registry, x, &late)?;
        finish(&problem, space, Some(tuned), &late)
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
        Ok(GpEvidence { kernel, alpha: None, of: Arc::new(problem) })
    }

    pub(super) fn problem(
        &self,
        x: &Inputs,
        y: &Targets,
        weights: Option<&[f64]>,
        registry: &Registry,
        run: &Run,
    ) -> Result<LabelProblem> {
        self.tuning.map_or(Ok(()), |tuning| tuning.validate(NAME))?;
        let training = Training::new(NAME, NamedKernel { kernel: &self.kernel, registry }, x, y.nrows(), weights, run)?;
        let (n, outputs) = (training.n, y.outputs());
        let labels: Vec<f64> = (0..outputs * n).map(|at| y.row(training.row(at % n))[at / n]).collect();
        check_labels(&labels, n, outputs)?;
        Ok(LabelProblem { training, labels, outputs, last: Mutex::new(Vec::new()) })
    }
}

/// −1 and 1, both in every output; of several outputs, one 1 a row.
fn check_labels(labels: &[f64], n: usize, outputs: usize) -> Result<()> {
    let bad = |value: String, must: &str| Err(Error::invalid(NAME, "y", value, must));
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

/// The model at chosen parameters.
fn finish(
    problem: &LabelProblem,
    space: Space,
    tuned: Option<GpTuned>,
    run: &Run,
) -> Result<Fitted<GaussianProcessClassifierModel>> {
    let training = Training { space, ..problem.training.clone() };
    let (n, c) = (training.n, problem.outputs);
    let bound = training.space.gram(&training.x, run)?;
    let k = dense::<f64>(&bound, run)?;
    let modes = (0..c).map(|o| problem.mode(&k, o, run)).collect::<Result<Vec<Mode>>>()?;
    drop(k);
    let log_evidence = modes.iter().map(Mode::log_evidence).sum();
    let certificates = certify(problem, &bound, &modes, &run.without_stops())?;
    let certificate = joined(&certificates);
    let coefficients = (0..n * c).map(|at| modes[at % c].a[at / c]).collect();
    let parts = GpClassifierParts {
        expansion: training.expansion(coefficients, vec![0.0; c], None)?,
        weights: training.weights.clone(),
        log_evidence,
        certificate: certificate.clone(),
    };
    let mut notes = tuned.as_ref().map_or_else(Vec::new, GpTuned::notes);
    if !certificate.stop.is_complete() {
        notes.push(format!("the mode is not found to its tolerance ({})", certificate.stop.name()));
    }
    notes.iter().for_each(|note| run.warn(note));
    let report = GpClassifierReport {
        rows: n,
        rows_of_weight_zero: training.all.len() - n,
        outputs: c,
        kernel: training.space.kernel().clone(),
        log_evidence,
        tuned,
        resolutions: problem.training.space.resolutions().to_vec(),
        notes,
        history: modes.iter().map(|m| m.history.iter().map(|v| -v).collect()).collect(),
        certificate,
        certificates,
    };
    Ok(Fitted { model: GaussianProcessClassifierModel::from_parts(parts)?.with_modes(modes), report })
}

/// The certificate of each output.
fn certify(problem: &LabelProblem, bound: &Bound, modes: &[Mode], run: &Run) -> Result<Vec<Certificate>> {
    let one = |(o, mode): (usize, &Mode)| {
        let found = classification(problem.output(o), bound, &mode.a, run)?;
        let stop = if mode.stop.is_complete() { Stop::Tolerance } else { mode.stop };
        Ok(Certificate { stop, iterations: Some(mode.history.len() - 1), ..found })
    };
    modes.iter().enumerate().map(one).collect()
}

/// One certificate for all outputs: the worst residual and stop, sums of objectives and steps.
pub(super) fn joined(each: &[Certificate]) -> Certificate {
    let sum = |of: fn(&Certificate) -> Option<f64>| each.iter().map(|c| of(c).map(Ball::from)).sum::<Option<Ball>>();
    let mut whole = each[0].clone();
    whole.stop = each.iter().map(|c| c.stop).find(|s| !s.is_complete()).unwrap_or(whole.stop);
    whole.relative_residual = Some(each.iter().fold(0.0, |m, c| f64::max(m, c.residual())));
    whole.primal = sum(|c| c.primal).map(Ball::above);
    whole.dual = sum(|c| c.dual).map(Ball::below);
    whole.rounding = sum(|c| c.rounding).map(Ball::above);
    whole.iterations = each.iter().map(|c| c.iterations).sum();
    whole
}
