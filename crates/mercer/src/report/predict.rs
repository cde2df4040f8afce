//! What a model answers for new rows.

use serde::Serialize;
use serde_json::Value;

use crate::data::{Categories, Column, Inputs, Table};
use crate::error::Result;
use crate::model::Answer;
use crate::model::pipeline::{Pipeline, Prediction};
use crate::note::Note;
use crate::run::Run;

use super::HasSchema;

/// Predictions, row by row.
#[derive(Clone, Debug, Serialize)]
pub struct PredictReport {
    /// The file of the model.
    pub model: String,
    /// The name of the data set.
    pub data: String,
    /// The names of the answers.
    pub columns: Vec<String>,
    /// The answers of each row.
    pub rows: Vec<Vec<Value>>,
    /// The file that the table was written to.
    pub output: Option<String>,
    /// The file that the picture was drawn to.
    pub plot: Option<String>,
    /// What the user should know.
    pub notes: Vec<Note>,
}

impl HasSchema for PredictReport {
    const SCHEMA: &'static str = "mercer.predict/1";
}

impl PredictReport {
    /// What stands in a table of [`answers`].
    pub fn new(model: String, data: String, table: &Table, notes: Vec<Note>) -> Self {
        let cell = |column: &Column, i: usize| match column {
            Column::Number(v) => v[i].into(),
            Column::Category(c) => c.get(i).into(),
            Column::Structured(v) if !v.is_missing(i) => v.cell(i).into(),
            _ => Value::Null,
        };
        let row = |i: usize| table.iter().map(|(_, column)| cell(column, i)).collect();
        let rows = (0..table.nrows()).map(row).collect();
        PredictReport { model, data, columns: table.names().to_vec(), rows, output: None, plot: None, notes }
    }
}

/// The answers of a model to new rows as a table, and what is to be said about them: a column each of numbers, or the class
/// and beside it decision values and, where there are any, probabilities. With a level, also the bounds that hold a new
/// observation with that probability. A row with a missing value that the model does not fill has empty answers, and a note.
pub fn answers(pipeline: &Pipeline, x: &Inputs, interval: Option<f64>, run: &Run) -> Result<(Table, Vec<Note>)> {
    let (rows, Some(note)) = pipeline.answerable(x)? else { return answers_of_all(pipeline, x, interval, run) };
    let (table, mut notes) = match rows.is_empty() {
        true => (no_answers(pipeline, interval)?, Vec::new()),
        false => answers_of_all(pipeline, &x.take(&rows), interval, run)?,
    };
    notes.push(note);
    let spread = table.iter().map(|(name, column)| (name.to_owned(), spread(column, &rows, x.len()))).collect();
    Ok((Table::new(spread)?, notes))
}

/// The table of no rows.
fn no_answers(pipeline: &Pipeline, interval: Option<f64>) -> Result<Table> {
    let task = pipeline.task();
    let probabilities = pipeline.model().has_probabilities().then(Vec::new);
    let none = Prediction {
        values: Vec::new(),
        outputs: task.outputs(),
        labels: task.labels(&[]),
        probabilities,
        notes: Vec::new(),
    };
    let bounds = task.names().into_iter().filter(|_| interval.is_some());
    let bounds = bounds.flat_map(|name| ["low", "high"].map(|side| (format!("{name}_{side}"), Vec::new().into())));
    Table::new(columns(pipeline, &none).into_iter().chain(bounds).collect())
}

/// A column with values at these rows of `n`, and nothing elsewhere.
fn spread(column: &Column, rows: &[usize], n: usize) -> Column {
    match column {
        Column::Category(c) => {
            let mut codes = vec![Categories::MISSING; n];
            rows.iter().zip(c.codes()).for_each(|(i, code)| codes[*i] = *code);
            Categories::from_codes(codes, c.levels().to_vec()).into()
        }
        _ => {
            let mut values = vec![f64::NAN; n];
            rows.iter().zip(column.numbers().unwrap_or_default()).for_each(|(i, value)| values[*i] = *value);
            values.into()
        }
    }
}

fn answers_of_all(pipeline: &Pipeline, x: &Inputs, interval: Option<f64>, run: &Run) -> Result<(Table, Vec<Note>)> {
    let Some(level) = interval else {
        let found = pipeline.predict(x, run)?;
        return Ok((Table::new(columns(pipeline, &found))?, found.notes));
    };
    let found = pipeline.predict_interval(x, level, run)?;
    let outputs = found.prediction.outputs;
    let mut all = columns(pipeline, &found.prediction);
    for (k, name) in pipeline.task().names().into_iter().enumerate() {
        all.push((format!("{name}_low"), numbers(&found.lower, k, outputs)));
        all.push((format!("{name}_high"), numbers(&found.upper, k, outputs)));
    }
    Ok((Table::new(all)?, found.prediction.notes))
}

/// Output `k` of row-major values.
fn numbers(values: &[f64], k: usize, outputs: usize) -> Column {
    values.iter().skip(k).step_by(outputs.max(1)).copied().collect()
}

fn columns(pipeline: &Pipeline, found: &Prediction) -> Vec<(String, Column)> {
    let names = pipeline.task().names();
    let label = found.labels.as_ref().map(|l| (pipeline.task().targets().join("_"), l.clone().into()));
    let label = label.or_else(|| clusters(pipeline, found));
    let name = |name: &String| if label.is_some() { format!("decision_{name}") } else { name.clone() };
    let values: Vec<(String, Column)> =
        names.iter().enumerate().map(|(k, n)| (name(n), numbers(&found.values, k, found.outputs))).collect();
    let classes = pipeline.task().classes().unwrap_or_default();
    let share = |(k, class): (usize, &String)| {
        let values = found.probabilities.as_ref()?;
        Some((format!("p_{class}"), numbers(values, k, classes.len())))
    };
    let shares: Vec<(String, Column)> = classes.iter().enumerate().filter_map(share).collect();
    label.into_iter().chain(values).chain(shares).collect()
}

/// The cluster of each row, of a model whose values are those of clusters; its number is a name: 0, not 0.0.
fn clusters(pipeline: &Pipeline, found: &Prediction) -> Option<(String, Column)> {
    let model = pipeline.model();
    let name = |c: usize| Some(c.to_string());
    let names = || Categories::from_values(model.largest(&found.values).into_iter().map(name)).into();
    model.learner().spec().answers.contains(&Answer::Clusters).then(|| ("cluster".to_owned(), names()))
}
