//! `mercer fit`: from a file to a certified model.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use mercer::data::{Column, Dataset, TargetKind, date_parts, write_atomically};
use mercer::error::quote_list;
use mercer::loss::{LossSpec, NamedLoss};
use mercer::model::pipeline::Prepare;
use mercer::plot::{fit_page, fit_sheet};
use mercer::report::FitReport;
use mercer::select::{Asked, Finished, Job, Split};
use mercer::solver::Filter;
use mercer::{KernelExpr, Note};
use serde_json::json;

use super::fit_text::text;
use crate::args::FitArgs;
use crate::context::Context;
use crate::exit::{Answer, Failure, Outcome};
use crate::load::{STREAM, load, weights};
use crate::memory::peak_memory;
use crate::output::{self, Kind, Output};
use crate::target;

/// Reads, chooses, fits, judges, saves and reports.
pub fn run(args: &FitArgs, context: &Context) -> Outcome<Answer> {
    let start = Instant::now();
    let job = job(args)?;
    let path = model_path(args.output.as_deref(), &args.data);
    check_outputs(args, &path)?;
    let data = load(&args.data, &args.read, context)?;
    // A model of points alone takes every column that is no target.
    let alone = args.model.learner_named().is_some_and(|spec| spec.targets == [TargetKind::None]);
    let data = if alone { Dataset { target: None, ..data } } else { data };
    if data.target.is_none() && !alone {
        let names = data.table().map(|t| t.names().to_vec()).unwrap_or_default();
        let hint = format!("name the column to predict with `--target`; there are {}", quote_list(&names));
        return Err(Failure::usage("there is no target to predict", hint));
    }
    let data = if loss_of_numbers(args) { data } else { target::guessed(data, &args.read, &job.learner, context) };
    let weights = args.weights.as_deref().map(|name| weights(name, &data)).transpose()?;
    let job = Job { groups: groups(args, &data)?, weights, ..job };
    let data = without_helpers(args, data)?;
    let done = context.interrupt.watch(|| job.fit(&data, &context.run)).map_err(|e| target::failure(e, &data))?;
    warn(&done, context);
    let took = start.elapsed().as_secs_f64();
    let pipeline = done.described(&data.name, args.weights.as_deref(), &args.model)?;
    let path = output::save_model(&pipeline, &path, args.force, context)?;
    let plot = draw(args, &done, context)?;
    let page = args.report.as_ref().map(|path| path.display().to_string());
    let report = FitReport {
        page,
        seconds: took,
        peak_memory: peak_memory(),
        model: path.display().to_string(),
        plot,
        warnings: context.printer.warnings(),
        ..FitReport::new(&data, &done, &pipeline).with_notes(context.printer.notes())
    };
    if let Some(path) = &args.report {
        // What a deadline left of the work is still reported.
        let text = fit_page(&report, &done, &context.run.without_stops())?;
        write_atomically(path, |out| out.write_all(text.as_bytes()).map_err(|e| mercer::Error::io(path, e)))?;
    }
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
        learner: asked(args)?,
        kernel: args.kernel.as_deref().map(KernelExpr::parse).transpose()?,
        alpha: args.alpha,
        tune: !args.no_tune,
        repair: args.repair,
        tune_rows: args.tune_rows,
        prepare: Prepare {
            missing: args.missing,
            standardize: !args.no_standardize,
            scale_target: !args.no_standardize,
            ..Prepare::default()
        },
        split,
        weights: None,
        groups: None,
        estimate: !args.no_estimate,
        seed: args.seed,
    })
}

/// The model with its settings, each from its own option or from `--set`.
fn asked(args: &FitArgs) -> Outcome<Asked> {
    let mut asked = args.model.clone();
    if let Some(name) = &args.filter {
        asked = asked.with_open("filter", json!(Filter::parse(name, args.filter_order)?));
    }
    if !args.quantiles.is_empty() {
        check_quantiles(args)?;
        asked = asked.with("quantiles", json!(args.quantiles));
    } else if let Some(name) = &args.loss {
        asked = asked.with("loss", json!(NamedLoss::parse(name, args.loss_parameter)?));
    }
    for (name, given) in [("non_crossing", args.non_crossing), ("calibrate", args.calibrate)] {
        asked = given.map_or(asked.clone(), |value| asked.with(name, value.into()));
    }
    Ok(args.settings.iter().fold(asked, |asked, (name, value)| asked.with(name, value.clone())))
}

/// Whether the loss that was asked for makes no classifier: the target is then numbers, whatever they look like.
fn loss_of_numbers(args: &FitArgs) -> bool {
    let spec = args.loss.as_deref().and_then(LossSpec::find);
    spec.is_some_and(|spec| !spec.classifies)
}

/// Several quantiles have the loss `pinball`, whose parameter they are.
fn check_quantiles(args: &FitArgs) -> Outcome {
    if args.loss_parameter.is_some() {
        let hint = "leave `--loss-parameter` out: `--quantiles` has them all";
        return Err(Failure::usage("quantiles are given twice", hint));
    }
    match args.loss.as_deref() {
        Some(other) if other != "pinball" => {
            let hint = "give `--loss pinball`, or leave `--quantiles` out";
            Err(Failure::usage(format!("the loss `{other}` has no quantiles"), hint))
        }
        _ => Ok(()),
    }
}

/// The group of each row, numbered.
fn groups(args: &FitArgs, data: &Dataset) -> Outcome<Option<Vec<usize>>> {
    let Some(name) = &args.groups else { return Ok(None) };
    let table = data.table()?;
    let column = table.column(name).ok_or_else(|| table.unknown_column(name))?;
    let key = |i: usize| match column {
        Column::Number(v) => v[i].to_string(),
        Column::Category(c) => c.get(i).unwrap_or_default().to_owned(),
        Column::Structured(v) => v.cell(i).into_owned(),
        _ => String::new(),
    };
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut place = |key: String| {
        let next = seen.len();
        *seen.entry(key).or_insert(next)
    };
    Ok(Some((0..data.len()).map(|i| place(key(i))).collect()))
}

/// The data without the columns of groups and weights, which say nothing of new rows.
fn without_helpers(args: &FitArgs, data: Dataset) -> Outcome<Dataset> {
    let mut table = match &data.inputs {
        mercer::data::Inputs::Table(table) => table.clone(),
        _ => return Ok(data),
    };
    for name in args.groups.iter().chain(&args.weights) {
        let parts = date_parts(&table, name);
        table = parts.iter().chain([name]).try_fold(table, |table, name| table.without(name))?;
    }
    Ok(Dataset { inputs: table.into(), ..data })
}

/// Where the model of these data goes: known before they are read.
pub(super) fn model_path(output: Option<&Path>, data: &str) -> PathBuf {
    output.map(Path::to_owned).unwrap_or_else(|| {
        let name = if data == STREAM { "standard input" } else { data };
        let stem = Path::new(name).file_name().map_or("model".into(), |n| n.to_string_lossy().into_owned());
        let stem = stem.split('.').next().filter(|s| !s.is_empty()).unwrap_or("model").to_owned();
        PathBuf::from(format!("{stem}.mercer"))
    })
}

fn check_outputs(args: &FitArgs, model: &Path) -> Outcome {
    let model = Output { option: "--output", path: model, kind: Kind::Model };
    let plot = args.plot.as_deref().map(|path| Output { option: "--plot", path, kind: Kind::Picture });
    let page = args.report.as_deref().map(|path| Output { option: "--report", path, kind: Kind::Page });
    let outputs: Vec<Output<'_>> = [model].into_iter().chain(plot).chain(page).collect();
    output::check(&outputs, &[Path::new(&args.data)], args.force)
}

fn warn(done: &Finished, context: &Context) {
    let doubtful = |note: &&Note| {
        matches!(note, Note::EqualsTarget { .. } | Note::Identifiers { .. } | Note::SingleRowClasses { .. })
    };
    let doubts = done.pipeline.notes().iter().filter(doubtful);
    done.unread.iter().chain(doubts).for_each(|note| context.printer.warn(&note.to_string()));
    if !done.at_bounds.is_empty() {
        context.printer.warn(&format!("tuning left {} at a bound", quote_list(&done.at_bounds)));
    }
    if let (true, Some(name)) = (done.report.fit.at_the_edge, done.report.parameter) {
        let beyond = if name == "alpha" { "; give `--alpha` to go beyond" } else { "" };
        context.printer.warn(&format!("{name} is the first or last of those that were tried{beyond}"));
    }
    if let Some(problem) = done.pipeline.model().certificate().unsolved() {
        context.printer.warn(&problem);
    }
    if done.stopped.is_some() {
        context.printer.warn("the work was stopped early; the model is the best by that time, its error not estimated");
    }
}

/// Draws the fit where that was asked for, and says what it could not draw. Returns the file's name.
fn draw(args: &FitArgs, done: &Finished, context: &Context) -> Outcome<Option<String>> {
    let Some(path) = &args.plot else { return Ok(None) };
    let figure = fit_sheet(done);
    if figure.panels.is_empty() {
        figure.notes.into_iter().for_each(|note| context.printer.note(note));
        context.printer.warn(&format!("there is nothing to draw, and {} is not written", path.display()));
        return Ok(None);
    }
    figure.write(path)?.into_iter().for_each(|note| context.printer.note(note));
    Ok(Some(path.display().to_string()))
}
