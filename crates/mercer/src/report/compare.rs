//! Two samples compared.

use serde::Serialize;

use crate::error::Result;
use crate::model::compare::{Compared, TestResult, WitnessRow};
use crate::run::Run;

use super::HasSchema;

/// The answer of a test of two samples, and the rows that make the difference.
#[derive(Clone, Debug, Serialize)]
pub struct CompareReport {
    /// The names of the two samples.
    pub data: [String; 2],
    /// The test.
    #[serde(flatten)]
    pub result: TestResult,
    /// Where the samples differ.
    pub witness: WitnessReport,
    /// The file of the picture.
    pub plot: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

/// The witness function f(t) = mean k(t, x) − mean k(t, y) at the rows of both samples.
#[derive(Clone, Debug, Serialize)]
pub struct WitnessReport {
    /// The kernel that shows the difference best.
    pub kernel: String,
    /// The rows with the largest values: the first sample is denser there.
    pub largest: Vec<WitnessRow>,
    /// The rows with the smallest values: the second sample is denser there.
    pub smallest: Vec<WitnessRow>,
    /// The values at all rows, those of the first sample first; for pictures.
    #[serde(skip)]
    pub values: Vec<f64>,
}

impl HasSchema for CompareReport {
    const SCHEMA: &'static str = "mercer.compare/1";
}

impl CompareReport {
    /// What a test says, with at most `count` rows at either end of the witness function. Rows are counted as `kept` says: those
    /// of the first sample, then those of the second.
    pub fn new(data: [String; 2], compared: Compared, count: usize, kept: [&[usize]; 2], run: &Run) -> Result<Self> {
        let Compared { result, witness } = compared;
        let values = witness.values(run)?;
        let numbered = |row: WitnessRow| WitnessRow { row: kept[row.sample][row.row], ..row };
        let [largest, smallest] = witness.extremes(&values, count).map(|rows| rows.into_iter().map(numbered).collect());
        let witness = WitnessReport { kernel: witness.kernel().to_string(), largest, smallest, values };
        Ok(CompareReport { data, result, witness, plot: None, seconds: 0.0 })
    }
}
