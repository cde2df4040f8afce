//! `mercer study`: how methods behave on problems whose answer is known.

use mercer::plot::gd_sgd_sheet;
use mercer::report::StudyReport;
use mercer::study::{GdSgd, GdSgdStudy};

use crate::args::{GdSgdArgs, StudyArgs, StudyKind};
use crate::context::Context;
use crate::exit::Outcome;
use crate::layout::{Grid, number, seconds};
use crate::output::{self, Kind, Output};
use crate::printer::Style;

/// Runs a study, prints it and draws it.
pub fn run(args: &StudyArgs, context: &Context) -> Outcome {
    match &args.study {
        StudyKind::GdSgd(args) => gd_sgd(args, context),
    }
}

fn gd_sgd(args: &GdSgdArgs, context: &Context) -> Outcome {
    if let Some(path) = args.output.as_deref() {
        output::check(&[Output { option: "--output", path, kind: Kind::Picture }], &[], args.force)?;
    }
    let choices = GdSgd { n: args.n, seed: args.seed, ..GdSgd::default() };
    let study = context.interrupt.watch(|| choices.run(&context.run))?;
    if let Some(path) = &args.output {
        gd_sgd_sheet(&study).write(path)?.into_iter().for_each(|note| context.printer.note(note));
    }
    let output = args.output.as_ref().map(|path| path.display().to_string());
    if context.printer.is_json() {
        let notes = context.printer.notes();
        return context.printer.out_json(&StudyReport { study, output, notes });
    }
    context.printer.out(&text(&study, output, context))
}

fn text(study: &GdSgdStudy, output: Option<String>, context: &Context) -> String {
    let bold = |title: &str| context.printer.paint(Style::Bold, title);
    let mut lines = vec![
        format!("{}: {} points on [0, 1]², {}", bold("gd-sgd"), study.n, study.kernel),
        format!("  y = sin(2πx₁)·cos(πx₂) + x₂ + {}·N(0, 1)", study.noise),
        format!(
            "  μ₁ = {} is the largest eigenvalue of K/n: 1/μ₁ = {}, 2/μ₁ = {}",
            number(study.largest_eigenvalue, 4),
            number(1.0 / study.largest_eigenvalue, 4),
            number(2.0 / study.largest_eigenvalue, 4)
        ),
        format!("  converged: root mean squared residual of at most {}", number(study.tolerance, 4)),
    ];
    lines.extend([String::new(), bold("step")]);
    lines.extend(step_lines(study));
    lines.extend([String::new(), bold("start")]);
    lines.extend(start_lines(study));
    lines.extend([String::new(), bold("rows a step")]);
    lines.extend(method_lines(study));
    lines.extend(output.map(|file| format!("\ndrawn to {file}")));
    format!("{}\n", lines.join("\n"))
}

fn count(iterations: Option<usize>) -> String {
    iterations.map_or_else(|| "not reached".into(), |t| t.to_string())
}

fn step_lines(study: &GdSgdStudy) -> Vec<String> {
    let mut grid = Grid::new(&["step·μ₁", "step", "iterations", "time"], &[0, 1, 2, 3]);
    for step in &study.by_step {
        grid.row([number(step.share, 4), number(step.step_size, 4), count(step.iterations), seconds(step.seconds)]);
    }
    grid.lines("  ")
}

fn start_lines(study: &GdSgdStudy) -> Vec<String> {
    let mut grid = Grid::new(&["", "residual before", "after", "iterations"], &[1, 2, 3]);
    for start in &study.starts {
        let end = |point: Option<&[f64; 2]>| point.map_or_else(String::new, |p| number(p[1], 4));
        let (first, last) = (end(start.points.first()), end(start.points.last()));
        grid.row([start.name.clone(), first, last, count(start.iterations)]);
    }
    grid.lines("  ")
}

fn method_lines(study: &GdSgdStudy) -> Vec<String> {
    let headings = ["", "step", "passes", "iterations", "time", "distance to the truth"];
    let mut grid = Grid::new(&headings, &[1, 2, 3, 4, 5]);
    for method in &study.methods {
        grid.row([
            method.name.clone(),
            number(method.step_size, 4),
            count(method.passes),
            count(method.iterations),
            seconds(method.seconds),
            number(method.error, 4),
        ]);
    }
    grid.lines("  ")
}
