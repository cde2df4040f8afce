//! `mercer embed`: few coordinates for every row.

use std::time::Instant;

use mercer::KernelExpr;
use mercer::data::{Column, Dataset, Table, TargetKind, write_table};
use mercer::error::counted;
use mercer::model::pipeline::{Pipeline, Task};
use mercer::model::{Answer as Gives, Fitted, Learner, LearnerSpec};
use mercer::plot::{Axis, Figure, projection};
use mercer::report::{EmbedReport, answers};
use serde_json::{Map, Value};

use super::points::{Files, learner_that, usual, weighed};
use super::predict::csv;
use crate::args::EmbedArgs;
use crate::context::Context;
use crate::exit::{Answer, Outcome};
use crate::layout::{seconds, shortened};
use crate::load::{STREAM, load, note_target};
use crate::output;

/// Reads, fits, saves where asked, and writes the coordinates of every row.
pub fn run(args: &EmbedArgs, context: &Context) -> Outcome<Answer> {
    let start = Instant::now();
    let learner = learner(args)?;
    // A formula that does not parse need not wait for the data.
    let kernel = args.kernel.as_deref().map(KernelExpr::parse).transpose()?;
    let (table, model, picture) = (args.output.as_deref(), args.save.as_deref(), args.plot.as_deref());
    Files { table, model, picture }.check(&[&args.data], args.force)?;
    let data = load(&args.data, &args.read, context)?;
    note_target(&data, &args.read, context);
    let classes = classes(&data);
    let (data, prepared) = weighed(data, &args.rows)?;
    let learner = learner.with_kernel(kernel.map_or_else(|| usual(&prepared.inputs, context), Ok)?);
    let fit = || learner.fit(&prepared.inputs, prepared.target.clone(), prepared.weights.as_ref(), &context.run);
    let Fitted { model, report } = context.interrupt.watch(fit)?;
    report.notes.iter().chain(&prepared.notes).cloned().for_each(|note| context.printer.note(note));
    if let Some(problem) = model.certificate().unsolved() {
        context.printer.warn(&problem);
    }
    let complete = model.certificate().stop.is_complete();
    let (kept, kept_rows) = (data.take(&prepared.kept), prepared.kept.clone());
    let pipeline = prepared.pipeline(model)?;
    let table = context.interrupt.watch(|| coordinates(&pipeline, &kept, args.scores, context))?;
    let saved =
        args.save.as_deref().map(|path| output::save_model(&pipeline, path, args.force, context)).transpose()?;
    let labels: Vec<String> = kept_rows.iter().filter_map(|i| classes.get(*i).cloned()).collect();
    let report = EmbedReport {
        data: data.name.clone(),
        plot: draw(args, &data.name, &table, &labels, context)?,
        model: saved.map(|path| path.display().to_string()),
        seconds: start.elapsed().as_secs_f64(),
        ..EmbedReport::new(&pipeline, &table, context.printer.notes())
    };
    write(args, &table, report, context)?;
    Ok(if complete { Answer::Yes } else { Answer::NotDecided })
}

/// The learner with its settings: one whose models answer with coordinates, and that needs no target.
fn learner(args: &EmbedArgs) -> Outcome<Learner> {
    let embeds = |spec: &LearnerSpec| spec.answers.contains(&Gives::Embedding) && spec.takes(TargetKind::None);
    let learner = learner_that(embeds, &args.model, "coordinates of points alone")?;
    let mut settings: Map<String, Value> = args.settings.iter().cloned().collect();
    if let Some(count) = args.components {
        settings.insert("components".into(), count.into());
    }
    let learner = learner.with_settings(settings)?;
    learner.validate()?;
    Ok(learner)
}

/// The target of every row in words, where it is classes; nothing where it is numbers, or nothing.
fn classes(data: &Dataset) -> Vec<String> {
    let found = data.target.as_ref().filter(|(_, column)| column.numbers().is_none());
    let words = found.and_then(|(name, column)| Task::words(name, column).ok());
    words.map_or_else(Vec::new, |words| (0..words.len()).map(|i| words.get(i).unwrap_or_default().to_owned()).collect())
}

/// Draws the first two coordinates where that was asked for. Returns the file's name.
fn draw(args: &EmbedArgs, name: &str, table: &Table, labels: &[String], context: &Context) -> Outcome<Option<String>> {
    let Some(path) = &args.plot else { return Ok(None) };
    let numbers: Vec<(&str, &[f64])> = table.iter().filter_map(|(name, c)| Some((name, c.numbers()?))).collect();
    let [(first, x), (second, y), ..] = numbers.as_slice() else {
        context.printer.warn(&format!("there are no two coordinates to draw, and {} is not written", path.display()));
        return Ok(None);
    };
    let points: Vec<[f64; 2]> = x.iter().zip(*y).map(|(x, y)| [*x, *y]).collect();
    let panel = projection(name, [Axis::linear(*first), Axis::linear(*second)], &points, labels)?;
    let notes = Figure::of(panel).write(path)?;
    notes.into_iter().for_each(|note| context.printer.note(note));
    Ok(Some(path.display().to_string()))
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
        None => context.printer.out_data(&csv(table)?),
        Some(_) => context.printer.out(&text(&report)),
    }
}

/// What was found, in a few lines.
fn text(report: &EmbedReport) -> String {
    let share = |ratio: &f64| format!("{:.1} %", 100.0 * ratio);
    let shares: Vec<String> = report.explained.iter().map(share).collect();
    let mut text = format!("{}, kernel {}\n", counted(report.rows.len(), "row", "rows"), shortened(&report.kernel));
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
