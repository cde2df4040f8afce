//! `mercer explain`: the training points and the columns that made a prediction.

use mercer::data::Inputs;
use mercer::error::counted;
use mercer::kernel::Registry;
use mercer::model::pipeline::{ColumnEffect, Effect, ExplainParams, ExplainedRow, Explanation, Parts, Pipeline};
use mercer::report::ExplainReport;
use serde_json::Value;

use crate::args::ExplainArgs;
use crate::context::Context;
use crate::exit::{Failure, Outcome};
use crate::layout::{Grid, number, short};
use crate::load::load_for;
use crate::printer::Style;

/// Rows that are explained where nobody says which.
const USUAL_ROWS: usize = 3;
/// Columns of a training point that are shown, and characters of each.
const SHOWN_COLUMNS: usize = 6;
const SHOWN_WIDTH: usize = 24;

/// Takes predictions apart.
pub fn run(args: &ExplainArgs, context: &Context) -> Outcome {
    let pipeline = Pipeline::load(&args.model, &Registry::new(), &context.run)?;
    let data = load_for(&pipeline, &args.data, &args.read, context)?;
    let inputs = pipeline.inputs_of(&data)?;
    let rows = rows(args, &inputs, context)?;
    let params = ExplainParams { top: args.top, ..ExplainParams::default() };
    let found = context.interrupt.watch(|| pipeline.explain(&inputs.take(&rows), &params, &context.run));
    let found = found.map_err(|e| Failure::from(e).of_new_rows())?;
    found.notes.iter().cloned().for_each(|note| context.printer.note(note));
    let report = ExplainReport { model: args.model.display().to_string(), data: data.name, data_rows: rows, found };
    match context.printer.is_json() {
        true => context.printer.out_json(&report),
        false => context.printer.out(&text(&report, &pipeline, context)),
    }
}

/// The rows that were asked for, or the first few.
fn rows(args: &ExplainArgs, inputs: &Inputs, context: &Context) -> Outcome<Vec<usize>> {
    let n = inputs.len();
    let Some(lists) = &args.rows else {
        if n > USUAL_ROWS {
            let note = format!("the first {USUAL_ROWS} of {n} rows; choose others with `--rows`");
            context.printer.note(note);
        }
        return Ok((0..n.min(USUAL_ROWS)).collect());
    };
    match lists.iter().find(|r| *r.end() >= n) {
        None => Ok(lists.iter().cloned().flatten().collect()),
        Some(range) => Err(Failure::usage(
            format!("there is no row {}: the data have {}", range.end(), counted(n, "row", "rows")),
            "rows count from 0",
        )),
    }
}

fn text(report: &ExplainReport, pipeline: &Pipeline, context: &Context) -> String {
    let blocks: Vec<String> = report
        .found
        .rows
        .iter()
        .zip(&report.data_rows)
        .map(|(row, number)| row_text(row, *number, &report.found, pipeline, context))
        .collect();
    let legend = "Shares of points, others and intercept add up to the prediction. Points count from 0 among\n\
                  those the model keeps. Slopes are central differences, in units of the target for each unit\n\
                  of the column; categories are replaced by the most frequent one, text by the empty one.";
    context.printer.say(legend);
    format!("{}\n", blocks.join("\n\n"))
}

fn row_text(row: &ExplainedRow, place: usize, found: &Explanation, pipeline: &Pipeline, context: &Context) -> String {
    let o = shown_output(row, &found.outputs);
    let target = pipeline.task().targets().join(", ");
    let head = match &row.label {
        Some(label) => {
            format!("{target} = {label}, decision value of {} = {}", found.outputs[o], number(row.values[o], 6))
        }
        None => format!("{} = {}", found.outputs[o], number(row.values[o], 6)),
    };
    let mut lines = vec![format!("{}: {head}", context.printer.paint(Style::Bold, &format!("row {place}")))];
    lines.extend(part_lines(&row.parts[o], found, pipeline));
    lines.extend(column_lines(&row.columns, o));
    lines.join("\n")
}

/// Of several outputs, that of the predicted class, or the first. All of them are in the JSON.
fn shown_output(row: &ExplainedRow, outputs: &[String]) -> usize {
    outputs.iter().position(|name| Some(name) == row.label.as_ref()).unwrap_or(0)
}

fn part_lines(parts: &Parts, found: &Explanation, pipeline: &Pipeline) -> Vec<String> {
    let mut grid = Grid::new(&["made of", "share", "kernel", ""], &[1, 2]);
    for part in &parts.points {
        let known = found.points.iter().find(|p| p.point == part.point);
        let columns = known.map_or_else(String::new, |p| point_text(&p.columns));
        grid.row([format!("point {}", part.point), number(part.share, 4), number(part.kernel, 4), columns]);
    }
    let others = pipeline.model().points().len() - parts.points.len();
    grid.row([counted(others, "other", "others"), number(parts.others, 4), String::new(), String::new()]);
    grid.row(["intercept".into(), number(parts.intercept, 4), String::new(), String::new()]);
    grid.lines("  ")
}

fn point_text(columns: &[(String, Value)]) -> String {
    let cell = |value: &Value| match value {
        Value::String(text) => short(text, SHOWN_WIDTH),
        Value::Number(v) => number(v.as_f64().unwrap_or(f64::NAN), 6),
        _ => "–".into(),
    };
    let shown: Vec<String> =
        columns.iter().take(SHOWN_COLUMNS).map(|(name, value)| format!("{name} {}", cell(value))).collect();
    let more = if columns.len() > SHOWN_COLUMNS { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn column_lines(effects: &[ColumnEffect], o: usize) -> Vec<String> {
    if effects.is_empty() {
        return Vec::new();
    }
    // Slopes are compared by what a standard deviation does.
    let size = |e: &ColumnEffect| match &e.effect {
        Effect::Slope { deviation } => (e.values[o] * deviation).abs(),
        _ => e.values[o].abs(),
    };
    let mut order: Vec<&ColumnEffect> = effects.iter().collect();
    order.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let mut grid = Grid::new(&["column", "effect", ""], &[1]);
    for effect in order {
        let what = match &effect.effect {
            Effect::Slope { deviation } => {
                format!("a unit; {} a standard deviation", number(effect.values[o] * deviation, 4))
            }
            Effect::Replaced { by } if by.is_empty() => "without the text".into(),
            Effect::Replaced { by } => format!("if it were {}", short(by, SHOWN_WIDTH)),
            _ => String::new(),
        };
        grid.row([effect.column.clone(), number(effect.values[o], 4), what]);
    }
    grid.lines("  ")
}
