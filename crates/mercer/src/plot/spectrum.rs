//! Pictures of eigenvalues.

use crate::report::SpectrumReport;
use crate::rkhs::{DecayFit, DecayKind};

use super::decimal::short;
use super::figure::{Axis, Ink, Mark, Panel, Series};

/// The eigenvalues by their number, with the line that fits their fall better: straight on a log axis for c·ℓ^(−p), on a
/// linear one for c·e^(−qℓ). What is at the tolerance or below is rounding and not drawn.
pub fn eigenvalues(report: &SpectrumReport) -> Panel {
    let drawn = report.eigenvalues.iter().enumerate().take(report.rank);
    let points: Vec<[f64; 2]> = drawn.map(|(l, v)| [(l + 1) as f64, *v]).collect();
    let polynomial = report.decay.kind == DecayKind::Polynomial;
    let x = if polynomial { Axis::log("ℓ") } else { Axis::linear("ℓ") };
    let below = report.eigenvalues.len() - report.rank;
    let said = match below {
        0 => format!("rank {} of {}", report.rank, report.eigenvalues.len()),
        _ => format!(
            "rank {} of {}; the others are below {}, rounding",
            report.rank,
            report.eigenvalues.len(),
            short(report.tolerance)
        ),
    };
    let panel = Panel::new("Eigenvalues of K/n", x, Axis::log("λ̂")).subtitled(said);
    let fit = if polynomial { report.decay.polynomial } else { report.decay.exponential };
    let panel = match (report.decay.kind, fit) {
        (DecayKind::Polynomial | DecayKind::Exponential, Some(fit)) => panel.with(decay(&points, fit, polynomial)),
        _ => panel,
    };
    panel.with(Series::new(Mark::Points(points)).named("λ̂").coloured(Ink::Palette(0)))
}

/// The fitted line over the eigenvalues that it was fitted to: it goes through the mean of their logarithms.
fn decay(points: &[[f64; 2]], fit: DecayFit, polynomial: bool) -> Series {
    let scale = |l: f64| if polynomial { l.ln() } else { l };
    let n = points.len().max(1) as f64;
    let mean = |value: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(value).sum::<f64>() / n;
    let (x, y) = (mean(&|p| scale(p[0])), mean(&|p| p[1].ln()));
    let line = points.iter().map(|p| [p[0], (y - fit.rate * (scale(p[0]) - x)).exp()]).collect();
    let name = match polynomial {
        true => format!("c·ℓ^(−{}), R² {}", short(fit.rate), short(fit.r_squared)),
        false => format!("c·e^(−{}ℓ), R² {}", short(fit.rate), short(fit.r_squared)),
    };
    Series::new(Mark::Line(line)).named(name).coloured(Ink::Palette(1))
}

/// Σ λ̂/(λ̂ + λ) by λ: how many directions a ridge penalty leaves free; nothing where the trace is 0.
pub fn effective_dimension(report: &SpectrumReport) -> Option<Panel> {
    let points: Vec<[f64; 2]> = report.effective_dimension.iter().map(|d| [d.lambda, d.dimension]).collect();
    if points.is_empty() {
        return None;
    }
    let panel = Panel::new("Effective dimension", Axis::log("λ"), Axis::linear("Σ λ̂/(λ̂ + λ)"))
        .subtitled("λ from a tenth to a millionth of the trace of K/n")
        .with(Series::new(Mark::Line(points.clone())).coloured(Ink::Palette(0)))
        .with(Series::new(Mark::Points(points)).coloured(Ink::Palette(0)));
    Some(panel)
}
