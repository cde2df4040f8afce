//! `mercer predict`: a model's answers for new rows.

use std::io::Write;
use std::path::Path;

use mercer::data::write_atomically;
use mercer::kernel::Registry;
use mercer::model::pipeline::{Pipeline, Prediction};
use serde::Serialize;

use crate::args::PredictArgs;
use crate::context::Context;
use crate::exit::{Failure, Outcome};
use crate::load::{STREAM, load};

/// Predictions, as JSON.
#[derive(Serialize)]
struct Report {
    schema: &'static str,
    model: String,
    data: String,
    columns: Vec<String>,
    rows: Vec<Vec<serde_json::Value>>,
    notes: Vec<String>,
}

/// Predicts every row of the data and writes a table.
pub fn run(args: &PredictArgs, context: &Context) -> Outcome {
    let pipeline = Pipeline::load(&args.model, &Registry::new())?;
    let data = load(&args.data, &args.read, context)?;
    let inputs = pipeline.inputs_of(&data)?;
    let table = context.interrupt.watch(|| table(args, &pipeline, &inputs, context))?;
    for note in &table.notes {
        context.printer.note(note);
    }
    if context.printer.is_json() {
        let report = Report {
            schema: "mercer.predict/1",
            model: args.model.display().to_string(),
            data: data.name,
            columns: table.columns,
            rows: table.rows,
            notes: table.notes,
        };
        return context.printer.out_json(&report);
    }
    match &args.output {
        Some(path) if path.as_os_str() != STREAM => write(path, &table),
        _ => context.printer.out(&csv(&table)),
    }
}

/// What is printed: a column each of answers and bounds.
struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<serde_json::Value>>,
    notes: Vec<String>,
}

fn table(args: &PredictArgs, pipeline: &Pipeline, x: &mercer::data::Inputs, context: &Context) -> Outcome<Table> {
    let Some(level) = args.interval else {
        return Ok(answers(pipeline, pipeline.predict(x, &context.run)?));
    };
    let found = pipeline.predict_interval(x, level, &context.run)?;
    let outputs = found.prediction.outputs;
    let names: Vec<String> = pipeline.task().names().into_iter().map(str::to_owned).collect();
    let mut table = answers(pipeline, found.prediction);
    for (k, name) in names.iter().enumerate() {
        table.columns.extend([format!("{name}_low"), format!("{name}_high")]);
        for (i, row) in table.rows.iter_mut().enumerate() {
            row.extend([found.lower[i * outputs + k].into(), found.upper[i * outputs + k].into()]);
        }
    }
    Ok(table)
}

fn answers(pipeline: &Pipeline, found: Prediction) -> Table {
    let names = pipeline.task().names();
    let outputs = found.outputs.max(1);
    let mut columns: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
    let mut rows: Vec<Vec<serde_json::Value>> =
        found.values.chunks(outputs).map(|row| row.iter().map(|v| (*v).into()).collect()).collect();
    if let Some(labels) = &found.labels {
        columns = std::iter::once(pipeline.task().targets().join("_"))
            .chain(names.iter().map(|n| format!("decision_{n}")))
            .collect();
        for (i, row) in rows.iter_mut().enumerate() {
            row.insert(0, labels.get(i).unwrap_or_default().into());
        }
    }
    Table { columns, rows, notes: found.notes }
}

fn csv(table: &Table) -> String {
    let cell = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => quoted(text),
        serde_json::Value::Null => String::new(),
        other => other.to_string(),
    };
    let line = |cells: Vec<String>| format!("{}\n", cells.join(","));
    let head = line(table.columns.iter().map(|c| quoted(c)).collect());
    table.rows.iter().fold(head, |text, row| text + &line(row.iter().map(cell).collect()))
}

/// A cell, in quotes where it has to be.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

fn write(path: &Path, table: &Table) -> Outcome {
    if path.extension().is_some_and(|e| e != "csv") {
        return Err(Failure::usage(
            format!("predictions are written as CSV, not as `{}`", path.display()),
            "name a .csv file, or leave `-o` out for standard output",
        ));
    }
    let text = csv(table);
    Ok(write_atomically(path, |file| file.write_all(text.as_bytes()).map_err(|e| mercer::Error::io(path, e)))?)
}
