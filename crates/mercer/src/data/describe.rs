//! A summary of every column, for people and for JSON.

use std::collections::HashSet;

use serde::Serialize;

use super::moments::Moments;
use super::{Categories, Column, ColumnType, Dataset, Inputs, Structured};

/// Levels that are listed at most.
const TOP: usize = 5;

/// Columns that are described at most; sparse data may have millions.
const MOST_COLUMNS: usize = 10_000;

/// What a data set holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Its name.
    pub name: String,
    /// What the points are: "a table", "dense rows", ….
    pub kind: &'static str,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns, the target included.
    pub columns: usize,
    /// Stored entries, for sparse rows.
    pub entries: Option<usize>,
    /// The target's name, where there is one.
    pub target: Option<String>,
    /// Each column, the target last. Sparse rows and matrices are not described column by column.
    pub summaries: Vec<ColumnSummary>,
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub column_type: ColumnType,
    /// How many values are missing.
    pub missing: usize,
    /// How many different values there are.
    pub distinct: usize,
    /// More, by type.
    #[serde(flatten)]
    pub detail: Detail,
}

/// What is told of a column of each type. Missing values are left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Detail {
    /// Of numbers; all NaN if there are none that are finite.
    Number {
        /// The smallest.
        min: f64,
        /// The mean of those that are finite.
        mean: f64,
        /// The standard deviation of those that are finite, divided by their number.
        std: f64,
        /// The largest.
        max: f64,
        /// How many are infinite.
        infinite: usize,
    },
    /// Of categories.
    Category {
        /// The most frequent levels with their counts, at most five.
        top: Vec<(String, usize)>,
    },
    /// Of structured values, in the units of their type: characters of text.
    Structured {
        /// The length of the shortest.
        shortest: usize,
        /// The mean length.
        mean_length: f64,
        /// The length of the longest.
        longest: usize,
    },
}

/// Describes every column.
///
/// ```
/// let summary = mercer::data::describe(&mercer::data::load("penguins")?);
/// assert_eq!((summary.rows, summary.columns, summary.summaries[5].missing), (344, 8, 11));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn describe(data: &Dataset) -> Summary {
    let target = data.target.as_ref();
    let mut summaries = inputs(&data.inputs);
    summaries.extend(target.map(|(name, column)| describe_column(name, column)));
    let (width, entries) = match &data.inputs {
        Inputs::Dense(x) => (x.ncols(), None),
        Inputs::Sparse(x) => (x.ncols(), Some(x.nnz())),
        Inputs::Table(x) => (x.ncols(), None),
        Inputs::Precomputed(x) => (x.ncols(), None),
    };
    Summary {
        name: data.name.clone(),
        kind: data.inputs.describe(),
        rows: data.len(),
        columns: width + usize::from(target.is_some()),
        entries,
        target: target.map(|(name, _)| name.clone()),
        summaries,
    }
}

fn inputs(inputs: &Inputs) -> Vec<ColumnSummary> {
    match inputs {
        Inputs::Table(table) => table.iter().map(|(name, column)| describe_column(name, column)).collect(),
        Inputs::Dense(x) => {
            (0..x.ncols().min(MOST_COLUMNS)).map(|j| describe_column(&x.name(j), &x.column(j))).collect()
        }
        Inputs::Sparse(_) | Inputs::Precomputed(_) => Vec::new(),
    }
}

/// Describes one column.
pub fn describe_column(name: &str, column: &Column) -> ColumnSummary {
    let (distinct, detail) = match column {
        Column::Number(v) => numbers(v),
        Column::Category(c) => categories(c),
        Column::Structured(v) => structured(v.as_ref()),
    };
    let missing = column.missing().map_or(0, |(_, count)| count);
    ColumnSummary { name: name.to_owned(), column_type: column.column_type(), missing, distinct, detail }
}

fn numbers(values: &[f64]) -> (usize, Detail) {
    let present = || values.iter().copied().filter(|v| !v.is_nan());
    // -0 and 0 are one value.
    let distinct = present().map(|v| (v + 0.0).to_bits()).collect::<HashSet<_>>().len();
    let finite: Vec<usize> = (0..values.len()).filter(|&i| values[i].is_finite()).collect();
    let (mean, std) = match finite.is_empty() {
        true => (f64::NAN, f64::NAN),
        false => {
            let mean = Moments::plain().mean(&finite, |i| values[i]);
            (mean, Moments::plain().deviation(&finite, mean, |i| values[i]))
        }
    };
    // `min` and `max` pass over NaN.
    let (min, max) = (present().fold(f64::NAN, f64::min), present().fold(f64::NAN, f64::max));
    (distinct, Detail::Number { min, mean, std, max, infinite: values.iter().filter(|v| v.is_infinite()).count() })
}

fn categories(column: &Categories) -> (usize, Detail) {
    let mut counts = vec![0; column.levels().len()];
    for &code in column.codes().iter().filter(|c| **c != Categories::MISSING) {
        counts[code as usize] += 1;
    }
    let mut top: Vec<(String, usize)> = column.levels().iter().cloned().zip(counts).filter(|l| l.1 > 0).collect();
    let distinct = top.len();
    // A stable sort keeps level order among equals.
    top.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    top.truncate(TOP);
    (distinct, Detail::Category { top })
}

fn structured(column: &dyn Structured) -> (usize, Detail) {
    let distinct = column.cells().flatten().collect::<HashSet<_>>().len();
    let present = (0..column.len()).filter(|i| !column.is_missing(*i));
    let sizes: Vec<usize> = present.map(|i| column.size(i)).collect();
    let mean_length = sizes.iter().sum::<usize>() as f64 / sizes.len().max(1) as f64;
    let shortest = sizes.iter().copied().min().unwrap_or(0);
    (distinct, Detail::Structured { shortest, mean_length, longest: sizes.into_iter().max().unwrap_or(0) })
}
