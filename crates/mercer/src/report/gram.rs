//! What a kernel matrix looks like.

use serde::Serialize;

use crate::gram::{MatrixSummary, Resolution};
use crate::note::Note;

use super::{HasSchema, SpectrumReport};

/// A kernel matrix, described.
#[derive(Clone, Debug, Serialize)]
pub struct GramReport {
    /// The name of the data set of the rows.
    pub data: String,
    /// The name of the data set of the columns, for a cross matrix.
    pub against: Option<String>,
    /// The formula, as asked for or chosen.
    pub kernel: String,
    /// The formula with every rule resolved.
    pub resolved: String,
    /// What the rules found.
    pub resolutions: Vec<Resolution>,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Time to compute the matrix.
    pub seconds: f64,
    /// Threads that computed it.
    pub threads: usize,
    /// What the matrix looks like.
    #[serde(flatten)]
    pub summary: Option<MatrixSummary>,
    /// Eigenvalues, where they were asked for.
    pub spectrum: Option<SpectrumReport>,
    /// The file that the matrix was written to.
    pub output: Option<String>,
    /// The file of the picture.
    pub plot: Option<String>,
    /// What the user should know.
    pub notes: Vec<Note>,
    /// What may be wrong.
    pub warnings: Vec<String>,
}

impl HasSchema for GramReport {
    const SCHEMA: &'static str = "mercer.gram/1";
}
