//! A search over settings: a grid of values, by folds, with kernel rows and solutions handed from one to the next.
//!
//! Settings of the learner and of its kernel stand side by side. Candidates of one kernel share kernel rows, those of all folds where
//! the kernel has no rule that each fold resolves for itself, and each
//! starts from the solution of the one before (`Learner::resume`), which makes the way shorter and not the answer another. With
//! halving, all candidates are judged on few rows first, and the better third goes on to three times as many
//! (Jamieson & Talwalkar 2016, *Non-stochastic best arm identification and hyperparameter optimization*). What was judged is handed to a
//! journal, and what a journal has is not judged again.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::AllPoints;
use crate::model::pipeline::Prepared;
use crate::model::support::kept_values;
use crate::model::{Fitted, Learner, Model, Sample};
use crate::run::{Run, StopReason, Work};

use super::rows::Rows;
use super::split::{Fold, Split};

/// The share of candidates that goes on from a round of halving, as one over this; rows grow by as much.
const FACTOR: usize = 3;
/// Rows of all folds together with which halving begins, at least.
const LEAST_ROWS: usize = 40;
/// Candidates that nobody waits for the end of.
const MOST: usize = 100_000;

/// One setting and the values it is to take.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// The setting: of the learner, or of its kernel.
    pub name: String,
    /// Its values.
    pub values: Vec<Value>,
}

/// The choices of a search.
#[derive(Clone, Debug)]
pub struct GridSearch {
    /// The learner with its kernel.
    pub learner: Learner,
    /// What is varied.
    pub axes: Vec<Axis>,
    /// How rows are split.
    pub split: Split,
    /// Whether to begin with few rows and let the better candidates go on.
    pub halving: bool,
    /// Where chance begins.
    pub seed: u64,
}

/// A candidate with what it came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The value of each axis.
    pub settings: BTreeMap<String, Value>,
    /// Rows of all folds together that it was judged with.
    pub rows: usize,
    /// The mean loss on the rows left out of each fold.
    pub losses: Vec<f64>,
    /// Their mean, each row as often as its weight says.
    pub loss: f64,
    /// Seconds that it took.
    pub seconds: f64,
}

/// What came of a search.
#[derive(Clone, Debug)]
pub struct Searched {
    /// The learner with the best settings.
    pub learner: Learner,
    /// It, fitted to all rows.
    pub fitted: Fitted,
    /// The best candidate.
    pub best: Judged,
    /// All that was judged, in the order of the grid, later rounds after earlier ones.
    pub judged: Vec<Judged>,
    /// What candidates are judged by.
    pub loss: String,
    /// Whether the search was stopped before its end; the best of what was judged is fitted then.
    pub stopped: bool,
}

/// Where candidates that were judged are kept.
pub trait Journal {
    /// What is known of these settings on so many rows.
    fn known(&self, settings: &BTreeMap<String, Value>, rows: usize) -> Option<Judged>;

    /// Keeps one.
    fn keep(&mut self, judged: &Judged) -> Result<()>;
}

/// A journal that keeps nothing.
pub struct NoJournal;

impl Journal for NoJournal {
    fn known(&self, _: &BTreeMap<String, Value>, _: usize) -> Option<Judged> {
        None
    }

    fn keep(&mut self, _: &Judged) -> Result<()> {
        Ok(())
    }
}

/// A point of the grid.
#[derive(Clone, Debug)]
struct Candidate {
    settings: BTreeMap<String, Value>,
    learner: Learner,
}

impl GridSearch {
    /// Judges every candidate, and fits the best to all rows.
    ///
    /// ```
    /// use mercer::{KernelExpr, Run, data, model::{catalogue, pipeline::Prepare}};
    /// use mercer::select::{Axis, GridSearch, NoJournal, Split};
    /// let prepared = Prepare::default().fit(&data::load("iris")?, None)?;
    /// let learner = catalogue::by_name("svc")?.with_kernel(KernelExpr::parse("rbf(length_scale=1)")?);
    /// let axes = vec![
    ///     Axis { name: "C".into(), values: vec![0.01.into(), 1.0.into(), 10.0.into()] },
    ///     Axis { name: "length_scale".into(), values: vec![0.1.into(), 2.0.into()] },
    /// ];
    /// let search = GridSearch { learner, axes, split: Split::Folds(5), halving: false, seed: 0 };
    /// let found = search.search(&prepared, &mut NoJournal, &Run::new())?;
    /// assert_eq!((found.judged.len(), found.best.settings["length_scale"].as_f64()), (6, Some(2.0)));
    /// assert!(found.best.loss < 0.07); // the share of errors
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn search(&self, prepared: &Prepared, journal: &mut dyn Journal, run: &Run) -> Result<Searched> {
        let rows = Rows::of(prepared);
        let candidates = self.candidates()?;
        let loss = self.learner.own_loss()?.name();
        let (mut judged, mut stopped, mut left) = (Vec::new(), false, (0..candidates.len()).collect::<Vec<_>>());
        let rounds = self.rounds(candidates.len(), rows.x.len());
        for (round, count) in rounds.iter().enumerate() {
            let some = rows.some(*count, self.seed)?;
            let task = run.task("candidates", Some(left.len() as u64));
            let part = Part::new(self, &rows, &some)?;
            let found = part.judge(&candidates, &left, journal, (&task, run))?;
            stopped = found.len() < left.len();
            let mut order: Vec<(usize, f64)> = left.iter().copied().zip(found.iter().map(|j| j.loss)).collect();
            judged.extend(found);
            order.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            if stopped || round + 1 == rounds.len() {
                left = order.into_iter().map(|(at, _)| at).collect();
                break;
            }
            left = order.into_iter().map(|(at, _)| at).take(left.len().div_ceil(FACTOR)).collect();
            left.sort_unstable();
        }
        let Some(best) = left.first().copied() else {
            return Err(run.task("candidates", None).cancelled(run.stop_reason().unwrap_or(StopReason::Interrupted)));
        };
        let learner = candidates[best].learner.clone();
        let fitted = rows.fit(&learner, run)?;
        let own = |j: &&Judged| j.settings == candidates[best].settings;
        let best =
            judged.iter().rev().find(own).cloned().ok_or_else(|| Error::shape("the candidates", "one", "none"))?;
        Ok(Searched { learner, fitted, best, judged, loss, stopped })
    }

    /// Rows of each round.
    fn rounds(&self, candidates: usize, rows: usize) -> Vec<usize> {
        let mut rounds = vec![rows];
        let (mut left, mut fewer) = (candidates, rows / FACTOR);
        while self.halving && left > 1 && fewer >= LEAST_ROWS {
            rounds.push(fewer);
            (left, fewer) = (left.div_ceil(FACTOR), fewer / FACTOR);
        }
        rounds.reverse();
        rounds
    }

    /// All combinations, those of one kernel together, each axis in the order of its values.
    fn candidates(&self) -> Result<Vec<Candidate>> {
        let count = self.axes.iter().try_fold(1usize, |n, axis| n.checked_mul(axis.values.len())).unwrap_or(usize::MAX);
        if count == 0 || count > MOST {
            let must = format!("between 1 and {MOST} combinations of values");
            return Err(Error::invalid("a search", "grid", count, must));
        }
        let of_learner = |axis: &&Axis| self.learner.spec().setting(&axis.name).is_some();
        let (own, kernel): (Vec<&Axis>, Vec<&Axis>) = self.axes.iter().partition(of_learner);
        let axes: Vec<&Axis> = kernel.into_iter().chain(own).collect();
        (0..count).map(|at| self.candidate(&axes, at)).collect()
    }

    fn candidate(&self, axes: &[&Axis], mut at: usize) -> Result<Candidate> {
        let (mut learner, mut settings) = (self.learner.clone(), BTreeMap::new());
        for axis in axes.iter().rev() {
            let value = axis.values[at % axis.values.len()].clone();
            at /= axis.values.len();
            learner = match learner.spec().setting(&axis.name) {
                Some(_) => learner.with_settings([(axis.name.clone(), value.clone())].into_iter().collect())?,
                None => {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let kernel = learner.kernel().with_setting(&axis.name, &text);
                    learner.with_kernel(kernel.map_err(|e| of_neither(&learner, &axis.name, e))?)
                }
            };
            settings.insert(axis.name.clone(), value);
        }
        learner.validate()?;
        Ok(Candidate { settings, learner })
    }
}

/// The error of an axis that the kernel does not take; one that it has not may have been meant for the learner.
fn of_neither(learner: &Learner, name: &str, error: Error) -> Error {
    match error {
        Error::InvalidParameter { value, must, .. } if value == name => {
            let own = learner.spec().settings.iter().map(|s| s.name).collect::<Vec<_>>().join(", ");
            let must = format!("a setting of {}: {own}; or of its kernel: {must}", learner.spec().title());
            Error::invalid("a search", "the axis", format!("`{name}`"), must)
        }
        other => other,
    }
}

/// The folds of the rows of one round.
struct Part {
    folds: Vec<Sides>,
    rows: usize,
    /// All rows, whose kernel rows the folds share.
    whole: Option<AllPoints>,
}

/// The rows of a fold.
struct Sides {
    train: Rows,
    test: Rows,
    /// How much the rows of `test` count among those of all folds.
    share: f64,
    /// Which rows of the round they are.
    places: Fold,
}

impl Part {
    fn new(search: &GridSearch, rows: &Rows, some: &[usize]) -> Result<Self> {
        let codes: Option<Vec<usize>> = rows.codes().map(|codes| some.iter().map(|i| codes[*i]).collect());
        let folds = search.split.folds(some.len(), codes.as_deref(), None, search.seed)?;
        let of = |places: &[usize]| places.iter().map(|i| some[*i]).collect::<Vec<_>>();
        let whole = shared(&rows.take(some)?, &folds);
        let sides = |places: Fold| {
            let (train, test) = (of(&places.train), of(&places.test));
            Ok(Sides { train: rows.take(&train)?, share: rows.count(&test), test: rows.take(&test)?, places })
        };
        Ok(Part { folds: folds.into_iter().map(sides).collect::<Result<_>>()?, rows: some.len(), whole })
    }

    /// Judges these candidates in their order, until the run stops them.
    fn judge(
        &self,
        candidates: &[Candidate],
        which: &[usize],
        journal: &mut dyn Journal,
        (task, run): (&Work<'_>, &Run),
    ) -> Result<Vec<Judged>> {
        let mut found = Vec::new();
        let mut state: Vec<Option<State>> = self.folds.iter().map(|_| None).collect();
        for at in which {
            let candidate = &candidates[*at];
            if let Some(known) = journal.known(&candidate.settings, self.rows) {
                found.push(known);
                continue;
            }
            if task.step(None).is_some() {
                break;
            }
            let judged = match self.judge_one(candidate, &mut state, run) {
                Err(Error::Cancelled { .. }) => break,
                other => other?,
            };
            journal.keep(&judged)?;
            found.push(judged);
        }
        Ok(found)
    }

    fn judge_one(&self, candidate: &Candidate, state: &mut [Option<State>], run: &Run) -> Result<Judged> {
        let begin = Instant::now();
        let loss = candidate.learner.own_loss()?;
        let learner = candidate.learner.comparing();
        let (mut losses, mut sum, mut total) = (Vec::new(), 0.0, 0.0);
        for (Sides { train, test, share, places }, state) in self.folds.iter().zip(state) {
            let whole = self.whole.as_ref().map(|whole| (whole, places.train.as_slice()));
            let next = State::after(state.take(), &learner, train, whole, run)?;
            if let Some(reason) = run.stop_reason() {
                return Err(run.task("a candidate", None).cancelled(reason));
            }
            let functions = match kept_values(&next.sample, &next.model, &places.test, run)? {
                Some(functions) => functions,
                None => next.model.functions(&test.x, run)?,
            };
            let own = test.mean_loss_of(functions, &next.model, &loss, run)?;
            losses.push(own);
            (sum, total) = (sum + own * share, total + share);
            *state = Some(next);
        }
        Ok(Judged {
            settings: candidate.settings.clone(),
            rows: self.rows,
            losses,
            loss: sum / total,
            seconds: begin.elapsed().as_secs_f64(),
        })
    }
}

/// Folds up to which their rows are shared: with more, a kernel row would be cut into too many parts.
const MOST_FOLDS: usize = 32;

/// All rows of a round for the folds to share their kernel rows, cut by class and by which folds learn from them.
fn shared(rows: &Rows, folds: &[Fold]) -> Option<AllPoints> {
    if folds.len() > MOST_FOLDS || matches!(rows.x, Inputs::Precomputed(_)) {
        return None;
    }
    let mut learnt_by: Vec<Vec<usize>> = vec![Vec::new(); rows.x.len()];
    for (at, fold) in folds.iter().enumerate() {
        // Nobody learns from a row of weight 0.
        let counts = |i: &&usize| rows.weights.as_ref().is_none_or(|w| w[**i] != 0.0);
        fold.train.iter().filter(counts).for_each(|i| learnt_by[*i].push(at));
    }
    let mut numbers: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    let mut number = |folds: Vec<usize>| {
        let next = numbers.len();
        *numbers.entry(folds).or_insert(next)
    };
    let cells = learnt_by.into_iter().map(&mut number).collect();
    let groups = rows.codes().map_or_else(|| vec![0; rows.x.len()], <[usize]>::to_vec);
    Some(AllPoints::new(rows.x.clone(), groups, cells))
}

/// Where a fold stands: its rows in the space of a kernel, and the model before.
pub(super) struct State {
    sample: Sample,
    learner: Learner,
    pub(super) model: Model,
}

impl State {
    /// The next model: with the kernel rows of the one before where the kernel is the same, and from its solution.
    /// Those of more points, of which these are some, may be shared by folds.
    pub(super) fn after(
        before: Option<State>,
        learner: &Learner,
        train: &Rows,
        whole: Option<(&AllPoints, &[usize])>,
        run: &Run,
    ) -> Result<State> {
        let same = before.as_ref().filter(|b| b.learner.kernel() == learner.kernel());
        let sample = match same {
            Some(before) if before.learner.settings().get("class_weight") == learner.settings().get("class_weight") => {
                before.sample.clone()
            }
            _ => {
                let sample = learner.sample(&train.x, train.target.clone(), train.weights.as_ref(), run)?.compared();
                // A rule may be another number in every fold.
                match whole.filter(|_| learner.kernel().is_resolved()) {
                    Some((whole, places)) => sample.sharing_rows_of(whole, places),
                    None => sample.sharing_rows(),
                }
            }
        };
        let fitted = match &before {
            _ if train.repair.is_some() => train.fit(learner, run)?,
            Some(before) => learner.resume(&before.model, &sample, run)?,
            None => learner.learn(&sample, run)?,
        };
        Ok(State { sample, learner: learner.clone(), model: fitted.model })
    }
}
