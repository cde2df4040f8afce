//! A model in the words of another program.

use serde::Serialize;

use crate::model::pipeline::{Exported, Pipeline};
use crate::note::Note;

use super::HasSchema;

/// What was written for another program.
#[derive(Clone, Debug, Serialize)]
pub struct ExportReport {
    /// The file of the model.
    pub model: String,
    /// The file that was written.
    pub output: String,
    /// `onnx` or `libsvm`.
    pub format: String,
    /// The learner's name.
    pub learner: &'static str,
    /// The kernel of the model, whose factor is in the coefficients now.
    pub kernel: String,
    /// The columns of a point, in the order of the file.
    pub columns: Vec<String>,
    /// The classes, in the order of their labels.
    pub classes: Option<Vec<String>>,
    /// What the file calls them, of whole numbers and of programs that have no words.
    pub labels: Option<Vec<i64>>,
    /// Number of support vectors.
    pub vectors: usize,
    /// Whether the file gives probabilities.
    pub probabilities: bool,
    /// What the user should know.
    pub notes: Vec<Note>,
}

impl HasSchema for ExportReport {
    const SCHEMA: &'static str = "mercer.export/1";
}

impl ExportReport {
    /// Of a pipeline as a machine; files, format, labels and notes are the caller's.
    pub fn new(pipeline: &Pipeline, exported: &Exported) -> Self {
        let machine = &exported.machine;
        ExportReport {
            model: String::new(),
            output: String::new(),
            format: String::new(),
            learner: pipeline.model().learner().spec().name,
            kernel: pipeline.model().kernel().to_string(),
            columns: exported.columns.clone(),
            classes: pipeline.task().classes().map(<[String]>::to_vec),
            labels: (!machine.labels.is_empty()).then(|| machine.labels.clone()),
            vectors: machine.vectors.len(),
            probabilities: machine.kind.is_classifier() && machine.prob_a.is_some(),
            notes: Vec::new(),
        }
    }
}
