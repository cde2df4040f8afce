//! `mercer inspect`: what a model file holds.

use mercer::certificate::Certificate;
use mercer::kernel::Registry;
use mercer::model::pipeline::Pipeline;
use serde::Serialize;

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
    quantiles: Option<Vec<f64>>,
    filter: Option<&'a serde_json::Value>,
    alpha: Option<f64>,
    log_evidence: Option<f64>,
    points: usize,
    outputs: usize,
    certificate: &'a Certificate,
    settings: &'a serde_json::Map<String, serde_json::Value>,
    notes: &'a [String],
}

/// Prints what the file says of itself.
pub fn run(args: &InspectArgs, context: &Context) -> Outcome {
    let pipeline = Pipeline::load(&args.model, &Registry::new())?;
    let model = pipeline.model();
    let report = Report {
        schema: "mercer.inspect/1",
        model: args.model.display().to_string(),
        targets: pipeline.task().targets(),
        classes: pipeline.task().classes(),
        columns: pipeline.schema().names(),
        kernel: model.kernel().to_string(),
        learner: model.learner(),
        quantiles: model.quantiles(),
        filter: model.settings().and_then(|s| s.get("filter")),
        alpha: model.alpha(),
        log_evidence: model.log_evidence(),
        points: model.points().len(),
        outputs: model.outputs(),
        certificate: model.certificate(),
        settings: pipeline.settings(),
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
    if let Some(quantiles) = &report.quantiles {
        add("quantiles", quantiles.iter().map(f64::to_string).collect::<Vec<_>>().join(", "));
    }
    add("needs", report.columns.join(", "));
    add("kernel", report.kernel.clone());
    add("learner", report.learner.to_owned());
    if let Some(name) = report.filter.and_then(|f| f.get("filter")?.as_str()) {
        add("filter", name.to_owned());
    }
    if let Some(alpha) = report.alpha {
        add("alpha", number(alpha, 6));
    }
    if let Some(evidence) = report.log_evidence {
        add("log evidence", number(evidence, 6));
    }
    add("points kept", report.points.to_string());
    let certificate = report.certificate;
    add("solved by", format!("{}: {}", certificate.algorithm.name(), certificate.reason));
    certificate.measured().for_each(|(name, value)| add(name, number(value, 2)));
    let mut lines = vec![context.printer.paint(Style::Bold, &report.model)];
    lines.extend(grid.lines("  "));
    lines.extend(report.notes.iter().map(|note| format!("  note: {note}")));
    format!("{}\n", lines.join("\n"))
}
