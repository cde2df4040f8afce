//! Dependence of columns.

use serde::Serialize;

use crate::model::compare::TestResult;

use super::HasSchema;

/// The columns that were compared, and what the test found.
#[derive(Clone, Debug, Serialize)]
pub struct DependReport {
    /// The name of the data set.
    pub data: String,
    /// The columns of the first variable.
    pub x: Vec<String>,
    /// The columns of the second.
    pub y: Vec<String>,
    /// The columns that are conditioned on.
    pub given: Vec<String>,
    /// Rows of the data that were left out.
    pub left_out: usize,
    /// The answer, whose fields stand beside these.
    #[serde(flatten)]
    pub result: TestResult,
    /// The answer as a sentence.
    pub sentence: String,
    /// The file of the picture.
    pub plot: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

impl HasSchema for DependReport {
    const SCHEMA: &'static str = "mercer.depend/1";
}
