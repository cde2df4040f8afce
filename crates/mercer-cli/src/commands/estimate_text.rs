//! The error of a model, for people: what `mercer fit`, `mercer inspect` and `mercer score` share.

use mercer::error::counted;
use mercer::metric::ClassResult;
use mercer::report::{cells, headings};
use mercer::select::{ColumnImportance, ColumnScale, Estimate, Importance, Scores};

use crate::layout::{Grid, number, percent, within};

/// Columns and classes that are listed; the JSON has all of them.
const SHOWN: usize = 12;

/// The error beside the baselines, and what there is to conclude.
pub(super) fn error_lines(estimate: Option<&Estimate>) -> Vec<String> {
    let Some(estimate) = estimate else { return vec!["  not estimated".into()] };
    let constant = match estimate.model {
        Scores::Classification { .. } => "most frequent class",
        Scores::Quantiles { .. } => "quantiles of the target",
        _ => "mean of the target",
    };
    let errors = &estimate.standard_errors;
    let rows = [
        ("this model", Some(estimate.model), errors.model),
        ("linear model", estimate.linear, errors.linear),
        (constant, Some(estimate.constant), errors.constant),
    ];
    let headings = headings(&estimate.model);
    let titles: Vec<&str> = std::iter::once("").chain(headings.iter().map(String::as_str)).collect();
    let mut grid = Grid::new(&titles, &[1, 2, 3]);
    for (name, scores, errors) in rows {
        if let Some(scores) = scores {
            grid.row(std::iter::once(name.to_owned()).chain(cells(&scores, errors.as_ref())));
        }
    }
    let mut lines = grid.lines("  ");
    lines.extend(estimate.verdict.iter().map(|verdict| format!("  {}", verdict.sentence)));
    lines.extend(estimate.no_linear.iter().map(|why| format!("  no linear model: {why}")));
    let error = if errors.model.is_some() { "; ± is one standard error" } else { "" };
    lines.push(format!(
        "  by {}, every choice made again each time; {} judged{error}",
        estimate.split.describe(),
        counted(estimate.rows, "row", "rows")
    ));
    lines
}

/// What the columns are worth, with the length scales of those that have one of their own.
pub(super) fn importance_lines(importance: &Importance, scales: &[ColumnScale]) -> Vec<String> {
    let measure = importance.measure.words();
    let increase = format!("increase of {measure}");
    let scaled = !scales.is_empty();
    let mut titles = vec!["", "if shuffled", increase.as_str()];
    titles.extend(scaled.then_some("length scale"));
    let mut grid = Grid::new(&titles, &[1, 2, 3]);
    for column in importance.columns.iter().take(SHOWN) {
        let mut cells = vec![column.column.clone(), number(column.error, 4), increase_text(column, importance)];
        let own = scales.iter().find(|s| s.column == column.column);
        cells.extend(scaled.then(|| own.map_or_else(|| "–".into(), |s| number(s.length_scale, 3))));
        grid.row(cells);
    }
    let mut lines = grid.lines("  ");
    let more = importance.columns.len().saturating_sub(SHOWN);
    lines.extend((more > 0).then(|| format!("  and {} of less", counted(more, "column", "columns"))));
    let left = importance.left_out;
    lines.extend((left > 0).then(|| {
        format!("  {} not looked at: there are too many", counted(left, "more column was", "more columns were"))
    }));
    let times = if importance.shuffles == 1 { "once".into() } else { format!("{} times", importance.shuffles) };
    lines.push(format!(
        "  {measure} is {} as it is; each column shuffled {times} among {} that chose nothing",
        number(importance.error, 4),
        counted(importance.rows, "row", "rows")
    ));
    lines
}

/// What rounding leaves of nothing is nothing.
fn increase_text(column: &ColumnImportance, importance: &Importance) -> String {
    match importance.is_nothing(column) {
        true => "0".into(),
        false => within(column.increase, column.standard_error),
    }
}

/// How well each class is found; of many, those that are found worst.
pub(super) fn class_lines(classes: &[ClassResult]) -> Vec<String> {
    let mut shown: Vec<&ClassResult> = classes.iter().collect();
    let many = classes.len() > SHOWN;
    if many {
        let worth = |c: &ClassResult| if c.rows > 0.0 { c.f1.unwrap_or(0.0) } else { f64::INFINITY };
        shown.sort_by(|a, b| worth(a).total_cmp(&worth(b)));
        shown.truncate(SHOWN);
    }
    let mut grid = Grid::new(&["", "rows", "predicted", "precision", "recall", "F1"], &[1, 2, 3, 4, 5]);
    let share = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), percent);
    for c in shown {
        let f1 = c.f1.map_or_else(|| "–".to_owned(), |f1| number(f1, 3));
        grid.row([c.class.clone(), number(c.rows, 9), number(c.predicted, 9), share(c.precision), share(c.recall), f1]);
    }
    let mut lines = grid.lines("  ");
    lines.extend(many.then(|| format!("  the {SHOWN} of {} classes that are found worst", classes.len())));
    lines
}

/// What is said of probabilities and of the order of scores.
pub(super) fn probability_line(calibration_error: Option<f64>, roc_area: Option<f64>) -> Option<String> {
    let off = calibration_error.map(|error| format!("probabilities are off by {} in the mean", percent(error)));
    let area = roc_area.map(|area| format!("the area under the ROC curve is {}", number(area, 4)));
    let said: Vec<String> = off.into_iter().chain(area).collect();
    (!said.is_empty()).then(|| format!("  {}", said.join("; ")))
}
