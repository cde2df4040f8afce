//! `mercer score`: a saved model judged on rows whose target is known.

use std::path::Path;

use mercer::plot::score_sheet;
use mercer::report::{Measured, ScoreReport, cells, headings, score};

use super::estimate_text::class_lines;
use crate::args::ScoreArgs;
use crate::context::Context;
use crate::exit::{Failure, Outcome};
use crate::layout::{Grid, within, within_percent};
use crate::load::{load_for, load_model, weights};
use crate::output::{self, Kind, Output};
use crate::printer::Style;

/// Measures that are shares.
const SHARES: [&str; 5] = ["accuracy", "balanced_accuracy", "coverage", "calibration_error", "error_rate"];

/// Predicts the rows, compares with their target, prints and draws.
pub fn run(args: &ScoreArgs, context: &Context) -> Outcome {
    let plot = args.plot.as_deref().map(|path| Output { option: "--plot", path, kind: Kind::Picture });
    let outputs: Vec<Output<'_>> = plot.into_iter().collect();
    output::check(&outputs, &[Path::new(&args.data), &args.model], args.force)?;
    let pipeline = load_model(&args.model, context)?;
    let data = load_for(&pipeline, &args.data, &args.read, context)?;
    let weights = args.weights.as_deref().map(|name| weights(name, &data)).transpose()?;
    let found = context.interrupt.watch(|| score(&pipeline, &data, weights.as_ref(), &context.run));
    let report = found.map_err(|e| Failure::from(e).of_new_rows())?;
    report.notes.iter().cloned().for_each(|note| context.printer.note(note));
    let plot = draw(args, &report, context)?;
    let report = ScoreReport { model: args.model.display().to_string(), plot, ..report };
    match context.printer.is_json() {
        true => context.printer.out_json(&report),
        false => context.printer.out(&text(&report, context)),
    }
}

fn draw(args: &ScoreArgs, report: &ScoreReport, context: &Context) -> Outcome<Option<String>> {
    let Some(path) = &args.plot else { return Ok(None) };
    let figure = score_sheet(report);
    if figure.panels.is_empty() {
        context.printer.warn(&format!("there is nothing to draw, and {} is not written", path.display()));
        return Ok(None);
    }
    figure.write(path)?.into_iter().for_each(|note| context.printer.note(note));
    Ok(Some(path.display().to_string()))
}

fn text(report: &ScoreReport, context: &Context) -> String {
    let bold = |title: &str| context.printer.paint(Style::Bold, title);
    let rows = mercer::error::counted(report.rows, "row", "rows");
    let mut lines = vec![format!("{} on {}: {} of {rows}", bold(&report.model), report.data, report.target)];
    if report.left_out > 0 {
        let left = mercer::error::counted(report.left_out, "row", "rows");
        lines.push(format!("  {left} left out: no target, a missing value that the model needs, or weight 0"));
    }
    let mut grid = Grid::plain();
    report.measures.iter().for_each(|m| grid.row([m.words.to_owned(), value(m)]));
    lines.push(String::new());
    lines.extend(grid.lines("  "));
    lines.extend((report.standard_errors.is_some()).then(|| "  ± is one standard error over the rows".to_owned()));
    if let Some(expected) = &report.expected {
        let shown: Vec<String> = headings(expected)
            .into_iter()
            .zip(cells(expected, report.expected_standard_errors.as_ref()))
            .map(|(name, value)| format!("{} {value}", name.split(',').next().unwrap_or_default()))
            .collect();
        lines.push(format!("  the fit expected {}", shown.join(", ")));
    }
    if !report.classes.is_empty() {
        lines.extend([String::new(), bold("classes")]);
        lines.extend(class_lines(&report.classes));
    }
    lines.extend(report.plot.as_ref().map(|file| format!("drawn to {file}")));
    format!("{}\n", lines.join("\n"))
}

fn value(measured: &Measured) -> String {
    match SHARES.contains(&measured.name) {
        true => within_percent(measured.value, measured.standard_error),
        false => within(measured.value, measured.standard_error),
    }
}
