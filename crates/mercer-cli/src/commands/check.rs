//! `mercer check`: is it a kernel? A proof, a counterexample, or an honest "not decided".

use mercer::KernelExpr;
use mercer::data::{Inputs, Rows};
use mercer::error::counted;
use mercer::gram::{Audit, AuditParams, Resolution, audit, dense};
use mercer::kernel::property::{Counterexample, Quantity, Verdict};
use mercer::kernel::{Reading, Registry, ScalarExpr};
use mercer::report::CheckReport;

use crate::args::{CheckArgs, Language};
use crate::context::Context;
use crate::exit::{Answer, Failure, Outcome};
use crate::layout::{Grid, number};
use crate::load::load;
use crate::prepare::Preparer;
use crate::printer::Style;

/// Checks a formula, an expression or a matrix.
pub fn run(args: &CheckArgs, context: &Context) -> Outcome<Answer> {
    let question = match (&args.subject, &args.gram) {
        (Some(_), Some(_)) => {
            let hint = "ask about the matrix and the formula one after the other";
            return Err(Failure::usage("a formula and `--gram` are two questions", hint));
        }
        (None, None) => {
            return Err(Failure::usage("there is nothing to check", "give a formula, an expression or `--gram FILE`"));
        }
        (None, Some(file)) => return check_matrix(file, args, context),
        (Some(subject), None) => subject.as_str(),
    };
    match language(question, args)? {
        Language::Expression => check_expression(question, args, context),
        Language::Formula => check_formula(question, args, context),
    }
}

/// What `--as` says; else an expression where the names are those of points, a formula otherwise.
/// With `--domain`, what is no formula is an expression with a mistake in it.
fn language(question: &str, args: &CheckArgs) -> Outcome<Language> {
    let language = match (args.language, Reading::of(question)) {
        (Some(language), _) => language,
        (None, Reading::Expression) => {
            Reading::check_points(question)?;
            Language::Expression
        }
        (None, Reading::Formula) if args.domain.is_some() && KernelExpr::judge_formula(question).is_err() => {
            Language::Expression
        }
        (None, Reading::Formula) => Language::Formula,
    };
    if language == Language::Formula && args.domain.is_some() {
        let problem = "`--domain` is for expressions in x and y, and this is read as a formula";
        return Err(Failure::usage(problem, "leave `--domain` out, or say `--as expression`"));
    }
    if language == Language::Expression && args.data.is_some() {
        let problem = "`--data` is for formulas, and this is read as an expression in x and y";
        return Err(Failure::usage(problem, "on a column it is the formula `expression(\"…\", column)`"));
    }
    Ok(language)
}

fn answer(verdict: Option<&Verdict>) -> Answer {
    match verdict {
        Some(Verdict::PositiveDefinite(_)) => Answer::Yes,
        Some(Verdict::Refuted(_) | Verdict::Undefined(_)) => Answer::No,
        Some(Verdict::Undecided { .. }) | None => Answer::NotDecided,
    }
}

/// The report with what was said on the way.
fn told(report: CheckReport, context: &Context) -> CheckReport {
    CheckReport { notes: context.printer.notes(), warnings: context.printer.warnings(), ..report }
}

fn check_expression(question: &str, args: &CheckArgs, context: &Context) -> Outcome<Answer> {
    let expr = ScalarExpr::parse(question)?;
    let domain = args.domain.unwrap_or_default();
    let stop = || context.run.stop_reason().is_some();
    let report = context.interrupt.watch(|| CheckReport::of_expression(&expr, domain, &stop));
    interrupted(context)?;
    let report = told(report, context);
    if context.printer.is_json() {
        context.printer.out_json(&report)?;
    } else {
        let place = format!("on {} ({domain})", domain.describe());
        let text = verdict_text(&report, &place, context);
        let more = conditional_text(&report, context);
        context.printer.out(&format!("{text}{more}\n"))?;
    }
    Ok(answer(report.verdict.as_ref()))
}

/// Fails where Ctrl-C was pressed; a deadline leaves the answer "not decided".
fn interrupted(context: &Context) -> Outcome<()> {
    if context.interrupt.is_raised() {
        context.checkpoint("check")?;
    }
    Ok(())
}

/// The proof of what else it is, after a blank line.
fn conditional_text(report: &CheckReport, context: &Context) -> String {
    match (&report.conditional, report.standing) {
        (Some(proof), Some(standing)) => {
            let title = format!("but it is {}", standing.words());
            format!("\n\n{}\n{proof}", context.printer.paint(Style::Bold, &title))
        }
        _ => String::new(),
    }
}

fn check_formula(question: &str, args: &CheckArgs, context: &Context) -> Outcome<Answer> {
    let data = args.data.as_deref().map(|name| on_data(name, question, args, context)).transpose()?;
    let formula = data.as_ref().map_or(question, |data| data.formula.as_str());
    let stop = || context.run.stop_reason().is_some();
    let (report, kernel) = context.interrupt.watch(|| CheckReport::of_formula(formula, &Registry::new(), &stop))?;
    interrupted(context)?;
    let audit = match (&data, &kernel) {
        (Some(data), Some(kernel)) => Some(audit_on_data(kernel, &data.inputs, context)?),
        (Some(_), None) => {
            context.printer.note("the formula is refused as a kernel, so it has no matrix on the data");
            None
        }
        (None, _) => None,
    };
    let rules = data.map_or_else(Vec::new, |data| data.rules);
    let report = told(CheckReport { data: args.data.clone(), rules, audit, ..report }, context);
    if context.printer.is_json() {
        context.printer.out_json(&report)?;
    } else {
        context.printer.out(&format!("{}\n", formula_text(&report, context)))?;
    }
    Ok(answer(report.verdict.as_ref()))
}

/// A formula with the data that decide its rules.
struct OnData {
    /// The formula, with numbers for its rules.
    formula: String,
    rules: Vec<Resolution>,
    inputs: Inputs,
}

fn on_data(name: &str, question: &str, args: &CheckArgs, context: &Context) -> Outcome<OnData> {
    // A formula that cannot be read is told so before any data are.
    let parts = KernelExpr::parts_of_formula(question)?;
    let data = load(name, &args.read, context)?;
    let (_, inputs) = Preparer::fit(&parts, &data.inputs, &args.prepare, context)?;
    let (formula, rules) = KernelExpr::resolve_formula(question, &inputs, &context.run)?;
    Ok(OnData { formula, rules, inputs })
}

/// The matrix of the formula on data, audited.
fn audit_on_data(kernel: &KernelExpr, inputs: &Inputs, context: &Context) -> Outcome<Audit> {
    context.interrupt.watch(|| {
        let gram = dense::<f64>(&kernel.bind(inputs, &context.run)?, &context.run)?;
        let params = AuditParams::default();
        Ok(audit(gram.values(), gram.nrows(), gram.ncols(), &params, &context.run)?)
    })
}

fn check_matrix(file: &str, args: &CheckArgs, context: &Context) -> Outcome<Answer> {
    let data = load(file, &args.read, context)?;
    let rows = matrix(&data.inputs)?;
    let params = AuditParams { tolerance: args.tolerance };
    let found = context.interrupt.watch(|| audit(rows.values(), rows.nrows(), rows.ncols(), &params, &context.run))?;
    let is_gram = found.is_gram();
    if context.printer.is_json() {
        context.printer.out_json(&told(CheckReport::of_matrix(data.name, found), context))?;
    } else {
        let lines = audit_lines(&found, context);
        context.printer.out(&format!("{}\n{}\n", context.printer.paint(Style::Bold, &data.name), lines.join("\n")))?;
    }
    Ok(if is_gram { Answer::Yes } else { Answer::No })
}

/// The values of a file that holds a matrix of numbers.
fn matrix(inputs: &Inputs) -> Outcome<Rows> {
    match inputs {
        Inputs::Dense(rows) => Ok(rows.clone()),
        Inputs::Table(table) => table
            .to_rows()
            .map_err(|e| Failure::usage(format!("this is no matrix: {e}"), "leave other columns out with `--columns`")),
        _ => Err(Failure::usage(
            "this file does not hold a dense matrix",
            "give a .npy, .csv or .parquet file of numbers",
        )),
    }
}

fn verdict_text(report: &CheckReport, place: &str, context: &Context) -> String {
    let bold = |text: &str| context.printer.paint(Style::Bold, text);
    let (Some(verdict), Some(words)) = (&report.verdict, &report.in_words) else { return String::new() };
    let head = format!("{}  {} {place}", bold(&report.subject), words.verdict);
    let evidence = &words.evidence;
    let body = match verdict {
        Verdict::PositiveDefinite(_) => format!("{}\n{evidence}", bold("proof")),
        Verdict::Refuted(found) => format!("{}\n{}", bold("counterexample"), counterexample_lines(found).join("\n")),
        Verdict::Undefined(_) => format!("{}\n{evidence}", bold("no value")),
        Verdict::Undecided { .. } => evidence.clone(),
    };
    format!("{head}\n\n{body}")
}

/// The points, the vector and the matrix, so that a reader can add it up.
fn counterexample_lines(found: &Counterexample) -> Vec<String> {
    let mut lines = vec![format!("{found}")];
    if found.matrix.is_empty() || found.vector.is_empty() {
        return lines;
    }
    let points: Vec<String> = found.points.iter().map(ToString::to_string).collect();
    let heads: Vec<&str> = ["", "a"].into_iter().chain(points.iter().map(String::as_str)).collect();
    let right: Vec<usize> = (1..heads.len()).collect();
    let mut grid = Grid::new(&heads, &right);
    for ((point, a), row) in points.iter().zip(&found.vector).zip(&found.matrix) {
        let cells = [point.clone(), a.to_string()];
        grid.row(cells.into_iter().chain(row.iter().map(Quantity::to_string)));
    }
    lines.extend([String::new(), "K, with the points and the numbers a".into()]);
    lines.extend(grid.lines("  "));
    lines
}

fn formula_text(report: &CheckReport, context: &Context) -> String {
    let mut text = verdict_text(report, "on its domain", context);
    if let (Some(line), Some(place)) = (&report.on_a_line, &report.place) {
        text = format!("{text}\n\nat {place}, where it is\n  {line}");
    }
    text.push_str(&conditional_text(report, context));
    for rule in &report.rules {
        text = format!("{text}\n\n{} = {} ({})", rule.path, number(rule.value, 6), rule.detail);
    }
    if let (Some(name), Some(found)) = (&report.data, &report.audit) {
        let title = context.printer.paint(Style::Bold, &format!("its matrix on {name}"));
        text = format!("{text}\n\n{title}\n{}", audit_lines(found, context).join("\n"));
    }
    text
}

fn audit_lines(found: &Audit, context: &Context) -> Vec<String> {
    let mut lines = vec![found.summary()];
    let mut grid = Grid::plain();
    let mut add = |name: &str, value: String| grid.row([name.to_owned(), value]);
    add("size", format!("{0}×{0}", found.size));
    if let Some(at) = found.not_finite {
        add(
            "not finite",
            format!("{}, the first in row {}, column {}", counted(at.count, "value", "values"), at.row, at.column),
        );
    }
    if let Some(at) = found.asymmetry {
        add("asymmetry", format!("{} between K[{1}, {2}] and K[{2}, {1}]", number(at.gap, 4), at.row, at.column));
    }
    if let (Some(low), Some(high)) = (found.smallest_eigenvalue, found.largest_eigenvalue) {
        add("eigenvalues", format!("from {} to {}", number(low, 6), number(high, 6)));
    }
    if let Some(tolerance) = found.tolerance {
        add("rounding", format!("eigenvalues above −{} count as not negative", number(tolerance, 3)));
    }
    if let Some(witness) = &found.witness {
        add("aᵀKa", format!("{} for the vector a below", number(witness.value, 6)));
    }
    lines.extend(grid.lines("  "));
    if let Some(witness) = &found.witness {
        lines.push(witness_line(&witness.vector));
        let conditional = found.conditional.as_ref().is_some_and(|c| c.positive_semidefinite);
        if conditional {
            lines.push("  It is conditionally positive semi-definite: aᵀKa ≥ 0 for every a that sums to 0.".into());
        }
        context.printer.say("\nTo use it all the same, repair it: clip, flip or shift (`mercer.repair` in Python).");
    }
    lines
}

/// The largest entries of the vector.
fn witness_line(vector: &[f64]) -> String {
    let mut order: Vec<usize> = (0..vector.len()).collect();
    order.sort_by(|i, j| vector[*j].abs().total_cmp(&vector[*i].abs()).then(i.cmp(j)));
    let shown: Vec<String> = order.iter().take(6).map(|i| format!("a[{i}] = {}", number(vector[*i], 4))).collect();
    let more = if vector.len() > 6 { ", the others smaller (all of them with --json)" } else { "" };
    format!("  {}{more}", shown.join(", "))
}
