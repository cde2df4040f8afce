//! `mercer check`: is it a kernel? A proof, a counterexample, or an honest "not decided".

use mercer::KernelExpr;
use mercer::data::{Inputs, Rows};
use mercer::gram::{Audit, AuditParams, audit, dense};
use mercer::kernel::property::{Counterexample, FormulaCheck, Quantity, Verdict};
use mercer::kernel::{ScalarDomain, ScalarExpr};
use serde::Serialize;

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

/// An expression when the free names are exactly x and y, a formula otherwise.
fn language(question: &str, args: &CheckArgs) -> Outcome<Language> {
    let found = if ScalarExpr::is_meant(question) { Language::Expression } else { Language::Formula };
    let language = args.language.unwrap_or(found);
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

/// What was found out, as JSON.
#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    /// "expression", "formula" or "matrix".
    read_as: &'static str,
    subject: String,
    domain: Option<ScalarDomain>,
    #[serde(flatten)]
    verdict: Option<&'a Verdict>,
    standing: Option<mercer::kernel::property::Standing>,
    conditional: Option<&'a mercer::kernel::property::Proof>,
    on_a_line: Option<String>,
    data: Option<String>,
    audit: Option<&'a Audit>,
    notes: Vec<String>,
    warnings: Vec<String>,
}

impl<'a> Report<'a> {
    fn new(read_as: &'static str, subject: String, verdict: Option<&'a Verdict>, context: &Context) -> Self {
        Report {
            schema: "mercer.check/1",
            read_as,
            subject,
            domain: None,
            verdict,
            standing: None,
            conditional: None,
            on_a_line: None,
            data: None,
            audit: None,
            notes: context.printer.notes(),
            warnings: context.printer.warnings(),
        }
    }
}

fn answer(verdict: &Verdict) -> Answer {
    match verdict {
        Verdict::PositiveDefinite(_) => Answer::Yes,
        Verdict::Refuted(_) | Verdict::Undefined(_) => Answer::No,
        Verdict::Undecided { .. } => Answer::NotDecided,
    }
}

fn check_expression(question: &str, args: &CheckArgs, context: &Context) -> Outcome<Answer> {
    let expr = ScalarExpr::parse(question)?;
    let domain = args.domain.unwrap_or_default();
    let verdict = expr.check(domain);
    let mut report = Report::new("expression", expr.to_string(), Some(&verdict), context);
    report.domain = Some(domain);
    if context.printer.is_json() {
        context.printer.out_json(&report)?;
    } else {
        let place = format!("on {} ({domain})", domain.describe());
        let text = verdict_text(&report.subject, &verdict, &place, context);
        context.printer.out(&format!("{text}\n"))?;
    }
    Ok(answer(&verdict))
}

fn check_formula(question: &str, args: &CheckArgs, context: &Context) -> Outcome<Answer> {
    let check = KernelExpr::check_formula(question)?;
    let kernel = KernelExpr::parse(question).ok();
    let subject = kernel.as_ref().map_or_else(|| question.to_owned(), ToString::to_string);
    let measured = match (&args.data, kernel) {
        (Some(name), Some(kernel)) => Some(audit_on_data(name, &kernel, args, context)?),
        (Some(_), None) => {
            context.printer.note("the formula is refused as a kernel, so it has no matrix on the data");
            None
        }
        (None, _) => None,
    };
    let mut report = Report::new("formula", subject, Some(&check.verdict), context);
    report.standing = Some(check.standing);
    report.conditional = check.conditional.as_ref();
    report.on_a_line = check.on_a_line.as_ref().map(ToString::to_string);
    report.data.clone_from(&args.data);
    report.audit = measured.as_ref();
    if context.printer.is_json() {
        context.printer.out_json(&report)?;
    } else {
        context.printer.out(&format!("{}\n", formula_text(&report, &check, context)))?;
    }
    Ok(answer(&check.verdict))
}

/// The matrix of the formula on data, audited.
fn audit_on_data(name: &str, kernel: &KernelExpr, args: &CheckArgs, context: &Context) -> Outcome<Audit> {
    let data = load(name, &args.read, context)?;
    let (_, inputs) = Preparer::fit(kernel, &data.inputs, &args.prepare, context)?;
    let (resolved, _) = kernel.resolve(&inputs, &context.run)?;
    context.interrupt.watch(|| {
        let gram = dense::<f64>(&resolved.bind(&inputs, &context.run)?, &context.run)?;
        let params = AuditParams::default();
        Ok(audit(gram.values(), gram.nrows(), gram.ncols(), &params, &context.run)?)
    })
}

fn check_matrix(file: &str, args: &CheckArgs, context: &Context) -> Outcome<Answer> {
    let data = load(file, &args.read, context)?;
    let rows = matrix(&data.inputs)?;
    let params = AuditParams { tolerance: args.tolerance };
    let found = context.interrupt.watch(|| audit(rows.values(), rows.nrows(), rows.ncols(), &params, &context.run))?;
    let mut report = Report::new("matrix", data.name.clone(), None, context);
    report.audit = Some(&found);
    if context.printer.is_json() {
        context.printer.out_json(&report)?;
    } else {
        let lines = audit_lines(&found, context);
        context.printer.out(&format!("{}\n{}\n", context.printer.paint(Style::Bold, &data.name), lines.join("\n")))?;
    }
    Ok(if found.is_gram() { Answer::Yes } else { Answer::No })
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

fn verdict_text(subject: &str, verdict: &Verdict, place: &str, context: &Context) -> String {
    let bold = |text: &str| context.printer.paint(Style::Bold, text);
    let head = format!("{}  {} {place}", bold(subject), verdict.word());
    let body = match verdict {
        Verdict::PositiveDefinite(proof) => format!("{}\n{proof}", bold("proof")),
        Verdict::Refuted(found) => format!("{}\n{}", bold("counterexample"), counterexample_lines(found).join("\n")),
        Verdict::Undefined(found) => format!("{}\n{found}", bold("no value")),
        Verdict::Undecided { reason } => reason.clone(),
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

fn formula_text(report: &Report<'_>, check: &FormulaCheck, context: &Context) -> String {
    let mut text = verdict_text(&report.subject, &check.verdict, "on its domain", context);
    if let Some(line) = &report.on_a_line {
        let scales = match report.subject.contains("median") {
            true => " (with length scales of 1, which data would decide)",
            false => "",
        };
        text = format!("{text}\n\nat points whose numeric columns all hold one number, where it is{scales}\n  {line}");
    }
    if let Some(proof) = report.conditional {
        let title = format!("but it is {}", check.standing.words());
        text = format!("{text}\n\n{}\n{proof}", context.printer.paint(Style::Bold, &title));
    }
    if let (Some(name), Some(found)) = (&report.data, report.audit) {
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
        add("not finite", format!("{} values, the first in row {}, column {}", at.count, at.row, at.column));
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
