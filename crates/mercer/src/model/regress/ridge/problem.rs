//! The problem as it is solved: rows that count, in numbers of moderate size.

use crate::data::{Targets, Weights};
use crate::error::Result;
use crate::kernel::property::Standing;
use crate::linalg::{largest_magnitude, power_of_two};
use crate::model::Sample;

/// Targets and weights are divided by powers of two, which changes no digit and keeps squares of
/// values near 1e±150 in range.
pub(crate) struct Problem {
    /// The rows that count, with their weights as given.
    pub(super) training: Sample,
    /// All targets, as given.
    pub(super) targets: Targets,
    /// Number of rows that count.
    pub(super) n: usize,
    /// Targets over their units, row-major: n×outputs.
    pub(super) y: Vec<f64>,
    pub(super) outputs: usize,
    /// The unit of each output.
    pub(super) units: Vec<f64>,
    /// Weights over their unit, none 0; nothing if all are 1.
    pub(super) weights: Option<Vec<f64>>,
    pub(super) weight_unit: f64,
    pub(super) intercept: bool,
    pub(super) seed: u64,
}

impl Problem {
    pub(crate) fn new(sample: &Sample, intercept: bool, seed: u64) -> Result<Self> {
        let (training, y) = (sample.clone(), sample.target().numbers()?);
        let n = training.n;
        let units = units(&y);
        let scaled = (0..n).flat_map(|i| y.row(training.row(i)).iter().zip(&units).map(|(y, u)| y / u)).collect();
        let weight_unit = training.weights.as_ref().map_or(1.0, |w| power_of_two(largest_magnitude(w)));
        let over_unit = |w: &Weights| w.iter().map(|w| (w / weight_unit).max(f64::MIN_POSITIVE)).collect::<Vec<_>>();
        let weights = training.weights.as_ref().map(over_unit).filter(|w| w.iter().any(|v| *v != 1.0));
        Ok(Problem {
            training,
            n,
            y: scaled,
            outputs: y.outputs(),
            targets: y,
            units,
            weights,
            weight_unit,
            intercept,
            seed,
        })
    }

    /// alpha over the unit of the weights.
    pub(super) fn scaled_alpha(&self, alpha: f64) -> f64 {
        alpha / self.weight_unit
    }

    /// Whether the kernel is one, so that the objective has a minimum that duality can bound.
    pub(super) fn has_minimum(&self) -> bool {
        self.training.space.kernel().standing() != Standing::Indefinite
    }

    /// The weight of row `i`.
    pub(super) fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[i])
    }

    /// √w, where weights differ from 1.
    pub(super) fn root_weights(&self) -> Option<Vec<f64>> {
        self.weights.as_ref().map(|w| w.iter().map(|w| w.sqrt()).collect())
    }

    /// √w in any case: the direction of the intercept.
    pub(super) fn constant(&self) -> Vec<f64> {
        self.root_weights().unwrap_or_else(|| vec![1.0; self.n])
    }

    /// Row i of `values` (n×k) times √wᵢ.
    pub(super) fn weigh(&self, values: &mut [f64], k: usize) {
        if let Some(roots) = self.root_weights() {
            for (row, s) in values.chunks_mut(k).zip(&roots) {
                row.iter_mut().for_each(|v| *v *= s);
            }
        }
    }
}

/// A unit for each output: the power of two just below its largest value.
fn units(y: &Targets) -> Vec<f64> {
    let largest = |o: usize| (0..y.nrows()).fold(0.0f64, |m, i| m.max(y.row(i)[o].abs()));
    (0..y.outputs()).map(largest).map(power_of_two).collect()
}
