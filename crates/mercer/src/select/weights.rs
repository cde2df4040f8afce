//! Rows that count more than once, or not at all.

use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::loss::Pinball;

use super::job::Job;
use super::learner::Learner;

impl Job {
    /// The same job on the rows of positive weight, where some have none; nothing where all count. Fails for
    /// weights that are no weights.
    pub(super) fn counting(&self, data: &Dataset) -> Result<Option<(Job, Dataset)>> {
        let Some(weights) = &self.weights else { return Ok(None) };
        if weights.len() != data.len() {
            return Err(Error::shape("the weights", format!("{} values, one a row", data.len()), weights.len()));
        }
        let bad = |value: String, must: &str| Err(Error::invalid("the fit", "weights", value, must));
        if let Some(i) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
            return bad(format!("{} at row {i} (rows count from 0)", weights[i]), "finite numbers ≥ 0");
        }
        let kept: Vec<usize> = (0..weights.len()).filter(|i| weights[*i] > 0.0).collect();
        match kept.len() {
            0 => bad("only zeros".into(), "positive somewhere"),
            n if n == weights.len() => Ok(None),
            _ => {
                let groups = self.groups.as_ref().map(|g| kept.iter().map(|i| g[*i]).collect());
                let weights = Some(kept.iter().map(|i| weights[*i]).collect());
                Ok(Some((Job { weights, groups, ..self.clone() }, data.take(&kept))))
            }
        }
    }

    /// Fails where a choice does not fit the learner.
    pub(super) fn check(&self, learner: Learner) -> Result<()> {
        let owner = format!("the model `{}`", learner.name());
        if self.weights.is_some() && learner == Learner::Sgd {
            let must = "left out: a step looks at a row once; every other model takes weights";
            return Err(Error::invalid(owner, "weights", "some", must));
        }
        if self.quantiles.is_empty() && self.calibrate {
            let must = "left out without quantiles: only they are calibrated";
            return Err(Error::invalid(owner, "calibrate", true, must));
        }
        if self.quantiles.is_empty() {
            return Ok(());
        }
        if learner != Learner::Regressor || self.loss.is_some_and(|loss| !loss.is(&Pinball::SPEC)) {
            let must = "left out: quantiles are those of numbers, by the model `regressor` with the loss `pinball`";
            return Err(Error::invalid(owner, "quantiles", format!("{:?}", self.quantiles), must));
        }
        Pinball::several("the fit", &self.quantiles).map(drop)
    }
}
