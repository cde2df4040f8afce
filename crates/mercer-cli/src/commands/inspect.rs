//! `mercer inspect`: what a model file holds.

use mercer::kernel::Registry;
use mercer::model::pipeline::Pipeline;
use mercer::report::InspectReport;
use serde_json::Value;

use super::estimate_text::error_lines;
use super::fit_text::judged_lines;
use crate::args::InspectArgs;
use crate::context::Context;
use crate::exit::Outcome;
use crate::layout::{Grid, number, some};
use crate::printer::Style;

/// Prints what the file says of itself.
pub fn run(args: &InspectArgs, context: &Context) -> Outcome {
    let pipeline = Pipeline::load(&args.model, &Registry::new(), &context.run)?;
    let report = InspectReport::new(args.model.display().to_string(), &pipeline);
    if context.printer.is_json() {
        return context.printer.out_json(&report);
    }
    context.printer.out(&text(&report, context))
}

/// The report for people.
pub(super) fn text(report: &InspectReport, context: &Context) -> String {
    let mut grid = Grid::plain();
    let mut add = |name: &str, value: String| grid.row([name.to_owned(), value]);
    match report.targets.as_slice() {
        [] => add("answers", "a value of each row, without a target".into()),
        targets => add("predicts", targets.join(", ")),
    }
    if let Some(classes) = &report.classes {
        add("classes", some(classes));
    }
    if let Some(quantiles) = report.settings.get("quantiles").and_then(Value::as_array) {
        add("quantiles", quantiles.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    }
    if let Some(shifts) = &report.shifts {
        add("shifted by", shifts.iter().map(|s| number(*s, 4)).collect::<Vec<_>>().join(", "));
    }
    match report.columns.as_slice() {
        [] => add("needs", report.needs.clone()),
        columns => add("needs", columns.join(", ")),
    }
    add("kernel", report.kernel.clone());
    add("learner", report.learner.to_owned());
    if let Some(name) = report.settings.get("filter").and_then(|f| f.get("filter")?.as_str()) {
        add("filter", name.to_owned());
    }
    if let Some((name, value)) = report.parameter.zip(report.value) {
        add(name, number(value, 6));
    }
    if !report.complete {
        add("stopped early", "by a deadline or an interrupt; this is the best model by that time".into());
    }
    add("points kept", report.points.to_string());
    let certificate = &report.certificate;
    add("solved by", format!("{}: {}", certificate.algorithm.name(), certificate.reason));
    certificate.repaired.iter().for_each(|repaired| add("repaired", repaired.to_string()));
    for (measure, value) in certificate.measures() {
        add(measure.words(), number(*value, if measure.is_count() { 15 } else { 4 }));
    }
    let mut lines = vec![context.printer.paint(Style::Bold, &report.model)];
    lines.extend(grid.lines("  "));
    if let Some(estimate) = &report.estimate {
        let bold = |title: &str| context.printer.paint(Style::Bold, title);
        lines.extend([String::new(), bold("error on rows that chose nothing")]);
        lines.extend(error_lines(Some(estimate)));
        lines.extend(judged_lines(estimate, &[], &bold));
    }
    lines.extend(report.notes.iter().map(|note| format!("  note: {note}")));
    format!("{}\n", lines.join("\n"))
}
