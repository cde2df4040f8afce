//! A null distribution, and the statistic that is compared with it.

use crate::model::compare::{TestResult, tail};

use super::figure::{Axis, Ink, Mark, Panel, Series};

/// Bars of a histogram.
const BARS: usize = 40;

/// How often each statistic came out under the null, as shares, the distribution that was fitted to it, and the statistic itself.
///
/// Nothing where nothing was drawn or fitted, or nothing varies.
pub fn null_panel(result: &TestResult) -> Option<Panel> {
    let fitted = fitted(result);
    let [low, high] = span(result, fitted)?;
    let width = (high - low) / BARS as f64;
    let edge = |b: usize| low + b as f64 * width;
    let symbol = result.estimate.symbol;
    let mut panel = Panel::new(
        format!("{symbol}, p = {}", super::decimal::short(result.pvalue)),
        Axis::linear(format!("{symbol} ({})", result.estimate.name)),
        Axis::linear("share of draws"),
    )
    .subtitled(format!("null: {}", result.hypothesis));
    if !result.null_distribution.is_empty() {
        let shares = shares(&result.null_distribution, low, width);
        // A bar is an area from 0, up and down at its edges.
        let bars = shares.iter().enumerate().flat_map(|(b, s)| [[edge(b), 0.0, *s], [edge(b + 1), 0.0, *s]]).collect();
        let name = format!("{} draws of the null", result.null_distribution.len());
        panel = panel.with(Series::new(Mark::Band(bars)).named(name).coloured(Ink::Palette(0)));
    }
    if let Some([shape, scale]) = fitted {
        let above = |b: usize| tail::gamma(edge(b), shape, scale);
        let line = (0..BARS).map(|b| [edge(b) + 0.5 * width, above(b) - above(b + 1)]).collect();
        panel = panel.with(Series::new(Mark::Line(line)).named("fitted gamma").coloured(Ink::Palette(2)));
    }
    let observed = Series::new(Mark::Vertical(result.statistic)).named("the data").coloured(Ink::Palette(1));
    Some(panel.with(observed))
}

/// Shape and scale of the gamma distribution, where one was fitted to values like the statistic.
fn fitted(result: &TestResult) -> Option<[f64; 2]> {
    let found = result.approximation.as_ref().filter(|_| result.estimate.name == "biased")?;
    let (mean, variance) = (found.mean?, found.variance?);
    (mean > 0.0 && variance > 0.0).then(|| [mean * mean / variance, variance / mean])
}

/// From the least to the largest of what is shown, the statistic among them.
fn span(result: &TestResult, fitted: Option<[f64; 2]>) -> Option<[f64; 2]> {
    let tails = fitted.map_or([result.statistic; 2], |[shape, scale]| {
        let (mean, deviation) = (shape * scale, shape.sqrt() * scale);
        [(mean - 4.0 * deviation).max(0.0), mean + 5.0 * deviation]
    });
    let all =
        || result.null_distribution.iter().copied().chain(tails).chain([result.statistic]).filter(|v| v.is_finite());
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    (high > low && (high - low).is_finite()).then_some([low, high])
}

fn shares(values: &[f64], low: f64, width: f64) -> Vec<f64> {
    let mut shares = vec![0.0; BARS];
    for v in values.iter().filter(|v| v.is_finite()) {
        shares[(((v - low) / width) as usize).min(BARS - 1)] += 1.0 / values.len() as f64;
    }
    shares
}
