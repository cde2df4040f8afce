//! The main job: from a data set with a target to a certified model.

use serde::Serialize;

use crate::certificate::Stop;
use crate::data::{Dataset, Inputs};
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::learn_kernel::{TuneParams, Tuned, tune};
use crate::model::Fitted;
use crate::model::pipeline::{Pipeline, Prepare, Prepared};
use crate::model::regress::{Alpha, KernelRidge, KernelRidgeModel, RidgeReport};
use crate::run::Run;

use super::default_kernels;
use super::estimate::{Estimate, estimate};
use super::learner::Learner;
use super::split::Split;

/// Rows up to which alpha is chosen by exact leave-one-out on all of them.
const EXACT_ROWS: usize = 3000;

/// The choices of a whole fit; what is not given is chosen, and reported.
#[derive(Clone, Debug)]
pub struct Job {
    /// The kind of model.
    pub learner: Learner,
    /// The kernel, with parameters to start from; without one, kernels that fit the columns are tried.
    pub kernel: Option<KernelExpr>,
    /// alpha; without one it is chosen by leave-one-out, or by the evidence of very many rows.
    pub alpha: Option<f64>,
    /// Whether to tune the parameters of the kernel.
    pub tune: bool,
    /// How the data are prepared.
    pub prepare: Prepare,
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
            kernel: None,
            alpha: None,
            tune: true,
            prepare: Prepare::default(),
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
    /// alpha, as the evidence has it.
    pub alpha: f64,
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
    pub report: RidgeReport,
    /// The kernels that were tried, the chosen one first.
    pub candidates: Vec<Candidate>,
    /// Rows that tuning looked at.
    pub tuned_on: usize,
    /// Parameters that tuning left at a bound.
    pub at_bounds: Vec<String>,
    /// The error to be expected on new rows, from rows that chose nothing.
    pub estimate: Option<Estimate>,
    /// Why the work ended early, if it did; the model is then the best by that time.
    pub stopped: Option<Stop>,
}

impl Job {
    /// Does the whole job. The model comes first, so that a deadline or an interrupt during the
    /// estimate of the error still leaves it.
    pub fn fit(&self, data: &Dataset, run: &Run) -> Result<Finished> {
        let prepared = self.prepare.fit(data, None)?;
        if prepared.kept.len() < 2 {
            return Err(Error::shape("the rows to learn from", "at least 2", prepared.kept.len()));
        }
        let learnt = self.learn(&prepared, run)?;
        let mut stopped = run.stop_reason().map(Stop::from);
        let estimate = match (self.estimate, stopped) {
            (true, None) => {
                let found = estimate(self, data, &prepared, run);
                stopped = run.stop_reason().map(Stop::from);
                match stopped {
                    Some(_) => None,
                    None => Some(found?),
                }
            }
            _ => None,
        };
        Ok(Finished {
            learner: self.learner.chosen(),
            pipeline: prepared.pipeline(learnt.fitted.model)?,
            report: learnt.fitted.report,
            candidates: learnt.candidates,
            tuned_on: learnt.tuned_on,
            at_bounds: learnt.at_bounds,
            estimate,
            stopped,
        })
    }

    /// Chooses the kernel and alpha, and fits, looking at nothing but these rows.
    pub(super) fn learn(&self, prepared: &Prepared, run: &Run) -> Result<Learnt> {
        let mut tuned = self.tuned(prepared, run)?;
        tuned.sort_by(|a, b| a.evidence.total_cmp(&b.evidence));
        let best = tuned.first().cloned();
        let (kernel, evidence_alpha) = match &best {
            Some(best) => (best.kernel.clone(), Some(best.alpha)),
            None => (self.first_kernel(&prepared.inputs)?, None),
        };
        let ridge = KernelRidge {
            kernel,
            alpha: self.alpha(evidence_alpha, prepared.inputs.len()),
            fit_intercept: true,
            seed: self.seed,
            ..KernelRidge::default()
        };
        // What was found by the deadline is still fitted.
        let run = if run.stop_reason().is_some() { &run.without_stops() } else { run };
        let fitted = ridge.fit(&prepared.inputs, &prepared.targets, prepared.weights.as_deref(), run)?;
        Ok(Learnt {
            fitted,
            tuned_on: best.as_ref().map_or(0, |b| b.rows),
            at_bounds: best.map_or_else(Vec::new, |b| b.at_bounds),
            candidates: tuned.into_iter().map(Candidate::from).collect(),
        })
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
        let params = TuneParams { seed: self.seed, ..TuneParams::default() };
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

/// What some rows taught.
pub(super) struct Learnt {
    pub(super) fitted: Fitted<KernelRidgeModel>,
    candidates: Vec<Candidate>,
    tuned_on: usize,
    at_bounds: Vec<String>,
}

impl From<Tuned> for Candidate {
    fn from(tuned: Tuned) -> Self {
        let Tuned { kernel, evidence, alpha, per_column, .. } = tuned;
        Candidate { kernel, evidence, alpha, per_column }
    }
}
