//! Least squares beside logistic regression, where nobody said which of the two.
//!
//! With one slope for all values, least squares on the codes of classes has probabilities as well (`lssvm` with `probability`). They suit
//! several classes that are well apart better than those of the logistic loss, and classes that overlap in some places alone worse: which
//! is not known before, and the log-loss of the same folds says it. What is fitted to all rows is the better of the two.

use crate::data::TargetKind;
use crate::error::{Error, Result};
use crate::model::classify::KernelLogisticRegression;
use crate::model::{Choice, Complexity, Learner, LeastSquaresSvm};
use crate::note::Note;
use crate::run::Run;

use super::choose::{Search, by_folds};
use super::job::{Job, fold_rows};
use super::report::Chosen;
use super::rows::Rows;

/// The least alpha of the rival: below, leaving rows out is a matter of rounding.
const LEAST_ALPHA: f64 = 1e-6;

impl Job {
    /// The learner as it was chosen by folds, or its rival where that has the lower log-loss on them.
    pub(super) fn or_rival(
        &self,
        learner: Learner,
        chosen: Chosen,
        rows: &Rows,
        run: &Run,
    ) -> Result<(Learner, Chosen, Option<Note>)> {
        let Some(loss) = self.loss_to_beat(&learner, &chosen, rows).filter(|_| run.stop_reason().is_none()) else {
            return Ok((learner, chosen, None));
        };
        let rival = LeastSquaresSvm { probability: true, ..LeastSquaresSvm::default() };
        let usual = Complexity::alpha(None);
        let complexity = Complexity { range: (LEAST_ALPHA, usual.range.1), ..usual };
        let rival_learner = Learner::from(rival).with_kernel(learner.kernel().clone());
        let search = Search { learner: &rival_learner, complexity, start: chosen.value, seed: self.seed };
        let found = match by_folds(&search, rows, fold_rows(&learner, rows)?, run) {
            Err(stop @ Error::Cancelled { .. }) => return Err(stop),
            // Where it cannot be fitted there is no choice.
            Err(_) => return Ok((learner, chosen, None)),
            Ok(found) => found,
        };
        let Some(other) = found.least() else { return Ok((learner, chosen, None)) };
        let names = [&learner, &rival_learner].map(|l| l.spec().name.to_owned());
        let [own, rivals] = names;
        if other < loss {
            let note = Note::LearnersCompared { taken: rivals, loss: other, left: own, other: loss };
            return Ok((rival_learner.with_complexity(found.value, rows.total()), found, Some(note)));
        }
        let note = Note::LearnersCompared { taken: own, loss, left: rivals, other };
        Ok((learner, chosen, Some(note)))
    }

    /// The log-loss of logistic regression in the folds that chose its alpha; nothing where there is no choice of the learner.
    fn loss_to_beat(&self, learner: &Learner, chosen: &Chosen, rows: &Rows) -> Option<f64> {
        let logistic = learner.get::<KernelLogisticRegression>()?;
        let open = self.learner.is_open() && rows.target.kind() == TargetKind::Classes && rows.repair.is_none();
        let by_folds = matches!(chosen.choice, Choice::Folds { .. });
        chosen.least().filter(|_| open && by_folds && logistic.landmarks.is_none())
    }
}
