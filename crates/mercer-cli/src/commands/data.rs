//! `mercer data`: the shipped data sets, and what a file holds.

use mercer::Note;
use mercer::data::{ColumnSummary, ColumnType, Dataset, Detail, Origin, Shipped, Summary, describe, shipped};
use mercer::error::{counted, quote_list};
use mercer::report::HasSchema;
use serde::Serialize;

use crate::args::DataArgs;
use crate::context::Context;
use crate::exit::Outcome;
use crate::layout::{Grid, number, percent, short};
use crate::load::load_as_it_is;
use crate::printer::Style;

/// Columns whose standard deviations differ by more than this outweigh each other in a distance.
pub const SCALE_GAP: f64 = 1e3;

/// Columns that are shown in text; JSON has all of them.
const SHOWN: usize = 100;

/// Lists the shipped sets, or describes one data set.
pub fn run(args: &DataArgs, context: &Context) -> Outcome {
    match &args.data {
        None => list(context),
        Some(name) => {
            let data = load_as_it_is(name, &args.read, context)?;
            say(&data, context);
            describe_data(&data, context)
        }
    }
}

/// What the reader found worth knowing; that numbers are spoilt is a warning, as a fit would refuse them.
fn say(data: &Dataset, context: &Context) {
    for note in &data.notes {
        match note {
            Note::SpoiledNumbers { .. } => context.printer.warn(&note.to_string()),
            _ => context.printer.note(note.clone()),
        }
    }
}

/// The list of shipped sets, as JSON.
#[derive(Serialize)]
struct ListReport {
    sets: &'static [Shipped],
}

impl HasSchema for ListReport {
    const SCHEMA: &'static str = "mercer.data.list/1";
}

fn list(context: &Context) -> Outcome {
    let printer = &context.printer;
    if printer.is_json() {
        return printer.out_json(&ListReport { sets: shipped() });
    }
    let mut grid = Grid::new(&["name", "rows", "columns", "task", "licence", "what it is"], &[1, 2]);
    for set in shipped() {
        let task = format!("{:?}", set.task).to_lowercase();
        let what = set.description.to_owned();
        grid.row([set.name.to_owned(), set.rows.to_string(), set.columns.to_string(), task, set.licence.into(), what]);
    }
    let mut lines = grid.lines("");
    lines[0] = printer.paint(Style::Bold, &lines[0]);
    printer.out(&format!("{}\n", lines.join("\n")))?;
    printer.say("\nDescribe one, or a file of your own, with `mercer data NAME`.");
    Ok(())
}

/// A data set, as JSON.
#[derive(Serialize)]
struct DescribeReport<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    density: Option<f64>,
    shipped: Option<&'a Shipped>,
    notes: Vec<Note>,
    warnings: Vec<String>,
}

impl HasSchema for DescribeReport<'_> {
    const SCHEMA: &'static str = "mercer.data/1";
}

fn describe_data(data: &Dataset, context: &Context) -> Outcome {
    let printer = &context.printer;
    let summary = describe(data);
    let density = density(data, &summary);
    let shipped = match data.origin {
        Origin::Shipped(set) => Some(set),
        _ => None,
    };
    if !printer.is_json() {
        printer.out(&text(&summary, density, shipped, context))?;
    }
    inputs_of(&summary).for_each(|c| warn_infinite(c, context));
    warn_constant(&summary, context);
    if let Some(gap) = scale_gap(inputs_of(&summary)) {
        printer.warn(&format!("{gap}; `mercer gram --standardize` brings them to one scale"));
    }
    if printer.is_json() {
        let (notes, warnings) = (printer.notes(), printer.warnings());
        return printer.out_json(&DescribeReport { summary: &summary, density, shipped, notes, warnings });
    }
    Ok(())
}

/// Stored entries among all, for sparse rows. The target is no coordinate.
fn density(data: &Dataset, summary: &Summary) -> Option<f64> {
    let width = summary.columns - usize::from(data.target.is_some());
    summary.entries.map(|entries| entries as f64 / (summary.rows as f64 * width as f64).max(1.0))
}

fn text(summary: &Summary, density: Option<f64>, shipped: Option<&Shipped>, context: &Context) -> String {
    let printer = &context.printer;
    let rows = counted(summary.rows, "row", "rows");
    let columns = counted(summary.columns, "column", "columns");
    let mut lines = vec![format!("{}: {rows}, {columns}", printer.paint(Style::Bold, &summary.name))];
    if let Some(set) = shipped {
        lines.push(set.description.to_owned());
        lines.push(printer.paint(Style::Dim, &format!("{} ({})", set.source, set.licence)));
    }
    if let (Some(entries), Some(density)) = (summary.entries, density) {
        lines.push(format!("sparse rows: {}, {} of all cells", counted(entries, "entry", "entries"), percent(density)));
    } else if summary.summaries.is_empty() {
        lines.push(format!("{}; its columns are not described one by one", summary.kind));
    }
    if !summary.summaries.is_empty() {
        lines.push(String::new());
        lines.extend(column_lines(summary, context));
    }
    format!("{}\n", lines.join("\n"))
}

fn column_lines(summary: &Summary, context: &Context) -> Vec<String> {
    let mut grid = Grid::new(&["column", "type", "missing", "distinct", "values"], &[2, 3]);
    let all = &summary.summaries;
    // The target stands last and is always shown.
    let shown = all.iter().take(SHOWN).chain(all.iter().skip(SHOWN).filter(|c| is_target(summary, c)));
    for column in shown {
        let mark = if is_target(summary, column) { "  (target)" } else { "" };
        let missing = if column.missing == 0 { "–".into() } else { column.missing.to_string() };
        let name = format!("{}{mark}", short(&column.name, 40));
        grid.row([
            name,
            column.column_type.to_string(),
            missing,
            column.distinct.to_string(),
            values(column, summary.rows),
        ]);
    }
    let mut lines = grid.lines("");
    lines[0] = context.printer.paint(Style::Bold, &lines[0]);
    if all.len() > SHOWN + 1 {
        lines.push(format!("… and {} more columns; `--json` has all of them", all.len() - SHOWN));
    }
    lines
}

fn is_target(summary: &Summary, column: &ColumnSummary) -> bool {
    summary.target.as_ref() == Some(&column.name)
}

/// The inputs' columns, without the target.
fn inputs_of(summary: &Summary) -> impl Iterator<Item = &ColumnSummary> {
    summary.summaries.iter().filter(|c| !is_target(summary, c))
}

/// The values of a column in a few words.
fn values(column: &ColumnSummary, rows: usize) -> String {
    match &column.detail {
        Detail::Number { min, mean, std, max, .. } => {
            let [min, mean, std, max] = [min, mean, std, max].map(|v| number(*v, 4));
            format!("{min} to {max}, mean {mean}, sd {std}")
        }
        Detail::Category { top } => {
            let levels: Vec<String> = top.iter().map(|(level, n)| format!("{} {n}", short(level, 24))).collect();
            let more = if column.distinct > top.len() { ", …" } else { "" };
            format!("{}{more}", levels.join(", "))
        }
        Detail::Structured { shortest, mean_length, longest } if rows > column.missing => {
            let unit = match column.column_type {
                ColumnType::Structured(kind) => kind.unit,
                _ => "",
            };
            format!("{shortest} to {longest} {unit}, mean {}", number(*mean_length, 3))
        }
        _ => "–".into(),
    }
}

fn warn_infinite(column: &ColumnSummary, context: &Context) {
    if let Detail::Number { infinite, .. } = column.detail
        && infinite > 0
    {
        context.printer.warn(&format!(
            "{} in `{}`, which no kernel accepts",
            counted(infinite, "infinite value", "infinite values"),
            column.name
        ));
    }
}

fn warn_constant(summary: &Summary, context: &Context) {
    let constant: Vec<&str> = inputs_of(summary).filter(|c| c.distinct <= 1).map(|c| c.name.as_str()).collect();
    if !constant.is_empty() && summary.rows > 1 {
        let (has, tells) = if constant.len() == 1 { ("has", "tells") } else { ("have", "tell") };
        context
            .printer
            .warn(&format!("{} {has} at most one value and {tells} a kernel nothing", quote_list(&constant)));
    }
}

/// A sentence about number columns whose scales differ much, if there are any.
pub fn scale_gap<'a>(columns: impl Iterator<Item = &'a ColumnSummary>) -> Option<String> {
    let scale = |c: &'a ColumnSummary| match c.detail {
        Detail::Number { std, .. } if c.column_type == ColumnType::Number && std > 0.0 => Some((std, c.name.as_str())),
        _ => None,
    };
    let scales: Vec<(f64, &str)> = columns.filter_map(scale).collect();
    let smallest = scales.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let largest = scales.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    (largest.0 / smallest.0 > SCALE_GAP).then(|| {
        let [low, high] = [smallest, largest].map(|(std, name)| format!("`{name}` (sd {})", number(*std, 3)));
        format!("scales differ by {}: {high} outweighs {low} in distances", number(largest.0 / smallest.0, 2))
    })
}
