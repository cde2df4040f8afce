//! The main job: from a data set with a target to a certified model.

use std::time::Duration;

use serde::Serialize;

use crate::certificate::Stop;
use crate::data::{Dataset, Inputs, TargetKind, Weights};
use crate::error::{Error, Result};
use crate::gram::RepairMethod;
use crate::kernel::KernelExpr;
use crate::learn_kernel::{TuneParams, TunedKernel};
use crate::model::pipeline::{Pipeline, Prepare, Prepared};
use crate::model::{Choice, Complexity, Learner, Model, OwnLoss};
use crate::note::Note;
use crate::run::Run;

use super::asked::Asked;
use super::candidates::{Candidates, Judge, KernelChoice, Tuned};
use super::choose::{Search, by_folds};
use super::default_kernels;
use super::estimate::{Estimate, estimate};
use super::report::{Chosen, HowFitted};
use super::rows::Rows;
use super::split::Split;

/// The least alpha that the evidence may choose for the codes of classes, −1 and 1.
const LEAST_ALPHA_OF_CLASSES: f64 = 0.01;
/// Rows on which cross-validation chooses alpha, of one output.
const FOLD_ROWS: usize = 1000;
/// Rows of a model that is fitted when the work was stopped.
const HASTY_ROWS: usize = 300;
/// What learners that get better with time are given after a stop.
const MOMENT: Duration = Duration::from_millis(300);
/// Where the search for alpha begins without evidence.
const USUAL_ALPHA: f64 = 0.1;

/// The choices of a whole fit; what is not given is chosen, and reported.
#[derive(Clone, Debug)]
pub struct Job {
    /// The learner with its settings, or the wish to have it chosen.
    pub learner: Asked,
    /// The kernel, with parameters to start from; without one, kernels that fit the columns are tried.
    pub kernel: Option<KernelExpr>,
    /// alpha; without one it is chosen: for ridge by leave-one-out, or by the evidence of very many rows,
    /// for others by cross-validation of their own loss.
    pub alpha: Option<f64>,
    /// Whether to tune the parameters of the kernel.
    pub tune: bool,
    /// How kernel values of a kernel that is not positive semi-definite are repaired; it is not tuned then.
    pub repair: Option<RepairMethod>,
    /// Rows that tuning looks at; without a number, [`TuneParams::default`] says.
    pub tune_rows: Option<usize>,
    /// How the data are prepared.
    pub prepare: Prepare,
    /// Weights, one a row: a weight is a number of repetitions, and a row of weight 0 is left out.
    pub weights: Option<Weights>,
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
            learner: Asked::default(),
            kernel: None,
            alpha: None,
            tune: true,
            repair: None,
            tune_rows: None,
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
    /// The mean square of what rows that were left out are missed by, over the variance: of numbers, and of the codes of classes.
    pub leave_one_out: Option<f64>,
    /// The least loss of folds, where they decided.
    pub loss: Option<f64>,
    /// Whether there is one length scale for each column.
    pub per_column: bool,
}

/// What came of a job.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The learner that was fitted, by name.
    pub learner: &'static str,
    /// The model with its preparation.
    pub pipeline: Pipeline,
    /// How the model was fitted.
    pub report: HowFitted,
    /// The kernels that were tried, the chosen one first.
    pub candidates: Vec<Candidate>,
    /// What the kernel was chosen by.
    pub decided: KernelChoice,
    /// Rows that tuning looked at.
    pub tuned_on: usize,
    /// Parameters that tuning left at a bound.
    pub at_bounds: Vec<String>,
    /// Columns that no part of the given kernel reads, if there are such.
    pub unread: Option<Note>,
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
        let prepared = self.prepared(data, self.weights.as_ref(), run)?;
        if prepared.kept.len() < 2 {
            return Err(Error::shape("the rows to learn from", "at least 2", prepared.kept.len()));
        }
        // Without a target there is nothing to judge by.
        let judged = self.estimate && prepared.target.kind() != TargetKind::None;
        let split = || self.split.clone().unwrap_or_else(|| Split::usual(prepared.kept.len()));
        let parts = if judged { split().count() } else { 0 };
        let whole = run.task("fit", Some(1 + parts as u64));
        let mut learnt = match self.learn(&prepared, run) {
            // A model of some rows is better than none.
            Err(Error::Cancelled { .. }) => self.learn_in_haste(&prepared, run)?,
            learnt => learnt.map_err(|e| prepared.explained(e))?,
        };
        whole.step(None);
        let asked = self.kernel.iter().flat_map(|kernel| kernel.unknown_letters(&data.inputs));
        learnt.report.fit.notes.extend(asked);
        let mut stopped = run.stop_reason().map(Stop::from);
        let estimate = match (judged, stopped) {
            (true, None) => {
                let found = self.settled(&prepared).and_then(|job| estimate(&job, data, &prepared, &whole, run));
                let found = found.map_err(|e| prepared.explained(e));
                stopped = run.stop_reason().map(Stop::from);
                match (stopped, found) {
                    (Some(_), _) => None,
                    // Very few rows may leave a side without a class; the model is there all the same.
                    (None, Err(problem)) if self.split.is_none() => {
                        learnt.report.fit.notes.push(Note::NoEstimate { problem: problem.to_string() });
                        None
                    }
                    (None, found) => {
                        let found = found?;
                        learnt.report.fit.notes.extend(others(learnt.learner, &found.learners));
                        Some(found)
                    }
                }
            }
            _ => None,
        };
        Ok(Finished {
            learner: learnt.learner,
            pipeline: prepared.pipeline(learnt.model)?,
            report: learnt.report,
            candidates: learnt.candidates,
            decided: learnt.decided,
            tuned_on: learnt.tuned_on,
            at_bounds: learnt.at_bounds,
            unread,
            estimate,
            stopped,
        })
    }

    /// A model of some rows with a kernel that nobody tunes: what there is when the work is stopped before anything was learnt.
    fn learn_in_haste(&self, prepared: &Prepared, run: &Run) -> Result<Learnt> {
        let all = Rows::of(prepared);
        let some = self.hasty(&all)?;
        let (rows, of) = (some.x.len(), all.x.len());
        let few = Prepared { inputs: some.x, target: some.target, weights: some.weights, ..prepared.clone() };
        let alpha = self.alpha.or_else(|| (!self.learner.is_told_complexity()).then_some(USUAL_ALPHA));
        let job = Job { tune: false, alpha, ..self.clone() };
        // Learners without an alpha choose what they have instead.
        let other = Job { tune: false, ..self.clone() };
        let mut learnt = in_a_moment(run, |run| job.learn(&few, run).or_else(|_| other.learn(&few, run)))?;
        learnt.report.fit.notes.insert(0, Note::InHaste { rows, of });
        Ok(learnt)
    }

    /// The same job with the learner that all rows have: what is judged is what is saved.
    fn settled(&self, prepared: &Prepared) -> Result<Self> {
        let (kind, outputs, rows) = (prepared.target.kind(), prepared.task.outputs(), prepared.inputs.len());
        Ok(Job { learner: self.learner.settled(kind, outputs, rows)?, ..self.clone() })
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
        let (rows, outputs) = (prepared.inputs.len(), prepared.task.outputs());
        let (learner, why) = self.learner.learner(prepared.target.kind(), outputs, rows)?;
        let learner = self.seeded(learner)?;
        learner.validate()?;
        self.check_repair(&learner)?;
        if learner.spec().tunes_itself() {
            return self.process(&learner, prepared, run);
        }
        let rows = Rows { repair: self.repair, ..Rows::of(prepared) };
        let (mut tuned, mut decided) = self.tuned(&learner, &rows, run)?;
        let known = self.on_all_rows(&learner, &mut tuned, &mut decided, &rows, run)?;
        let unit = rows.over_mean()?.1;
        let first = tuned.first_mut();
        let at_bounds = first.as_ref().map_or_else(Vec::new, |b| b.kernel.at_bounds.clone());
        let tuned_on = first.as_ref().map_or(0, |b| b.kernel.rows);
        let (kernel, evidence, chosen) = match first {
            Some(best) => (best.kernel.kernel.clone(), Some(best.kernel.alpha * unit), best.chosen.take()),
            None => (self.first_kernel(&prepared.inputs)?, None, None),
        };
        let (model, mut report) = match known {
            Some(known) => known,
            None => self.fitted(&learner.with_kernel(kernel), (evidence, chosen), &rows, run)?,
        };
        let held = tuned.first().filter(|b| prepared.task.classes().is_some() && at_the_least(b.kernel.alpha));
        let held = held.map(|_| Note::AlphaHeld { alpha: LEAST_ALPHA_OF_CLASSES });
        let weighed = tuned.first().and_then(|_| over_mean(unit));
        report.fit.notes.splice(0..0, why.into_iter().chain(held).chain(weighed));
        Ok(Learnt {
            learner: model.learner().spec().name,
            model,
            report,
            tuned_on,
            at_bounds,
            candidates: tuned.into_iter().map(|one| Candidate::of(one, unit)).collect(),
            decided,
        })
    }

    /// A repair is for a kernel that somebody gives, and for models of functions alone.
    fn check_repair(&self, learner: &Learner) -> Result<()> {
        let Some(method) = self.repair else { return Ok(()) };
        if self.kernel.is_none() {
            let must = "left out without a kernel of your own: the usual ones need no repair";
            return Err(Error::invalid("the job", "repair", format!("`{}`", method.name()), must));
        }
        match learner.spec().tunes_itself() {
            false => Ok(()),
            true => Err(Error::Unsupported {
                what: format!("repairing the kernel of the model `{}`", learner.spec().name),
                alternative: "use another model".into(),
            }),
        }
    }

    /// The learner with the job's chance, where it has any and was told no other.
    fn seeded(&self, learner: Learner) -> Result<Learner> {
        match learner.spec().setting("seed").filter(|_| !self.learner.has("seed")) {
            Some(_) => learner.with_settings(std::iter::once(("seed".to_owned(), self.seed.into())).collect()),
            None => Ok(learner),
        }
    }

    /// Chooses the complexity, and fits.
    pub(super) fn fitted(
        &self,
        learner: &Learner,
        (evidence, chosen): (Option<f64>, Option<Chosen>),
        rows: &Rows,
        run: &Run,
    ) -> Result<(Model, HowFitted)> {
        let complexity = learner.complexity();
        let (learner, chosen) = match chosen {
            Some(chosen) => (learner.with_complexity(chosen.value, rows.total()), chosen),
            None => self.chosen(learner, complexity, evidence, rows, run)?,
        };
        let (learner, chosen, compared) = self.or_rival(learner, chosen, rows, run)?;
        if run.stop_reason().is_none() {
            let fitted = rows.fit(&learner, run)?;
            let mut report = HowFitted::of(&fitted, complexity.map(|c| c.name), chosen);
            report.fit.notes.extend(compared);
            return Ok((fitted.model, report));
        }
        // What was found by the deadline is still fitted, to as many rows as take a moment.
        let (some, of) = (self.hasty(rows)?, rows.x.len());
        let learner = match self.alpha.is_some() || chosen.by_itself || complexity.is_none() {
            true => learner,
            false => learner.with_complexity(chosen.value, some.total()),
        };
        let fitted = in_a_moment(run, |run| some.fit(&learner, run))?;
        let mut report = HowFitted::of(&fitted, complexity.map(|c| c.name), chosen);
        let hasty = (some.x.len() < of).then_some(Note::InHaste { rows: some.x.len(), of });
        report.fit.notes.splice(0..0, hasty);
        Ok((fitted.model, report))
    }

    /// As many of these rows as take a moment.
    fn hasty(&self, rows: &Rows) -> Result<Rows> {
        match rows.x {
            // The rows of a precomputed matrix cannot be taken apart.
            Inputs::Precomputed(_) => Ok(rows.clone()),
            _ => rows.take(&rows.some(HASTY_ROWS, self.seed)?),
        }
    }

    /// The learner with its complexity given, chosen, or left to be chosen by itself.
    fn chosen(
        &self,
        learner: &Learner,
        complexity: Option<Complexity>,
        evidence: Option<f64>,
        rows: &Rows,
        run: &Run,
    ) -> Result<(Learner, Chosen)> {
        let decided = learner.complexity_settings().into_iter().find(|name| self.learner.decides(name));
        if let Some(alpha) = self.alpha {
            return self.with_alpha(learner, alpha, decided, rows.total());
        }
        let Some(complexity) = complexity else {
            return Ok((learner.clone(), Chosen::plain(0.0, Choice::Nothing)));
        };
        if decided.is_some() {
            return Ok((learner.clone(), Chosen::by_itself(learner.told())));
        }
        if let Some((learner, choice)) = learner.choosing(evidence, rows.x.len()) {
            return Ok((learner, Chosen::by_itself(choice)));
        }
        let chosen = self.searched(learner, complexity, evidence, rows, run)?;
        Ok((learner.with_complexity(chosen.value, rows.total()), chosen))
    }

    /// The learner with the job's alpha, if that is its complexity and nothing else decides it.
    fn with_alpha(
        &self,
        learner: &Learner,
        alpha: f64,
        decided: Option<String>,
        rows: f64,
    ) -> Result<(Learner, Chosen)> {
        let refused = |must: String| Err(Error::invalid(learner.spec().title(), "alpha", alpha, must));
        if let Some(setting) = decided {
            return refused(format!("given once: the setting `{setting}` decides it, too"));
        }
        if learner.complexity().is_none_or(|c| c.name != "alpha") {
            return refused("left out: it has none".into());
        }
        let learner = learner.with_complexity(alpha, rows);
        learner.validate().map_err(|e| about_alpha(e, &learner, alpha))?;
        Ok((learner, Chosen::plain(alpha, Choice::Given)))
    }

    /// The complexity by cross-validation, or where nothing can be left out, by the evidence or as usual.
    fn searched(
        &self,
        learner: &Learner,
        complexity: Complexity,
        evidence: Option<f64>,
        rows: &Rows,
        run: &Run,
    ) -> Result<Chosen> {
        let start = complexity.start.or(evidence).unwrap_or(USUAL_ALPHA);
        // The rows of a precomputed matrix are no points that could be left out, and a stop leaves no time.
        let splits = rows.x.len() >= 4 && !matches!(rows.x, Inputs::Precomputed(_));
        if splits && run.stop_reason().is_none() {
            let search = Search { learner, complexity, start, seed: self.seed };
            return by_folds(&search, rows, fold_rows(learner, rows)?, run);
        }
        let by_evidence = evidence.filter(|_| complexity.start.is_none());
        Ok(Chosen::plain(start, by_evidence.map_or(Choice::Usual, |_| Choice::Evidence)))
    }

    fn first_kernel(&self, x: &Inputs) -> Result<KernelExpr> {
        match &self.kernel {
            Some(kernel) => Ok(kernel.clone()),
            None => Ok(default_kernels(x)?.swap_remove(0)),
        }
    }

    /// Every kernel that is tried, tuned, the chosen one first; none where nothing is to be tuned.
    fn tuned(&self, learner: &Learner, rows: &Rows, run: &Run) -> Result<(Vec<Tuned>, KernelChoice)> {
        let nothing_to_tune_by = rows.target.kind() == TargetKind::None;
        if !self.tune || self.repair.is_some() || nothing_to_tune_by || matches!(rows.x, Inputs::Precomputed(_)) {
            return Ok((Vec::new(), KernelChoice::Evidence));
        }
        let params = self.tune_params(rows.target.kind());
        let judge = Judge {
            learner,
            complexity: self.open_complexity(learner, rows),
            most: fold_rows(learner, rows)?,
            unit: rows.over_mean()?.1,
            seed: self.seed,
        };
        Candidates::new(self.kernel.as_ref(), rows, params)?.with_rows(self.tune_rows).ranked(&judge, run)
    }

    /// How kernels are tuned.
    pub(super) fn tune_params(&self, target: TargetKind) -> TuneParams {
        let usual = TuneParams { seed: self.seed, ..TuneParams::default() };
        match target {
            TargetKind::Classes => TuneParams { least_alpha: LEAST_ALPHA_OF_CLASSES, ..usual },
            _ => usual,
        }
    }

    /// What keeps the learner's functions simple, where nothing but folds decides it.
    fn open_complexity(&self, learner: &Learner, rows: &Rows) -> Option<Complexity> {
        let told = self.alpha.is_some() || learner.complexity_settings().iter().any(|name| self.learner.decides(name));
        learner.complexity().filter(|_| !told && learner.choosing(Some(USUAL_ALPHA), rows.x.len()).is_none())
    }
}

/// Rows that cross-validation looks at: the cost of a fit grows with their cube, times the outputs.
pub(super) fn fold_rows(learner: &Learner, rows: &Rows) -> Result<usize> {
    let outputs = match learner.own_loss()? {
        OwnLoss::Pinball(quantiles) => quantiles.len(),
        _ => rows.target.numbers()?.outputs(),
    };
    Ok((FOLD_ROWS as f64 / (outputs as f64).cbrt()) as usize)
}

/// The refusal of an alpha, where the learner speaks of a number of its own that is made from it.
fn about_alpha(refused: Error, learner: &Learner, alpha: f64) -> Error {
    match refused {
        Error::InvalidParameter { must, .. } => Error::invalid(learner.spec().title(), "alpha", alpha, must),
        other => other,
    }
}

/// What `work` reaches in a moment, after a stop; or all of it, if it has no answer by then.
fn in_a_moment<T>(run: &Run, work: impl Fn(&Run) -> Result<T>) -> Result<T> {
    match work(&run.for_a_moment(MOMENT)) {
        Err(Error::Cancelled { .. }) => work(&run.without_stops()),
        done => done,
    }
}

/// What there is to say of weights that were divided by this while the kernel was tuned.
pub(super) fn over_mean(mean: f64) -> Option<Note> {
    (mean != 1.0).then_some(Note::WeightsOverMean { mean })
}

/// What there is to say of folds that took another learner than all rows.
fn others(learner: &str, of_folds: &[String]) -> Option<Note> {
    let folds = of_folds.iter().filter(|own| *own != learner).count();
    (folds > 0).then(|| Note::FoldsTookOthers { learner: learner.into(), folds, of: of_folds.len() })
}

/// Whether the evidence ended at the least alpha of classes, to the rounding of a logarithm.
fn at_the_least(alpha: f64) -> bool {
    alpha <= LEAST_ALPHA_OF_CLASSES * (1.0 + 1e-9)
}

/// What some rows taught.
pub(super) struct Learnt {
    pub(super) learner: &'static str,
    pub(super) model: Model,
    pub(super) report: HowFitted,
    pub(super) candidates: Vec<Candidate>,
    pub(super) tuned_on: usize,
    pub(super) at_bounds: Vec<String>,
    pub(super) decided: KernelChoice,
}

impl Candidate {
    /// Of a kernel that was tuned with weights over this mean.
    fn of(tuned: Tuned, unit: f64) -> Self {
        let TunedKernel { kernel, evidence, alpha, leave_one_out, per_column, .. } = tuned.kernel;
        let leave_one_out = Some(leave_one_out).filter(|loo| loo.is_finite());
        Candidate { kernel, evidence, alpha: Some(alpha * unit), leave_one_out, loss: tuned.loss, per_column }
    }
}
