//! `mercer explain`: what the columns add to a prediction, and the training points that are like its row.

use std::path::Path;

use mercer::data::{Column, Inputs};
use mercer::error::counted;
use mercer::model::pipeline::{
    AddedEffect, ColumnEffect, Effect, ExplainParams, ExplainedRow, Explanation, PartialDependence, Pipeline,
};
use mercer::plot::{Figure, dependence_panels};
use mercer::report::ExplainReport;
use mercer::select::Estimate;
use serde_json::Value;

use crate::args::ExplainArgs;
use crate::context::Context;
use crate::exit::{Failure, Outcome};
use crate::layout::{Grid, number, short};
use crate::load::{load_for, load_model};
use crate::output::{self, Kind, Output};
use crate::printer::Style;

/// Rows that are explained where nobody says which.
const USUAL_ROWS: usize = 3;
/// Columns of a training point that are shown, and characters of each.
const SHOWN_COLUMNS: usize = 6;
const SHOWN_WIDTH: usize = 24;
/// Columns whose effects are listed.
const SHOWN_EFFECTS: usize = 12;
/// Columns of the view of all rows.
const GLOBAL: usize = 6;

/// Takes predictions apart.
pub fn run(args: &ExplainArgs, context: &Context) -> Outcome {
    let plot = args.plot.as_deref().map(|path| Output { option: "--plot", path, kind: Kind::Picture });
    let outputs: Vec<Output<'_>> = plot.into_iter().collect();
    output::check(&outputs, &[Path::new(&args.data), &args.model], args.force)?;
    let pipeline = load_model(&args.model, context)?;
    let data = load_for(&pipeline, &args.data, &args.read, context)?;
    let inputs = pipeline.inputs_of(&data)?;
    let rows = rows(args, &inputs, context)?;
    let params = ExplainParams { top: args.top, ..ExplainParams::default() };
    let explained = inputs.take(&rows);
    let found = context.interrupt.watch(|| pipeline.explain(&explained, &params, &context.run));
    let found = found.map_err(|e| Failure::from(e).of_new_rows())?;
    found.notes.iter().cloned().for_each(|note| context.printer.note(note));
    let dependence = match args.global || args.plot.is_some() {
        true => context.interrupt.watch(|| dependences(&pipeline, &context.run))?,
        false => Vec::new(),
    };
    let plot = draw(args, &dependence, context)?;
    let model = args.model.display().to_string();
    let report = ExplainReport { model, data: data.name, data_rows: rows, found, dependence, plot };
    match context.printer.is_json() {
        true => context.printer.out_json(&report),
        false => context.printer.out(&text(&report, &explained, &pipeline, context)),
    }
}

/// How predictions go with the columns that are worth most, or with the first where the file does not say which are.
fn dependences(pipeline: &Pipeline, run: &mercer::Run) -> mercer::Result<Vec<PartialDependence>> {
    let worth = Estimate::of(pipeline).and_then(|estimate| estimate.importance);
    let names: Vec<&str> = match &worth {
        Some(importance) => importance.columns.iter().map(|c| c.column.as_str()).take(GLOBAL).collect(),
        None => pipeline.schema().names().into_iter().take(GLOBAL).collect(),
    };
    pipeline.partial_dependence(&names, run)
}

fn draw(args: &ExplainArgs, found: &[PartialDependence], context: &Context) -> Outcome<Option<String>> {
    let Some(path) = &args.plot else { return Ok(None) };
    if found.is_empty() {
        let why = "there is no column of numbers or categories to draw";
        context.printer.warn(&format!("{why}, and {} is not written", path.display()));
        return Ok(None);
    }
    let panels = dependence_panels(found);
    let columns = if panels.len() > 4 { 3 } else { 2 };
    let notes = Figure::grid(panels, columns).titled("How predictions go with the columns").write(path)?;
    notes.into_iter().for_each(|note| context.printer.note(note));
    Ok(Some(path.display().to_string()))
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

fn text(report: &ExplainReport, rows: &Inputs, pipeline: &Pipeline, context: &Context) -> String {
    let all = report.found.rows.iter().zip(&report.data_rows).enumerate();
    let mut blocks: Vec<String> = all
        .map(|(at, (row, number))| {
            let lines = row_lines(row, *number, &report.found, &Cells { rows, at }, pipeline, context);
            lines.join("\n")
        })
        .collect();
    if !report.dependence.is_empty() {
        let title = context.printer.paint(Style::Bold, "how predictions go with the columns");
        let lines: Vec<String> = std::iter::once(title).chain(dependence_lines(&report.dependence)).collect();
        blocks.push(lines.join("\n"));
    }
    blocks.extend(report.plot.as_ref().map(|file| format!("drawn to {file}")));
    let legend = "What the columns add leads from the mean prediction to that of the row. A small change is by\n\
                  central differences; categories are replaced by the most frequent one, text by the empty one.\n\
                  Points count from 0 among those the model keeps; `--json` has their shares in the sum as well.";
    context.printer.say(legend);
    format!("{}\n", blocks.join("\n\n"))
}

fn row_lines(
    row: &ExplainedRow,
    place: usize,
    found: &Explanation,
    cells: &Cells<'_>,
    pipeline: &Pipeline,
    context: &Context,
) -> Vec<String> {
    let o = shown_answer(row, &found.answers);
    let target = pipeline.task().targets().join(", ");
    let (name, value) = (&found.answers[o], number(row.answers[o], 5));
    let head = match &row.label {
        Some(label) if found.answers.len() > found.outputs.len() || pipeline.model().has_probabilities() => {
            format!("{target} = {label}, P({name}) = {value}")
        }
        Some(label) => format!("{target} = {label}, decision value of {name} = {value}"),
        None => format!("{name} = {value}"),
    };
    let beside = found.mean.get(o).map_or_else(String::new, |mean| {
        let side = if row.answers[o] >= *mean { "above" } else { "below" };
        let apart = number((row.answers[o] - mean).abs(), 4);
        format!("; {apart} {side} the mean prediction {}", number(*mean, 4))
    });
    let mut lines = vec![format!("{}: {head}{beside}", context.printer.paint(Style::Bold, &format!("row {place}")))];
    // Small changes are told in the outputs, which probabilities are not.
    let local = !pipeline.model().has_probabilities();
    lines.extend(effect_lines(row, o, local, cells));
    lines.extend(near_lines(row, found, o));
    lines
}

/// Of several answers, that of the predicted class, or the first. All of them are in the JSON.
fn shown_answer(row: &ExplainedRow, answers: &[String]) -> usize {
    answers.iter().position(|name| Some(name) == row.label.as_ref()).unwrap_or(0)
}

/// The values of one row.
struct Cells<'a> {
    rows: &'a Inputs,
    at: usize,
}

impl Cells<'_> {
    fn text(&self, name: &str) -> String {
        let cell = |column: &Column| match column {
            Column::Number(v) => number(v[self.at], 6),
            Column::Category(c) => short(c.get(self.at).unwrap_or("–"), SHOWN_WIDTH),
            Column::Structured(v) => short(&v.cell(self.at), SHOWN_WIDTH),
            _ => String::new(),
        };
        match self.rows {
            Inputs::Table(table) => table.column(name).map_or_else(String::new, cell),
            Inputs::Dense(x) => {
                let found = (0..x.ncols()).find(|j| x.name(*j) == name);
                found.map_or_else(String::new, |j| number(x.row(self.at)[j], 6))
            }
            _ => String::new(),
        }
    }
}

/// What the columns add, the largest first, and what a small change of each does.
fn effect_lines(row: &ExplainedRow, o: usize, local: bool, cells: &Cells<'_>) -> Vec<String> {
    let mut order: Vec<&AddedEffect> = row.effects.iter().collect();
    order.sort_by(|a, b| b.values[o].abs().total_cmp(&a.values[o].abs()));
    if order.is_empty() {
        return Vec::new();
    }
    let mut grid = Grid::new(if local { &["column", "here", "adds", ""] } else { &["column", "here", "adds"] }, &[2]);
    for effect in order.iter().take(SHOWN_EFFECTS) {
        let change = row.columns.iter().find(|c| c.column == effect.column).filter(|_| local);
        let change = change.map_or_else(String::new, |c| change_text(c, o));
        grid.row([effect.column.clone(), cells.text(&effect.column), signed(effect.values[o]), change]);
    }
    let mut lines = grid.lines("  ");
    let rest: Vec<f64> = order.iter().skip(SHOWN_EFFECTS).map(|e| e.values[o]).collect();
    if !rest.is_empty() {
        let others = counted(rest.len(), "other column adds", "other columns add");
        lines.push(format!("  {others} {}", signed(rest.iter().sum())));
    }
    lines
}

/// A number with its sign.
fn signed(value: f64) -> String {
    let shown = number(value, 3);
    if value > 0.0 { format!("+{shown}") } else { shown }
}

fn change_text(effect: &ColumnEffect, o: usize) -> String {
    let value = effect.values[o];
    match &effect.effect {
        Effect::Slope { deviation } => {
            format!("{} a unit more; {} a standard deviation", signed(value), signed(value * deviation))
        }
        Effect::Replaced { by } if by.is_empty() => format!("{} without the text", signed(value)),
        Effect::Replaced { by } => format!("{} if it were {}", signed(value), short(by, SHOWN_WIDTH)),
        _ => String::new(),
    }
}

/// The training points that are most like the row.
fn near_lines(row: &ExplainedRow, found: &Explanation, o: usize) -> Vec<String> {
    if row.nearest.is_empty() {
        return Vec::new();
    }
    let mut grid = Grid::new(&["most like it", "similarity", "predicted", ""], &[1, 2]);
    for near in &row.nearest {
        let known = found.points.iter().find(|p| p.point == near.point);
        let columns = known.map_or_else(String::new, |p| point_text(&p.columns));
        let cells = [format!("point {}", near.point), number(near.similarity, 3), number(near.answers[o], 4), columns];
        grid.row(cells);
    }
    grid.lines("  ")
}

fn point_text(columns: &[(String, Value)]) -> String {
    let shown: Vec<String> =
        columns.iter().take(SHOWN_COLUMNS).map(|(name, value)| format!("{name} {}", cell(value))).collect();
    let more = if columns.len() > SHOWN_COLUMNS { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => short(text, SHOWN_WIDTH),
        Value::Number(v) => number(v.as_f64().unwrap_or(f64::NAN), 5),
        _ => "–".into(),
    }
}

/// Where predictions are least and largest along each column.
fn dependence_lines(found: &[PartialDependence]) -> Vec<String> {
    let mut grid = Grid::new(&["column", "answer", "least", "at", "largest", "at"], &[2, 4]);
    for one in found {
        let c = one.answers.len();
        // Of two classes one says all.
        for o in if c == 2 { 1..2 } else { 0..c.min(SHOWN_COLUMNS) } {
            let value = |i: &usize| one.values[i * c + o];
            let places = || 0..one.at.len();
            let least = places().min_by(|a, b| value(a).total_cmp(&value(b))).unwrap_or(0);
            let largest = places().max_by(|a, b| value(a).total_cmp(&value(b))).unwrap_or(0);
            let end = |i: usize| [number(value(&i), 4), cell(&one.at[i])];
            grid.row([one.column.clone(), one.answers[o].clone()].into_iter().chain(end(least)).chain(end(largest)));
        }
    }
    grid.lines("  ")
}
