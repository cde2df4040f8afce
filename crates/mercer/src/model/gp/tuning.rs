//! Maximising the evidence in the free parameters.

use serde::{Deserialize, Serialize};

use crate::certificate::Stop;
use crate::chance::Chance;
use crate::error::{Error, Result};
use crate::run::Run;
use crate::solver::{LbfgsParams, lbfgs};

use super::evidence::GpEvidence;

/// How the evidence is maximised: by L-BFGS from the parameters as given, then from others drawn by
/// chance inside their bounds; the best end is taken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpTuning {
    /// Further starts beside the given one.
    pub restarts: usize,
    /// Largest number of steps from each start.
    pub max_iters: usize,
    /// Largest entry of the gradient, per target, at which a search ends.
    pub tolerance: f64,
    /// Where chance begins.
    pub seed: u64,
}

impl Default for GpTuning {
    fn default() -> Self {
        GpTuning { restarts: 0, max_iters: 200, tolerance: 1e-6, seed: 0 }
    }
}

impl GpTuning {
    pub(super) fn validate(&self, owner: &str) -> Result<()> {
        match self.tolerance >= 0.0 {
            true => Ok(()),
            false => Err(Error::invalid(owner, "tolerance", self.tolerance, "a number ≥ 0")),
        }
    }
}

/// One search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpStart {
    /// Where it began.
    pub start: Vec<f64>,
    /// Where it ended.
    pub end: Vec<f64>,
    /// The log evidence there.
    pub log_evidence: f64,
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
pub struct GpTuned {
    /// Paths of the free parameters, in the order of the numbers below.
    pub parameters: Vec<String>,
    /// The searches, the given start first.
    pub starts: Vec<GpStart>,
    /// Evidences computed.
    pub evaluations: usize,
    /// Parameters that ended at a bound.
    pub at_bounds: Vec<AtBound>,
    /// Why the best search ended, or what stopped the work.
    pub stop: Stop,
}

impl GpTuned {
    /// What the user should know, as sentences.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.at_bounds.iter().map(AtBound::note).collect();
        let stopped = matches!(self.stop, Stop::Deadline | Stop::Interrupted);
        if !stopped && self.starts.iter().all(|s| !s.log_evidence.is_finite()) {
            notes.push(
                "no parameters were found at which the kernel matrix plus noise is positive definite to rounding: \
                 the parameters are as given; raise alpha or its bounds"
                    .into(),
            );
        } else if !self.stop.is_complete() {
            notes.push(format!("tuning ended before its tolerance was reached ({})", self.stop.name()));
        }
        notes
    }
}

impl AtBound {
    fn note(&self) -> String {
        let side = if self.upper { "upper" } else { "lower" };
        // The way to the log scale and back leaves digits nobody gave.
        let bound: f64 = format!("{:.6e}", self.bound).parse().unwrap_or(self.bound);
        format!(
            "`{}` ended at its {side} bound, {bound:e}: widen the bound, or fix the parameter if it does not matter",
            self.parameter
        )
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

/// The best parameters, and how they were found; the start where no evidence is finite.
pub(super) fn maximise(evidence: &GpEvidence, tuning: &GpTuning, run: &Run) -> Result<(Vec<f64>, GpTuned)> {
    let given = evidence.start()?;
    let bounds = evidence.bounds();
    let mut chance = Chance::new(tuning.seed);
    let mut best = Best { at: given.clone(), value: f64::NEG_INFINITY, evaluations: 0 };
    let mut tuned = GpTuned {
        parameters: evidence.names(),
        starts: Vec::new(),
        evaluations: 0,
        at_bounds: Vec::new(),
        stop: Stop::Tolerance,
    };
    for restart in 0..=tuning.restarts {
        let start = if restart == 0 { given.clone() } else { drawn(&given, &bounds, &mut chance) };
        let before = best.value;
        let search = from(evidence, start, &bounds, tuning, &mut best, run)?;
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
    tuned.at_bounds = at_bounds(evidence, &best.at, &bounds);
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
    evidence: &GpEvidence,
    start: Vec<f64>,
    bounds: &[(f64, f64)],
    tuning: &GpTuning,
    best: &mut Best,
    run: &Run,
) -> Result<GpStart> {
    // Weights near 0 or beyond range are no number of targets to divide by.
    let size = Some(evidence.of.size()).filter(|s| s.is_normal()).unwrap_or(1.0);
    let mut own = (start.clone(), f64::NEG_INFINITY);
    let mut objective = |at: &[f64], gradient: &mut [f64]| {
        let (value, by) = match evidence.value_and_gradient(at, run) {
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
    let params = LbfgsParams { max_iters: tuning.max_iters, tolerance: tuning.tolerance, ..LbfgsParams::default() };
    let mut at = start.clone();
    let stop = match lbfgs(&mut at, bounds, &mut objective, &params, run) {
        Ok(info) => info.stop,
        // What has been reached is worth having; the deadline passed inside of one evidence.
        Err(Error::Cancelled { .. }) => run.stop_reason().map_or(Stop::Interrupted, Stop::from),
        Err(other) => return Err(other),
    };
    if own.1 > best.value {
        (best.at, best.value) = own.clone();
    }
    Ok(GpStart { start, end: own.0, log_evidence: own.1, stop })
}

fn at_bounds(evidence: &GpEvidence, at: &[f64], bounds: &[(f64, f64)]) -> Vec<AtBound> {
    let params = evidence.kernel.free_params();
    let back = |k: usize, theta: f64| params.get(k).map_or(theta.exp(), |p| p.param.transform.backward(theta));
    let names = evidence.names();
    let mut found = Vec::new();
    for (k, ((at, (low, high)), parameter)) in at.iter().zip(bounds).zip(names).enumerate() {
        if at <= low || at >= high {
            found.push(AtBound { parameter, bound: back(k, if at <= low { *low } else { *high }), upper: at > low });
        }
    }
    found
}
