//! `mercer embed`: few coordinates for every row.

use std::path::Path;
use std::time::Instant;

use mercer::KernelExpr;
use mercer::data::{Column, Dataset, Inputs, Table, TableFormat, TargetKind, write_table};
use mercer::error::quote_list;
use mercer::model::pipeline::{Pipeline, Prepare, Prepared};
use mercer::model::{Answer as Gives, Fitted, Learner, LearnerSpec, catalogue};
use mercer::report::{EmbedReport, answers};
use mercer::select::default_kernels;
use serde_json::{Map, Value};

use super::predict::csv;
use crate::args::EmbedArgs;
use crate::context::Context;
use crate::exit::{Answer, Failure, Outcome};
use crate::layout::seconds;
use crate::load::{STREAM, load, note_target, weights};
use crate::output::{self, Kind, Output};

/// Reads, fits, saves where asked, and writes the coordinates of every row.
pub fn run(args: &EmbedArgs, context: &Context) -> Outcome<Answer> {
    let start = Instant::now();
    let learner = learner(args)?;
    // A formula that does not parse need not wait for the data.
    let kernel = args.kernel.as_deref().map(KernelExpr::parse).transpose()?;
    check_outputs(args)?;
    let data = load(&args.data, &args.read, context)?;
    note_target(&data, &args.read, context);
    let (data, prepared) = prepared(args, data)?;
    let learner = learner.with_kernel(kernel.map_or_else(|| usual(&prepared.inputs, context), Ok)?);
    let fit = || learner.fit(&prepared.inputs, prepared.target.clone(), prepared.weights.as_ref(), &context.run);
    let Fitted { model, report } = context.interrupt.watch(fit)?;
    report.notes.iter().chain(&prepared.notes).cloned().for_each(|note| context.printer.note(note));
    if let Some(problem) = model.certificate().unsolved() {
        context.printer.warn(&problem);
    }
    let complete = model.certificate().stop.is_complete();
    let kept = data.take(&prepared.kept);
    let pipeline = prepared.pipeline(model)?;
    let table = context.interrupt.watch(|| coordinates(&pipeline, &kept, args.scores, context))?;
    if let Some(path) = &args.save {
        pipeline.save(path)?;
    }
    let report = EmbedReport {
        data: data.name.clone(),
        model: args.save.as_ref().map(|path| path.display().to_string()),
        seconds: start.elapsed().as_secs_f64(),
        ..EmbedReport::new(&pipeline, &table, context.printer.notes())
    };
    write(args, &table, report, context)?;
    Ok(if complete { Answer::Yes } else { Answer::NotDecided })
}

/// The learner with its settings: one whose models answer with coordinates, and that needs no target.
fn learner(args: &EmbedArgs) -> Outcome<Learner> {
    let embeds = |spec: &LearnerSpec| spec.answers.contains(&Gives::Embedding) && spec.takes(TargetKind::None);
    let learner = catalogue::by_name(&args.model)?;
    if !embeds(learner.spec()) {
        let all = catalogue::all();
        let names: Vec<&str> = all.iter().map(|l| l.spec()).filter(|s| embeds(s)).map(|s| s.name).collect();
        let hint = format!("models that do: {}", quote_list(&names));
        return Err(Failure::usage(format!("the model `{}` gives no coordinates of points alone", args.model), hint));
    }
    let mut settings: Map<String, Value> = args.settings.iter().cloned().collect();
    if let Some(count) = args.components {
        settings.insert("components".into(), count.into());
    }
    let learner = learner.with_settings(settings)?;
    learner.validate()?;
    Ok(learner)
}

fn check_outputs(args: &EmbedArgs) -> Outcome {
    if let Some(path) = args.output.as_deref().filter(|path| path.as_os_str() != STREAM) {
        TableFormat::of(path)?;
    }
    let table = args.output.as_deref().map(|path| Output { option: "--output", path, kind: Kind::Table });
    let model = args.save.as_deref().map(|path| Output { option: "--save", path, kind: Kind::Model });
    let outputs: Vec<Output<'_>> = table.into_iter().chain(model).collect();
    output::check(&outputs, &[Path::new(&args.data)], args.force)
}

/// The points without target and weights, prepared, and the data they come from.
fn prepared(args: &EmbedArgs, data: Dataset) -> Outcome<(Dataset, Prepared)> {
    let weights = args.weights.as_deref().map(|name| weights(name, &data)).transpose()?;
    let mut data = Dataset { target: None, ..data };
    if let (Some(name), Inputs::Table(table)) = (&args.weights, &data.inputs) {
        data = Dataset { inputs: table.without(name)?.into(), ..data };
    }
    let prepare = Prepare { missing: args.missing, standardize: !args.no_standardize, scale_target: false };
    let prepared = prepare.fit(&data, weights.as_ref())?;
    Ok((data, prepared))
}

/// The usual kernel of these columns, said aloud.
fn usual(x: &Inputs, context: &Context) -> Outcome<KernelExpr> {
    let kernel = default_kernels(x)?.into_iter().next().unwrap_or_default();
    context.printer.note(format!("the kernel is `{kernel}`; choose another with `--kernel`"));
    Ok(kernel)
}

/// A column for every component and, where asked for, the distance of every row to all of them.
fn coordinates(pipeline: &Pipeline, data: &Dataset, scores: bool, context: &Context) -> mercer::Result<Table> {
    let (table, _) = answers(pipeline, &data.inputs, None, &context.run)?;
    if !scores {
        return Ok(table);
    }
    let (points, _) = pipeline.preparation().apply(&data.inputs)?;
    let distances = pipeline.model().outlier_distances(&points, None, &context.run)?;
    let mut columns: Vec<(String, Column)> = table.iter().map(|(name, c)| (name.to_owned(), c.clone())).collect();
    columns.push(("distance".into(), Column::Number(distances.into())));
    Table::new(columns)
}

fn write(args: &EmbedArgs, table: &Table, report: EmbedReport, context: &Context) -> Outcome {
    let file = args.output.as_ref().filter(|path| path.as_os_str() != STREAM);
    if let Some(path) = file {
        write_table(path, table)?;
    }
    if context.printer.is_json() {
        let output = file.map(|path| path.display().to_string());
        return context.printer.out_json(&EmbedReport { output, ..report });
    }
    match file {
        None => context.printer.out(&csv(table)?),
        Some(_) => context.printer.out(&text(&report)),
    }
}

/// What was found, in a few lines.
fn text(report: &EmbedReport) -> String {
    let share = |ratio: &f64| format!("{:.1} %", 100.0 * ratio);
    let shares: Vec<String> = report.explained.iter().map(share).collect();
    let mut text = format!("{} rows, kernel {}\n", report.rows.len(), report.kernel);
    if !shares.is_empty() {
        text += &format!("variance explained: {}\n", shares.join(", "));
    }
    let certificate = &report.certificate;
    text += &format!(
        "{} in {}: relative residual {:.1e} ({})\n",
        certificate.algorithm.name(),
        seconds(report.seconds),
        certificate.residual(),
        certificate.reason
    );
    text
}
