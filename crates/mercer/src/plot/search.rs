//! Pictures of a search over settings.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::report::TuneReport;
use crate::select::{Axis as Varied, Judged};

use super::decimal::short;
use super::field::Field;
use super::figure::{Axis, Ink, Mark, Panel, Series};

/// The loss by the values of one setting, or by those of the first two, the best over the others; nothing where no setting
/// is a number, or none has two values.
pub fn search_panel(report: &TuneReport) -> Option<Panel> {
    let most = report.candidates.iter().map(|j| j.rows).max()?;
    let judged: Vec<&Judged> = report.candidates.iter().filter(|j| j.rows == most && j.loss.is_finite()).collect();
    let varied: Vec<&Varied> = report.grid.iter().filter(|axis| axis.values.len() > 1).collect();
    let panel = match varied[..] {
        [] => None,
        [one] => by_one(one, &judged, report),
        [first, second, ..] => Some(by_two(first, second, &judged, report)),
    }?;
    let best: Vec<String> = report.best.iter().map(|(name, value)| format!("{name} = {}", shown(value))).collect();
    Some(panel.subtitled(format!(
        "best: {}, {} {}; {}",
        best.join(", "),
        report.loss,
        short(report.best_loss),
        report.split
    )))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Number(v) => v.as_f64().map_or_else(|| v.to_string(), short),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn setting(settings: &BTreeMap<String, Value>, axis: &Varied) -> Option<usize> {
    settings.get(&axis.name).and_then(|value| axis.values.iter().position(|v| v == value))
}

fn by_one(axis: &Varied, judged: &[&Judged], report: &TuneReport) -> Option<Panel> {
    let number = |j: &Judged| j.settings.get(&axis.name).and_then(Value::as_f64);
    let mut points: Vec<[f64; 2]> = judged.iter().filter_map(|j| Some([number(j)?, j.loss])).collect();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let positive = points.iter().all(|p| p[0] > 0.0);
    let x = if positive { Axis::log(axis.name.as_str()) } else { Axis::linear(axis.name.as_str()) };
    let best = report.best.get(&axis.name).and_then(Value::as_f64)?;
    let taken = points.iter().filter(|p| p[0] == best).copied().collect();
    let panel = Panel::new(format!("Loss by {}", axis.name), x, Axis::linear(report.loss.as_str()))
        .with(Series::new(Mark::Line(points.clone())).coloured(Ink::Palette(0)))
        .with(Series::new(Mark::Points(points)).coloured(Ink::Palette(0)))
        .with(Series::new(Mark::Rings(taken)).named("taken").coloured(Ink::Palette(1)));
    Some(panel)
}

fn by_two(first: &Varied, second: &Varied, judged: &[&Judged], report: &TuneReport) -> Panel {
    let columns = first.values.len();
    let mut best = vec![f64::NAN; columns * second.values.len()];
    for candidate in judged {
        if let (Some(j), Some(i)) = (setting(&candidate.settings, first), setting(&candidate.settings, second)) {
            best[i * columns + j] = best[i * columns + j].min(candidate.loss);
        }
    }
    let names = |axis: &Varied| Axis::names(axis.name.as_str(), axis.values.iter().map(shown).collect());
    let taken = setting(&report.best, first).zip(setting(&report.best, second));
    let ring = taken.map(|(j, i)| [j as f64, i as f64]).into_iter().collect();
    let white = super::style::Colour(255, 255, 255);
    Panel::new(format!("Loss by {} and {}", first.name, second.name), names(first), names(second))
        .with(Series::new(Mark::Field(Field::matrix(columns, best).labelled(report.loss.as_str()))))
        .with(Series::new(Mark::Rings(ring)).coloured(white))
}
