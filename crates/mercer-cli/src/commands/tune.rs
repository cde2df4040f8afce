//! `mercer tune`: a grid of settings, judged by folds.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use mercer::data::{Dataset, check_writable};
use mercer::error::quote_list;
use mercer::model::pipeline::{COMPLETE, Pipeline, Prepare, Prepared};
use mercer::plot::{Figure, search_panel};
use mercer::report::TuneReport;
use mercer::select::{Asked, GridSearch, Journal, Judged, Searched, Split};
use mercer::{Error, KernelExpr};
use serde_json::Value;

use super::fit::model_path;
use crate::args::TuneArgs;
use crate::context::Context;
use crate::exit::{Answer, Failure, Outcome};
use crate::layout::{Grid, number};
use crate::load::{load, weights};
use crate::output::{self, Kind, Output};
use crate::printer::Style;
use crate::target;

/// Candidates that are shown; a report has all of them.
const SHOWN: usize = 10;

/// Searches, fits the best, saves and reports.
pub fn run(args: &TuneArgs, context: &Context) -> Outcome<Answer> {
    let start = Instant::now();
    let path = model_path(args.output.as_deref(), &args.data);
    let model = Output { option: "--output", path: &path, kind: Kind::Model };
    let picture = args.plot.as_deref().map(|path| Output { option: "--plot", path, kind: Kind::Picture });
    let outputs: Vec<Output<'_>> = [model].into_iter().chain(picture).collect();
    let inputs: Vec<&Path> = [Path::new(&args.data)].into_iter().chain(args.journal.as_deref()).collect();
    output::check(&outputs, &inputs, args.force)?;
    let kernel = KernelExpr::parse(&args.kernel)?;
    let mut journal = File::open(args.journal.as_deref())?;
    let data = load(&args.data, &args.read, context)?;
    let data = target::guessed(data, &args.read, &args.model.clone().unwrap_or_default(), context);
    let (prepared, data) = prepared(args, &kernel, data)?;
    prepared.notes.iter().cloned().for_each(|note| context.printer.note(note));
    let search = search(args, kernel, &prepared, &data)?;
    let found = context.interrupt.watch(|| search.search(&prepared, &mut journal, &context.run));
    let found = found.map_err(|e| prepared.explained(e))?;
    let report = TuneReport::new(&found, search.axes.clone(), search.split.describe());
    let stopped = found.stopped;
    let path = output::save_model(&saved(prepared, found, &data)?, &path, args.force, context)?;
    let report = TuneReport {
        data: data.name.clone(),
        from_journal: journal.taken.get(),
        model: path.display().to_string(),
        seconds: start.elapsed().as_secs_f64(),
        ..report
    };
    let report = TuneReport { plot: draw(args, &report, context)?, ..report };
    if stopped {
        context.printer.warn("the search was stopped early; the model is the best of what was judged by that time");
    }
    match context.printer.is_json() {
        true => context.printer.out_json(&report)?,
        false => context.printer.out(&text(&report, context))?,
    }
    Ok(if stopped { Answer::NotDecided } else { Answer::Yes })
}

/// Draws the search where that was asked for. Returns the file's name.
fn draw(args: &TuneArgs, report: &TuneReport, context: &Context) -> Outcome<Option<String>> {
    let Some(path) = &args.plot else { return Ok(None) };
    let Some(panel) = search_panel(report) else {
        context.printer.warn(&format!("there is nothing to draw, and {} is not written", path.display()));
        return Ok(None);
    };
    let title = format!("{}: {}", report.data, report.learner);
    let notes = Figure::of(panel).titled(title).write(path)?;
    notes.into_iter().for_each(|note| context.printer.note(note));
    Ok(Some(path.display().to_string()))
}

fn prepared(args: &TuneArgs, kernel: &KernelExpr, data: Dataset) -> Outcome<(Prepared, Dataset)> {
    if data.target.is_none() {
        let names = data.table().map(|t| t.names().to_vec()).unwrap_or_default();
        let hint = format!("name the column to predict with `--target`; there are {}", quote_list(&names));
        return Err(Failure::usage("there is no target to predict", hint));
    }
    let weighed = args.weights.as_deref().map(|name| weights(name, &data)).transpose()?;
    let data = match (&args.weights, &data.inputs) {
        (Some(name), mercer::data::Inputs::Table(table)) => Dataset { inputs: table.without(name)?.into(), ..data },
        _ => data,
    };
    let typed = Dataset { inputs: kernel.typed(&data.inputs), ..data.clone() };
    let standardize = !args.no_standardize;
    let prepare = Prepare { missing: args.missing, standardize, scale_target: standardize, ..Prepare::default() };
    let prepare = prepare.for_kernel(Some(kernel));
    Ok((prepare.fit(&typed, weighed.as_ref())?, data))
}

fn search(args: &TuneArgs, kernel: KernelExpr, prepared: &Prepared, data: &Dataset) -> Outcome<GridSearch> {
    let usual = || Asked::named(if prepared.task.classes().is_some() { "svc" } else { "svr" });
    let asked = args.model.clone().map_or_else(usual, Ok)?;
    let asked = args.settings.iter().fold(asked, |asked, (name, value)| asked.with(name, value.clone()));
    let kind = prepared.target.kind();
    let found = asked.learner(kind, prepared.task.outputs(), prepared.inputs.len());
    let (learner, _) = found.map_err(|e| target::failure(e, data))?;
    // Rules such as `median` are found once, so that every fold and candidate has the same kernel.
    let (kernel, _) = kernel.resolve(&prepared.inputs, &mercer::Run::new())?;
    Ok(GridSearch {
        learner: learner.with_kernel(kernel),
        axes: args.grid.clone(),
        split: Split::Folds(args.cv),
        halving: args.halving,
        seed: args.seed,
    })
}

fn saved(prepared: Prepared, found: Searched, data: &Dataset) -> Outcome<Pipeline> {
    let mut parts = prepared.pipeline(found.fitted.model)?.into_parts();
    parts.settings.insert("data".into(), data.name.clone().into());
    parts.settings.insert("tuned".into(), serde_json::to_value(&found.best).unwrap_or_default());
    parts.settings.insert(COMPLETE.into(), (!found.stopped).into());
    Ok(Pipeline::from_parts(parts)?)
}

fn text(report: &TuneReport, context: &Context) -> String {
    let shown = |settings: &BTreeMap<String, Value>| {
        settings.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    let title = context.printer.paint(Style::Bold, &report.data);
    let (best, loss) = (shown(&report.best), number(report.best_loss, 4));
    let mut lines =
        vec![format!("{title}: {} with {best}, {} {loss} by {}", report.learner, report.loss, report.split)];
    lines.push(String::new());
    let mut candidates: Vec<&Judged> = report.candidates.iter().collect();
    candidates.sort_by(|a, b| b.rows.cmp(&a.rows).then(a.loss.total_cmp(&b.loss)));
    let mut grid = Grid::new(&["settings", &report.loss, "rows", "seconds"], &[1, 2, 3]);
    for judged in candidates.iter().take(SHOWN) {
        let cells =
            [shown(&judged.settings), number(judged.loss, 4), judged.rows.to_string(), number(judged.seconds, 2)];
        grid.row(cells);
    }
    lines.extend(grid.lines("  "));
    if candidates.len() > SHOWN {
        lines.push(format!("  and {} more; `--json` lists them all", candidates.len() - SHOWN));
    }
    lines.push(String::new());
    let gap = report.certificate.gap().zip(report.certificate.primal());
    lines.extend(gap.map(|(gap, primal)| {
        let share = gap / primal.abs().max(f64::MIN_POSITIVE);
        format!(
            "  certified: the objective is within {} of the least, stopped by {}",
            number(share, 2),
            report.certificate.stop.name()
        )
    }));
    lines.push(format!(
        "  the loss of the best of {} is too low for new rows; judge the model on others",
        candidates.len()
    ));
    lines.push(format!("  saved to {}, in {} s", report.model, number(report.seconds, 3)));
    format!("{}\n", lines.join("\n"))
}

/// A journal in a file, one candidate a line.
struct File {
    path: Option<PathBuf>,
    known: Vec<Judged>,
    /// The length of the lines that are whole: a search that was killed may have left half of one behind them.
    whole: u64,
    taken: std::cell::Cell<usize>,
}

impl File {
    fn open(path: Option<&Path>) -> Outcome<Self> {
        // Better said now than after the first candidate.
        path.map_or(Ok(()), check_writable)?;
        let (mut known, mut whole) = (Vec::new(), 0);
        if let Some(path) = path.filter(|path| path.exists()) {
            let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
            for (at, line) in text.split_inclusive('\n').enumerate() {
                match serde_json::from_str(line) {
                    Ok(judged) if line.ends_with('\n') => known.push(judged),
                    _ if is_half(line) => break,
                    Err(e) => return Err(no_journal(path, at + 1, &e.to_string())),
                    Ok(_) => return Err(no_journal(path, at + 1, "the line does not end")),
                }
                whole += line.len() as u64;
            }
        }
        Ok(File { path: path.map(Path::to_owned), known, whole, taken: std::cell::Cell::new(0) })
    }
}

/// How every line of a journal begins.
const BEGINNING: &str = "{\"settings\":";

/// Whether a line may be the first part of one that a search was writing when it was killed.
fn is_half(line: &str) -> bool {
    !line.ends_with('\n') && (line.starts_with(BEGINNING) || BEGINNING.starts_with(line))
}

fn no_journal(path: &Path, line: usize, problem: &str) -> Failure {
    let hint = "give the journal of an earlier `mercer tune`, or the name of a new file";
    Failure::usage(format!("{}, line {line}: {problem}", path.display()), hint)
}

impl Journal for File {
    fn known(&self, settings: &BTreeMap<String, Value>, rows: usize) -> Option<Judged> {
        let found = self.known.iter().find(|j| &j.settings == settings && j.rows == rows).cloned()?;
        self.taken.set(self.taken.get() + 1);
        Some(found)
    }

    fn keep(&mut self, judged: &Judged) -> mercer::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let line = format!("{}\n", serde_json::to_string(judged).unwrap_or_default());
        let written = OpenOptions::new().create(true).write(true).truncate(false).open(path).and_then(|mut file| {
            file.set_len(self.whole)?;
            file.seek(SeekFrom::End(0))?;
            file.write_all(line.as_bytes())
        });
        self.whole += line.len() as u64;
        written.map_err(|e| Error::io(path, e))
    }
}
