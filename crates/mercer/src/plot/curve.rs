//! Functions of one number that a model learnt.

use crate::data::Inputs;
use crate::error::Result;
use crate::model::{Extra, Model};
use crate::run::Run;

use super::figure::{Axis, Ink, Mark, Panel, Series};
use super::window::{along, around, names};

/// What is drawn beside the function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurveChoices {
    /// The part of the line; without it, that of the model's points and a little more.
    pub range: Option<(f64, f64)>,
    /// The share of new observations that the band holds; without it, there is no band.
    pub level: Option<f64>,
    /// Functions drawn from the posterior of a process.
    pub draws: usize,
    /// Where their chance begins.
    pub seed: u64,
}

/// The first output of a model of one number, with what was observed: [x, y] each. A process has a band for the function,
/// too, inside that of observations.
pub fn model_curve(model: &Model, observed: &[[f64; 2]], choices: &CurveChoices, run: &Run) -> Result<Panel> {
    let own = super::window::numbers(model.points(), 1)?.into_iter().map(|x| x[0]);
    let range = choices.range.unwrap_or_else(|| around(own.chain(observed.iter().map(|p| p[0]))));
    let (xs, places) = along(range, model.points())?;
    let curve = Curve { model, xs, places };
    let mean = curve.first(&model.predict(&curve.places, run)?, model.answers());
    let [x, _] = names(model.points());
    let mut panel = Panel::new(title(model), Axis::linear(x), Axis::linear("f(x)"));
    if let Some(level) = choices.level {
        panel = curve.bands(panel, &mean, level, run)?;
    }
    if choices.draws > 0 {
        let drawn = curve.draws(choices, run)?;
        panel = panel.with(Series::new(Mark::Curves(drawn)).named("draws").coloured(Ink::Palette(5)));
    }
    if !observed.is_empty() {
        panel = panel.with(Series::new(Mark::Points(observed.to_vec())).named("observed").coloured(Ink::Palette(1)));
    }
    // Above the points, which may be many.
    let line = curve.xs.iter().zip(&mean).map(|(x, f)| [*x, *f]).collect();
    Ok(panel.with(Series::new(Mark::Line(line)).coloured(Ink::Palette(0))))
}

fn title(model: &Model) -> String {
    match model.alpha() {
        Some(alpha) => format!("{}, alpha = {}", model.learner().spec().name, super::decimal::short(alpha)),
        None => model.learner().spec().name.to_owned(),
    }
}

struct Curve<'a> {
    model: &'a Model,
    xs: Vec<f64>,
    places: Inputs,
}

impl Curve<'_> {
    /// The first of so many numbers at each place.
    fn first(&self, values: &[f64], of: usize) -> Vec<f64> {
        values.chunks(of.max(1)).map(|row| row[0]).collect()
    }

    fn bands(&self, panel: Panel, mean: &[f64], level: f64, run: &Run) -> Result<Panel> {
        let outputs = self.model.outputs();
        let bounds = self.model.interval(&self.places, level, run)?;
        let (low, high) = (self.first(&bounds.lower, outputs), self.first(&bounds.upper, outputs));
        let band = |low: &[f64], high: &[f64]| {
            let edges = low.iter().zip(high);
            Mark::Band(self.xs.iter().zip(edges).map(|(x, (low, high))| [*x, *low, *high]).collect())
        };
        let share = super::decimal::short(100.0 * level);
        let name = format!("{share} % of new observations");
        let panel = panel.with(Series::new(band(&low, &high)).named(name).coloured(Ink::Palette(4)));
        if !matches!(self.model.extra(), Extra::Process(_)) {
            return Ok(panel);
        }
        // The same quantile, without the noise.
        let [noisy, own] = [true, false].map(|noise| self.model.variance(&self.places, noise, run));
        let (noisy, own) = (self.first(&noisy?, outputs), self.first(&own?, outputs));
        let half = |i: usize| if noisy[i] > 0.0 { (high[i] - mean[i]) * (own[i] / noisy[i]).sqrt() } else { 0.0 };
        let low: Vec<f64> = (0..mean.len()).map(|i| mean[i] - half(i)).collect();
        let high: Vec<f64> = (0..mean.len()).map(|i| mean[i] + half(i)).collect();
        let name = format!("{share} % of functions");
        Ok(panel.with(Series::new(band(&low, &high)).named(name).coloured(Ink::Palette(0))))
    }

    fn draws(&self, choices: &CurveChoices, run: &Run) -> Result<Vec<Vec<[f64; 2]>>> {
        let drawn = self.model.sample(&self.places, choices.draws, choices.seed, run)?;
        let one = |s: usize| {
            let values = self.first(drawn.sample(s), drawn.outputs);
            self.xs.iter().zip(values).map(|(x, f)| [*x, f]).collect()
        };
        Ok((0..drawn.count).map(one).collect())
    }
}
