//! Pictures of a fit: what it predicts against the truth, and how alpha was chosen.

use crate::model::regress::RidgeReport;
use crate::select::{Estimate, Finished, Scores};

use super::confusion::confusion_matrix;
use super::decimal::short;
use super::figure::{Axis, Figure, Mark, Panel, Scale, Series};
use super::style::PALETTE;

/// Scores that differ by more than this factor are drawn on a log axis.
const WIDE: f64 = 30.0;

/// Predictions of rows that chose nothing against their true values; nothing for a classification.
pub fn predicted_against_true(estimate: &Estimate) -> Option<Panel> {
    let Scores::Regression { rmse, r2, .. } = estimate.model else { return None };
    if estimate.pairs.is_empty() {
        return None;
    }
    let points = estimate.pairs.iter().map(|(truth, predicted)| [*truth, *predicted]).collect();
    let said = format!("RMSE {}, R² {}; {}", short(rmse), short(r2), judged(estimate));
    let panel = Panel::new("Predicted against true", Axis::linear("true"), Axis::linear("predicted"))
        .subtitled(said)
        .with(Series::new(Mark::Points(points)))
        .with(Series::new(Mark::Diagonal).named("predicted = true"))
        .square();
    Some(panel)
}

/// "333 rows judged, 5-fold cross-validation".
pub(super) fn judged(estimate: &Estimate) -> String {
    let many = if estimate.rows == 1 { "row" } else { "rows" };
    format!("{} {many} judged, {}", estimate.rows, estimate.split.describe())
}

/// The score of every alpha that was tried, and the one that was taken; nothing where there was no
/// list to choose from. Of the two scores the one that chose is drawn: the other may be far away from
/// it, as GCV is where a few rows have nearly all of the leverage.
pub fn alpha_path(report: &RidgeReport) -> Option<Panel> {
    if report.path.len() < 2 {
        return None;
    }
    let (name, points) = chooser(report);
    let taken: Vec<[f64; 2]> = points.iter().filter(|p| p[0] == report.alpha).copied().collect();
    let y = Axis { scale: score_scale(&points), ..Axis::linear(format!("{name} error (mean square)")) };
    let said = format!("alpha = {}, the best of {} by {name}", short(report.alpha), report.path.len());
    let panel = Panel::new("Choice of alpha", Axis::log("alpha"), y)
        .subtitled(said)
        .with(Series::new(Mark::Vertical(report.alpha)))
        .with(Series::new(Mark::Line(points.clone())).coloured(PALETTE[0]))
        .with(Series::new(Mark::Points(points)).coloured(PALETTE[0]))
        .with(Series::new(Mark::Rings(taken)).coloured(PALETTE[1]));
    Some(panel)
}

/// The score whose least value is at the alpha that was taken, by name, and its values.
fn chooser(report: &RidgeReport) -> (&'static str, Vec<[f64; 2]>) {
    let loo: Vec<[f64; 2]> = report.path.iter().filter_map(|s| Some([s.alpha, s.loo?])).collect();
    let gcv: Vec<[f64; 2]> = report.path.iter().map(|s| [s.alpha, s.gcv]).collect();
    let chose = |points: &[[f64; 2]]| {
        let least = points.iter().min_by(|a, b| a[1].total_cmp(&b[1]));
        least.is_some_and(|best| points.iter().any(|p| p[0] == report.alpha && p[1] == best[1]))
    };
    let by_loo = chose(&loo) || (!loo.is_empty() && !chose(&gcv));
    if by_loo { ("leave-one-out", loo) } else { ("GCV", gcv) }
}

fn score_scale(points: &[[f64; 2]]) -> Scale {
    let values = || points.iter().map(|p| p[1]).filter(|v| v.is_finite());
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    if low > 0.0 && high / low > WIDE { Scale::Log } else { Scale::Linear }
}

/// All panels there are for a fit, side by side: truth against predictions, or confusion of classes,
/// and the choice of alpha. The notes say which are missing; there may be none at all.
pub fn fit_sheet(done: &Finished) -> Figure {
    let estimate = done.estimate.as_ref();
    let judged = estimate.and_then(|e| predicted_against_true(e).or_else(|| confusion_matrix(e)));
    let chosen = alpha_path(&done.report);
    let mut notes = Vec::new();
    if judged.is_none() {
        notes.push("the error was not estimated, so predictions are not drawn against the truth".to_owned());
    }
    if chosen.is_none() {
        notes.push("alpha was not chosen from a list, so there is no path of it to draw".to_owned());
    }
    let target = done.pipeline.task().targets().join(", ");
    let panels: Vec<Panel> = judged.into_iter().chain(chosen).collect();
    let title = format!("{target} from {} rows", done.report.rows);
    Figure { notes, ..Figure::grid(panels, 2).titled(title) }
}
