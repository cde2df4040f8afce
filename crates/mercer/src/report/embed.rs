//! Coordinates of rows.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::certificate::Certificate;
use crate::data::Table;
use crate::model::pipeline::Pipeline;
use crate::note::Note;

use super::{HasSchema, PredictReport};

/// Coordinates, row by row, and the model that gives them.
#[derive(Clone, Debug, Serialize)]
pub struct EmbedReport {
    /// The name of the data set.
    pub data: String,
    /// The learner's name.
    pub learner: &'static str,
    /// The formula, without rules.
    pub kernel: String,
    /// The settings of the learner.
    pub settings: Map<String, Value>,
    /// The names of the coordinates.
    pub columns: Vec<String>,
    /// The coordinates of each row.
    pub rows: Vec<Vec<Value>>,
    /// The variance along each component; empty for a model that has none.
    pub variances: Vec<f64>,
    /// Its share of the variance in feature space.
    pub explained: Vec<f64>,
    /// How far the answer is from the solution.
    pub certificate: Certificate,
    /// The file of the model.
    pub model: Option<String>,
    /// The file that the table was written to.
    pub output: Option<String>,
    /// The file of the picture.
    pub plot: Option<String>,
    /// How long it took.
    pub seconds: f64,
    /// What the user should know.
    pub notes: Vec<Note>,
}

impl HasSchema for EmbedReport {
    const SCHEMA: &'static str = "mercer.embed/1";
}

impl EmbedReport {
    /// What a fitted pipeline says of a table of coordinates; names of files and time are left to the face.
    pub fn new(pipeline: &Pipeline, table: &Table, notes: Vec<Note>) -> Self {
        let PredictReport { columns, rows, notes, .. } = PredictReport::new(String::new(), String::new(), table, notes);
        let model = pipeline.model();
        let components = model.components();
        EmbedReport {
            data: String::new(),
            learner: model.learner().spec().name,
            kernel: model.kernel().to_string(),
            settings: model.learner().settings(),
            columns,
            rows,
            variances: components.map_or_else(Vec::new, |c| c.variances.clone()),
            explained: components.map_or_else(Vec::new, |c| c.explained()),
            certificate: model.certificate().clone(),
            model: None,
            output: None,
            plot: None,
            seconds: 0.0,
            notes,
        }
    }
}
