//! Clusters of rows.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::certificate::Certificate;
use crate::model::pipeline::Pipeline;
use crate::note::Note;

use super::HasSchema;

/// The cluster of each row, and the model that gives it.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterReport {
    /// The name of the data set.
    pub data: String,
    /// The learner's name.
    pub learner: &'static str,
    /// The formula, without rules.
    pub kernel: String,
    /// The settings of the learner.
    pub settings: Map<String, Value>,
    /// Number of clusters that were found.
    pub clusters: usize,
    /// Rows of each cluster.
    pub sizes: Vec<usize>,
    /// Rows of the data that have a cluster; they count from 0.
    pub rows: Vec<usize>,
    /// Their clusters.
    pub labels: Vec<usize>,
    /// How far the answer is from the solution, and the inertia of k-means.
    pub certificate: Certificate,
    /// The file of the model.
    pub model: Option<String>,
    /// The file that the table was written to.
    pub output: Option<String>,
    /// How long it took.
    pub seconds: f64,
    /// What the user should know.
    pub notes: Vec<Note>,
}

impl HasSchema for ClusterReport {
    const SCHEMA: &'static str = "mercer.cluster/1";
}

impl ClusterReport {
    /// What a fitted pipeline says of rows with these clusters; names of files and time are left to the face.
    pub fn new(pipeline: &Pipeline, rows: Vec<usize>, labels: Vec<usize>, notes: Vec<Note>) -> Self {
        let model = pipeline.model();
        let clusters = model.outputs();
        let mut sizes = vec![0; clusters];
        labels.iter().for_each(|c| sizes[*c] += 1);
        ClusterReport {
            data: String::new(),
            learner: model.learner().spec().name,
            kernel: model.kernel().to_string(),
            settings: model.learner().settings(),
            clusters,
            sizes,
            rows,
            labels,
            certificate: model.certificate().clone(),
            model: None,
            output: None,
            seconds: 0.0,
            notes,
        }
    }
}
