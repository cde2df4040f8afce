//! `mercer predict`: a model's answers for new rows.

use std::path::{Path, PathBuf};

use mercer::data::{Column, Inputs, Table, TableFormat, write_table, write_table_csv};
use mercer::kernel::Registry;
use mercer::model::pipeline::{Pipeline, Prediction};
use serde::Serialize;
use serde_json::Value;

use crate::args::PredictArgs;
use crate::context::Context;
use crate::exit::{Failure, Outcome};
use crate::load::{STREAM, load_for};
use crate::output::{self, Kind, Output};

/// Predictions, as JSON.
#[derive(Serialize)]
struct Report {
    schema: &'static str,
    model: String,
    data: String,
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
    output: Option<String>,
    notes: Vec<String>,
}

/// Predicts every row of the data and writes a table.
pub fn run(args: &PredictArgs, context: &Context) -> Outcome {
    check_output(args)?;
    let pipeline = Pipeline::load(&args.model, &Registry::new(), &context.run)?;
    let data = load_for(&pipeline, &args.data, &args.read, context)?;
    let inputs = pipeline.inputs_of(&data)?;
    let (table, notes) =
        context.interrupt.watch(|| table(args, &pipeline, &inputs, context)).map_err(Failure::of_new_rows)?;
    for note in &notes {
        context.printer.note(note);
    }
    let file = args.output.as_ref().filter(|path| path.as_os_str() != STREAM);
    if let Some(path) = file {
        write_table(path, &table)?;
    }
    if context.printer.is_json() {
        return context.printer.out_json(&report(args, data.name, &table, file, notes));
    }
    match file {
        Some(_) => Ok(()),
        None => context.printer.out(&csv(&table)?),
    }
}

fn check_output(args: &PredictArgs) -> Outcome {
    let Some(path) = args.output.as_deref() else { return Ok(()) };
    if path.as_os_str() != STREAM {
        TableFormat::of(path)?;
    }
    let output = Output { option: "--output", path, kind: Kind::Table };
    output::check(&[output], &[Path::new(&args.data), &args.model], args.force)
}

fn report(args: &PredictArgs, data: String, table: &Table, file: Option<&PathBuf>, notes: Vec<String>) -> Report {
    // A number that is not finite is null in JSON.
    let cell = |column: &Column, i: usize| match column {
        Column::Number(v) => v[i].into(),
        Column::Category(c) => c.get(i).into(),
        _ => Value::Null,
    };
    Report {
        schema: "mercer.predict/1",
        model: args.model.display().to_string(),
        data,
        columns: table.names().to_vec(),
        rows: (0..table.nrows()).map(|i| table.iter().map(|(_, column)| cell(column, i)).collect()).collect(),
        output: file.map(|path| path.display().to_string()),
        notes,
    }
}

fn csv(table: &Table) -> Outcome<String> {
    let mut text = Vec::new();
    write_table_csv(&mut text, Path::new(STREAM), table)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A column each of answers and bounds, and what is to be said about them.
fn table(args: &PredictArgs, pipeline: &Pipeline, x: &Inputs, context: &Context) -> Outcome<(Table, Vec<String>)> {
    let Some(level) = args.interval else {
        let found = pipeline.predict(x, &context.run)?;
        return Ok((Table::new(answers(pipeline, &found))?, found.notes));
    };
    let found = pipeline.predict_interval(x, level, &context.run)?;
    let outputs = found.prediction.outputs;
    let mut columns = answers(pipeline, &found.prediction);
    for (k, name) in pipeline.task().names().into_iter().enumerate() {
        columns.push((format!("{name}_low"), numbers(&found.lower, k, outputs)));
        columns.push((format!("{name}_high"), numbers(&found.upper, k, outputs)));
    }
    Ok((Table::new(columns)?, found.prediction.notes))
}

/// Output `k` of row-major values.
fn numbers(values: &[f64], k: usize, outputs: usize) -> Column {
    values.iter().skip(k).step_by(outputs.max(1)).copied().collect()
}

/// Predicted numbers; or the class, and beside it decision values and, where there are any, probabilities.
fn answers(pipeline: &Pipeline, found: &Prediction) -> Vec<(String, Column)> {
    let names = pipeline.task().names();
    let label = found.labels.as_ref().map(|l| (pipeline.task().targets().join("_"), l.clone().into()));
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
