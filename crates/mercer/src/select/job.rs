//! The main job: from a data set with a target to a certified model.

use serde::Serialize;

use crate::certificate::Stop;
use crate::data::{Dataset, Inputs};
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::learn_kernel::{TuneParams, Tuned, tune};
use crate::loss::{NamedLoss, Pinball};
use crate::model::AnyModel;
use crate::model::pipeline::{Pipeline, Prepare, Prepared};
use crate::model::regress::{Alpha, KernelRidge};
use crate::run::Run;
use crate::solver::Filter;
use crate::solver::penalized::PenalizedParams;

use super::choose::by_folds;
use super::default_kernels;
use super::estimate::{Estimate, estimate};
use super::fitting::{Fitting, HELD_OUT, Sample};
use super::learner::Learner;
use super::report::{Choice, Chosen, FitReport};
use super::split::Split;

/// The least alpha that the evidence may choose for the codes of classes, −1 and 1.
const LEAST_ALPHA_OF_CLASSES: f64 = 0.01;
/// Rows up to which alpha is chosen by exact leave-one-out on all of them.
const EXACT_ROWS: usize = 3000;
/// Rows on which cross-validation chooses alpha, of one output.
const FOLD_ROWS: usize = 1000;
/// Where the search for alpha begins without evidence.
const USUAL_ALPHA: f64 = 0.1;

/// The choices of a whole fit; what is not given is chosen, and reported.
#[derive(Clone, Debug)]
pub struct Job {
    /// The kind of model.
    pub learner: Learner,
    /// The loss, of learners that take one.
    pub loss: Option<NamedLoss>,
    /// Which of the model `filter`; its λ or iterations are chosen.
    pub filter: Filter,
    /// Quantiles to predict at once, by the pinball loss of `regressor`; none for one function.
    pub quantiles: Vec<f64>,
    /// Whether the quantiles of a row are sorted, so that none crosses another.
    pub non_crossing: bool,
    /// Whether the quantiles are shifted by what rows leave that were left out, so that they cover what they say.
    pub calibrate: bool,
    /// The kernel, with parameters to start from; without one, kernels that fit the columns are tried.
    pub kernel: Option<KernelExpr>,
    /// alpha; without one it is chosen: for ridge by leave-one-out, or by the evidence of very many rows,
    /// for others by cross-validation of their own loss.
    pub alpha: Option<f64>,
    /// Whether to tune the parameters of the kernel.
    pub tune: bool,
    /// How the data are prepared.
    pub prepare: Prepare,
    /// Weights ≥ 0, one a row: a weight is a number of repetitions, and a row of weight 0 is left out.
    pub weights: Option<Vec<f64>>,
    /// How the error is estimated; without one, [`Split::usual`].
    pub split: Option<Split>,
    /// Groups of rows that a split keeps together, one number a row.
    pub groups: Option<Vec<usize>>,
    /// Whether to estimate the error at all.
    pub estimate: bool,
    /// Where chance begins.
    pub seed: u64,
}

impl Default for Job {
    fn default() -> Self {
        Job {
            learner: Learner::Auto,
            loss: None,
            filter: Filter::CutOff { lambda: 1e-3 },
            quantiles: Vec::new(),
            non_crossing: false,
            calibrate: false,
            kernel: None,
            alpha: None,
            tune: true,
            prepare: Prepare::default(),
            weights: None,
            split: None,
            groups: None,
            estimate: true,
            seed: 0,
        }
    }
}

/// A kernel that was tried.
#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    /// The formula, tuned.
    pub kernel: KernelExpr,
    /// Negative log evidence per row, up to a constant; less is better.
    pub evidence: f64,
    /// alpha, as the evidence has it; nothing for a model that has none.
    pub alpha: Option<f64>,
    /// Whether there is one length scale for each column.
    pub per_column: bool,
}

/// What came of a job.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The kind of model that was fitted.
    pub learner: Learner,
    /// The model with its preparation.
    pub pipeline: Pipeline,
    /// How the model was fitted.
    pub report: FitReport,
    /// The kernels that were tried, the chosen one first.
    pub candidates: Vec<Candidate>,
    /// Rows that tuning looked at.
    pub tuned_on: usize,
    /// Parameters that tuning left at a bound.
    pub at_bounds: Vec<String>,
    /// A sentence about columns that no part of the given kernel reads, if there are such.
    pub unread: Option<String>,
    /// The error to be expected on new rows, from rows that chose nothing.
    pub estimate: Option<Estimate>,
    /// Why the work ended early, if it did; the model is then the best by that time.
    pub stopped: Option<Stop>,
}

impl Job {
    /// Does the whole job. The model comes first, so that a deadline or an interrupt during the
    /// estimate of the error still leaves it.
    pub fn fit(&self, data: &Dataset, run: &Run) -> Result<Finished> {
        if let Some((job, data)) = self.counting(data)? {
            return job.fit(&data, run);
        }
        // Inside the threads' pool from the start: to enter it anew for every small product costs more than the
        // products of few rows do.
        run.enter(|| self.fit_inside(data, run))
    }

    fn fit_inside(&self, data: &Dataset, run: &Run) -> Result<Finished> {
        let unread = self.kernel.as_ref().and_then(|kernel| kernel.unread_note(&data.inputs));
        let data = &self.typed(data);
        let prepared = self.prepare.fit(data, self.weights.as_deref())?;
        if prepared.kept.len() < 2 {
            return Err(Error::shape("the rows to learn from", "at least 2", prepared.kept.len()));
        }
        let mut learnt = self.learn(&prepared, run)?;
        let mut stopped = run.stop_reason().map(Stop::from);
        let estimate = match (self.estimate, stopped) {
            (true, None) => {
                let found = estimate(self, data, &prepared, run);
                stopped = run.stop_reason().map(Stop::from);
                match (stopped, found) {
                    (Some(_), _) => None,
                    // Very few rows may leave a side without a class; the model is there all the same.
                    (None, Err(problem)) if self.split.is_none() => {
                        learnt.report.notes.push(format!("its error cannot be estimated: {problem}"));
                        None
                    }
                    (None, found) => Some(found?),
                }
            }
            _ => None,
        };
        Ok(Finished {
            learner: learnt.learner,
            pipeline: prepared.pipeline(learnt.model)?,
            report: learnt.report,
            candidates: learnt.candidates,
            tuned_on: learnt.tuned_on,
            at_bounds: learnt.at_bounds,
            unread,
            estimate,
            stopped,
        })
    }

    /// The data with each column of the type that the kernel reads it as.
    fn typed(&self, data: &Dataset) -> Dataset {
        match &self.kernel {
            Some(kernel) => Dataset { inputs: kernel.typed(&data.inputs), ..data.clone() },
            None => data.clone(),
        }
    }

    /// Chooses the kernel and alpha, and fits, looking at nothing but these rows.
    pub(super) fn learn(&self, prepared: &Prepared, run: &Run) -> Result<Learnt> {
        let rows = prepared.inputs.len();
        let several = self.quantiles.first().map(|quantile| NamedLoss::of(&Pinball::SPEC).with(*quantile));
        let (learner, why) = self.learner.chosen(&prepared.task, self.loss.or(several), rows)?;
        self.check(learner)?;
        if learner == Learner::Gp {
            return self.process(prepared, run);
        }
        let mut tuned = self.tuned(prepared, run)?;
        tuned.sort_by(|a, b| a.evidence.total_cmp(&b.evidence));
        let best = tuned.first().cloned();
        let (kernel, evidence_alpha) = match &best {
            Some(best) => (best.kernel.clone(), Some(best.alpha)),
            None => (self.first_kernel(&prepared.inputs)?, None),
        };
        // What was found by the deadline is still fitted.
        let calm = run.without_stops();
        let (model, report) = match learner {
            Learner::Ridge | Learner::Lssvm => {
                let run = if run.stop_reason().is_some() { &calm } else { run };
                self.ridge(kernel, evidence_alpha, learner, prepared, run)?
            }
            _ => self.machine(learner, kernel, evidence_alpha, prepared, run)?,
        };
        let held = best.as_ref().filter(|b| prepared.task.classes().is_some() && at_the_least(b.alpha));
        let held = held.map(|_| {
            format!("the kernel was tuned with alpha held at {LEAST_ALPHA_OF_CLASSES}: codes of classes have no noise, and the evidence would go below")
        });
        let report = FitReport { notes: why.into_iter().chain(held).chain(report.notes).collect(), ..report };
        Ok(Learnt {
            learner,
            model,
            report,
            tuned_on: best.as_ref().map_or(0, |b| b.rows),
            at_bounds: best.map_or_else(Vec::new, |b| b.at_bounds),
            candidates: tuned.into_iter().map(Candidate::from).collect(),
        })
    }

    fn ridge(
        &self,
        kernel: KernelExpr,
        evidence: Option<f64>,
        learner: Learner,
        prepared: &Prepared,
        run: &Run,
    ) -> Result<(AnyModel, FitReport)> {
        if learner == Learner::Lssvm && self.alpha == Some(0.0) {
            return Err(Error::invalid("the model `lssvm`", "alpha", 0, "above 0, since gamma = 1/alpha"));
        }
        let without_path = match (self.alpha, evidence) {
            (Some(_), _) => Choice::Given,
            (None, _) => Choice::Evidence,
        };
        let ridge = KernelRidge {
            kernel,
            alpha: self.alpha(evidence, prepared.inputs.len()),
            fit_intercept: true,
            seed: self.seed,
            ..KernelRidge::default()
        };
        let fitted = ridge.fit(&prepared.inputs, &prepared.targets, prepared.weights.as_deref(), run)?;
        Ok((fitted.model.into(), FitReport::of_ridge(fitted.report, without_path)))
    }

    fn machine(
        &self,
        learner: Learner,
        kernel: KernelExpr,
        evidence: Option<f64>,
        prepared: &Prepared,
        run: &Run,
    ) -> Result<(AnyModel, FitReport)> {
        let rows = Sample::of(prepared);
        let fitting = Fitting {
            learner,
            loss: self.loss,
            kernel,
            classes: prepared.task.classes().is_some(),
            tolerance: PenalizedParams::default().tolerance,
            seed: self.seed,
            filter: self.filter,
            quantiles: self.quantiles.clone(),
            non_crossing: self.non_crossing,
            calibrate: self.calibrate,
        };
        let mut chosen = self.chosen(&fitting, &rows, evidence, run)?;
        let calm = run.without_stops();
        let run = if run.stop_reason().is_some() { &calm } else { run };
        let (model, report) = fitting.fit(chosen.value, &rows, run)?;
        let model = fitting.claimed(model, &rows, run)?;
        if learner == Learner::Descent {
            chosen.value = model.certificate().iterations.unwrap_or(0) as f64;
        }
        let report = FitReport::of_machine((&model, report), fitting.parameter(), chosen);
        Ok((model, report))
    }

    /// alpha or the number of passes, given or chosen.
    fn chosen(&self, fitting: &Fitting, rows: &Sample, evidence: Option<f64>, run: &Run) -> Result<Chosen> {
        match (fitting.parameter(), self.alpha) {
            (Some("alpha"), Some(alpha)) => return Ok(Chosen::plain(alpha, Choice::Given)),
            (_, Some(alpha)) => {
                let owner = format!("the model `{}`", fitting.learner.name());
                return Err(Error::invalid(owner, "alpha", alpha, "left out: it has none"));
            }
            (None, None) => return Ok(Chosen::plain(0.0, Choice::Nothing)),
            (Some(_), None) if fitting.learner == Learner::Descent => {
                return Ok(Chosen::plain(0.0, Choice::HeldOut { share: HELD_OUT }));
            }
            (Some(_), None) => {}
        }
        let start = fitting.usual().or(evidence).unwrap_or(USUAL_ALPHA);
        // The rows of a precomputed matrix are no points that could be left out, and a stop leaves no time.
        let splits = rows.x.len() >= 4 && !matches!(rows.x, Inputs::Precomputed(_));
        match splits && run.stop_reason().is_none() {
            // The cost of a fit grows with the cube of the rows, times the outputs.
            true => {
                let outputs = rows.y.outputs() * self.quantiles.len().max(1);
                let most = FOLD_ROWS as f64 / (outputs as f64).cbrt();
                by_folds(fitting, rows, start, most as usize, run)
            }
            false => {
                let by_evidence = evidence.filter(|_| fitting.usual().is_none());
                Ok(Chosen::plain(start, by_evidence.map_or(Choice::Usual, |_| Choice::Evidence)))
            }
        }
    }

    fn first_kernel(&self, x: &Inputs) -> Result<KernelExpr> {
        match &self.kernel {
            Some(kernel) => Ok(kernel.clone()),
            None => Ok(default_kernels(x)?.swap_remove(0)),
        }
    }

    /// Every kernel that is tried, tuned; none where nothing is to be tuned.
    fn tuned(&self, prepared: &Prepared, run: &Run) -> Result<Vec<Tuned>> {
        if !self.tune || matches!(prepared.inputs, Inputs::Precomputed(_)) {
            return Ok(Vec::new());
        }
        let kernels = match &self.kernel {
            Some(kernel) => vec![kernel.clone()],
            None => default_kernels(&prepared.inputs)?,
        };
        let usual = TuneParams { seed: self.seed, ..TuneParams::default() };
        let params = match prepared.task.classes() {
            Some(_) => TuneParams { least_alpha: LEAST_ALPHA_OF_CLASSES, ..usual },
            None => usual,
        };
        let mut tuned = Vec::new();
        for kernel in kernels {
            // A kernel that was tuned before the deadline is enough to go on with.
            if !tuned.is_empty() && run.stop_reason().is_some() {
                break;
            }
            tuned.push(tune(&kernel, &prepared.inputs, &prepared.targets, &params, run)?);
        }
        Ok(tuned)
    }

    /// The alpha that was asked for; or a list around what the evidence says; or that itself.
    fn alpha(&self, evidence: Option<f64>, rows: usize) -> Alpha {
        match (self.alpha, evidence) {
            (Some(alpha), _) => Alpha::Value(alpha),
            (None, None) => Alpha::Loo(Alpha::grid()),
            (None, Some(alpha)) if rows <= EXACT_ROWS => {
                Alpha::Loo((-8..=8).map(|i| alpha * 10f64.powf(f64::from(i) / 4.0)).collect())
            }
            (None, Some(alpha)) => Alpha::Value(alpha),
        }
    }
}

/// Whether the evidence ended at the least alpha of classes, to the rounding of a logarithm.
fn at_the_least(alpha: f64) -> bool {
    alpha <= LEAST_ALPHA_OF_CLASSES * (1.0 + 1e-9)
}

/// What some rows taught.
pub(super) struct Learnt {
    pub(super) learner: Learner,
    pub(super) model: AnyModel,
    pub(super) report: FitReport,
    pub(super) candidates: Vec<Candidate>,
    pub(super) tuned_on: usize,
    pub(super) at_bounds: Vec<String>,
}

impl From<Tuned> for Candidate {
    fn from(tuned: Tuned) -> Self {
        let Tuned { kernel, evidence, alpha, per_column, .. } = tuned;
        Candidate { kernel, evidence, alpha: Some(alpha), per_column }
    }
}
