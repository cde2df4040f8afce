//! `mercer depend`: are columns independent, given others or not?

use std::path::Path;
use std::time::Instant;

use mercer::KernelExpr;
use mercer::data::{Dataset, Inputs, Table};
use mercer::model::compare::{Draws, Hsic, HsicEstimate, HsicNull, Kci, KciNull, Side, TestResult, Variable, Width};
use mercer::plot::{Figure, null_panel};
use mercer::report::DependReport;
use mercer::select::default_kernels;

use super::points::Files;
use crate::args::DependArgs;
use crate::context::Context;
use crate::exit::{Answer, Failure, Outcome};
use crate::layout::seconds;
use crate::load::load;

/// Reads, tests, draws where asked, and says what was found.
pub fn run(args: &DependArgs, context: &Context) -> Outcome<Answer> {
    let start = Instant::now();
    let kernels = [&args.kernel_x, &args.kernel_y, &args.kernel_z]
        .map(|formula| formula.as_deref().map(KernelExpr::parse).transpose());
    let [x, y, z] = kernels;
    let kernels = [x?, y?, z?];
    check(args)?;
    Files { table: None, model: None, picture: args.plot.as_deref() }.check(&[&args.data], args.force)?;
    let data = load(&args.data, &args.read, context)?;
    let (table, left_out) = columns(args, &data, context)?;
    let pick = |names: &[String]| table.select(names).map(Inputs::from);
    let points = [pick(&args.x)?, pick(&args.y)?, pick(&args.given)?];
    let test = || tested(args, &points, &kernels, &context.run);
    let result = context.interrupt.watch(test)?;
    let complete = result.stop.is_complete();
    let report = DependReport {
        data: data.name.clone(),
        x: args.x.clone(),
        y: args.y.clone(),
        given: args.given.clone(),
        left_out,
        sentence: result.sentence(),
        plot: draw(args.plot.as_deref(), &result, context)?,
        result: TestResult { notes: context.printer.notes(), ..result },
        seconds: start.elapsed().as_secs_f64(),
    };
    write(&report, context)?;
    Ok(if complete { Answer::Yes } else { Answer::NotDecided })
}

/// Fails for columns that stand on two sides, and settings that do not go together.
fn check(args: &DependArgs) -> Outcome {
    let sides = [("--x", &args.x), ("--y", &args.y), ("--given", &args.given)];
    let all: Vec<(&str, &String)> = sides.iter().flat_map(|(flag, names)| names.iter().map(|n| (*flag, n))).collect();
    for (at, (flag, name)) in all.iter().enumerate() {
        if let Some((other, _)) = all[..at].iter().find(|(_, earlier)| earlier == name) {
            let place =
                if other == flag { format!("twice in `{flag}`") } else { format!("in both `{other}` and `{flag}`") };
            return Err(Failure::usage(format!("the column `{name}` is {place}"), "name each column once"));
        }
    }
    let conditional = !args.given.is_empty();
    let null = args.null.as_deref();
    if conditional && !matches!(null, None | Some("gamma" | "spectrum")) {
        let hint = "with `--given`, choose `--null gamma` or `--null spectrum`, or leave it out";
        return Err(Failure::usage(format!("`--null {}` is not for conditions", null.unwrap_or_default()), hint));
    }
    if !conditional && (null == Some("spectrum") || args.kernel_z.is_some()) {
        let what = if args.kernel_z.is_some() { "--kernel-z" } else { "--null spectrum" };
        return Err(Failure::usage(format!("`{what}` needs conditions"), "name the columns with `--given`"));
    }
    Ok(())
}

/// The named columns, prepared: rows with gaps refused, left out or filled, numbers brought to one scale.
fn columns(args: &DependArgs, data: &Dataset, context: &Context) -> Outcome<(Table, usize)> {
    let names: Vec<&String> = args.x.iter().chain(&args.y).chain(&args.given).collect();
    let named = data.table()?.select(&names)?;
    let rows = named.nrows();
    let data = Dataset { inputs: named.into(), target: None, ..data.clone() };
    let prepared = args.scale.prepare().fit(&data, None)?;
    prepared.notes.iter().cloned().for_each(|note| context.printer.note(note));
    let left_out = rows - prepared.kept.len();
    match prepared.inputs {
        Inputs::Table(table) => Ok((table, left_out)),
        other => Err(Failure::usage(format!("{} has no named columns", other.describe()), "give a table")),
    }
}

fn draws(args: &DependArgs) -> Draws {
    Draws { n_permutations: args.permutations, seed: args.seed, enough: args.enough }
}

fn tested(
    args: &DependArgs,
    [x, y, z]: &[Inputs; 3],
    kernels: &[Option<KernelExpr>; 3],
    run: &mercer::Run,
) -> mercer::Result<TestResult> {
    if !args.given.is_empty() {
        return conditional(args, [x, y, z], kernels, run);
    }
    let usual = |x: &Inputs, given: &Option<KernelExpr>| match given {
        Some(kernel) => Ok(kernel.clone()),
        None => default_kernels(x).map(|all| all.into_iter().next().unwrap_or_default()),
    };
    let (k, l) = (usual(x, &kernels[0])?, usual(y, &kernels[1])?);
    let estimate = if args.unbiased { HsicEstimate::Unbiased } else { HsicEstimate::Biased };
    let null = match args.null.as_deref() {
        Some("circular_shift") => HsicNull::CircularShift,
        Some("wild_bootstrap") => HsicNull::WildBootstrap { lag: args.lag },
        Some("gamma") => HsicNull::Gamma,
        _ => HsicNull::Permutation,
    };
    Hsic { estimate, null, draws: draws(args) }.test(Variable::new(x, &k), Variable::new(y, &l), run)
}

/// KCI: columns of numbers alone are compared by the width rule, others by their usual kernel.
fn conditional(
    args: &DependArgs,
    points: [&Inputs; 3],
    kernels: &[Option<KernelExpr>; 3],
    run: &mercer::Run,
) -> mercer::Result<TestResult> {
    let null = match args.null.as_deref() {
        Some("spectrum") => KciNull::Spectrum(draws(args)),
        _ => KciNull::Gamma,
    };
    let width = if args.width == "median" { Width::Median } else { Width::Empirical };
    let mut own = Vec::new();
    for (points, given) in points.iter().zip(kernels) {
        let numbers = matches!(points, Inputs::Table(t) if t.iter().all(|(_, c)| c.numbers().is_some()));
        own.push(match given {
            Some(kernel) => Some(kernel.clone()),
            None if numbers => None,
            None => default_kernels(points)?.into_iter().next(),
        });
    }
    let side = |at: usize| Side { points: points[at], kernel: own[at].as_ref() };
    let given = Kci { null, width, ..Kci::default() }.given(side(2), run)?;
    given.test(side(0), side(1), run)
}

/// Draws the null distribution where that was asked for. Returns the file's name.
fn draw(path: Option<&Path>, result: &TestResult, context: &Context) -> Outcome<Option<String>> {
    let Some(path) = path else { return Ok(None) };
    let Some(panel) = null_panel(result) else {
        context.printer.warn(&format!("nothing varies that could be drawn, and {} is not written", path.display()));
        return Ok(None);
    };
    let notes = Figure::of(panel).write(path)?;
    notes.into_iter().for_each(|note| context.printer.note(note));
    Ok(Some(path.display().to_string()))
}

fn write(report: &DependReport, context: &Context) -> Outcome {
    match context.printer.is_json() {
        true => context.printer.out_json(report),
        false => context.printer.out(&text(report)),
    }
}

/// What was found, in a few lines.
fn text(report: &DependReport) -> String {
    let list = |names: &[String]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    let given = if report.given.is_empty() { String::new() } else { format!(" given {}", list(&report.given)) };
    let mut lines = vec![
        format!("{}: are {} and {} independent{given}?", report.data, list(&report.x), list(&report.y)),
        report.sentence.clone(),
        String::new(),
    ];
    for kernel in &report.result.kernels {
        let found: Vec<String> = kernel.found.iter().map(|f| format!(", {}", f.detail)).collect();
        lines.push(format!("kernel of {}: {}{}", kernel.of, kernel.kernel, found.concat()));
    }
    if report.left_out > 0 {
        lines.push(format!("{} rows with missing values are left out", report.left_out));
    }
    lines.extend(report.plot.as_ref().map(|file| format!("picture in {file}")));
    lines.push(format!("in {}", seconds(report.seconds)));
    format!("{}\n", lines.join("\n"))
}
