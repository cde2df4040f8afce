//! Maximising a criterion in the free parameters of a kernel: one loop for all of them.

use serde::{Deserialize, Serialize};

use crate::certificate::Stop;
use crate::chance::Chance;
use crate::error::{Error, Result};
use crate::note::Note;
use crate::run::Run;
use crate::solver::{LbfgsParams, lbfgs};

/// A function of free parameters θ on their own scales, with its gradient: the evidence of a process or of ridge
/// regression, and what else a kernel may be chosen by. Larger is better.
pub trait Criterion {
    /// Paths of the free parameters.
    fn names(&self) -> Vec<String>;

    /// The free parameters as given.
    fn start(&self) -> Result<Vec<f64>>;

    /// The box in which they may move.
    fn bounds(&self) -> Vec<(f64, f64)>;

    /// A parameter in its own unit, of a number on its own scale.
    fn in_units(&self, parameter: usize, theta: f64) -> f64;

    /// The value and its gradient; −∞ where it has none.
    fn value_and_gradient(&self, at: &[f64], run: &Run) -> Result<(f64, Vec<f64>)>;

    /// What values are divided by before they are compared with a tolerance, so that a search takes the same steps for
    /// a weight as for its repetition.
    fn size(&self) -> f64 {
        1.0
    }
}

/// How a criterion is maximised: by L-BFGS from the parameters as given, then from others drawn by
/// chance inside their bounds; the best end is taken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tuning {
    /// Further starts beside the given one.
    pub restarts: usize,
    /// Largest number of steps from each start.
    pub max_iterations: usize,
    /// Largest entry of the gradient, per target, at which a search ends.
    pub tolerance: f64,
    /// What three steps must gain together, per target, for a search to go on.
    pub gain: f64,
    /// Where chance begins.
    pub seed: u64,
}

impl Default for Tuning {
    fn default() -> Self {
        Tuning { restarts: 0, max_iterations: 200, tolerance: 1e-6, gain: 0.0, seed: 0 }
    }
}

impl Tuning {
    pub(crate) fn validate(&self, owner: &str) -> Result<()> {
        for (name, value) in [("tolerance", self.tolerance), ("gain", self.gain)] {
            if value.is_nan() || value < 0.0 {
                return Err(Error::invalid(owner, name, value, "a number ≥ 0"));
            }
        }
        Ok(())
    }
}

/// One search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Search {
    /// Where it began.
    pub start: Vec<f64>,
    /// Where it ended.
    pub end: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// Why it ended.
    pub stop: Stop,
}

/// A parameter that ended at a bound.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AtBound {
    /// Its path.
    pub parameter: String,
    /// The bound, on the parameter's own scale.
    pub bound: f64,
    /// Whether it is the upper one.
    pub upper: bool,
}

/// How tuning went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tuned {
    /// Paths of the free parameters, in the order of the numbers below.
    pub parameters: Vec<String>,
    /// The searches, the given start first.
    pub starts: Vec<Search>,
    /// Values computed.
    pub evaluations: usize,
    /// Parameters that ended at a bound.
    pub at_bounds: Vec<AtBound>,
    /// Why the best search ended, or what stopped the work.
    pub stop: Stop,
}

impl Tuned {
    /// What the user should know.
    pub(crate) fn notes(&self) -> Vec<Note> {
        let mut notes: Vec<Note> = self.at_bounds.iter().map(AtBound::note).collect();
        let stopped = matches!(self.stop, Stop::Deadline | Stop::Interrupted);
        if !stopped && self.starts.iter().all(|s| !s.value.is_finite()) {
            notes.push(Note::NothingToTune);
        } else if !self.stop.is_complete() {
            notes.push(Note::TuningStopped { stop: self.stop });
        }
        notes
    }
}

impl AtBound {
    fn note(&self) -> Note {
        Note::AtBound { parameter: self.parameter.clone(), bound: self.bound, upper: self.upper }
    }
}

/// Random starts lie within this factor e^±reach of the given value where bounds are wider or none.
const REACH: f64 = 12.0;

/// A search under way: the best point of all starts, kept also when the work is stopped inside one.
struct Best {
    at: Vec<f64>,
    value: f64,
    evaluations: usize,
}

/// The best parameters, and how they were found; the start where no value is finite.
pub(crate) fn maximise(criterion: &dyn Criterion, tuning: &Tuning, run: &Run) -> Result<(Vec<f64>, Tuned)> {
    let given = criterion.start()?;
    let bounds = criterion.bounds();
    let mut chance = Chance::new(tuning.seed);
    let mut best = Best { at: given.clone(), value: f64::NEG_INFINITY, evaluations: 0 };
    let mut tuned = Tuned {
        parameters: criterion.names(),
        starts: Vec::new(),
        evaluations: 0,
        at_bounds: Vec::new(),
        stop: Stop::Tolerance,
    };
    for restart in 0..=tuning.restarts {
        let start = if restart == 0 { given.clone() } else { drawn(&given, &bounds, &mut chance) };
        let before = best.value;
        let search = from(criterion, start, &bounds, tuning, &mut best, run)?;
        let stopped = matches!(search.stop, Stop::Deadline | Stop::Interrupted);
        if restart == 0 || stopped || best.value > before {
            tuned.stop = search.stop;
        }
        tuned.starts.push(search);
        if stopped {
            break;
        }
    }
    tuned.evaluations = best.evaluations;
    tuned.at_bounds = at_bounds(criterion, &best.at, &bounds);
    Ok((best.at, tuned))
}

fn drawn(given: &[f64], bounds: &[(f64, f64)], chance: &mut Chance) -> Vec<f64> {
    let draw = |(at, (low, high)): (&f64, &(f64, f64))| {
        let (low, high) = (low.max(at - REACH), high.min(at + REACH));
        low + chance.unit() * (high - low).max(0.0)
    };
    given.iter().zip(bounds).map(draw).collect()
}

/// One search from `start`.
fn from(
    criterion: &dyn Criterion,
    start: Vec<f64>,
    bounds: &[(f64, f64)],
    tuning: &Tuning,
    best: &mut Best,
    run: &Run,
) -> Result<Search> {
    // Weights near 0 or beyond range are no number of targets to divide by.
    let size = Some(criterion.size()).filter(|s| s.is_normal()).unwrap_or(1.0);
    let mut own = (start.clone(), f64::NEG_INFINITY);
    let mut objective = |at: &[f64], gradient: &mut [f64]| {
        let (value, by) = match criterion.value_and_gradient(at, run) {
            // Parameters beyond the range of numbers.
            Err(Error::InvalidParameter { .. }) => (f64::NEG_INFINITY, vec![0.0; at.len()]),
            other => other?,
        };
        best.evaluations += 1;
        let value = if value.is_finite() && by.iter().all(|g| g.is_finite()) { value } else { f64::NEG_INFINITY };
        if value > own.1 {
            own = (at.to_vec(), value);
        }
        gradient.iter_mut().zip(&by).for_each(|(g, by)| *g = -by / size);
        Ok(-value / size)
    };
    let &Tuning { max_iterations, tolerance, gain, .. } = tuning;
    let params = LbfgsParams { max_iterations, tolerance, gain, ..LbfgsParams::default() };
    let mut at = start.clone();
    let stop = match lbfgs(&mut at, bounds, &mut objective, &params, run) {
        Ok(info) => info.stop,
        // What has been reached is worth having; the deadline passed inside of one value.
        Err(Error::Cancelled { .. }) => run.stop_reason().map_or(Stop::Interrupted, Stop::from),
        Err(other) => return Err(other),
    };
    if own.1 > best.value {
        (best.at, best.value) = own.clone();
    }
    Ok(Search { start, end: own.0, value: own.1, stop })
}

fn at_bounds(criterion: &dyn Criterion, at: &[f64], bounds: &[(f64, f64)]) -> Vec<AtBound> {
    let names = criterion.names();
    let mut found = Vec::new();
    for (k, ((at, (low, high)), parameter)) in at.iter().zip(bounds).zip(names).enumerate() {
        if at <= low || at >= high {
            found.push(AtBound {
                parameter,
                bound: criterion.in_units(k, if at <= low { *low } else { *high }),
                upper: at > low,
            });
        }
    }
    found
}
