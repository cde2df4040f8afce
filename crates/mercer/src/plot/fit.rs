//! Pictures of a fit: what it predicts against the truth, and how alpha was chosen.

use crate::error::counted;
use crate::model::Choice;
use crate::note::Note;
use crate::select::{Estimate, Finished, HowFitted, Scores};

use super::confusion::confusion_matrix;
use super::decimal::short;
use super::figure::{Axis, Figure, Ink, Mark, Panel, Scale, Series};
use super::importance::importance_panel;
use super::judged::{calibration_of, residuals, roc_of};

/// Scores that differ by more than this factor are drawn on a log axis.
const WIDE: f64 = 10.0;

/// Predictions of rows that chose nothing against their true values; nothing for a classification.
pub fn predicted_against_true(estimate: &Estimate) -> Option<Panel> {
    let Scores::Regression { rmse, r2, .. } = estimate.model else { return None };
    if estimate.pairs.is_empty() {
        return None;
    }
    let off = match estimate.standard_errors.model {
        Some(Scores::Regression { rmse, .. }) => format!(" ± {}", short(rounded(rmse))),
        _ => String::new(),
    };
    let said = format!("RMSE {}{off}, R² {}; {}", short(rmse), short(r2), judged(estimate));
    Some(pairs_panel(&estimate.pairs).subtitled(said))
}

/// A number with two digits: more of a standard error say nothing.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

/// A panel of pairs of truth and prediction.
pub(super) fn pairs_panel(pairs: &[(f64, f64)]) -> Panel {
    let points = pairs.iter().map(|(truth, predicted)| [*truth, *predicted]).collect();
    Panel::new("Predicted against true", Axis::linear("true"), Axis::linear("predicted"))
        .with(Series::new(Mark::Points(points)))
        .with(Series::new(Mark::Diagonal).named("predicted = true"))
        .square()
}

/// "333 rows judged, 5-fold cross-validation".
pub(super) fn judged(estimate: &Estimate) -> String {
    let many = if estimate.rows == 1 { "row" } else { "rows" };
    format!("{} {many} judged, {}", estimate.rows, estimate.split.describe())
}

/// The score of every alpha, or number of passes, that was tried, and the one that was taken; nothing
/// where there was no list to choose from.
pub fn alpha_path(report: &HowFitted) -> Option<Panel> {
    let (name, value) = report.parameter.zip(report.value)?;
    if report.path.len() < 2 {
        return None;
    }
    let points: Vec<[f64; 2]> = report.path.iter().map(|t| [t.value, t.score]).collect();
    let taken: Vec<[f64; 2]> = points.iter().filter(|p| p[0] == value).copied().collect();
    let y = Axis { scale: score_scale(&points), ..Axis::linear(report.choice.score()) };
    let said = format!("{name} = {}, the best of {} {}", short(value), points.len(), report.choice.describe());
    let panel = Panel::new(format!("Choice of {name}"), Axis::log(name), y)
        .subtitled(said)
        .with(Series::new(Mark::Vertical(value)))
        .with(Series::new(Mark::Line(points.clone())).coloured(Ink::Palette(0)))
        .with(Series::new(Mark::Points(points)).coloured(Ink::Palette(0)))
        .with(Series::new(Mark::Rings(taken)).coloured(Ink::Palette(1)));
    Some(panel)
}

/// The same with errors in units of the target, as the rest of the sheet has them, where they are squares of standardised ones.
fn chosen_in_units(done: &Finished) -> Option<Panel> {
    let scale = done.pipeline.target_scaling().and_then(|s| if let [one] = s.scale[..] { Some(one) } else { None });
    let (Choice::LeaveOneOut, Some(scale)) = (&done.report.choice, scale) else { return alpha_path(&done.report) };
    let mut report = done.report.clone();
    report.path.iter_mut().for_each(|tried| tried.score = scale * tried.score.sqrt());
    let panel = alpha_path(&report)?;
    Some(Panel { y: Axis { label: "leave-one-out RMSE".into(), ..panel.y }, ..panel })
}

fn score_scale(points: &[[f64; 2]]) -> Scale {
    let values = || points.iter().map(|p| p[1]).filter(|v| v.is_finite());
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    if low > 0.0 && high / low > WIDE { Scale::Log } else { Scale::Linear }
}

/// Panels in a row of a sheet of so many: three, or more than four, would leave half a row of two empty.
pub(super) fn columns_for(panels: usize) -> usize {
    if matches!(panels, 3 | 5 | 6) { 3 } else { 2 }
}

/// All panels there are for a fit, side by side: truth against predictions and residuals, or confusion, ROC and calibration
/// of classes, what the columns are worth, and the choice of alpha. The notes say which are missing; there may be none at all.
pub fn fit_sheet(done: &Finished) -> Figure {
    let estimate = done.estimate.as_ref();
    let first = estimate.and_then(|e| predicted_against_true(e).or_else(|| confusion_matrix(e)));
    let scores = estimate.and_then(|e| e.scores.as_ref());
    let more = [estimate.and_then(residuals), scores.and_then(roc_of), scores.and_then(calibration_of)];
    let worth = estimate.and_then(|e| importance_panel(e.importance.as_ref()?));
    let chosen = chosen_in_units(done);
    let mut notes = Vec::new();
    if first.is_none() {
        let why = if estimate.is_some() { "there are several quantiles" } else { "the error was not estimated" };
        notes.push(Note::NotDrawn { why: format!("{why}, so predictions are not drawn against the truth") });
    }
    if chosen.is_none() {
        let name = done.report.parameter.unwrap_or("alpha");
        notes.push(Note::NotDrawn {
            why: format!("{name} was not chosen from a list, so there is no path of it to draw"),
        });
    }
    let target = done.pipeline.task().targets().join(", ");
    let panels: Vec<Panel> = first.into_iter().chain(more.into_iter().flatten()).chain(worth).chain(chosen).collect();
    let title = format!("{target} from {}", counted(done.report.fit.rows, "row", "rows"));
    let columns = columns_for(panels.len());
    Figure { notes, ..Figure::grid(panels, columns).titled(title) }
}
