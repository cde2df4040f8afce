//! Draws of a null distribution, in portions, until they suffice.

use crate::error::{Error, Result};
use crate::run::Run;

use super::pvalue::{Counted, count};
use super::result::Ended;

/// Draws that are made at a time; between two portions a test may stop.
const PORTION: usize = 128;

/// How many draws there are, and when fewer do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    /// Draws of the null distribution.
    pub n_permutations: usize,
    /// The seed of all chance.
    pub seed: u64,
    /// Stop when so many draws reach the statistic: p is then large, and known well enough (Besag & Clifford 1991).
    pub enough: Option<usize>,
}

impl Default for Draws {
    fn default() -> Self {
        Draws { n_permutations: 999, seed: 0, enough: None }
    }
}

impl Draws {
    pub(super) fn check(&self, owner: &str) -> Result<()> {
        if self.n_permutations == 0 {
            return Err(Error::invalid(owner, "n_permutations", 0, "≥ 1"));
        }
        match self.enough {
            Some(0) => Err(Error::invalid(owner, "enough", 0, "≥ 1")),
            _ => Ok(()),
        }
    }
}

/// What was drawn and counted.
pub(super) struct Judged {
    pub(super) null: Vec<f64>,
    pub(super) counted: Counted,
    pub(super) stop: Ended,
}

/// Draws until all are there, enough reach the observed value, or the run stops. `next` writes the values of the next draws.
pub(super) fn judge(
    (observed, tolerance): (f64, f64),
    draws: &Draws,
    run: &Run,
    mut next: impl FnMut(&mut [f64]) -> Result<()>,
) -> Result<Judged> {
    let total = draws.n_permutations;
    let task = run.task("permutations", Some(total.div_ceil(PORTION) as u64));
    let mut null: Vec<f64> = Vec::new();
    let mut stop = Ended::All;
    while null.len() < total {
        let mut portion = vec![0.0; PORTION.min(total - null.len())];
        match (next(&mut portion), run.stop_reason()) {
            (Ok(()), _) => null.extend(portion),
            (Err(Error::Cancelled { .. }), Some(reason)) if !null.is_empty() => {
                stop = reason.into();
                break;
            }
            (Err(error), _) => return Err(error),
        }
        if count(observed, &null, tolerance, draws.enough).enough {
            stop = Ended::Sequential;
            break;
        }
        if let Some(reason) = task.step(None).filter(|_| null.len() < total) {
            stop = reason.into();
            break;
        }
    }
    let counted = count(observed, &null, tolerance, draws.enough);
    null.truncate(counted.of);
    Ok(Judged { null, counted, stop })
}

impl Judged {
    /// 1/(B + 1).
    pub(super) fn resolution(&self) -> f64 {
        1.0 / (1 + self.null.len()) as f64
    }
}
