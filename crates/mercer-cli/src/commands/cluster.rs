//! `mercer cluster`: a cluster for every row.

use std::time::Instant;

use mercer::KernelExpr;
use mercer::certificate::Measure;
use mercer::data::{Categories, Column, Table, write_table};
use mercer::error::counted;
use mercer::model::{Answer as Gives, Fitted, Learner, LearnerSpec};
use mercer::report::ClusterReport;
use serde_json::{Map, Value};

use super::points::{Files, learner_that, usual, weighed};
use super::predict::csv;
use crate::args::ClusterArgs;
use crate::context::Context;
use crate::exit::{Answer, Outcome};
use crate::layout::{Grid, number, percent, seconds, shortened};
use crate::load::{STREAM, load, note_target};
use crate::output;

/// Reads, fits, saves where asked, and writes the cluster of every row.
pub fn run(args: &ClusterArgs, context: &Context) -> Outcome<Answer> {
    let start = Instant::now();
    let learner = learner(args)?;
    // A formula that does not parse need not wait for the data.
    let kernel = args.kernel.as_deref().map(KernelExpr::parse).transpose()?;
    let files = Files { table: args.output.as_deref(), model: args.save.as_deref(), picture: None };
    files.check(&[&args.data], args.force)?;
    let data = load(&args.data, &args.read, context)?;
    note_target(&data, &args.read, context);
    let (data, prepared) = weighed(data, &args.rows)?;
    let learner = learner.with_kernel(kernel.map_or_else(|| usual(&prepared.inputs, context), Ok)?);
    let fit = || learner.fit(&prepared.inputs, prepared.target.clone(), prepared.weights.as_ref(), &context.run);
    let Fitted { model, report } = context.interrupt.watch(fit)?;
    report.notes.iter().chain(&prepared.notes).cloned().for_each(|note| context.printer.note(note));
    let complete = model.certificate().stop.is_complete();
    // Clusters that a stop left are the answer: one product with the kernel matrix says which they are.
    let run = if complete { context.run.clone() } else { context.run.without_stops() };
    let values = context.interrupt.watch(|| model.predict(&prepared.inputs, &run))?;
    let (labels, rows) = (model.largest(&values), prepared.kept.clone());
    let pipeline = prepared.pipeline(model)?;
    let saved =
        args.save.as_deref().map(|path| output::save_model(&pipeline, path, args.force, context)).transpose()?;
    let report = ClusterReport {
        data: data.name.clone(),
        model: saved.map(|path| path.display().to_string()),
        seconds: start.elapsed().as_secs_f64(),
        ..ClusterReport::new(&pipeline, rows, labels, context.printer.notes())
    };
    write(args, report, context)?;
    Ok(if complete { Answer::Yes } else { Answer::NotDecided })
}

/// The learner with its settings: one whose models answer with clusters.
fn learner(args: &ClusterArgs) -> Outcome<Learner> {
    let clusters = |spec: &LearnerSpec| spec.answers.contains(&Gives::Clusters);
    let learner = learner_that(clusters, &args.model, "clusters")?;
    let mut settings: Map<String, Value> = args.settings.iter().cloned().collect();
    settings.insert("clusters".into(), args.clusters.into());
    settings.entry("seed").or_insert(args.seed.into());
    let learner = learner.with_settings(settings)?;
    learner.validate()?;
    Ok(learner)
}

/// A line for each row that has a cluster.
fn table(report: &ClusterReport) -> mercer::Result<Table> {
    // Numbers of rows and clusters are names: 0, not 0.0.
    let name = |v: &usize| Some(v.to_string());
    let column = |values: &[usize]| Column::Category(Categories::from_values(values.iter().map(name)));
    Table::new(vec![("row".into(), column(&report.rows)), ("cluster".into(), column(&report.labels))])
}

fn write(args: &ClusterArgs, report: ClusterReport, context: &Context) -> Outcome {
    let file = args.output.as_ref().filter(|path| path.as_os_str() != STREAM);
    if let Some(path) = file {
        write_table(path, &table(&report)?)?;
    }
    if context.printer.is_json() {
        let output = file.map(|path| path.display().to_string());
        return context.printer.out_json(&ClusterReport { output, ..report });
    }
    match args.output.is_some() && file.is_none() {
        true => context.printer.out_data(&csv(&table(&report)?)?),
        false => context.printer.out(&text(&report)),
    }
}

/// What was found, in a few lines.
fn text(report: &ClusterReport) -> String {
    let clusters = counted(report.clusters, "cluster", "clusters");
    let rows = counted(report.labels.len(), "row", "rows");
    let mut lines = vec![
        format!("{}: {clusters} of {rows} by {}", report.data, report.learner),
        format!("kernel {}", shortened(&report.kernel)),
        String::new(),
    ];
    let mut grid = Grid::new(&["cluster", "rows", "share"], &[0, 1, 2]);
    for (cluster, size) in report.sizes.iter().enumerate() {
        let share = percent(*size as f64 / report.labels.len().max(1) as f64);
        grid.row([cluster.to_string(), size.to_string(), share]);
    }
    lines.extend(grid.lines("  "));
    lines.push(String::new());
    let certificate = &report.certificate;
    if let Some(inertia) = certificate.get(Measure::Inertia) {
        let bound = certificate.get(Measure::InertiaBound);
        let bound = bound.map_or_else(String::new, |b| format!(", and no clusters have less than {}", number(b, 6)));
        lines.push(format!("inertia {}{bound}", number(inertia, 6)));
    }
    if let Some(gap) = certificate.get(Measure::Eigengap) {
        lines.push(format!("gap between eigenvalues {}", number(gap, 4)));
    }
    let (restarts, best) = (report.settings.get("restarts"), certificate.get(Measure::RestartsAtBest));
    if let (Some(restarts), Some(best)) = (restarts, best) {
        lines.push(format!("{best} of {restarts} {} led there", if restarts == 1 { "start" } else { "starts" }));
    }
    let residual = certificate.get(Measure::RelativeResidual);
    let residual = residual.map_or_else(|| "residual not measured".into(), |r| format!("relative residual {r:.1e}"));
    let (algorithm, reason) = (certificate.algorithm.name(), &certificate.reason);
    lines.push(format!("{algorithm} in {}: {residual} ({reason})", seconds(report.seconds)));
    lines.extend(
        report
            .model
            .as_ref()
            .map(|file| format!("saved to {file}; `mercer predict {file} FILE` gives new rows their clusters")),
    );
    format!("{}\n", lines.join("\n"))
}
