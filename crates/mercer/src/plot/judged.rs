//! Pictures of the error on rows that chose nothing: residuals, ROC and calibration curves.

use crate::metric::{Calibration, Roc, roc};
use crate::select::{ClassScores, Estimate};

use super::decimal::short;
use super::figure::{Axis, Ink, Mark, Panel, Series};
use super::fit::judged;

/// Shares from 0 to 1, with room for what lies at the ends.
const SHARES: (f64, f64) = (-0.035, 1.035);
/// Classes with curves of their own.
const MOST: usize = 7;

/// What is left of the truth by what was predicted; nothing for a classification.
pub fn residuals(estimate: &Estimate) -> Option<Panel> {
    let points: Vec<[f64; 2]> =
        estimate.pairs.iter().map(|(truth, predicted)| [*predicted, truth - predicted]).collect();
    (!points.is_empty()).then(|| residual_panel(points).subtitled(judged(estimate)))
}

/// A panel of [predicted, true − predicted].
pub fn residual_panel(points: Vec<[f64; 2]>) -> Panel {
    Panel::new("Residuals", Axis::linear("predicted"), Axis::linear("true − predicted"))
        .with(Series::new(Mark::Points(points)))
        .with(Series::new(Mark::Horizontal(0.0)))
}

fn shares(label: &str) -> Axis {
    Axis::linear(label).ranging(SHARES.0, SHARES.1)
}

/// ROC curves with their areas, by name.
pub fn roc_panel(curves: &[(String, Roc)]) -> Panel {
    let panel = Panel::new("ROC", shares("false alarms"), shares("found"));
    let panel = curves.iter().fold(panel.square().with(Series::new(Mark::Diagonal)), |panel, (name, roc)| {
        let points = roc.false_positive.iter().zip(&roc.true_positive).map(|(x, y)| [*x, *y]).collect();
        let area = short(roc.area);
        let name = if name.is_empty() { format!("area {area}") } else { format!("{name}, area {area}") };
        panel.with(Series::new(Mark::Line(points)).named(name))
    });
    panel.subtitled("dashed grey: by chance")
}

/// Shares of rows that came true by the probability they were given.
pub fn calibration_panel(curve: &Calibration) -> Panel {
    let points: Vec<[f64; 2]> = curve.predicted.iter().zip(&curve.observed).map(|(p, share)| [*p, *share]).collect();
    let sizes = points.iter().zip(&curve.share).map(|([x, y], share)| [*x, *y, *share]).collect();
    Panel::new("Calibration", shares("probability"), shares("share that came true"))
        .square()
        .with(Series::new(Mark::Diagonal).named("calibrated"))
        .with(Series::new(Mark::Line(points.clone())).coloured(Ink::Palette(0)))
        .with(Series::new(Mark::Points(points)).coloured(Ink::Palette(0)))
        .with(Series::new(Mark::Sized(sizes)).named("share of rows").coloured(Ink::Palette(0)))
}

/// The curve of two classes, of each of up to seven classes against the rest, or of all classes together.
pub fn roc_of(scores: &ClassScores) -> Option<Panel> {
    let classes = scores.classes.len();
    let curve = |at: usize| {
        let (truth, given) = scores.of_class(at);
        Some((scores.classes[at].clone(), roc(&truth, &given, scores.weights.as_ref()).ok()?))
    };
    let curves: Vec<(String, Roc)> = match classes {
        2 => curve(1).into_iter().collect(),
        3..=MOST => (0..classes).filter_map(curve).collect(),
        _ => {
            let (truth, given, weights) = scores.pooled();
            let all = roc(&truth, &given, weights.as_ref()).ok();
            all.map(|curve| (format!("all {classes} classes, each against the rest"), curve)).into_iter().collect()
        }
    };
    let panel = (!curves.is_empty()).then(|| roc_panel(&curves))?;
    Some(match classes {
        3..=MOST => Panel { title: "ROC, each class against the rest".into(), ..panel },
        _ => panel,
    })
}

/// The calibration of the second of two classes, or of all classes together; nothing without probabilities.
pub fn calibration_of(scores: &ClassScores) -> Option<Panel> {
    let curve = scores.calibration()?;
    let off = short(100.0 * curve.error());
    let said = match &scores.classes[..] {
        [_, second] => format!("P({second}) in ten groups, off by {off} % in the mean"),
        all => format!("P(class) of all {} classes in ten groups, off by {off} % in the mean", all.len()),
    };
    Some(calibration_panel(&curve).subtitled(said))
}
