//! A fit as one page, to be opened and sent without anything else.

use crate::error::Result;
use crate::metric::ClassResult;
use crate::report::{FitReport, cells, headings, number, percent, within};
use crate::run::Run;
use crate::select::{Estimate, Finished, Importance, Scores};

use super::decimal::short;
use super::dependence::dependence_panels;
use super::figure::{Figure, Panel};
use super::fit::fit_sheet;
use super::html::{FOOT, both, head, sentence, table};
use super::svg::escaped;

/// Columns whose dependence is drawn: the most important ones.
const DRAWN: usize = 4;
/// Size of each picture.
const SIZE: (f64, f64) = (520.0, 480.0);

/// The report of a fit as HTML, with all its pictures and with how predictions go with the most important columns; one file that needs
/// no other. What a person acts on comes first.
pub fn fit_page(report: &FitReport, done: &Finished, run: &Run) -> Result<String> {
    let title = match report.target.as_str() {
        "" => format!("{}: {}", report.data, report.learner),
        target => format!("{}: {} of {target}", report.data, report.task),
    };
    let mut page = head(&title);
    page += &format!("<h1>{}</h1>\n", escaped(&title));
    match &report.estimate {
        Some(estimate) => page += &judged(estimate, report),
        None => page += "<p class=\"verdict\">The error was not estimated.</p>\n",
    }
    page += &pictures("Pictures", fit_sheet(done).panels)?;
    page += &pictures("How predictions go with the columns", dependences(done, run)?)?;
    page += &made(report);
    Ok(page + FOOT)
}

/// The error, what to conclude, and what else rows that chose nothing tell.
fn judged(estimate: &Estimate, report: &FitReport) -> String {
    let verdict =
        estimate.verdict.iter().map(|v| format!("<p class=\"verdict\">{}.</p>\n", sentence(&capital(&v.sentence))));
    let mut text: String = verdict.collect();
    text += "<h2>Error on rows that chose nothing</h2>\n";
    text += &table(&errors(estimate));
    text += &format!(
        "<p>By {}; {} rows judged. ± is one standard error over them.</p>\n",
        escaped(&estimate.split.describe()),
        estimate.rows
    );
    if let Some(importance) = &estimate.importance {
        text += "<h2>What the columns are worth</h2>\n";
        text += &table(&worth(importance, report));
        text += &format!(
            "<p>{} is {} as it is. Each column was shuffled among {} rows that chose nothing.</p>\n",
            importance.measure.words(),
            number(importance.error, 4),
            importance.rows
        );
    }
    if !estimate.classes.is_empty() {
        text += "<h2>Classes</h2>\n";
        text += &table(&classes(&estimate.classes));
        let off = estimate.calibration_error.map(|e| format!("Probabilities are off by {} in the mean. ", percent(e)));
        let area = estimate.roc_area.map(|a| format!("The area under the ROC curve is {}.", number(a, 4)));
        text += &format!("<p>{}{}</p>\n", off.unwrap_or_default(), area.unwrap_or_default());
    }
    text
}

fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|c| (*c).to_owned()).collect()
}

fn errors(estimate: &Estimate) -> Vec<Vec<String>> {
    let constant = match estimate.model {
        Scores::Classification { .. } => "most frequent class",
        Scores::Quantiles { .. } => "quantiles of the target",
        _ => "mean of the target",
    };
    let headings = std::iter::once(String::new()).chain(headings(&estimate.model)).collect();
    let errors = &estimate.standard_errors;
    let all = [
        ("this model", Some(estimate.model), errors.model),
        ("linear model", estimate.linear, errors.linear),
        (constant, Some(estimate.constant), errors.constant),
    ];
    let lines = all.into_iter().filter_map(|(name, scores, errors)| {
        Some(std::iter::once(name.to_owned()).chain(cells(&scores?, errors.as_ref())).collect())
    });
    std::iter::once(headings).chain(lines).collect()
}

fn worth(importance: &Importance, report: &FitReport) -> Vec<Vec<String>> {
    let scaled = !report.length_scales.is_empty();
    let mut headings = row(&["", "error if shuffled", "increase"]);
    headings.extend(scaled.then(|| "length scale".to_owned()));
    let line = |column: &crate::select::ColumnImportance| {
        let increase = match importance.is_nothing(column) {
            true => "0".to_owned(),
            false => within(column.increase, column.standard_error),
        };
        let mut cells = vec![column.column.clone(), number(column.error, 4), increase];
        let own = report.length_scales.iter().find(|s| s.column == column.column);
        cells.extend(scaled.then(|| own.map_or_else(|| "–".to_owned(), |s| number(s.length_scale, 3))));
        cells
    };
    std::iter::once(headings).chain(importance.columns.iter().map(line)).collect()
}

fn classes(results: &[ClassResult]) -> Vec<Vec<String>> {
    let share = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), percent);
    let line = |c: &ClassResult| {
        let f1 = c.f1.map_or_else(|| "–".to_owned(), |f1| number(f1, 3));
        vec![c.class.clone(), number(c.rows, 9), number(c.predicted, 9), share(c.precision), share(c.recall), f1]
    };
    let headings = row(&["", "rows", "predicted", "precision", "recall", "F1"]);
    std::iter::once(headings).chain(results.iter().map(line)).collect()
}

/// Pictures side by side; no section without any.
fn pictures(title: &str, panels: Vec<Panel>) -> Result<String> {
    if panels.is_empty() {
        return Ok(String::new());
    }
    let mut text = format!("<h2>{title}</h2>\n<div class=\"panels\">\n");
    for panel in panels {
        text += &format!("<figure>\n{}</figure>\n", both(&Figure::of(panel).sized(SIZE.0, SIZE.1))?);
    }
    Ok(text + "</div>\n")
}

/// How predictions go with the columns that are worth most, or with the first where that is not known.
fn dependences(done: &Finished, run: &Run) -> Result<Vec<Panel>> {
    let worth = done.estimate.as_ref().and_then(|e| e.importance.as_ref());
    let names: Vec<&str> = match worth {
        Some(importance) => importance.columns.iter().map(|c| c.column.as_str()).take(DRAWN).collect(),
        None => done.pipeline.schema().names().into_iter().take(DRAWN).collect(),
    };
    Ok(dependence_panels(&done.pipeline.partial_dependence(&names, run)?))
}

/// Kernel, model, certificate and notes.
fn made(report: &FitReport) -> String {
    let mut text = String::from("<h2>Kernel and model</h2>\n");
    text += &format!("<p class=\"formula\">{}</p>\n", escaped(&report.kernel));
    let mut lines = vec![row(&["", ""]), vec!["learner".into(), report.learner.into()]];
    lines.push(vec!["rows".into(), report.how.fit.rows.to_string()]);
    lines.push(vec!["kernel is".into(), report.standing.clone()]);
    if let Some((name, value)) = report.how.parameter.zip(report.how.value) {
        lines.push(vec![name.into(), format!("{}, chosen {}", short(value), report.how.choice.describe())]);
    }
    let certificate = &report.certificate;
    lines.push(vec!["solved by".into(), format!("{}: {}", certificate.algorithm.name(), certificate.reason)]);
    lines.extend(certificate.repaired.as_ref().map(|repaired| vec!["repaired".into(), repaired.to_string()]));
    lines.extend(certificate.judged().map(|(measure, value)| vec![measure.words().into(), short(value)]));
    text += &table(&lines);
    let notes = &report.how.fit.notes;
    if !(notes.is_empty() && report.warnings.is_empty()) {
        let said = report.warnings.iter().cloned().chain(notes.iter().map(ToString::to_string));
        let items: String = said.map(|s| format!("<li>{}</li>\n", sentence(&s))).collect();
        text += &format!("<h2>Worth knowing</h2>\n<ul>\n{items}</ul>\n");
    }
    text
}
