//! Pictures of tests.

use crate::model::compare::TestResult;

use super::decimal::short;
use super::figure::{Axis, Ink, Mark, Panel, Series};

/// Bars of a histogram.
const BARS: usize = 40;

/// The null distribution as a histogram, with the statistic of the data; nothing where the null is a formula.
pub fn null_distribution(result: &TestResult) -> Option<Panel> {
    let range = range([result.null_distribution.as_slice(), &[result.statistic]].concat().iter())?;
    if result.null_distribution.is_empty() {
        return None;
    }
    let said = format!("p = {}; {} of {} reach it", short(result.pvalue), result.reached, result.n_permutations);
    let panel = Panel::new("Null distribution", Axis::linear(result.estimate.symbol), Axis::linear("share"))
        .subtitled(said)
        .with(
            Series::new(histogram(&result.null_distribution, range)).named("under the null").coloured(Ink::Palette(0)),
        )
        .with(Series::new(Mark::Vertical(result.statistic)).named("the data").coloured(Ink::Palette(1)));
    Some(panel)
}

/// The values of the witness function at the rows of two samples, as histograms; the first `m` values are those of the first.
pub fn witness_values(values: &[f64], m: usize, names: [&str; 2]) -> Option<Panel> {
    let range = range(values.iter())?;
    let (x, y) = values.split_at(m.min(values.len()));
    let mut panel =
        Panel::new("Witness function at the rows", Axis::linear("mean k(·, x) − mean k(·, y)"), Axis::linear("share"))
            .subtitled("to the right the first sample is denser, to the left the second");
    for (k, (values, name)) in [(x, names[0]), (y, names[1])].into_iter().enumerate() {
        panel = panel.with(Series::new(histogram(values, range)).named(name).coloured(Ink::Palette(k)));
    }
    Some(panel)
}

/// The smallest and the largest of finite values; nothing of nothing.
fn range<'a>(values: impl Iterator<Item = &'a f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|v| v.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
    // A single value is a bar of its own.
    let room = if high > low { 0.0 } else { low.abs().max(1.0) * 1e-3 };
    (low <= high).then_some((low - room, high + room))
}

/// The share of the values in each of forty intervals, as steps that begin and end at 0.
fn histogram(values: &[f64], (low, high): (f64, f64)) -> Mark {
    let width = (high - low) / BARS as f64;
    let mut counts = [0usize; BARS];
    for value in values.iter().filter(|v| v.is_finite()) {
        counts[(((value - low) / width) as usize).min(BARS - 1)] += 1;
    }
    let share = |c: usize| c as f64 / values.len().max(1) as f64;
    let mut steps = vec![[low, 0.0]];
    steps.extend(counts.iter().enumerate().map(|(b, c)| [low + b as f64 * width, share(*c)]));
    steps.push([high, 0.0]);
    Mark::Step(steps)
}
