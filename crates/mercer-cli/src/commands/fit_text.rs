//! What `mercer fit` prints: first what a person acts on, the error and what the columns are worth; then the data as understood, the
//! kernel, the model, its certificate.

use mercer::Note;
use mercer::certificate::Certificate;
use mercer::data::{ColumnSummary, ColumnType, Dataset, Inputs, describe};
use mercer::error::{counted, human_bytes};
use mercer::report::FitReport;
use mercer::select::{Candidate, ColumnScale, Estimate, Finished, KernelChoice, ProcessReport};

use super::estimate_text::{class_lines, error_lines, importance_lines, probability_line};
use crate::context::Context;
use crate::layout::{Grid, number, readable, seconds, some};
use crate::printer::Style;

/// Parameters of a process that are listed; the formula has all of them.
const SHOWN_PARAMETERS: usize = 12;

/// The report for people.
pub(super) fn text(report: &FitReport, data: &Dataset, done: &Finished, context: &Context) -> String {
    let bold = |title: &str| context.printer.paint(Style::Bold, title);
    let what = match report.target.as_str() {
        "" => report.learner.to_owned(),
        target => format!("{} of {target}", report.task),
    };
    let rows = counted(report.how.fit.rows, "row", "rows");
    let guess = report.how.fit.notes.iter().find_map(guess).unwrap_or_default();
    let mut lines = vec![format!("{}: {what} from {rows}{guess}", bold(&report.data))];
    lines.extend([String::new(), bold("error on rows that chose nothing")]);
    lines.extend(error_lines(report.estimate.as_ref()));
    lines.extend(report.estimate.iter().flat_map(|estimate| judged_lines(estimate, &report.length_scales, &bold)));
    lines.extend([String::new(), bold("data")]);
    lines.extend(data_lines(data, done));
    lines.extend([String::new(), bold("kernel")]);
    lines.extend(kernel_lines(report));
    lines.extend([String::new(), bold("model")]);
    lines.extend(model_lines(report, done));
    lines.extend([String::new(), bold("certificate")]);
    lines.extend(certificate_lines(&report.certificate));
    let memory = report
        .peak_memory
        .map_or_else(String::new, |bytes| format!(" and at most {} of memory", human_bytes(bytes.into())));
    lines.extend([String::new(), format!("saved to {} after {}{memory}", report.model, seconds(report.seconds))]);
    lines.extend(report.plot.as_ref().map(|file| format!("drawn to {file}")));
    lines.extend(report.page.as_ref().map(|file| format!("reported to {file}")));
    lines.push(format!("predict new rows with `mercer predict {} FILE`", report.model));
    format!("{}\n", lines.join("\n"))
}

/// What the target was taken for, and the switch that changes it.
fn guess(note: &Note) -> Option<String> {
    let Note::ClassesGuessed { target, classes } = note else { return None };
    Some(format!(", as {} are taken for classes; `--type {target}=number` predicts numbers", classes.join(", ")))
}

/// What else rows that chose nothing tell: the worth of columns, results of classes, probabilities.
pub(super) fn judged_lines(estimate: &Estimate, scales: &[ColumnScale], bold: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(importance) = &estimate.importance {
        lines.extend([String::new(), bold("what the columns are worth")]);
        lines.extend(importance_lines(importance, scales));
    }
    if !estimate.classes.is_empty() {
        lines.extend([String::new(), bold("classes")]);
        lines.extend(class_lines(&estimate.classes));
        lines.extend(probability_line(estimate.calibration_error, estimate.roc_area));
    }
    lines
}

fn data_lines(data: &Dataset, done: &Finished) -> Vec<String> {
    let mut grid = Grid::plain();
    let summary = describe(data);
    let read: Vec<&str> = done.pipeline.schema().names();
    // Words that the formula reads as sets or bags are these, whatever the file called them.
    let typed = done.pipeline.model().kernel().typed(&data.inputs).columns();
    let kind_of = |c: &ColumnSummary| match typed.find(&c.name) {
        Some((_, kind @ ColumnType::Structured(_))) => kind,
        _ => c.column_type,
    };
    for kind in ColumnType::all() {
        let names: Vec<&str> = summary
            .summaries
            .iter()
            .filter(|c| kind_of(c) == kind && read.contains(&c.name.as_str()))
            .map(|c| c.name.as_str())
            .collect();
        if !names.is_empty() {
            grid.row([format!("{} {kind}", names.len()), some(&names)]);
        }
    }
    if let Inputs::Sparse(rows) = &data.inputs {
        grid.row([format!("{} number", rows.ncols()), "of sparse rows".to_owned()]);
    }
    if let Some(classes) = done.pipeline.task().classes() {
        grid.row([counted(classes.len(), "class", "classes"), some(classes)]);
    }
    let mut lines = grid.lines("  ");
    let of_data = |note: &&Note| {
        let rows = matches!(note, Note::RowsLeftOut { .. } | Note::RowsWithoutTarget { .. });
        rows || matches!(note, Note::Filled { .. } | Note::OneScale { .. })
    };
    let prepared = done.pipeline.notes().iter().filter(of_data);
    lines.extend(prepared.map(|note| format!("  {note}")));
    lines
}

fn kernel_lines(report: &FitReport) -> Vec<String> {
    let mut lines = vec![
        format!("  {}", readable(&report.kernel)),
        format!("  {}; `mercer check` prints the proof", report.standing),
    ];
    if let Some(best) = report.candidates.first().filter(|_| report.tuned_on > 0) {
        let scales =
            if best.per_column { "one length scale for each column" } else { "one length scale for all columns" };
        lines.push(format!("  tuned by the evidence on {}; {scales}", counted(report.tuned_on, "row", "rows")));
    }
    if let Some(by) = report.kernel_choice.words().filter(|_| report.candidates.len() > 1) {
        lines.push(format!("  chosen among {} kernels by {by}", report.candidates.len()));
    }
    let best = report.candidates.first().map(|best| score(best, report));
    for other in report.candidates.iter().skip(1) {
        let own = best.map_or_else(String::new, |best| beside(best, score(other, report), report.kernel_choice));
        lines.push(format!("  also tried{own}: {}", readable(&other.kernel.to_string())));
    }
    lines
}

/// What decided between kernels; less is better.
fn score(candidate: &Candidate, report: &FitReport) -> f64 {
    match report.kernel_choice {
        KernelChoice::LeaveOneOut => candidate.leave_one_out.unwrap_or(f64::NAN).sqrt(),
        KernelChoice::Folds | KernelChoice::AllRows => candidate.loss.unwrap_or(f64::NAN),
        _ => candidate.evidence * report.tuned_on as f64,
    }
}

/// How another kernel did beside the best.
fn beside(best: f64, other: f64, by: KernelChoice) -> String {
    match by {
        // Not fitted to all rows.
        KernelChoice::AllRows if other.is_nan() => ", worse by leave-one-out".into(),
        KernelChoice::LeaveOneOut | KernelChoice::Folds | KernelChoice::AllRows => {
            format!(", {} against {}", number(other, 3), number(best, 3))
        }
        _ => format!(", log evidence lower by {}", number(other - best, 3)),
    }
}

/// The learner with its loss, and what keeps it simple.
fn model_lines(report: &FitReport, done: &Finished) -> Vec<String> {
    // A loss and a filter have their names inside.
    let named = |setting: &str, key: &str| report.settings.get(setting)?.get(key)?.as_str();
    let loss = named("loss", "name").map_or_else(String::new, |name| format!(", {name} loss"));
    let filter = named("filter", "filter").map_or_else(String::new, |name| format!(", {name}"));
    let mut lines = vec![format!("  {}{loss}{filter}", report.learner)];
    if let Some(quantiles) = report.settings.get("quantiles").and_then(|q| q.as_array()) {
        let list: Vec<String> = quantiles.iter().map(ToString::to_string).collect();
        lines.push(format!("  the quantiles {}, one column each", list.join(", ")));
    }
    lines.extend(report.weights.as_ref().and_then(|w| w.as_str()).map(|name| format!("  rows weighted by {name}")));
    if let Some((name, value)) = report.how.parameter.zip(report.how.value) {
        let also = match (report.how.process.as_ref().and_then(|p| p.noise), report.lambda) {
            (Some(noise), _) => format!(", noise of standard deviation {} in units of the target", number(noise, 4)),
            (None, Some(lambda)) => format!(" (λ = alpha/n = {})", number(lambda, 4)),
            (None, None) => String::new(),
        };
        lines.push(format!("  {name} = {}{also}, chosen {}", number(value, 4), report.how.choice.describe()));
    }
    lines.extend(report.how.process.iter().flat_map(|process| process_lines(process, report, done)));
    lines.extend(done.report.fit.notes.iter().map(|note| format!("  {note}")));
    lines
}

/// The evidence of a process, and how its maximum was found.
fn process_lines(process: &ProcessReport, report: &FitReport, done: &Finished) -> Vec<String> {
    let what = match &report.classes {
        Some(classes) if classes.len() > 2 => " by Laplace's approximation, summed over the classes against the rest",
        Some(_) => " by Laplace's approximation",
        None if done.pipeline.target_scaling().is_some() => " of the standardised target",
        None => "",
    };
    let mut lines = vec![format!("  log evidence {}{what}", number(process.log_evidence, 6))];
    if let Some(tuned) = &report.how.fit.tuned {
        let ends: Vec<String> = tuned.starts.iter().map(|s| number(s.value, 6)).collect();
        let from = if ends.len() == 1 {
            "1 start".to_owned()
        } else {
            format!("{} starts, ending at {}", ends.len(), ends.join(", "))
        };
        lines.push(format!(
            "  {} found by {} from {from}",
            counted(process.parameters.len(), "parameter", "parameters"),
            counted(tuned.evaluations, "evidence", "evidences"),
        ));
        let mut grid = Grid::plain();
        for parameter in process.parameters.iter().take(SHOWN_PARAMETERS) {
            let bound = tuned.at_bounds.iter().find(|b| b.parameter == parameter.name);
            let said = bound.map_or_else(String::new, |b| {
                if b.upper { "at its upper bound" } else { "at its lower bound" }.to_owned()
            });
            grid.row([parameter.name.clone(), number(parameter.value, 4), said]);
        }
        lines.extend(grid.lines("    "));
        let more = process.parameters.len().saturating_sub(SHOWN_PARAMETERS);
        lines.extend((more > 0).then(|| format!("    and {more} more, all in the formula above")));
    }
    lines
}

fn certificate_lines(certificate: &Certificate) -> Vec<String> {
    let mut lines = vec![format!("  solved by {}: {}", certificate.algorithm.name(), certificate.reason)];
    lines.extend(certificate.repaired.as_ref().map(|repaired| format!("  {repaired}")));
    let of = certificate.system.as_ref().map_or_else(String::new, |system| format!(" of {system}"));
    let measured: Vec<String> =
        certificate.judged().map(|(measure, value)| format!("{} {}", measure.words(), number(value, 2))).collect();
    if !measured.is_empty() {
        lines.push(format!("  {}{of}", measured.join(", ")));
    }
    if let Some((gap, primal)) = certificate.gap().zip(certificate.primal()) {
        let share = number((gap / primal.abs().max(f64::MIN_POSITIVE)).max(0.0), 2);
        lines.push(format!("  the objective is at most a share of {share} above its minimum, by duality"));
    }
    if certificate.jitter() > 0.0 {
        lines.push(format!("  {} was added to the diagonal", number(certificate.jitter(), 2)));
    }
    lines
}
