//! Change points of a sequence.

use serde::Serialize;

use crate::model::segment::{AutomaticChoice, ChangeTest, Segments};
use crate::note::Note;

use super::HasSchema;

/// Where a sequence changes, and how sure that is.
#[derive(Clone, Debug, Serialize)]
pub struct SegmentReport {
    /// The name of the data set.
    pub data: String,
    /// The formula, without rules.
    pub kernel: String,
    /// What segments are: `levels` or `lines`.
    pub segments: Segments,
    /// `exact`, or `landmarks` for binary segmentation on them.
    pub method: &'static str,
    /// Number of rows.
    pub rows: usize,
    /// The least number of rows in a segment.
    pub min_size: usize,
    /// First rows of the segments but the first; they count from 0, without those that were left out.
    pub changes: Vec<usize>,
    /// Ends of the segments: the changes and the number of rows.
    pub breakpoints: Vec<usize>,
    /// The same rows as they count in the data.
    pub data_rows: Vec<usize>,
    /// The times of the changes, where there is a column of times.
    pub times: Option<Vec<String>>,
    /// The sum of the costs of the segments.
    pub cost: f64,
    /// Costs of the cheapest segmentations with 0, 1, … changes, where a number of changes was asked for.
    pub costs: Option<Vec<f64>>,
    /// The price of a change, where there was one.
    pub penalty: Option<f64>,
    /// How the number of changes was found, where it was found in the data.
    pub automatic: Option<AutomaticChoice>,
    /// A test of each change; valid if the rows of its parent segment are exchangeable, conditional on earlier changes.
    pub tests: Vec<ChangeTest>,
    /// Permutations of each test; none where there are no tests.
    pub permutations: usize,
    /// The share of Σ k(x, x) that landmarks leave.
    pub approximation_error: Option<f64>,
    /// The file of the picture.
    pub plot: Option<String>,
    /// How long it took.
    pub seconds: f64,
    /// What the user should know.
    pub notes: Vec<Note>,
}

impl HasSchema for SegmentReport {
    const SCHEMA: &'static str = "mercer.segment/1";
}
