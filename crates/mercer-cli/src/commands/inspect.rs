//! `mercer inspect`: what a model file holds.

use mercer::certificate::Certificate;
use mercer::kernel::Registry;
use mercer::model::pipeline::Pipeline;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::args::InspectArgs;
use crate::context::Context;
use crate::exit::Outcome;
use crate::layout::{Grid, number};
use crate::printer::Style;

/// A model file, as JSON.
#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    model: String,
    targets: Vec<&'a str>,
    classes: Option<&'a [String]>,
    columns: Vec<&'a str>,
    kernel: String,
    learner: &'a str,
    /// The settings of the learner, as they were chosen.
    settings: Map<String, Value>,
    /// The number that keeps functions simple, by its name: alpha, passes, ….
    parameter: Option<&'static str>,
    value: Option<f64>,
    alpha: Option<f64>,
    /// What calibration adds to the values of each output.
    shifts: Option<&'a [f64]>,
    points: usize,
    outputs: usize,
    certificate: &'a Certificate,
    /// What the caller kept: the data, the estimate of the error, ….
    about: &'a Map<String, Value>,
    notes: &'a [String],
}

/// Prints what the file says of itself.
pub fn run(args: &InspectArgs, context: &Context) -> Outcome {
    let pipeline = Pipeline::load(&args.model, &Registry::new(), &context.run)?;
    let model = pipeline.model();
    let complexity = model.learner().complexity();
    let report = Report {
        schema: "mercer.inspect/1",
        model: args.model.display().to_string(),
        targets: pipeline.task().targets(),
        classes: pipeline.task().classes(),
        columns: pipeline.schema().names(),
        kernel: model.kernel().to_string(),
        learner: model.learner().spec().name,
        settings: model.learner().settings(),
        parameter: complexity.map(|c| c.name),
        value: complexity.and_then(|c| c.value),
        alpha: model.alpha(),
        shifts: model.shifts(),
        points: model.points().len(),
        outputs: model.outputs(),
        certificate: model.certificate(),
        about: pipeline.settings(),
        notes: pipeline.notes(),
    };
    if context.printer.is_json() {
        return context.printer.out_json(&report);
    }
    context.printer.out(&text(&report, context))
}

fn text(report: &Report<'_>, context: &Context) -> String {
    let mut grid = Grid::plain();
    let mut add = |name: &str, value: String| grid.row([name.to_owned(), value]);
    add("predicts", report.targets.join(", "));
    if let Some(classes) = report.classes {
        add("classes", classes.join(", "));
    }
    if let Some(quantiles) = report.settings.get("quantiles").and_then(Value::as_array) {
        add("quantiles", quantiles.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    }
    if let Some(shifts) = report.shifts {
        add("shifted by", shifts.iter().map(|s| number(*s, 4)).collect::<Vec<_>>().join(", "));
    }
    add("needs", report.columns.join(", "));
    add("kernel", report.kernel.clone());
    add("learner", report.learner.to_owned());
    if let Some(name) = report.settings.get("filter").and_then(|f| f.get("filter")?.as_str()) {
        add("filter", name.to_owned());
    }
    if let Some((name, value)) = report.parameter.zip(report.value) {
        add(name, number(value, 6));
    }
    add("points kept", report.points.to_string());
    let certificate = report.certificate;
    add("solved by", format!("{}: {}", certificate.algorithm.name(), certificate.reason));
    for (measure, value) in certificate.measures() {
        add(measure.words(), number(*value, if measure.is_count() { 15 } else { 4 }));
    }
    let mut lines = vec![context.printer.paint(Style::Bold, &report.model)];
    lines.extend(grid.lines("  "));
    lines.extend(report.notes.iter().map(|note| format!("  note: {note}")));
    format!("{}\n", lines.join("\n"))
}
