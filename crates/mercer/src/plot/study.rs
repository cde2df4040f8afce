//! Pictures of studies.

use crate::error::counted;
use crate::study::{Curve, GdSgdStudy};

use super::decimal::short;
use super::figure::{Axis, Figure, Ink, Mark, Panel, Series};

/// Descent and stochastic descent on the unit square: residuals by step, iterations by step, residuals by
/// start, and methods by passes over the data.
pub fn gd_sgd_sheet(study: &GdSgdStudy) -> Figure {
    let panels = vec![by_iteration(study), iterations_by_step(study), by_start(study), by_method(study)];
    let title =
        format!("Gradient descent on the unit square, {}, {}", counted(study.n, "point", "points"), study.kernel);
    Figure::grid(panels, 2).titled(title)
}

/// Where a curve ends that has diverged from what can be drawn.
fn lines(panel: Panel, curves: &[Curve], tolerance: f64) -> Panel {
    let panel = curves.iter().fold(panel, |panel, curve| {
        // Iteration 0 has no place on a log axis; what it has, all curves share or the first step shows.
        let points = curve.points.iter().skip(1).copied().collect();
        panel.with(Series::new(Mark::Line(points)).named(curve.name.clone()))
    });
    panel.with(Series::new(Mark::Horizontal(tolerance)))
}

fn by_iteration(study: &GdSgdStudy) -> Panel {
    let said = format!("μ₁ = {}; dashed: converged, {}", short(study.largest_eigenvalue), short(study.tolerance));
    let panel = Panel::new("Influence of the step", Axis::log("iteration"), Axis::log("residual (RMS)"));
    lines(panel.subtitled(said), &study.curves, study.tolerance)
}

fn by_start(study: &GdSgdStudy) -> Panel {
    let step = study.starts.first().map_or(0.0, |c| c.step_size * study.largest_eigenvalue);
    let panel = Panel::new("Influence of the start", Axis::log("iteration"), Axis::log("residual (RMS)"));
    lines(panel.subtitled(format!("step·μ₁ = {}", short(step))), &study.starts, study.tolerance)
}

fn iterations_by_step(study: &GdSgdStudy) -> Panel {
    let points: Vec<[f64; 2]> =
        study.by_step.iter().filter_map(|s| Some([s.step_size, s.iterations? as f64])).collect();
    let largest = study.largest_eigenvalue;
    Panel::new("Iterations to convergence", Axis::log("step"), Axis::log("iterations"))
        .subtitled("dashed: 1/μ₁, no overshooting below; 2/μ₁, divergence beyond")
        .with(Series::new(Mark::Line(points.clone())).coloured(Ink::Palette(0)))
        .with(Series::new(Mark::Points(points)).coloured(Ink::Palette(0)))
        .with(Series::new(Mark::Vertical(1.0 / largest)))
        .with(Series::new(Mark::Vertical(2.0 / largest)))
}

fn by_method(study: &GdSgdStudy) -> Panel {
    let panel = Panel::new("All rows a step, or few", Axis::log("passes over the data"), Axis::log("residual (RMS)"));
    let panel = study.methods.iter().fold(panel.subtitled("dashed: converged"), |panel, method| {
        panel.with(Series::new(Mark::Line(method.points.clone())).named(method.name.clone()))
    });
    panel.with(Series::new(Mark::Horizontal(study.tolerance)))
}
