//! Gaussian processes in the main job: the evidence of the process chooses its kernel, the parameters of
//! that and the noise, and nothing else tunes them.

use rayon::prelude::*;

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::KernelMatrix;
use crate::kernel::{KernelExpr, Param, Transform};
use crate::learn_kernel::{GAIN, TuneParams, TunedKernel, per_column};
use crate::model::gp::{GaussianProcessClassifier, GaussianProcessRegressor};
use crate::model::pipeline::Prepared;
use crate::model::{Choice, Fitted, Learner, Model, Report, Tuning};
use crate::note::Note;
use crate::run::Run;

use super::candidates::{Candidates, KernelChoice, Tuned};
use super::default_kernels;
use super::job::{Candidate, Job, Learnt, over_mean};
use super::report::{FreeParameter, HowFitted, ProcessReport};
use super::rows::Rows;

/// Rows up to which every search looks at all of them. Of more, kernels and starts are compared on so many,
/// drawn by chance, and one last search goes on from the best with all rows: an evidence costs their cube.
const SEARCH_ROWS: usize = 400;
/// Starts beside the given one, of a kernel that was asked for.
const RESTARTS: usize = 2;
/// Steps of the last search, which begins near its end.
const LAST_STEPS: usize = 30;
/// The largest mean variance k(x, x) of what is behind classes. The evidence of Laplace's approximation hardly falls as it grows, and the
/// posterior's mode stays near 0 while its variance grows, so that averaged probabilities go to ½ (Kuss & Rasmussen 2005). At 50 most
/// points have P(class) beyond 0.99 or 0.01 before anything is seen. Chosen on generated tables (docs/guide/gaussian-processes.md).
const LARGEST_VARIANCE: f64 = 50.0;
/// Where the search for the noise begins, as a share of the variance of a standardised target.
const FIRST_ALPHA: f64 = 0.1;

/// A process that was fitted, whichever kind it is.
struct Fit {
    model: Model,
    kernel: KernelExpr,
    alpha: Option<f64>,
    log_evidence: f64,
    report: Report,
    per_column: bool,
}

/// How a search begins.
struct Start {
    kernel: KernelExpr,
    alpha: f64,
    restarts: usize,
    max_iterations: usize,
}

/// A kernel to begin with.
enum Beginning {
    /// As it was asked for, without rules.
    Given(KernelExpr),
    /// As another search left it.
    Tuned { kernel: KernelExpr, alpha: f64, per_column: bool },
}

/// The searches for one set of rows.
struct Search<'a> {
    job: &'a Job,
    learner: &'a Learner,
    classes: bool,
    /// The mean weight, over which weights and alpha are while kernels are tuned.
    unit: f64,
    run: &'a Run,
}

impl Job {
    /// Tries the kernels, tunes and fits, all by the evidence.
    pub(super) fn process(&self, learner: &Learner, prepared: &Prepared, run: &Run) -> Result<Learnt> {
        let classes = prepared.task.classes().is_some();
        if let Some(alpha) = self.alpha.filter(|_| classes) {
            return Err(Error::invalid("the model `gp` of classes", "alpha", alpha, "left out: it has none"));
        }
        if let Some(name) = ["alpha", "tuning"].into_iter().find(|name| self.learner.decides(name)) {
            let must =
                "left out: the whole job searches by the evidence; give `alpha` of the job, or let nothing be tuned";
            return Err(Error::invalid(learner.spec().title(), name, self.learner.value(name), must));
        }
        // What a search has to say is said once, of the one that is taken.
        let quiet = run.without_warnings();
        let given = Rows::of(prepared);
        let (all, unit) = given.over_mean()?;
        let search = Search { job: self, learner, classes, unit, run: &quiet };
        let few = search.few(&all)?;
        let mut tried = search.all_tried(search.beginnings(&all)?, &few)?;
        tried.sort_by(|a, b| b.log_evidence.total_cmp(&a.log_evidence));
        let candidates = tried.iter().map(|fit| candidate(fit, few.total())).collect();
        let best = tried.swap_remove(0);
        let (best, hasty) = match few.x.len() < all.x.len() {
            true => search.last(best, &all)?,
            false => (best, false),
        };
        let given = if hasty { search.few(&given)? } else { given };
        let (best, held) = search.held(best, &given)?;
        let best = if given.weights.is_some() { search.weighed(best, &given)? } else { best };
        let at_bounds = best.report.tuned.iter().flat_map(|t| &t.at_bounds).map(|b| b.parameter.clone()).collect();
        let tuned_on = if best.report.tuned.is_some() { few.x.len() } else { 0 };
        let weighed = best.report.tuned.as_ref().and_then(|_| over_mean(unit));
        let (model, mut report) = self.reported(best, prepared);
        let hasty = hasty.then_some(Note::InHaste { rows: few.x.len(), of: all.x.len() });
        report.fit.notes.splice(0..0, hasty.into_iter().chain(held).chain(weighed));
        Ok(Learnt {
            learner: learner.spec().name,
            model,
            report,
            candidates,
            tuned_on,
            at_bounds,
            decided: KernelChoice::Evidence,
        })
    }

    fn reported(&self, fit: Fit, prepared: &Prepared) -> (Model, HowFitted) {
        let scale = prepared.target_scaling.as_ref().map_or(1.0, |s| s.scale[0]);
        let process = ProcessReport {
            log_evidence: fit.log_evidence,
            noise: fit.alpha.map(|alpha| alpha.sqrt() * scale),
            parameters: parameters(&fit, self.alpha),
        };
        let chosen = if self.alpha.is_some() { Choice::Given } else { Choice::Evidence };
        let report = HowFitted {
            parameter: fit.alpha.map(|_| "alpha"),
            value: fit.alpha,
            choice: if fit.alpha.is_some() { chosen } else { Choice::Nothing },
            path: Vec::new(),
            process: Some(process),
            fit: fit.report,
        };
        (fit.model, report)
    }
}

/// The free parameters with the values that the evidence gave them.
fn parameters(fit: &Fit, given: Option<f64>) -> Vec<FreeParameter> {
    let of_kernel = fit.kernel.free_params().into_iter();
    let mut all: Vec<FreeParameter> =
        of_kernel.filter_map(|p| Some(FreeParameter { value: p.param.number()?, name: p.path })).collect();
    let free = fit.alpha.filter(|_| given.is_none());
    all.extend(free.map(|value| FreeParameter { name: "alpha".into(), value }));
    all
}

/// A kernel that was tried on rows of this total weight.
fn candidate(fit: &Fit, rows: f64) -> Candidate {
    Candidate {
        kernel: fit.kernel.clone(),
        evidence: -fit.log_evidence / rows,
        alpha: fit.alpha,
        leave_one_out: None,
        loss: None,
        per_column: fit.per_column,
    }
}

impl Search<'_> {
    /// The rows on which kernels and starts are compared.
    fn few(&self, all: &Rows) -> Result<Rows> {
        match all.x {
            // The rows of a precomputed matrix cannot be taken apart.
            Inputs::Precomputed(_) => Ok(all.clone()),
            _ => all.take(&all.some(SEARCH_ROWS, self.job.seed)?),
        }
    }

    /// The kernel that was asked for; or those that fit the columns as ridge regression would have them, with a variance to be
    /// found: the evidence of a process costs more, and that of classes much more.
    fn beginnings(&self, all: &Rows) -> Result<Vec<Beginning>> {
        match &self.job.kernel {
            None if self.job.tune && !matches!(all.x, Inputs::Precomputed(_)) => self.as_for_ridge(all),
            asked => {
                // What nobody asked for has a variance to be found.
                let usual = || default_kernels(&all.x)?.swap_remove(0).scale(1.0);
                let kernel = asked.clone().map_or_else(usual, Ok)?;
                let (kernel, _) = kernel.resolve(&all.x, &self.run.without_stops())?;
                Ok(vec![Beginning::Given(if self.job.tune { kernel } else { kernel.with_free(false) })])
            }
        }
    }

    fn as_for_ridge(&self, all: &Rows) -> Result<Vec<Beginning>> {
        let params = TuneParams { rows: SEARCH_ROWS, ..self.job.tune_params(all.target.kind()) };
        let candidates = Candidates::new(None, all, params)?;
        let begin = |tuned: Tuned| -> Result<Beginning> {
            let TunedKernel { kernel, alpha, per_column, .. } = tuned.kernel;
            // Classes have no unit: the variance of what is behind them is found from 1.
            let variance = if self.classes { 1.0 } else { candidates.variance(&kernel, alpha, self.run)? };
            let alpha = self.given().unwrap_or(alpha * variance);
            let kernel = kernel.clone().scale(variance).unwrap_or(kernel);
            Ok(Beginning::Tuned { kernel, alpha, per_column })
        };
        candidates.tuned(self.run)?.into_iter().map(begin).collect()
    }

    /// alpha of the job, for weights over their mean.
    fn given(&self) -> Option<f64> {
        self.job.alpha.map(|alpha| alpha / self.unit)
    }

    /// What comes of every beginning that was searched before a stop; at least of the first. Products of some hundred rows are too small
    /// for several threads, and whole searches are not.
    fn all_tried(&self, beginnings: Vec<Beginning>, rows: &Rows) -> Result<Vec<Fit>> {
        let one = |(at, beginning): (usize, Beginning)| match at > 0 && self.run.stop_reason().is_some() {
            true => Ok(None),
            false => self.tried(beginning, rows).map(Some),
        };
        let all: Vec<Result<Option<Fit>>> = beginnings.into_par_iter().enumerate().map(one).collect();
        all.into_iter().filter_map(Result::transpose).collect()
    }

    fn tried(&self, beginning: Beginning, rows: &Rows) -> Result<Fit> {
        match beginning {
            Beginning::Given(kernel) => self.tuned(kernel, rows),
            Beginning::Tuned { kernel, alpha, per_column } => {
                let start = Start { kernel, alpha, restarts: 0, max_iterations: LAST_STEPS };
                Ok(Fit { per_column, ..self.fit(start, rows)? })
            }
        }
    }

    /// A kernel, tuned; then with one length scale for each column where there are rows enough, kept if it
    /// gains more than its parameters cost (½ log n each).
    fn tuned(&self, kernel: KernelExpr, rows: &Rows) -> Result<Fit> {
        let (alpha, max_iterations) = (self.given().unwrap_or(FIRST_ALPHA), Tuning::default().max_iterations);
        let one = self.fit(Start { kernel, alpha, restarts: RESTARTS, max_iterations }, rows)?;
        let spread = per_column(&one.kernel, &rows.x);
        let extra = spread.names().len() - one.kernel.names().len();
        let enough = extra > 0 && rows.total() >= (TuneParams::default().rows_per_column * (extra + 1)) as f64;
        if !enough || self.run.stop_reason().is_some() {
            return Ok(one);
        }
        let start = Start { kernel: spread, alpha: one.alpha.unwrap_or(alpha), restarts: 0, max_iterations };
        let many = self.fit(start, rows)?;
        let cost = 0.5 * extra as f64 * rows.total().ln();
        Ok(if many.log_evidence > one.log_evidence + cost { Fit { per_column: true, ..many } } else { one })
    }

    /// The best so far on all rows; or as it is, where the work is stopped before that: one more factor of all rows would
    /// take as long as a step of the search.
    fn last(&self, best: Fit, all: &Rows) -> Result<(Fit, bool)> {
        let alpha = best.alpha.unwrap_or(FIRST_ALPHA);
        let start = Start { kernel: best.kernel.clone(), alpha, restarts: 0, max_iterations: LAST_STEPS };
        let abrupt = Search { run: &self.run.abrupt(), ..*self };
        match abrupt.fit(start, all) {
            Err(Error::Cancelled { .. }) => Ok((best, true)),
            fit => Ok((Fit { per_column: best.per_column, ..fit? }, false)),
        }
    }

    /// A process of classes whose tuned variance is too large for its probabilities, with the largest one that is not.
    fn held(&self, best: Fit, rows: &Rows) -> Result<(Fit, Option<Note>)> {
        let evidence =
            if self.classes && best.report.tuned.is_some() { self.variance(&best.kernel, rows)? } else { 0.0 };
        if evidence <= LARGEST_VARIANCE || self.run.stop_reason().is_some() {
            return Ok((best, None));
        }
        let kernel = best.kernel.clone().scale(LARGEST_VARIANCE / evidence)?;
        let fit = match self.classifier(kernel, None, rows) {
            // What there is, is better than nothing.
            Err(Error::Cancelled { .. }) => return Ok((best, None)),
            fit => fit?,
        };
        let report = Report { tuned: best.report.tuned, notes: best.report.notes, ..fit.report };
        let note = Note::VarianceHeld { held: LARGEST_VARIANCE, evidence };
        Ok((Fit { report, per_column: best.per_column, ..fit }, Some(note)))
    }

    /// The mean of k(x, x).
    fn variance(&self, kernel: &KernelExpr, rows: &Rows) -> Result<f64> {
        let mut diagonal = vec![0.0; rows.x.len()];
        kernel.bind(&rows.x, &self.run.without_stops())?.diag(&mut diagonal);
        Ok(diagonal.iter().sum::<f64>() / diagonal.len().max(1) as f64)
    }

    /// What was found, with the weights as they are given.
    fn weighed(&self, best: Fit, given: &Rows) -> Result<Fit> {
        let alpha = best.alpha.map(|alpha| self.job.alpha.unwrap_or(alpha * self.unit));
        let fit = match alpha {
            Some(alpha) => self.regressor(best.kernel, Param::new(alpha, Transform::Log).fixed(), None, given)?,
            None => self.classifier(best.kernel, None, given)?,
        };
        let report = Report { tuned: best.report.tuned, notes: best.report.notes, ..fit.report };
        Ok(Fit { report, per_column: best.per_column, ..fit })
    }

    fn fit(&self, start: Start, rows: &Rows) -> Result<Fit> {
        let noise = Param::new(start.alpha, Transform::Log);
        let noise = if self.job.alpha.is_some() { noise.fixed() } else { noise };
        let moves = !start.kernel.names().is_empty() || (!self.classes && noise.free);
        let Start { restarts, max_iterations, .. } = start;
        let searches = Tuning { restarts, max_iterations, gain: GAIN, ..Tuning::default() };
        let tuning = moves.then_some(Tuning { seed: self.job.seed, ..searches });
        match self.classes {
            true => self.classifier(start.kernel, tuning, rows),
            false => self.regressor(start.kernel, noise, tuning, rows),
        }
    }

    fn regressor(&self, kernel: KernelExpr, alpha: Param, tuning: Option<Tuning>, rows: &Rows) -> Result<Fit> {
        let usual = self.learner.get::<GaussianProcessRegressor>().cloned().unwrap_or_default();
        let gp = GaussianProcessRegressor { kernel, alpha, tuning, ..usual };
        rows.fit(&gp.into(), self.run).map(Fit::of)
    }

    fn classifier(&self, kernel: KernelExpr, tuning: Option<Tuning>, rows: &Rows) -> Result<Fit> {
        let usual = self.learner.get::<GaussianProcessClassifier>().cloned().unwrap_or_default();
        rows.fit(&GaussianProcessClassifier { kernel, tuning, ..usual }.into(), self.run).map(Fit::of)
    }
}

impl Fit {
    fn of(fitted: Fitted) -> Self {
        let Fitted { model, report } = fitted;
        Fit {
            kernel: model.kernel().clone(),
            alpha: model.alpha(),
            log_evidence: model.log_evidence().unwrap_or(f64::NEG_INFINITY),
            report,
            per_column: false,
            model,
        }
    }
}
