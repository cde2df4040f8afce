//! Pictures of a model judged on new rows.

use crate::error::counted;
use crate::report::ScoreReport;
use crate::select::Scores;

use super::confusion::confusion_panel;
use super::decimal::short;
use super::figure::{Figure, Panel};
use super::fit::{columns_for, pairs_panel};
use super::judged::{calibration_of, residual_panel, roc_of};

/// Truth against predictions with residuals, or confusion, ROC and calibration of classes; no panel of several quantiles.
pub fn score_sheet(report: &ScoreReport) -> Figure {
    let rows = counted(report.rows, "row", "rows");
    let mut panels: Vec<Panel> = Vec::new();
    match report.scores {
        Scores::Regression { rmse, r2, .. } => {
            let said = format!("RMSE {}, R² {}; {rows}", short(rmse), short(r2));
            panels.push(pairs_panel(&report.pairs).subtitled(said));
            let left = report.pairs.iter().map(|(truth, predicted)| [*predicted, truth - predicted]).collect();
            panels.push(residual_panel(left).subtitled(rows.clone()));
        }
        Scores::Classification { accuracy, log_loss } => {
            let loss = log_loss.map_or_else(String::new, |loss| format!(", log-loss {}", short(loss)));
            let said = format!("{} % right{loss}; {rows}", short(100.0 * accuracy));
            panels.extend(report.confusion.as_ref().map(|found| confusion_panel(found).subtitled(said)));
            let scores = report.class_scores.as_ref();
            panels.extend(scores.and_then(roc_of));
            panels.extend(scores.and_then(calibration_of));
        }
        _ => {}
    }
    let columns = columns_for(panels.len());
    Figure::grid(panels, columns).titled(format!("{} of {}: {rows}", report.target, report.data))
}
