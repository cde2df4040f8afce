//! Kernels that some rows cannot tell apart, fitted to all of them.
//!
//! Kernels are compared on a thousand rows or so. Of very many rows that says little of families that are as good there: a rough one goes on
//! gaining where a smooth one has said what it can, and runs far off beside the rows. A fit with landmarks has the generalised cross-validation of all
//! rows anyway, and so those families are fitted, and the best is kept.

use crate::data::TargetKind;
use crate::error::{Error, Result};
use crate::model::regress::{KernelRidge, RidgeSolver};
use crate::model::{Learner, Model};
use crate::run::Run;

use super::candidates::{KernelChoice, Tuned};
use super::job::Job;
use super::report::HowFitted;
use super::rows::Rows;

/// How much more the root mean square of rows left out may be for a family to be looked at: about twice its standard error on a thousand rows.
const AS_GOOD: f64 = 1.05;

impl Job {
    /// The best of the first kernels on all rows, with its fit; it becomes the first. Nothing where there is no choice, or no time for it.
    pub(super) fn on_all_rows(
        &self,
        learner: &Learner,
        tuned: &mut Vec<Tuned>,
        decided: &mut KernelChoice,
        rows: &Rows,
        run: &Run,
    ) -> Result<Option<(Model, HowFitted)>> {
        let landmarks =
            learner.get::<KernelRidge>().is_some_and(|ridge| matches!(ridge.solver, RidgeSolver::Nystrom(_)));
        let open = landmarks && self.alpha.is_none() && rows.target.kind() == TargetKind::Numbers;
        let places = as_good(tuned);
        if !open || *decided != KernelChoice::LeaveOneOut || places.len() < 2 {
            return Ok(None);
        }
        let unit = rows.over_mean()?.1;
        let mut best: Option<(f64, usize, (Model, HowFitted))> = None;
        for at in places {
            if run.stop_reason().is_some() {
                break;
            }
            let one = &tuned[at];
            let learner = learner.with_kernel(one.kernel.kernel.clone());
            let fit = match self.fitted(&learner, (Some(one.kernel.alpha * unit), None), rows, run) {
                // What is found by then is better than nothing.
                Err(Error::Cancelled { .. }) if best.is_some() => break,
                other => other?,
            };
            // A fit that was stopped knows fewer rows, and is not compared.
            if run.stop_reason().is_some() {
                break;
            }
            let Some(gcv) = fit.1.path.iter().map(|tried| tried.score).reduce(f64::min) else { return Ok(None) };
            tuned[at].loss = Some(gcv);
            if best.as_ref().is_none_or(|(least, ..)| gcv < *least) {
                best = Some((gcv, at, fit));
            }
        }
        let Some((_, at, fit)) = best else { return Ok(None) };
        let taken = tuned.remove(at);
        // What was fitted stands before what was not, the better one first.
        tuned.sort_by(|a, b| a.loss.unwrap_or(f64::INFINITY).total_cmp(&b.loss.unwrap_or(f64::INFINITY)));
        tuned.insert(0, taken);
        *decided = KernelChoice::AllRows;
        Ok(Some(fit))
    }
}

/// Kernels of different formulas that are nearly as good as the first.
fn as_good(tuned: &[Tuned]) -> Vec<usize> {
    let Some(first) = tuned.first() else { return Vec::new() };
    let bar = AS_GOOD * AS_GOOD * first.kernel.leave_one_out;
    let mut places: Vec<usize> = Vec::new();
    for (at, one) in tuned.iter().enumerate() {
        let known = places.iter().any(|known| tuned[*known].source == one.source && tuned[*known].term == one.term);
        if one.kernel.leave_one_out <= bar && !known {
            places.push(at);
        }
    }
    places
}
