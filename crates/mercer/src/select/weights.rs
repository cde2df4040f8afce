//! Rows that count more than once, or not at all.

use crate::data::Dataset;
use crate::error::{Error, Result};

use super::job::Job;

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
}
