//! `mercer gram`: a kernel matrix, reported or exported.

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use mercer::KernelExpr;
use mercer::data::{Dataset, Inputs, Precision, describe};
use mercer::error::human_bytes;
use mercer::gram::{Bound, Gather, KernelMatrix, MatrixSummary, Resolution};
use mercer::plot::{Figure, Heat, effective_dimension, eigenvalues};
use mercer::report::{GramReport, SpectrumReport};
use mercer::select::default_kernels;

use super::data::scale_gap;
use crate::args::GramArgs;
use crate::context::Context;
use crate::exit::{Failure, Outcome};
use crate::export::{Destination, Matrix, Pass};
use crate::layout::seconds;
use crate::load::{STREAM, load, load_like, note_target};
use crate::output::{self, Kind, Output};
use crate::prepare::Preparer;
use crate::reads::columns_read;
use crate::report;
use crate::spectrum;

/// Computes the matrix, then exports it, reports on it, or both.
pub fn run(args: &GramArgs, context: &Context) -> Outcome {
    let destination = destination(args, context)?;
    let ready = Ready::read(args, context)?;
    let run = &context.run;
    context.interrupt.watch(|| {
        let bound = ready.bind(context)?;
        // A kernel that finds no column of its own is an error, and not a warning as well.
        let unread = ready.asked.unread_note(&ready.data.inputs).into_iter();
        let notes = unread.chain(ready.asked.unknown_letters(&ready.data.inputs));
        notes.for_each(|note| context.printer.warn(&note.to_string()));
        let start = Instant::now();
        let precision = if args.f32 { Precision::Single } else { Precision::Double };
        let size = (bound.nrows(), bound.ncols());
        let reserved = destination.as_ref().map(|to| to.reserved(size, run)).transpose()?;
        let (destination, _writing) = reserved.unzip();
        let matrix = Matrix::compute(&bound, precision, run)?;
        note_streamed(&matrix, context);
        let wanted = destination.is_none() || args.stats || context.printer.is_json();
        let mut gather = wanted.then(|| ready.gather(&bound, context)).transpose()?;
        let (rows, columns) = matrix.size();
        let mut heat = args.plot.as_ref().map(|_| Heat::new(rows, columns)).transpose()?;
        let seen = Seen { gather: gather.as_mut(), heat: heat.as_mut() };
        let pass_time = pass(&matrix, destination.as_ref(), seen, start, context)?;
        let spectrum = args.spectrum.then(|| spectrum::report(&matrix, &bound, context)).transpose()?;
        let plot = args.plot.as_deref().zip(heat);
        let plot = plot.map(|(path, heat)| draw(path, &heat, spectrum.as_ref(), &ready, context)).transpose()?;
        let found = Found { summary: gather.map(Gather::finish), spectrum, plot, seconds: pass_time };
        let report = ready.report(found, destination.as_ref(), context);
        finish(report, destination.as_ref(), context)
    })
}

fn destination(args: &GramArgs, context: &Context) -> Outcome<Option<Destination>> {
    let inputs: Vec<&Path> = [&args.data].into_iter().chain(&args.against).map(Path::new).collect();
    let table = args.output.as_deref().map(|path| Output { option: "--output", path, kind: Kind::Table });
    let picture = args.plot.as_deref().map(|path| Output { option: "--plot", path, kind: Kind::Picture });
    let outputs: Vec<Output<'_>> = table.into_iter().chain(picture).collect();
    let Some(path) = &args.output else {
        output::check(&outputs, &inputs, args.force)?;
        return Ok(None);
    };
    let precision = if args.f32 { Precision::Single } else { Precision::Double };
    let destination = Destination::new(path, args.output_format, precision)?;
    if destination.is_stream() && context.printer.is_json() {
        return Err(Failure::usage(
            "`--json` and `-o -` both want standard output",
            "write the matrix to a file, or leave out `--json`",
        ));
    }
    output::check(&outputs, &inputs, args.force)?;
    Ok(Some(destination))
}

/// What was found in the matrix, and how long it took to compute.
struct Found {
    summary: Option<MatrixSummary>,
    spectrum: Option<SpectrumReport>,
    plot: Option<String>,
    seconds: f64,
}

/// Those who look at the rows of the matrix as they pass.
struct Seen<'a> {
    gather: Option<&'a mut Gather>,
    heat: Option<&'a mut Heat>,
}

impl Seen<'_> {
    fn take(&mut self, first: usize, values: &[f64]) {
        self.gather.iter_mut().for_each(|g| g.add(first, values));
        self.heat.iter_mut().for_each(|h| h.add(first, values));
    }
}

/// Data and formula, read and prepared.
struct Ready {
    data: Dataset,
    against: Option<Dataset>,
    asked: KernelExpr,
    expr: KernelExpr,
    found: Vec<Resolution>,
    x: Inputs,
    y: Option<Inputs>,
}

impl Ready {
    fn read(args: &GramArgs, context: &Context) -> Outcome<Self> {
        if args.data == STREAM && args.against.as_deref() == Some(STREAM) {
            return Err(Failure::usage("standard input can be read only once", "give a file for one of the two"));
        }
        // A formula that does not parse need not wait for the data.
        let given = args.kernel.as_deref().map(KernelExpr::parse).transpose()?;
        let data = load(&args.data, &args.read, context)?;
        note_target(&data, &args.read, context);
        let asked = given.map_or_else(|| chosen_formula(&data.inputs, context), Ok)?;
        let (preparer, x) = Preparer::fit(&asked, &data.inputs, &args.prepare, context)?;
        if !args.prepare.standardize {
            note_scales(&asked, &data, context);
        }
        let (expr, found) = asked.resolve(&x, &context.run)?;
        let against = match &args.against {
            Some(name) => Some(load_like(name, &args.read, &data, context)?),
            None => None,
        };
        let y = against.as_ref().map(|d| preparer.apply(&d.inputs, context)).transpose()?;
        context.checkpoint("preparing")?;
        Ok(Ready { data, against, asked, expr, found, x, y })
    }

    fn bind(&self, context: &Context) -> Outcome<Bound> {
        Ok(match &self.y {
            Some(y) => self.expr.bind_cross(&self.x, y, &context.run)?,
            None => self.expr.bind(&self.x, &context.run)?,
        })
    }

    /// An empty summary, which needs k(x, x) of the points on both sides.
    fn gather(&self, bound: &Bound, context: &Context) -> Outcome<Gather> {
        let diagonal = |bound: &Bound| {
            let mut diagonal = vec![0.0; bound.nrows()];
            bound.diag(&mut diagonal);
            diagonal
        };
        let cols = match &self.y {
            Some(y) if bound.nrows() > 0 => Some(diagonal(&self.expr.bind(y, &context.run)?)),
            _ => None,
        };
        Ok(Gather::new(diagonal(bound), cols))
    }

    fn report(&self, found: Found, to: Option<&Destination>, context: &Context) -> GramReport {
        report::judge(found.summary.as_ref(), &self.expr, context);
        GramReport {
            data: self.data.name.clone(),
            against: self.against.as_ref().map(|d| d.name.clone()),
            kernel: self.asked.to_string(),
            resolved: self.expr.to_string(),
            resolutions: self.found.clone(),
            rows: self.x.len(),
            columns: self.y.as_ref().map_or(self.x.len(), Inputs::len),
            seconds: found.seconds,
            threads: context.run.threads(),
            summary: found.summary,
            spectrum: found.spectrum,
            plot: found.plot,
            output: to.map(|d| d.path().display().to_string()),
            notes: context.printer.notes(),
            warnings: context.printer.warnings(),
        }
    }
}

/// A formula that fits the columns.
fn chosen_formula(inputs: &Inputs, context: &Context) -> Outcome<KernelExpr> {
    let chosen = default_kernels(inputs)
        .map_err(|e| Failure::usage(e.to_string(), "keep the target with `--no-target`"))?
        .swap_remove(0);
    context.printer.note(format!("kernel `{chosen}` chosen by column types; give your own with `--kernel`"));
    Ok(chosen)
}

/// Says when one column outweighs another that the same formula reads.
fn note_scales(expr: &KernelExpr, data: &Dataset, context: &Context) {
    let Inputs::Table(table) = &data.inputs else { return };
    let read: HashSet<String> = columns_read(expr, table).into_iter().collect();
    let summary = describe(data);
    if let Some(gap) = scale_gap(summary.summaries.iter().filter(|c| read.contains(&c.name))) {
        context.printer.note(format!("{gap}; consider `--standardize`"));
    }
}

/// Says that the matrix is larger than the memory limit.
fn note_streamed(matrix: &Matrix<'_>, context: &Context) {
    if matrix.is_streamed() {
        let (nrows, ncols) = matrix.size();
        let needed = human_bytes(8 * nrows as u128 * ncols as u128);
        let limit = human_bytes(u128::from(context.run.memory_limit()));
        context.printer.note(format!(
            "the matrix ({needed}) is larger than the memory limit ({limit}), so it is computed in parts"
        ));
    }
}

/// Goes over the matrix once, writing and summarising; answers the time it took to compute.
fn pass(
    matrix: &Matrix<'_>,
    destination: Option<&Destination>,
    mut seen: Seen<'_>,
    start: Instant,
    context: &Context,
) -> Outcome<f64> {
    let stored = start.elapsed().as_secs_f64();
    let mut take = |first: usize, values: &[f64]| seen.take(first, values);
    match destination {
        None => matrix.each_band(&context.run, take)?,
        Some(destination) => {
            let pass = Pass::new(matrix, &context.run);
            destination.write(matrix.size(), &mut |rows, out| {
                let first = rows.start;
                pass.rows(rows, out)?;
                take(first, out);
                Ok(())
            })?;
        }
    }
    Ok(if matrix.is_streamed() { start.elapsed().as_secs_f64() } else { stored })
}

/// Draws the matrix and, where it was asked for, its spectrum. Returns the file's name.
fn draw(
    path: &Path,
    heat: &Heat,
    spectrum: Option<&SpectrumReport>,
    ready: &Ready,
    context: &Context,
) -> Outcome<String> {
    let mut panels = vec![heat.panel("Kernel matrix")];
    panels.extend(spectrum.map(eigenvalues));
    panels.extend(spectrum.and_then(effective_dimension));
    let columns = panels.len();
    let against = ready.against.as_ref().map_or_else(String::new, |other| format!(" against {}", other.name));
    let title = format!("{}{against}: {}", ready.data.name, ready.expr);
    let figure = Figure::grid(panels, columns).titled(title);
    figure.write(path)?.into_iter().for_each(|note| context.printer.note(note));
    if !context.printer.is_json() {
        context.printer.say(&format!("drawn to {}", path.display()));
    }
    Ok(path.display().to_string())
}

fn finish(report: GramReport, destination: Option<&Destination>, context: &Context) -> Outcome {
    let printer = &context.printer;
    if printer.is_json() {
        return printer.out_json(&report);
    }
    if let Some(destination) = destination.filter(|d| !d.is_stream()) {
        let bytes = std::fs::metadata(destination.path()).map_or(0, |m| u128::from(m.len()));
        let size = format!("{}×{} values, {}", report.rows, report.columns, human_bytes(bytes));
        printer.say(&format!(
            "wrote {} ({size}), computed in {}",
            destination.path().display(),
            seconds(report.seconds)
        ));
    }
    let Some(text) = report::text(&report, context) else { return Ok(()) };
    if destination.is_some_and(Destination::is_stream) {
        printer.say(text.trim_end());
        return Ok(());
    }
    printer.out(&text)?;
    if destination.is_none() {
        printer.say("\nExport the matrix with `-o K.npy` (or .csv, .parquet).");
    }
    Ok(())
}
