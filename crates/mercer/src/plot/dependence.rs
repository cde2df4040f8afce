//! How predictions go with single columns.

use serde_json::Value;

use crate::error::counted;
use crate::model::pipeline::PartialDependence;

use super::figure::{Axis, Mark, Panel, Series};

/// Answers with lines of their own.
const MOST: usize = 7;

/// A panel of each column, all with one vertical axis where their answers are the same: what matters more is steeper.
pub fn dependence_panels(found: &[PartialDependence]) -> Vec<Panel> {
    let panels: Vec<Panel> = found.iter().map(dependence_panel).collect();
    let values = || found.iter().flat_map(seen).filter(|v| v.is_finite());
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let room = 0.05 * (high - low);
    if !(room > 0.0 && room.is_finite()) {
        return panels;
    }
    panels.into_iter().map(|p| Panel { y: p.y.clone().ranging(low - room, high + room), ..p }).collect()
}

/// The answers that are drawn: of two classes one says all.
fn shown(answers: usize) -> Vec<usize> {
    if answers == 2 { vec![1] } else { (0..answers.min(MOST)).collect() }
}

/// The numbers that are drawn.
fn seen(found: &PartialDependence) -> Vec<f64> {
    let (answers, some) = (found.answers.len().max(1), shown(found.answers.len()));
    found.values.chunks(answers).flat_map(|row| some.iter().filter_map(|o| row.get(*o).copied())).collect()
}

/// The mean prediction by the value of a column: a line along numbers, points beside categories.
pub fn dependence_panel(found: &PartialDependence) -> Panel {
    let answers = found.answers.len();
    let shown = shown(answers);
    let numbers: Option<Vec<f64>> = found.at.iter().map(Value::as_f64).collect();
    let words = || found.at.iter().map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned)).collect();
    let x = match &numbers {
        Some(_) => Axis::linear(found.column.clone()),
        None => Axis::names(found.column.clone(), words()),
    };
    let label = match &shown[..] {
        [one] => found.answers[*one].clone(),
        _ => "mean prediction".into(),
    };
    let panel = Panel::new(format!("By {}", found.column), x, Axis::linear(label))
        .subtitled(format!("mean prediction over {} of training", counted(found.rows, "row", "rows")));
    shown.iter().fold(panel, |panel, &o| {
        let at = |i: usize| numbers.as_ref().map_or(i as f64, |n| n[i]);
        let points: Vec<[f64; 2]> = (0..found.at.len()).map(|i| [at(i), found.values[i * answers + o]]).collect();
        let mark = if numbers.is_some() { Mark::Line(points) } else { Mark::Points(points) };
        let series = Series::new(mark);
        panel.with(if shown.len() > 1 { series.named(found.answers[o].clone()) } else { series })
    })
}
