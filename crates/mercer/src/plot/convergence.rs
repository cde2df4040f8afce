//! How a fit came to its answer.

use crate::certificate::{Certificate, Measure};
use crate::model::Report;

use super::decimal::short;
use super::figure::{Axis, Ink, Mark, Panel, Series};

/// What was watched after each iteration. With a lower bound of the objective it is the gap that was left, which bounds how
/// far each iterate was from the best; what is below the certified gap cannot be told from rounding and is drawn as that.
/// Nothing of a fit without iterations.
pub fn convergence(report: &Report, certificate: &Certificate) -> Option<Panel> {
    if report.history.len() < 2 {
        return None;
    }
    let gap = certificate.get(Measure::Primal).zip(certificate.get(Measure::Dual));
    let watched = |value: f64| gap.map_or(value, |(primal, dual)| (value - dual).max(primal - dual));
    let points: Vec<[f64; 2]> = report.history.iter().enumerate().map(|(t, v)| [t as f64, watched(*v)]).collect();
    let said = format!("{}; stopped: {}", certificate.algorithm.name(), certificate.stop.name());
    let (title, label) = match gap {
        Some(_) => ("Gap by iteration", "objective − lower bound"),
        None => ("Progress by iteration", "residual or loss"),
    };
    let positive = points.iter().all(|p| p[1] > 0.0);
    let y = if positive { Axis::log(label) } else { Axis::linear(label) };
    let panel = Panel::new(title, Axis::linear("iteration"), y).subtitled(said);
    let panel = match gap.map(|(primal, dual)| primal - dual).filter(|gap| *gap > 0.0) {
        Some(gap) => panel.with(Series::new(Mark::Horizontal(gap)).named(format!("certified gap {}", short(gap)))),
        None => panel,
    };
    let line = Series::new(Mark::Line(points.clone())).coloured(Ink::Palette(0));
    Some(match points.len() <= 60 {
        true => panel.with(line).with(Series::new(Mark::Points(points)).coloured(Ink::Palette(0))),
        false => panel.with(line),
    })
}
