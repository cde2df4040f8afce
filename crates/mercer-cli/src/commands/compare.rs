//! `mercer compare`: do two samples come from one distribution?

use std::time::Instant;

use mercer::KernelExpr;
use mercer::data::Dataset;
use mercer::model::compare::{Mmd, MmdEstimate, WitnessRow, pool};
use mercer::plot::{Figure, null_distribution, witness_values};
use mercer::report::CompareReport;

use super::points::{Files, prepared};
use crate::args::CompareArgs;
use crate::context::Context;
use crate::exit::{Answer, Failure, Outcome};
use crate::layout::{Grid, number, seconds, shortened};
use crate::load::{STREAM, load, load_like, note_target};

/// Reads both samples, tests, draws where asked, and says what was found.
pub fn run(args: &CompareArgs, context: &Context) -> Outcome<Answer> {
    let start = Instant::now();
    let mmd = mmd(args)?;
    Files { table: None, model: None, picture: args.plot.as_deref() }
        .check(&[&args.first, &args.second], args.force)?;
    let (a, b) = both(args, context)?;
    let m = a.inputs.len();
    let pooled = Dataset { inputs: pool(&a.inputs, &b.inputs)?, target: None, ..a.clone() };
    let (_, prepared) = prepared(pooled, None, &args.scale)?;
    prepared.notes.iter().cloned().for_each(|note| context.printer.note(note));
    let (first, second): (Vec<usize>, Vec<usize>) = prepared.kept.iter().partition(|row| **row < m);
    let second: Vec<usize> = second.into_iter().map(|row| row - m).collect();
    let test = || mmd.test_pooled(&prepared.inputs, first.len(), &context.run);
    let mut compared = context.interrupt.watch(test)?;
    compared.result.notes.drain(..).for_each(|note| context.printer.note(note));
    let names = [a.name.clone(), b.name.clone()];
    let after = context.run.without_stops();
    let mut report = CompareReport::new(names, compared, args.witness, [&first, &second], &after)?;
    report.plot = draw(args, &report, first.len(), context)?;
    report.result.notes = context.printer.notes();
    report.seconds = start.elapsed().as_secs_f64();
    match context.printer.is_json() {
        true => context.printer.out_json(&report)?,
        false => context.printer.out(&text(&report))?,
    }
    Ok(answer(args, &report))
}

/// The exit code tells whether p is at the level or below, where one is given.
fn answer(args: &CompareArgs, report: &CompareReport) -> Answer {
    match args.level {
        _ if !report.result.stop.is_complete() => Answer::NotDecided,
        Some(level) if report.result.pvalue <= level => Answer::No,
        _ => Answer::Yes,
    }
}

fn mmd(args: &CompareArgs) -> Outcome<Mmd> {
    let kernels = args.kernel.iter().map(|k| KernelExpr::parse(k)).collect::<mercer::Result<Vec<_>>>()?;
    let level = args.level.unwrap_or(0.5);
    if !(level > 0.0 && level < 1.0) {
        return Err(Failure::usage(
            format!("the level must lie between 0 and 1, got {level}"),
            "for example `--level 0.05`",
        ));
    }
    Ok(Mmd {
        kernels,
        estimate: MmdEstimate::by_name(&args.estimate)?,
        n_permutations: args.permutations,
        enough: args.enough,
        lag: args.lag,
        seed: args.seed,
    })
}

/// Both data sets, the second read as the first one was.
fn both(args: &CompareArgs, context: &Context) -> Outcome<(Dataset, Dataset)> {
    if args.first == STREAM && args.second == STREAM {
        return Err(Failure::usage("both samples cannot come from standard input", "give one of them as a file"));
    }
    let first = load(&args.first, &args.read, context)?;
    note_target(&first, &args.read, context);
    let first = Dataset { target: None, ..first };
    // A column that is not there is named by the comparison, with both samples in view.
    let second =
        load_like(&args.second, &args.read, &first, context).or_else(|_| load(&args.second, &args.read, context))?;
    Ok((first, Dataset { target: None, ..second }))
}

/// Draws the null distribution and the witness function. Returns the file's name.
fn draw(args: &CompareArgs, report: &CompareReport, m: usize, context: &Context) -> Outcome<Option<String>> {
    let Some(path) = &args.plot else { return Ok(None) };
    let names = [report.data[0].as_str(), report.data[1].as_str()];
    let witness = witness_values(&report.witness.values, m, names);
    let panels = null_distribution(&report.result).into_iter().chain(witness).collect();
    let title = format!("{} and {}", names[0], names[1]);
    let notes = Figure::grid(panels, 2).titled(title).write(path)?;
    notes.into_iter().for_each(|note| context.printer.note(note));
    Ok(Some(path.display().to_string()))
}

/// What was found, in a few lines.
fn text(report: &CompareReport) -> String {
    let result = &report.result;
    let [a, b] = &report.data;
    let mut lines = vec![format!("{a} and {b}: {}", result.sentence())];
    match &result.kernels[..] {
        [only] => lines.push(format!("kernel {}", shortened(&only.kernel))),
        several => {
            lines.push(format!(
                "{} kernels, fused; the one that shows most is {}",
                several.len(),
                report.witness.kernel
            ));
        }
    }
    lines.push(format!("the smallest p this could show is {}", number(result.resolution, 4)));
    lines.push(String::new());
    lines.extend(witness_table(report));
    lines.push(format!("{} in {}", result.null.name().replace('_', " "), seconds(report.seconds)));
    format!("{}\n", lines.join("\n"))
}

/// The rows at both ends of the witness function.
fn witness_table(report: &CompareReport) -> Vec<String> {
    let [a, b] = &report.data;
    let mut grid = Grid::new(&["denser", "row of", "row", "witness"], &[2, 3]);
    let mut rows = |denser: &str, rows: &[WitnessRow]| {
        for row in rows {
            let sample = [a, b][row.sample].clone();
            grid.row([denser.to_owned(), sample, row.row.to_string(), number(row.value, 4)]);
        }
    };
    rows(a, &report.witness.largest);
    rows(b, &report.witness.smallest);
    if report.witness.largest.is_empty() && report.witness.smallest.is_empty() {
        return Vec::new();
    }
    grid.lines("  ").into_iter().chain([String::new()]).collect()
}
