//! A finished job as it is saved.

use serde_json::Value;

use crate::error::Result;
use crate::model::pipeline::{Pipeline, PipelineParts};

use super::asked::Asked;
use super::estimate::Estimate;
use super::job::Finished;

/// The name of the estimate among what a model file keeps of its making.
const ESTIMATE: &str = "estimate";

impl Finished {
    /// The pipeline with what later readers of its file should know: the name of the `data`, the column of `weights`, what was `asked` for, the estimate
    /// of the error, and whether
    /// nothing stopped the work early.
    pub fn described(&self, data: &str, weights: Option<&str>, asked: &Asked) -> Result<Pipeline> {
        let mut parts: PipelineParts = self.pipeline.clone().into_parts();
        let estimate = serde_json::to_value(&self.estimate).unwrap_or(Value::Null);
        parts.settings.insert("data".into(), data.into());
        parts.settings.extend(weights.map(|name| ("weights".to_owned(), name.into())));
        parts.settings.insert("learner_asked_for".into(), asked.name().into());
        parts.settings.insert(ESTIMATE.into(), estimate);
        parts.settings.insert("complete".into(), self.stopped.is_none().into());
        Pipeline::from_parts(parts)
    }
}

impl Estimate {
    /// The estimate that a pipeline keeps, if it keeps one. What is there to be drawn only is not in it.
    pub fn of(pipeline: &Pipeline) -> Option<Self> {
        serde_json::from_value(pipeline.settings().get(ESTIMATE)?.clone()).ok()
    }
}
