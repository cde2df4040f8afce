//! Which of the tuned kernels is taken.
//!
//! Between one length scale and one for each column, the evidence less the cost of parameters decides: rows that tuned the kernel
//! are no judges of how many parameters it may have. Between families with equally many, what rows say that are left out: for
//! numbers exactly, one at a time; for classes by folds, in the loss of the learner itself. A kernel that nobody tuned is always
//! among them, and is held against the best on rows that tuned neither.

use rayon::prelude::*;
use serde::Serialize;

use crate::data::{Inputs, TargetKind};
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::learn_kernel::{Forms, TuneParams, TunedKernel, Tuner, per_column};
use crate::model::{Complexity, Learner};
use crate::run::Run;

use super::choose::{Search, Trial};
use super::default_kernels;
use super::report::Chosen;
use super::rows::Rows;
use super::together::{can_act_together, with_term};

/// Share of a loss by which the best kernel must be better than the one that nobody tuned to be taken without another look, where it has one
/// length scale.
const CLEARLY: f64 = 0.1;

/// Rows on which searches begin, at least and at most: an evidence costs their cube, and most searches need not be finished.
const FIRST_ROWS: (usize, usize) = (150, 300);
/// Rows for each parameter of a kernel, between these ends.
const FIRST_ROWS_EACH: usize = 20;

/// How many times more rows the best kernels are tuned on in the end.
const MORE_ROWS: usize = 2;

/// How far the evidence of a row may be behind that of another family before a search is taken for lost.
const BEHIND: f64 = 0.05;

/// What a kernel was chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum KernelChoice {
    /// The evidence: there was one family, or no time for more.
    Evidence,
    /// The mean square of rows that were left out one at a time.
    LeaveOneOut,
    /// Cross-validation of the learner's own loss.
    Folds,
    /// Generalised cross-validation of fits to all rows, between kernels that are as good by leave-one-out.
    AllRows,
}

impl KernelChoice {
    /// In words; nothing where there was no choice but the evidence.
    pub fn words(self) -> Option<&'static str> {
        match self {
            KernelChoice::Evidence => None,
            KernelChoice::LeaveOneOut => Some("leave-one-out (root mean square, over the standard deviation)"),
            KernelChoice::Folds => Some("cross-validation of the model's own loss"),
            KernelChoice::AllRows => Some("generalised cross-validation on all rows (mean square)"),
        }
    }
}

/// A kernel that was tuned, and what it was made of.
#[derive(Clone, Debug)]
pub(super) struct Tuned {
    /// The formula with its rules.
    pub(super) source: KernelExpr,
    /// What stands for `hamming` in the kernel once the formula is tuned.
    pub(super) term: Option<KernelExpr>,
    pub(super) kernel: TunedKernel,
    /// Whether it is the one that nobody tuned.
    pub(super) plain: bool,
    /// The least loss of folds, where they decide.
    pub(super) loss: Option<f64>,
    /// What keeps functions simple, where folds have chosen it.
    pub(super) chosen: Option<Chosen>,
}

/// Kernels that are compared on some rows.
pub(super) struct Candidates<'a> {
    pub(super) rows: &'a Rows,
    pub(super) params: TuneParams,
    /// Formulas that are tuned.
    pub(super) sources: Vec<KernelExpr>,
    /// One that is not, where the user gave none.
    pub(super) plain: Option<KernelExpr>,
    /// Whether somebody said how many rows are to be looked at.
    pub(super) rows_are_asked: bool,
}

impl<'a> Candidates<'a> {
    /// The kernel that was asked for, or those that fit the columns.
    pub(super) fn new(asked: Option<&KernelExpr>, rows: &'a Rows, params: TuneParams) -> Result<Self> {
        let sources = match asked {
            Some(kernel) => vec![kernel.clone()],
            None => default_kernels(&rows.x)?,
        };
        let several = sources.len() > 1 || can_act_together(&rows.x);
        // What has no length scale is the same tuned or not, but for the factors in it.
        let plain = sources.first().filter(|_| asked.is_none() && several).cloned();
        Ok(Candidates { rows, params, sources, plain, rows_are_asked: false })
    }

    /// On no more rows than these, which somebody asked for.
    pub(super) fn with_rows(self, asked: Option<usize>) -> Self {
        let rows = asked.unwrap_or(self.params.rows);
        Candidates { params: TuneParams { rows, ..self.params }, rows_are_asked: asked.is_some(), ..self }
    }

    /// All of them tuned, the chosen one first; and what it was chosen by.
    pub(super) fn ranked(&self, judge: &Judge<'_>, run: &Run) -> Result<(Vec<Tuned>, KernelChoice)> {
        let mut tuned = self.tuned(run)?;
        let stopped = run.stop_reason().is_some();
        if tuned.len() < 2 || stopped {
            tuned.sort_by(|a, b| a.kernel.price().total_cmp(&b.kernel.price()));
            return Ok((tuned, KernelChoice::Evidence));
        }
        tuned.extend(self.plain(run)?);
        match judge.complexity.filter(|_| self.rows.target.kind() == TargetKind::Classes && judge.splits(self.rows)) {
            Some(complexity) => self.by_folds(tuned, judge, complexity, run),
            None => {
                tuned.sort_by(|a, b| a.kernel.leave_one_out.total_cmp(&b.kernel.leave_one_out));
                self.polish(&mut tuned, run)?;
                Ok((tuned, KernelChoice::LeaveOneOut))
            }
        }
    }

    /// All of them tuned, in the form of the best, in no order.
    pub(super) fn tuned(&self, run: &Run) -> Result<Vec<Tuned>> {
        let mut tuned = of_one_form(self.forms(run)?);
        self.finish(&mut tuned, run)?;
        self.share_starts(&mut tuned, run)?;
        // A formula that somebody gave is that formula.
        if self.plain.is_some() && run.stop_reason().is_none() {
            tuned.extend(self.together(&tuned, run)?);
        }
        Ok(tuned)
    }

    /// What a kernel is to be multiplied by to be the covariance of the target.
    pub(super) fn variance(&self, kernel: &KernelExpr, alpha: f64, run: &Run) -> Result<f64> {
        self.tuner(self.rows, self.params, run)?.variance(kernel, alpha)
    }

    /// Both forms of every formula that was tuned before a stop; at least of the first.
    fn forms(&self, run: &Run) -> Result<Vec<(KernelExpr, Forms)>> {
        let tuner = self.tuner(self.rows, self.first(), run)?;
        // Products of some hundred rows are too small for several threads, and whole searches are not.
        let tuned = |(at, source): (usize, &KernelExpr)| match at > 0 && run.stop_reason().is_some() {
            true => Ok(None),
            false => Ok(Some((source.clone(), tuner.forms(source)?))),
        };
        let all: Vec<Result<Option<(KernelExpr, Forms)>>> = self.sources.par_iter().enumerate().map(tuned).collect();
        all.into_iter().filter_map(Result::transpose).collect()
    }

    /// How searches begin.
    pub(super) fn first(&self) -> TuneParams {
        let parameters = |source: &KernelExpr| per_column(source, &self.rows.x).names().len() + 1;
        let most = self.sources.iter().map(parameters).max().unwrap_or(1);
        let rows = (FIRST_ROWS_EACH * most).clamp(FIRST_ROWS.0, FIRST_ROWS.1);
        TuneParams { rows: rows.min(self.params.rows), ..self.params }
    }

    /// Which columns matter is known once one family has found it: those that are far behind are searched again from there.
    fn share_starts(&self, tuned: &mut [Tuned], run: &Run) -> Result<()> {
        let known = tuned.iter().filter(|one| one.kernel.per_column);
        let Some(best) = known.min_by(|a, b| a.kernel.evidence.total_cmp(&b.kernel.evidence)).cloned() else {
            return Ok(());
        };
        let tuner = self.tuner(self.rows, self.params, run)?;
        let again = |one: &mut Tuned| -> Result<()> {
            let behind = one.kernel.per_column && one.kernel.evidence > best.kernel.evidence + BEHIND;
            if !behind || run.stop_reason().is_some() {
                return Ok(());
            }
            let start = self.translated(&best, one, run)?;
            let found = tuner.from(&start, best.kernel.alpha)?;
            if found.evidence < one.kernel.evidence {
                one.kernel = TunedKernel { per_column: true, ..found };
            }
            Ok(())
        };
        tuned.par_iter_mut().map(again).collect::<Result<Vec<()>>>()?;
        Ok(())
    }

    /// The parameters of one family for another of the same shape: as far from the usual ones as there.
    fn translated(&self, from: &Tuned, to: &Tuned, run: &Run) -> Result<KernelExpr> {
        let usual = |source: &KernelExpr| -> Result<Vec<f64>> {
            let (resolved, _) = source.resolve(&self.rows.x, &run.without_stops())?;
            per_column(&resolved, &self.rows.x).theta()
        };
        let (found, own) = (from.kernel.kernel.theta()?, &to.kernel.kernel);
        let (there, here) = (usual(&from.source)?, usual(&to.source)?);
        if there.len() != found.len() || here.len() != found.len() {
            return Ok(own.clone());
        }
        let moved = here.iter().zip(found.iter().zip(&there)).map(|(here, (found, there))| here + found - there);
        let inside = moved.zip(own.bounds()).map(|(at, (low, high))| at.clamp(low, high));
        own.with_theta(&inside.collect::<Vec<_>>())
    }

    /// Goes on with more rows, where there are more.
    fn finish(&self, tuned: &mut [Tuned], run: &Run) -> Result<()> {
        if self.rows.x.len().min(self.params.rows) <= self.first().rows || run.stop_reason().is_some() {
            return Ok(());
        }
        self.go_on(tuned, &self.params, run)
    }

    /// Searches again from where kernels are.
    fn go_on(&self, tuned: &mut [Tuned], params: &TuneParams, run: &Run) -> Result<()> {
        let tuner = self.tuner(self.rows, *params, run)?;
        let last = |one: &mut Tuned| -> Result<()> {
            let found = tuner.from(&one.kernel.kernel, one.kernel.alpha)?;
            let evaluations = one.kernel.evaluations + found.evaluations;
            one.kernel = TunedKernel { per_column: one.kernel.per_column, evaluations, ..found };
            Ok(())
        };
        tuned.par_iter_mut().map(last).collect::<Result<Vec<()>>>()?;
        Ok(())
    }

    /// Goes on with the best two on more rows than the others were worth, where nobody said how many, and looks again which is better.
    fn polish(&self, tuned: &mut [Tuned], run: &Run) -> Result<()> {
        let rows = if self.rows_are_asked { self.params.rows } else { MORE_ROWS * self.params.rows };
        let params = TuneParams { rows, ..self.params };
        let best =
            tuned.iter().take(2).take_while(|one| !one.plain && one.kernel.rows < rows.min(self.rows.x.len())).count();
        if best > 0 && run.stop_reason().is_none() {
            self.go_on(&mut tuned[..best], &params, run)?;
            tuned[..best].sort_by(|a, b| a.kernel.leave_one_out.total_cmp(&b.kernel.leave_one_out));
        }
        Ok(())
    }

    /// A tuner on the targets as numbers, and weights over their mean: the evidence takes the copies that a weight stands
    /// for as data without noise.
    pub(super) fn tuner<'r>(&self, rows: &'r Rows, params: TuneParams, run: &'r Run) -> Result<Tuner<'r>> {
        Ok(Tuner { x: &rows.x, y: rows.target.numbers()?, weights: rows.over_mean()?.0.weights, params, run })
    }

    /// The one that nobody tuned.
    pub(super) fn plain(&self, run: &Run) -> Result<Option<Tuned>> {
        let Some(source) = &self.plain else { return Ok(None) };
        let kernel = self.tuner(self.rows, self.params, run)?.untuned(source)?;
        Ok(Some(Tuned { source: source.clone(), term: None, kernel, plain: true, loss: None, chosen: None }))
    }

    /// By the loss of the learner itself.
    fn by_folds(
        &self,
        mut tuned: Vec<Tuned>,
        judge: &Judge<'_>,
        complexity: Complexity,
        run: &Run,
    ) -> Result<(Vec<Tuned>, KernelChoice)> {
        let plain = tuned.len() - 1;
        let mut trials = Vec::new();
        for one in &tuned {
            let learner = judge.learner.with_kernel(one.kernel.kernel.clone());
            let start = complexity.start.unwrap_or(one.kernel.alpha * judge.unit);
            let search = Search { learner: &learner, complexity, start, seed: judge.seed };
            let mut trial = Trial::new(&search, self.rows, judge.most)?;
            trial.coarse(run)?;
            trials.push(trial);
        }
        let losses: Vec<f64> = trials.iter().map(|trial| trial.least().unwrap_or(f64::INFINITY)).collect();
        let mut best = (0..losses.len()).reduce(|a, b| if losses[b] < losses[a] { b } else { a }).unwrap_or(0);
        if best != plain && is_in_doubt(&tuned[best], losses[best], losses[plain]) && run.stop_reason().is_none() {
            // A fold may not say anything: its rows may be all alike in a column that only others tell apart.
            let better = match self.nested(&trials[best], &tuned[best], losses[plain], run) {
                Err(stop @ Error::Cancelled { .. }) => return Err(stop),
                better => better.unwrap_or(false),
            };
            best = if better { best } else { plain };
        }
        let mut trial = trials.swap_remove(best);
        trial.fine(run)?;
        tuned.iter_mut().zip(losses).for_each(|(one, loss)| one.loss = Some(loss));
        tuned[best].loss = trial.least();
        tuned[best].chosen = Some(trial.chosen());
        let taken = tuned.remove(best);
        tuned.sort_by(|a, b| a.loss.unwrap_or(f64::INFINITY).total_cmp(&b.loss.unwrap_or(f64::INFINITY)));
        tuned.insert(0, taken);
        Ok((tuned, KernelChoice::Folds))
    }

    /// Whether a kernel that is tuned again without the rows of each fold has a loss below that of another.
    fn nested(&self, trial: &Trial, best: &Tuned, other: f64, run: &Run) -> Result<bool> {
        let tuned = |rows: &Rows| {
            let forms = self.tuner(rows, self.first(), run)?.forms(&best.source)?;
            let own = forms.per_column.filter(|_| best.kernel.per_column);
            let kernel = own.unwrap_or(forms.one).kernel;
            Ok(best.term.as_ref().map_or_else(|| kernel.clone(), |term| with_term(&kernel, term)))
        };
        trial.with_kernels(tuned)?.is_below(other, run)
    }
}

/// Whether rows that tuned the best kernel may have made it better than the one that nobody tuned.
fn is_in_doubt(best: &Tuned, loss: f64, plain: f64) -> bool {
    best.kernel.per_column || loss > (1.0 - CLEARLY) * plain
}

/// What decides between kernels of classes.
pub(super) struct Judge<'a> {
    pub(super) learner: &'a Learner,
    /// What keeps its functions simple, if that is to be chosen by folds.
    pub(super) complexity: Option<Complexity>,
    /// Rows that folds look at.
    pub(super) most: usize,
    /// The mean weight.
    pub(super) unit: f64,
    pub(super) seed: u64,
}

impl Judge<'_> {
    fn splits(&self, rows: &Rows) -> bool {
        rows.x.len() >= 4 && !matches!(rows.x, Inputs::Precomputed(_))
    }
}

/// Every formula in the form of the one that is best.
fn of_one_form(all: Vec<(KernelExpr, Forms)>) -> Vec<Tuned> {
    let best = |(_, forms): &(KernelExpr, Forms)| forms.clone().best();
    let least = all.iter().map(best).reduce(|a, b| if b.price() < a.price() { b } else { a });
    let per_column = least.is_some_and(|best| best.per_column);
    let of = |(source, forms): (KernelExpr, Forms)| {
        let kernel = forms.per_column.filter(|_| per_column).unwrap_or(forms.one);
        Tuned { source, term: None, kernel, plain: false, loss: None, chosen: None }
    };
    all.into_iter().map(of).collect()
}
