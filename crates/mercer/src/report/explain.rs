//! What made a prediction.

use serde::Serialize;

use crate::model::pipeline::{Explanation, PartialDependence};

use super::HasSchema;

/// Predictions taken apart.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainReport {
    /// The file of the model.
    pub model: String,
    /// The name of the data set.
    pub data: String,
    /// The rows of the data that are explained, from 0.
    pub data_rows: Vec<usize>,
    /// The parts of each prediction.
    #[serde(flatten)]
    pub found: Explanation,
    /// How predictions go with the columns that are worth most, where that was asked for.
    pub dependence: Vec<PartialDependence>,
    /// The file of the picture of that.
    pub plot: Option<String>,
}

impl HasSchema for ExplainReport {
    const SCHEMA: &'static str = "mercer.explain/1";
}
