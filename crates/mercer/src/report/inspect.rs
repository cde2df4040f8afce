//! What a model file says of itself.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::certificate::Certificate;
use crate::model::pipeline::Pipeline;
use crate::note::Note;
use crate::select::Estimate;

use super::HasSchema;

/// A model that was read.
#[derive(Clone, Debug, Serialize)]
pub struct InspectReport {
    /// The file of the model.
    pub model: String,
    /// The columns that are predicted.
    pub targets: Vec<String>,
    /// The classes, of a classification.
    pub classes: Option<Vec<String>>,
    /// The columns that are needed, where they have names.
    pub columns: Vec<String>,
    /// What data must look like, in words.
    pub needs: String,
    /// The formula, tuned.
    pub kernel: String,
    /// The learner's name.
    pub learner: &'static str,
    /// The settings of the learner, as they were chosen.
    pub settings: Map<String, Value>,
    /// The number that keeps functions simple, by its name: alpha, passes, ….
    pub parameter: Option<&'static str>,
    /// Its value.
    pub value: Option<f64>,
    /// alpha, where the learner has one.
    pub alpha: Option<f64>,
    /// What calibration adds to the values of each output.
    pub shifts: Option<Vec<f64>>,
    /// Number of points that the model keeps.
    pub points: usize,
    /// Number of outputs.
    pub outputs: usize,
    /// The error on rows that chose nothing, as the fit found it.
    pub estimate: Option<Estimate>,
    /// Whether nothing stopped the work early.
    pub complete: bool,
    /// How far the answer is from the solution.
    pub certificate: Certificate,
    /// What the caller kept: the data, the estimate of the error, ….
    pub about: Map<String, Value>,
    /// What the user should know.
    pub notes: Vec<Note>,
}

impl HasSchema for InspectReport {
    const SCHEMA: &'static str = "mercer.inspect/1";
}

impl InspectReport {
    /// Of the pipeline in this file.
    pub fn new(file: String, pipeline: &Pipeline) -> Self {
        let (model, task) = (pipeline.model(), pipeline.task());
        let complexity = model.learner().complexity();
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        InspectReport {
            model: file,
            targets: owned(task.targets()),
            classes: task.classes().map(<[String]>::to_vec),
            columns: owned(pipeline.schema().names()),
            needs: pipeline.schema().describe(),
            kernel: model.kernel().to_string(),
            learner: model.learner().spec().name,
            settings: model.learner().settings(),
            parameter: complexity.map(|c| c.name),
            value: complexity.and_then(|c| c.value),
            alpha: model.alpha(),
            shifts: model.shifts().map(<[f64]>::to_vec),
            points: model.points().len(),
            outputs: model.outputs(),
            estimate: Estimate::of(pipeline),
            complete: pipeline.is_complete(),
            certificate: model.certificate().clone(),
            about: pipeline.settings().clone(),
            notes: pipeline.notes().to_vec(),
        }
    }
}
