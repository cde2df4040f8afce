//! `mercer fit`: from a file to a certified model.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use mercer::KernelExpr;
use mercer::certificate::Certificate;
use mercer::data::{Column, Dataset, describe};
use mercer::error::{human_bytes, quote_list};
use mercer::loss::NamedLoss;
use mercer::model::pipeline::{Pipeline, PipelineParts, Prepare, Task};
use mercer::plot::fit_sheet;
use mercer::select::{Candidate, Choice, Estimate, Finished, Job, Scores, Split, Tried};
use serde::Serialize;

use crate::args::FitArgs;
use crate::context::Context;
use crate::exit::{Answer, Failure, Outcome};
use crate::layout::{Grid, number, percent, readable, seconds};
use crate::load::load;
use crate::memory::peak_memory;
use crate::printer::Style;

/// A fit, as JSON.
#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    data: &'a str,
    rows: usize,
    columns: usize,
    target: String,
    task: &'static str,
    classes: Option<&'a [String]>,
    learner: &'static str,
    kernel: String,
    standing: String,
    loss: Option<&'a serde_json::Value>,
    parameter: Option<&'static str>,
    value: Option<f64>,
    alpha: Option<f64>,
    lambda: Option<f64>,
    choice: &'a Choice,
    path: &'a [Tried],
    candidates: &'a [Candidate],
    tuned_on: usize,
    at_bounds: &'a [String],
    estimate: Option<&'a Estimate>,
    certificate: &'a Certificate,
    complete: bool,
    seconds: f64,
    /// The largest memory of the process, where the system says so.
    peak_memory: Option<u64>,
    model: String,
    plot: Option<String>,
    notes: Vec<String>,
    warnings: Vec<String>,
}

/// Reads, chooses, fits, judges, saves and reports.
pub fn run(args: &FitArgs, context: &Context) -> Outcome<Answer> {
    let start = Instant::now();
    let job = job(args)?;
    let data = load(&args.data, &args.read, context)?;
    let Some((target, _)) = data.target.clone() else {
        let names = data.table().map(|t| t.names().to_vec()).unwrap_or_default();
        let hint = format!("name the column to predict with `--target`; there are {}", quote_list(&names));
        return Err(Failure::usage("there is no target to predict", hint));
    };
    let job = Job { groups: groups(args, &data)?, ..job };
    let data = without_groups(args, data)?;
    let path = model_path(args, &data);
    let done = context.interrupt.watch(|| job.fit(&data, &context.run))?;
    warn(&done, context);
    let took = start.elapsed().as_secs_f64();
    let pipeline = described(args, &done, &data)?;
    pipeline.save(&path)?;
    let plot = draw(args, &done, context)?;
    let report = Report { plot, ..report(&data, target, &done, &pipeline, (took, &path), context) };
    match context.printer.is_json() {
        true => context.printer.out_json(&report)?,
        false => context.printer.out(&text(&report, &data, &done, context))?,
    }
    Ok(if done.stopped.is_some() { Answer::NotDecided } else { Answer::Yes })
}

fn job(args: &FitArgs) -> Outcome<Job> {
    let split = match (args.cv, args.hold_out, args.time_ordered) {
        (Some(k), None, true) => Some(Split::TimeOrdered(k)),
        (None, None, true) => Some(Split::TimeOrdered(5)),
        (Some(k), None, false) if args.groups.is_some() => Some(Split::Groups(k)),
        (None, None, false) if args.groups.is_some() => Some(Split::Groups(5)),
        (Some(k), None, false) => Some(Split::Folds(k)),
        (None, Some(share), false) => Some(Split::HoldOut(share)),
        (None, None, false) => None,
        _ => {
            let hint = "choose one of `--cv`, `--hold-out` and `--time-ordered`";
            return Err(Failure::usage("rows can be split in one way only", hint));
        }
    };
    Ok(Job {
        learner: args.model,
        loss: args.loss.as_deref().map(|name| NamedLoss::parse(name, args.loss_parameter)).transpose()?,
        kernel: args.kernel.as_deref().map(KernelExpr::parse).transpose()?,
        alpha: args.alpha,
        tune: !args.no_tune,
        prepare: Prepare {
            missing: args.missing,
            standardize: !args.no_standardize,
            scale_target: !args.no_standardize,
        },
        split,
        groups: None,
        estimate: !args.no_estimate,
        seed: args.seed,
    })
}

/// The group of each row, numbered.
fn groups(args: &FitArgs, data: &Dataset) -> Outcome<Option<Vec<usize>>> {
    let Some(name) = &args.groups else { return Ok(None) };
    let table = data.table()?;
    let column = table.column(name).ok_or_else(|| table.unknown_column(name))?;
    let key = |i: usize| match column {
        Column::Number(v) => v[i].to_string(),
        Column::Category(c) => c.get(i).unwrap_or_default().to_owned(),
        Column::Text(t) => t.get(i).to_owned(),
        _ => String::new(),
    };
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut place = |key: String| {
        let next = seen.len();
        *seen.entry(key).or_insert(next)
    };
    Ok(Some((0..data.len()).map(|i| place(key(i))).collect()))
}

/// The data without the column of groups, which says nothing of new rows.
fn without_groups(args: &FitArgs, data: Dataset) -> Outcome<Dataset> {
    let Some(name) = &args.groups else { return Ok(data) };
    let table = match &data.inputs {
        mercer::data::Inputs::Table(table) => table.without(name)?,
        _ => return Ok(data),
    };
    Ok(Dataset { inputs: table.into(), ..data })
}

fn model_path(args: &FitArgs, data: &Dataset) -> PathBuf {
    args.output.clone().unwrap_or_else(|| {
        let stem = Path::new(&data.name).file_name().map_or("model".into(), |n| n.to_string_lossy().into_owned());
        let stem = stem.split('.').next().filter(|s| !s.is_empty()).unwrap_or("model").to_owned();
        PathBuf::from(format!("{stem}.mercer"))
    })
}

fn warn(done: &Finished, context: &Context) {
    for note in done.pipeline.notes().iter().filter(|n| n.contains("equals the target")) {
        context.printer.warn(note);
    }
    if !done.at_bounds.is_empty() {
        context.printer.warn(&format!("tuning left {} at a bound", quote_list(&done.at_bounds)));
    }
    if let (true, Some(name)) = (done.report.at_the_edge, done.report.parameter) {
        let beyond = if name == "alpha" { "; give `--alpha` to go beyond" } else { "" };
        context.printer.warn(&format!("{name} is the first or last of those that were tried{beyond}"));
    }
    if done.stopped.is_some() {
        context.printer.warn("the work was stopped early; the model is the best by that time, its error not estimated");
    }
}

/// The pipeline with what later readers of the file should know.
fn described(args: &FitArgs, done: &Finished, data: &Dataset) -> Outcome<Pipeline> {
    let mut parts: PipelineParts = done.pipeline.clone().into_parts();
    let value = |v: serde_json::Result<serde_json::Value>| v.unwrap_or_default();
    parts.settings.insert("data".into(), data.name.clone().into());
    parts.settings.insert("learner".into(), done.learner.name().into());
    if let Some(name) = &args.loss {
        let loss = NamedLoss::parse(name, args.loss_parameter)?;
        parts.settings.insert("loss".into(), value(serde_json::to_value(loss)));
    }
    parts.settings.insert("learner_asked_for".into(), args.model.name().into());
    parts.settings.insert("estimate".into(), value(serde_json::to_value(&done.estimate)));
    parts.settings.insert("complete".into(), done.stopped.is_none().into());
    Ok(Pipeline::from_parts(parts)?)
}

/// Draws the fit where that was asked for, and says what it could not draw. Returns the file's name.
fn draw(args: &FitArgs, done: &Finished, context: &Context) -> Outcome<Option<String>> {
    let Some(path) = &args.plot else { return Ok(None) };
    let figure = fit_sheet(done);
    if figure.panels.is_empty() {
        figure.notes.iter().for_each(|note| context.printer.note(note));
        context.printer.warn(&format!("there is nothing to draw, and {} is not written", path.display()));
        return Ok(None);
    }
    figure.write(path)?.iter().for_each(|note| context.printer.note(note));
    Ok(Some(path.display().to_string()))
}

fn report<'a>(
    data: &'a Dataset,
    target: String,
    done: &'a Finished,
    pipeline: &'a Pipeline,
    (seconds, path): (f64, &Path),
    context: &Context,
) -> Report<'a> {
    let kernel = pipeline.model().kernel();
    Report {
        schema: "mercer.fit/1",
        data: &data.name,
        rows: done.report.rows,
        columns: data.table().map_or(0, |t| t.ncols()),
        target,
        task: if done.pipeline.task().classes().is_some() { "classification" } else { "regression" },
        classes: done.pipeline.task().classes(),
        learner: done.learner.name(),
        kernel: kernel.to_string(),
        standing: kernel.standing().words(),
        loss: pipeline.model().settings().and_then(|s| s.get("loss")),
        parameter: done.report.parameter,
        value: done.report.value,
        alpha: done.report.alpha(),
        lambda: done.report.alpha().map(|alpha| alpha / done.report.rows.max(1) as f64),
        choice: &done.report.choice,
        path: &done.report.path,
        candidates: &done.candidates,
        tuned_on: done.tuned_on,
        at_bounds: &done.at_bounds,
        estimate: done.estimate.as_ref(),
        certificate: &done.report.certificate,
        complete: done.stopped.is_none(),
        seconds,
        peak_memory: peak_memory(),
        model: path.display().to_string(),
        plot: None,
        notes: [done.pipeline.notes().to_vec(), done.report.notes.clone(), context.printer.notes()].concat(),
        warnings: context.printer.warnings(),
    }
}

fn text(report: &Report<'_>, data: &Dataset, done: &Finished, context: &Context) -> String {
    let bold = |title: &str| context.printer.paint(Style::Bold, title);
    let mut lines =
        vec![format!("{}: {} of {} from {} rows", bold(report.data), report.task, report.target, report.rows)];
    lines.extend([String::new(), bold("data")]);
    lines.extend(data_lines(data, done));
    lines.extend([String::new(), bold("kernel")]);
    lines.extend(kernel_lines(report));
    lines.extend([String::new(), bold("model")]);
    lines.extend(model_lines(report, &done.report.notes));
    lines.extend([String::new(), bold("error on rows that chose nothing")]);
    lines.extend(estimate_lines(report.estimate, done.pipeline.task()));
    lines.extend([String::new(), bold("certificate")]);
    lines.extend(certificate_lines(report.certificate));
    let memory = report
        .peak_memory
        .map_or_else(String::new, |bytes| format!(" and at most {} of memory", human_bytes(bytes.into())));
    lines.extend([String::new(), format!("saved to {} after {}{memory}", report.model, seconds(report.seconds))]);
    lines.extend(report.plot.as_ref().map(|file| format!("drawn to {file}")));
    lines.push(format!("predict new rows with `mercer predict {} FILE`", report.model));
    format!("{}\n", lines.join("\n"))
}

fn data_lines(data: &Dataset, done: &Finished) -> Vec<String> {
    let mut grid = Grid::plain();
    let summary = describe(data);
    let read: Vec<&str> = done.pipeline.schema().names();
    for kind in ["number", "category", "text"] {
        let names: Vec<&str> = summary
            .summaries
            .iter()
            .filter(|c| c.column_type.to_string() == kind && read.contains(&c.name.as_str()))
            .map(|c| c.name.as_str())
            .collect();
        if !names.is_empty() {
            let shown = names.iter().take(8).copied().collect::<Vec<_>>().join(", ");
            let more = if names.len() > 8 { format!(" and {} more", names.len() - 8) } else { String::new() };
            grid.row([format!("{} {kind}", names.len()), format!("{shown}{more}")]);
        }
    }
    if let Some(classes) = done.pipeline.task().classes() {
        grid.row([format!("{} classes", classes.len()), classes.join(", ")]);
    }
    let mut lines = grid.lines("  ");
    lines.extend(done.pipeline.notes().iter().filter(|n| n.starts_with("left out")).map(|n| format!("  {n}")));
    lines
}

fn kernel_lines(report: &Report<'_>) -> Vec<String> {
    let mut lines = vec![
        format!("  {}", readable(&report.kernel)),
        format!("  {}; `mercer check` prints the proof", report.standing),
    ];
    if let Some(best) = report.candidates.first() {
        let scales =
            if best.per_column { "one length scale for each column" } else { "one length scale for all columns" };
        lines.push(format!("  tuned by the evidence on {} rows; {scales}", report.tuned_on));
    }
    for other in report.candidates.iter().skip(1) {
        let gap = (other.evidence - report.candidates[0].evidence) * report.tuned_on as f64;
        lines.push(format!(
            "  also tried, log evidence lower by {}: {}",
            number(gap, 3),
            readable(&other.kernel.to_string())
        ));
    }
    lines
}

/// The learner with its loss, and what keeps it simple.
fn model_lines(report: &Report<'_>, notes: &[String]) -> Vec<String> {
    let loss = report.loss.and_then(loss_name).filter(|loss| *loss != report.learner);
    let loss = loss.map_or_else(String::new, |name| format!(", {name} loss"));
    let mut lines = vec![format!("  {}{loss}", report.learner)];
    if let Some((name, value)) = report.parameter.zip(report.value) {
        let lambda = report.lambda.map_or_else(String::new, |l| format!(" (λ = alpha/n = {})", number(l, 4)));
        lines.push(format!("  {name} = {}{lambda}, chosen {}", number(value, 4), report.choice.describe()));
    }
    lines.extend(notes.iter().map(|note| format!("  {note}")));
    lines
}

/// A loss stands in the settings by its name, or with its parameters.
fn loss_name(loss: &serde_json::Value) -> Option<&str> {
    loss.as_str().or_else(|| loss.get("name")?.as_str())
}

fn estimate_lines(estimate: Option<&Estimate>, task: &Task) -> Vec<String> {
    let Some(estimate) = estimate else { return vec!["  not estimated".into()] };
    let constant = if task.classes().is_some() { "most frequent class" } else { "mean of the target" };
    let rows =
        [("this model", Some(estimate.model)), ("linear model", estimate.linear), (constant, Some(estimate.constant))];
    let mut grid = match estimate.model {
        Scores::Regression { .. } => Grid::new(&["", "RMSE", "MAE", "R²"], &[1, 2, 3]),
        Scores::Classification { log_loss: Some(_), .. } => Grid::new(&["", "accuracy", "log-loss"], &[1, 2]),
        Scores::Classification { .. } => Grid::new(&["", "accuracy"], &[1]),
    };
    for (name, scores) in rows {
        match scores {
            Some(Scores::Regression { rmse, mae, r2 }) => {
                grid.row([name.to_owned(), number(rmse, 4), number(mae, 4), number(r2, 4)]);
            }
            Some(Scores::Classification { accuracy, log_loss }) => {
                let shown = [Some(name.to_owned()), Some(percent(accuracy)), log_loss.map(|loss| number(loss, 4))];
                grid.row(shown.into_iter().flatten());
            }
            None => {}
        }
    }
    let mut lines = grid.lines("  ");
    lines.extend(estimate.no_linear.iter().map(|why| format!("  no linear model: {why}")));
    lines.push(format!(
        "  by {}, every choice made again each time; {} rows judged",
        estimate.split.describe(),
        estimate.rows
    ));
    lines
}

fn certificate_lines(certificate: &Certificate) -> Vec<String> {
    let mut lines = vec![format!("  solved by {}: {}", certificate.algorithm.name(), certificate.reason)];
    let of = certificate.system.as_ref().map_or_else(String::new, |system| format!(" of {system}"));
    let measured: Vec<String> =
        certificate.measured().map(|(name, value)| format!("{name} {}", number(value, 2))).collect();
    if !measured.is_empty() {
        lines.push(format!("  {}{of}", measured.join(", ")));
    }
    if let Some((gap, primal)) = certificate.gap().zip(certificate.primal) {
        let share = number((gap / primal.abs().max(f64::MIN_POSITIVE)).max(0.0), 2);
        lines.push(format!("  the objective is at most a share of {share} above its minimum, by duality"));
    }
    if certificate.jitter > 0.0 {
        lines.push(format!("  {} was added to the diagonal", number(certificate.jitter, 2)));
    }
    lines
}
