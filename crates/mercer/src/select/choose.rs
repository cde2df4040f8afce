//! The number that keeps a function simple, by cross-validation of the learner's own loss.
//!
//! From a start, the search walks downhill by factors of ten, then by √10 to both sides.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::model::{Choice, Complexity, Learner, OwnLoss};
use crate::run::Run;

use super::grid::State;
use super::report::{Chosen, Tried};
use super::rows::Rows;
use super::split::{Fold, Split};

/// Rows up to which there are five folds; three above.
const FIVE_FOLDS: usize = 200;
/// A score must be lower by this share for the walk to go on.
const GAIN: f64 = 1e-3;

/// A learner whose complexity is chosen, and where the search begins.
pub(super) struct Search<'a> {
    pub(super) learner: &'a Learner,
    pub(super) complexity: Complexity,
    pub(super) start: f64,
    pub(super) seed: u64,
}

/// Chooses for rows, of which no more than `most` are looked at.
pub(super) fn by_folds(search: &Search<'_>, rows: &Rows, most: usize, run: &Run) -> Result<Chosen> {
    let mut trial = Trial::new(search, rows, most)?;
    trial.coarse(run)?;
    trial.fine(run)?;
    Ok(trial.chosen())
}

/// A search that is under way.
pub(super) struct Trial {
    judge: Judge,
    walk: Walk,
    start: f64,
}

impl Trial {
    /// Before the first value.
    pub(super) fn new(search: &Search<'_>, rows: &Rows, most: usize) -> Result<Self> {
        let range = search.complexity.range;
        let walk = Walk { tried: Vec::new(), range, whole: search.complexity.counted };
        Ok(Trial { judge: Judge::new(search, rows, most)?, walk, start: search.start.clamp(range.0, range.1) })
    }

    /// The same folds, with the kernel that the training rows of each one give; from the best value so far.
    pub(super) fn with_kernels(&self, kernel: impl Fn(&Rows) -> Result<KernelExpr> + Sync) -> Result<Self> {
        let with_kernel = |sides: &Sides| {
            let learner = sides.learner.with_kernel(kernel(&sides.train)?);
            Ok(Sides { learner, ..sides.clone() })
        };
        let folds: Vec<Result<Sides>> = self.judge.folds.par_iter().map(with_kernel).collect();
        let folds = folds.into_iter().collect::<Result<_>>()?;
        let judge = Judge::of(folds, self.judge.loss.clone(), self.judge.rows);
        let walk = Walk { tried: Vec::new(), ..self.walk };
        Ok(Trial { judge, walk, start: self.walk.best().unwrap_or(self.start) })
    }

    /// By factors of ten, as long as that gains.
    pub(super) fn coarse(&mut self, run: &Run) -> Result<()> {
        let (walk, start) = (&mut self.walk, self.start);
        scored(&self.judge, run, |score| walk.downhill(start, score))
    }

    /// Whether some value has a score below this one; the walk ends with the first.
    pub(super) fn is_below(&mut self, bar: f64, run: &Run) -> Result<bool> {
        let (walk, start) = (&mut self.walk, self.start);
        let mut below = false;
        scored(&self.judge, run, |score| {
            walk.downhill(start, &mut |value| match below {
                true => Ok(None),
                false => {
                    let found = score(value)?;
                    below = found.is_some_and(|found| found < bar);
                    Ok(found)
                }
            })
        })?;
        Ok(below)
    }

    /// By √10 to both sides.
    pub(super) fn fine(&mut self, run: &Run) -> Result<()> {
        let (walk, start) = (&mut self.walk, self.start);
        scored(&self.judge, run, |score| walk.beside(start, score))
    }

    /// The least score, if there is one.
    pub(super) fn least(&self) -> Option<f64> {
        self.walk.tried.iter().map(|t| t.score).reduce(f64::min)
    }

    /// The value with the least score.
    pub(super) fn chosen(mut self) -> Chosen {
        let Judge { folds, rows, loss, .. } = &self.judge;
        let choice = Choice::Folds { folds: folds.len(), rows: *rows, loss: loss.name() };
        let Some(best) = self.walk.best() else { return Chosen::plain(self.start, Choice::Usual) };
        self.walk.tried.sort_by(|a, b| a.value.total_cmp(&b.value));
        let (low, high) = self.walk.range;
        let near = |end: f64| (best / end).ln().abs() < 1.0;
        let at_the_edge = near(low) || near(high);
        Chosen { value: best, choice, at_the_edge, path: self.walk.tried, by_itself: false }
    }
}

/// A score for each value, or nothing once the run is to stop.
type Score<'a> = &'a mut dyn FnMut(f64) -> Result<Option<f64>>;

/// A walk on what folds say.
fn scored(judge: &Judge, run: &Run, walk: impl FnOnce(Score<'_>) -> Result<()>) -> Result<()> {
    let task = run.task("choice by cross-validation", None);
    walk(&mut |value: f64| {
        let score = judge.score(value, run)?;
        Ok(task.step(score).map_or(score, |_| None))
    })
}

/// Folds of some rows.
struct Judge {
    loss: OwnLoss,
    folds: Vec<Sides>,
    /// Where each fold stands: values that follow each other have solutions that are near.
    states: Vec<Mutex<Option<State>>>,
    rows: usize,
}

/// The rows of one fold, and what is fitted to them.
#[derive(Clone)]
struct Sides {
    learner: Learner,
    train: Rows,
    test: Rows,
    /// How much the rows of `test` count among those of all folds.
    share: f64,
}

impl Judge {
    fn new(search: &Search<'_>, rows: &Rows, most: usize) -> Result<Self> {
        let some = rows.some(most, search.seed)?;
        let codes: Option<Vec<usize>> = rows.codes().map(|codes| some.iter().map(|i| codes[*i]).collect());
        let k = if some.len() <= FIVE_FOLDS { 5 } else { 3 };
        let folds = Split::Folds(k.min(some.len()).max(2)).folds(some.len(), codes.as_deref(), None, search.seed)?;
        let of = |places: &[usize]| places.iter().map(|i| some[*i]).collect::<Vec<_>>();
        let sides = |fold: &Fold| {
            let (train, test) = (of(&fold.train), of(&fold.test));
            let learner = search.learner.comparing();
            Ok(Sides { learner, train: rows.take(&train)?, share: rows.count(&test), test: rows.take(&test)? })
        };
        let folds = folds.iter().map(sides).collect::<Result<Vec<_>>>()?;
        Ok(Judge::of(folds, search.learner.own_loss()?, some.len()))
    }

    fn of(folds: Vec<Sides>, loss: OwnLoss, rows: usize) -> Self {
        let states = folds.iter().map(|_| Mutex::new(None)).collect();
        Judge { loss, folds, states, rows }
    }

    /// The mean over the rows of all folds, each as often as its weight says; nothing once the run is to stop.
    fn score(&self, value: f64, run: &Run) -> Result<Option<f64>> {
        let mean = |(sides, state): (&Sides, &Mutex<Option<State>>)| {
            let learner = sides.learner.with_complexity(value, sides.train.total());
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            let now = State::after(state.take(), &learner, &sides.train, None, run)?;
            let mean = sides.test.mean_loss(&now.model, &self.loss, run);
            *state = Some(now);
            mean
        };
        // Fits of some hundred rows are too small for several threads, and folds are not.
        let means: Vec<Result<f64>> = run.install(|| self.folds.par_iter().zip(&self.states).map(mean).collect());
        if run.stop_reason().is_some() {
            return Ok(None);
        }
        let (mut sum, mut total) = (0.0, 0.0);
        for (mean, sides) in means.into_iter().zip(&self.folds) {
            match mean {
                Ok(mean) => sum += mean * sides.share,
                Err(Error::Cancelled { .. }) => return Ok(None),
                Err(problem) => return Err(problem),
            }
            total += sides.share;
        }
        Ok(Some(sum / total))
    }
}

/// Values tried, in their order.
struct Walk {
    tried: Vec<Tried>,
    range: (f64, f64),
    /// Whether values are numbers of something.
    whole: bool,
}

impl Walk {
    /// Ends early once a score is nothing.
    fn downhill(&mut self, start: f64, score: Score<'_>) -> Result<()> {
        self.gains(start, score)?;
        for factor in [0.1, 10.0] {
            while self.gains(self.best().unwrap_or(start) * factor, score)? {}
        }
        Ok(())
    }

    /// Half a step to both sides of the best.
    fn beside(&mut self, start: f64, score: Score<'_>) -> Result<()> {
        let centre = self.best().unwrap_or(start);
        for factor in [0.1f64.sqrt(), 10f64.sqrt()] {
            self.gains(centre * factor, score)?;
        }
        Ok(())
    }

    /// Tries a value, and says whether it is better than all before.
    fn gains(&mut self, value: f64, score: Score<'_>) -> Result<bool> {
        let value = if self.whole { value.round() } else { value };
        let known = |t: &Tried| (t.value / value).ln().abs() < 0.1;
        let (low, high) = self.range;
        if !(0.9 * low..=1.1 * high).contains(&value) || self.tried.iter().any(known) {
            return Ok(false);
        }
        let least = self.tried.iter().map(|t| t.score).fold(f64::INFINITY, f64::min);
        let found = match score(value) {
            // A value that cannot be fitted is no better; the first must be.
            Err(Error::InvalidParameter { .. }) if !self.tried.is_empty() => return Ok(false),
            other => other?,
        };
        let Some(score) = found.filter(|s| s.is_finite()) else { return Ok(false) };
        self.tried.push(Tried { value, score });
        Ok(score < least - GAIN * least.abs().min(f64::MAX))
    }

    /// The value of the least score; of equal ones, the first tried.
    fn best(&self) -> Option<f64> {
        self.tried.iter().min_by(|a, b| a.score.total_cmp(&b.score)).map(|t| t.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::data::{Inputs, Labels, Rows as Points, Target, Targets, Weights};
    use crate::model::catalogue;
    use crate::testkit::tol;

    fn least(start: f64, range: (f64, f64), f: impl Fn(f64) -> f64) -> Vec<Tried> {
        let mut walk = Walk { tried: Vec::new(), range, whole: false };
        walk.downhill(start, &mut |value| Ok(Some(f(value)))).expect("a walk");
        walk.beside(start, &mut |value| Ok(Some(f(value)))).expect("a walk");
        walk.tried.sort_by(|a, b| a.score.total_cmp(&b.score));
        walk.tried
    }

    #[test]
    fn a_valley_is_found_from_both_sides() {
        for start in [1e-6, 0.3, 1e4] {
            let tried = least(start, (1e-9, 1e6), |v| 1.0 + v.log10().powi(2));
            assert!(tried[0].value.log10().abs() <= 0.3, "{tried:?}");
            assert!(tried.len() <= 12, "{tried:?}");
        }
    }

    #[test]
    fn a_slope_ends_at_the_edge_and_a_plain_at_once() {
        let down = least(1.0, (1.0, 100.0), |v| 1.0 / v);
        assert_eq!((down[0].value, down.len()), (100.0, 4), "{down:?}");
        assert_eq!(least(1.0, (1e-9, 1e6), |_| 2.0).len(), 5);
    }

    /// Every row as often as its weight says.
    fn repeated(rows: &Rows) -> Rows {
        let times = |i: usize| rows.weights.as_ref().map_or(1, |w| w[i] as usize);
        let list: Vec<usize> = (0..rows.x.len()).flat_map(|i| vec![i; times(i)]).collect();
        Rows { weights: None, ..rows.take(&list).expect("rows") }
    }

    #[test]
    fn scores_count_rows_by_their_weights() {
        let n = 40;
        let mut chance = Chance::new(8);
        let x: Vec<f64> = (0..n).map(|_| 4.0 * chance.unit()).collect();
        let y: Vec<f64> = x.iter().map(|x| (2.0 * x).sin() + 0.3 * chance.normal()).collect();
        let codes = Labels::new(y.iter().map(|y| usize::from(*y > 0.1)).collect(), 2).expect("codes");
        let numbers = Targets::new(y, 1).expect("targets");
        let weights: Vec<f64> = (0..n).map(|i| f64::from(1 + i % 4)).collect();
        let x: Inputs = Points::new(x, 40, 1).expect("a column").into();
        let kernel = KernelExpr::parse("rbf(length_scale=1)").expect("a formula");
        for (name, target) in
            [("regressor", numbers.clone().into()), ("quantiles", numbers.into()), ("logistic", Target::Classes(codes))]
        {
            let learner = catalogue::by_name(name).expect("there").with_kernel(kernel.clone());
            let rows = Rows { x: x.clone(), target, weights: Weights::new(weights.clone()).ok(), repair: None };
            let search = Search { complexity: Complexity::alpha(None), start: 1.0, seed: 3, learner: &learner };
            let judge = Judge::new(&search, &rows, 1000).expect("folds");
            let sides = |s: &Sides| {
                let (train, test) = (repeated(&s.train), repeated(&s.test));
                Sides { share: test.x.len() as f64, train, test, learner: s.learner.clone() }
            };
            let all = Judge::of(judge.folds.iter().map(sides).collect(), judge.loss.clone(), judge.rows);
            let [a, b] = [judge, all].map(|j| j.score(0.3, &Run::new()).expect("a score").expect("no stop"));
            assert!((a - b).abs() <= tol::SOLVED * b.abs(), "{name}: {a} with weights, {b} with repetitions");
            // Sums of the weights are too large for a number.
            let huge = Weights::new(vec![1e308; n as usize]).ok();
            let judge = Judge::new(&search, &Rows { weights: huge, ..rows }, 1000).expect("folds");
            let score = judge.score(1e305, &Run::new()).expect("a score").expect("no stop");
            assert!(score.is_finite(), "{name}: {score}");
        }
    }

    #[test]
    fn a_stop_ends_the_walk() {
        let mut walk = Walk { tried: Vec::new(), range: (1e-9, 1e6), whole: false };
        let mut left = 2;
        let mut score = |v: f64| {
            left -= 1;
            Ok((left >= 0).then_some(v))
        };
        walk.downhill(1.0, &mut score).expect("a walk");
        assert_eq!(walk.tried.len(), 2);
        assert!(walk.best().is_some_and(|v| v < 0.2));
    }
}
