//! Derivatives of a function of a statistic by its parameters.

use crate::kernel::Statistic;
use crate::kernel::vector::Periodic;

use super::map::Strip;
use super::node::{Profiled, Slope, Source, Window};
use super::points::Coordinates;

/// How the free parameters of a leaf enter it.
#[derive(Default)]
pub(crate) struct LeafGradient {
    pub(crate) length: Length,
    /// The profile's own parameters.
    pub(crate) shape: Vec<Option<Slope>>,
    pub(crate) period: Option<Period>,
}

/// How length scales enter a statistic.
#[derive(Default)]
pub(crate) enum Length {
    #[default]
    None,
    /// One length scale ℓ for all coordinates.
    One { scale: f64, slope: Slope },
    /// One per column; each column has `span` coordinates of the statistic.
    Many { scales: Vec<f64>, slopes: Vec<Option<Slope>>, span: usize },
}

/// How a period enters a statistic: through the points before they are put on circles.
pub(crate) struct Period {
    pub(crate) kernel: Periodic,
    pub(crate) slope: Slope,
    pub(crate) scales: Vec<f64>,
    pub(crate) x: Coordinates,
    pub(crate) y: Option<Coordinates>,
}

impl LeafGradient {
    fn is_empty(&self) -> bool {
        matches!(self.length, Length::None) && self.shape.iter().all(Option::is_none) && self.period.is_none()
    }
}

/// Adds Σ w·∂k/∂θ of a leaf over the window to `out`.
pub(crate) fn pull_back(leaf: &Profiled, window: &mut Window<'_>, w: &[f64], out: &mut [f64]) {
    if leaf.gradient.is_empty() {
        return;
    }
    let raw = window.take_statistic(leaf.source);
    let strip = leaf.strip(&raw, window.rows.clone(), window.cols.clone());
    shape(leaf, strip, w, out);
    let mut g = window.scratch.take(w.len());
    leaf.map.slopes(strip, &mut g);
    g.iter_mut().zip(w).for_each(|(g, w)| *g *= w);
    length(leaf, window, strip, &g, out);
    if let Some(period) = &leaf.gradient.period {
        period.pull_back(window, &g, out);
    }
    window.scratch.give(g);
    window.put_statistic(leaf.source, raw);
}

fn shape(leaf: &Profiled, strip: Strip<'_>, w: &[f64], out: &mut [f64]) {
    let slopes = &leaf.gradient.shape;
    if slopes.iter().all(Option::is_none) {
        return;
    }
    let mut sums = vec![0.0; leaf.map.shape_len()];
    leaf.map.shape_pull_back(strip, w, &mut sums);
    for (sum, slope) in sums.iter().zip(slopes) {
        add(out, *slope, *sum);
    }
}

/// s ∝ ℓ⁻ᵖ with p = 2 for squared distances and 1 for Manhattan distances: ∂s/∂ℓ = −p·s/ℓ.
fn length(leaf: &Profiled, window: &Window<'_>, strip: Strip<'_>, g: &[f64], out: &mut [f64]) {
    let power = if leaf.map.statistic() == Statistic::ManhattanDistance { 1.0 } else { 2.0 };
    match &leaf.gradient.length {
        Length::None => {}
        Length::One { scale, slope } => {
            let sum: f64 = g.iter().zip(strip.raw).map(|(g, raw)| g * raw).sum();
            add(out, Some(*slope), -power / scale * strip.factor * sum);
        }
        Length::Many { scales, slopes, span } => {
            let Source::Dense(source) = &window.sources[leaf.source] else { return };
            let mut terms = vec![0.0; source.depth()];
            source.pull_back_terms(window.rows.clone(), window.cols.clone(), g, &mut terms);
            for ((terms, scale), slope) in terms.chunks(*span).zip(scales).zip(slopes) {
                let sum: f64 = terms.iter().sum();
                add(out, *slope, -power / scale * strip.factor * sum);
            }
        }
    }
}

impl Period {
    fn pull_back(&self, window: &Window<'_>, g: &[f64], out: &mut [f64]) {
        let columns = self.y.as_ref().unwrap_or(&self.x);
        let mut sum = 0.0;
        for (i, g) in window.rows.clone().zip(g.chunks(window.cols.len())) {
            for (j, g) in window.cols.clone().zip(g) {
                let pairs = self.x.row(i).iter().zip(columns.row(j)).zip(&self.scales);
                sum += g * pairs.map(|((x, y), l)| self.kernel.period_slope(x - y) / (l * l)).sum::<f64>();
            }
        }
        add(out, Some(self.slope), sum);
    }
}

/// Adds ∂/∂p carried to θ.
pub(crate) fn add(out: &mut [f64], slope: Option<Slope>, value: f64) {
    if let Some(Slope { index, chain }) = slope {
        out[index] += value * chain;
    }
}
