//! Rows that count more than once, or not at all.

use crate::data::Dataset;
use crate::error::Result;

use super::job::Job;

impl Job {
    /// The same job on the rows of positive weight, where some have none; nothing where all count. Fails unless there is
    /// one weight a row.
    pub(super) fn counting(&self, data: &Dataset) -> Result<Option<(Job, Dataset)>> {
        let Some(weights) = &self.weights else { return Ok(None) };
        weights.check_len(data.len())?;
        let kept = weights.counting();
        if kept.len() == weights.len() {
            return Ok(None);
        }
        let groups = self.groups.as_ref().map(|g| kept.iter().map(|i| g[*i]).collect());
        let weights = Some(weights.take(&kept)?);
        Ok(Some((Job { weights, groups, ..self.clone() }, data.take(&kept))))
    }
}
