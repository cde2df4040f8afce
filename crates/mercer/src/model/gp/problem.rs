//! The targets as a process of mean 0 sees them.

use crate::data::Targets;
use crate::linalg::{largest_magnitude, power_of_two};
use crate::model::Sample;

/// Rows that count, with targets z where y = shift + unit·z.
///
/// The process is one of y/prior: prior is 1, or the standard deviation of a normalised target. Without
/// normalising, unit is a power of two, which changes no digit and keeps squares in range.
pub(super) struct Problem {
    pub(super) training: Sample,
    /// y as it was given, and z, row-major: n×outputs.
    pub(super) given: Vec<f64>,
    pub(super) z: Vec<f64>,
    pub(super) outputs: usize,
    pub(super) shift: Vec<f64>,
    pub(super) unit: Vec<f64>,
    pub(super) prior: Vec<f64>,
}

impl Problem {
    /// Of the rows that count of a sample, with their targets `y`.
    pub(super) fn new(training: Sample, y: &Targets, normalize: bool) -> Self {
        let c = y.outputs();
        let given = y.values().to_vec();
        let mut problem = Problem {
            z: given.clone(),
            given,
            training,
            outputs: c,
            shift: vec![0.0; c],
            unit: vec![1.0; c],
            prior: vec![1.0; c],
        };
        (0..c).for_each(|o| problem.bring_to_size(o));
        if normalize {
            (0..c).for_each(|o| problem.normalize(o));
        }
        problem
    }

    fn output(&self, o: usize) -> impl Iterator<Item = f64> + '_ {
        self.z.iter().skip(o).step_by(self.outputs).copied()
    }

    fn move_output(&mut self, o: usize, step: impl Fn(f64) -> f64) {
        self.z.iter_mut().skip(o).step_by(self.outputs).for_each(|z| *z = step(*z));
    }

    fn bring_to_size(&mut self, o: usize) {
        let largest = largest_magnitude(&self.output(o).collect::<Vec<_>>());
        if largest > 0.0 {
            self.unit[o] = power_of_two(largest);
            let unit = self.unit[o];
            self.move_output(o, |z| z / unit);
        }
    }

    /// Weighted mean 0 and standard deviation 1; a constant target keeps its size.
    fn normalize(&mut self, o: usize) {
        let shares = self.training.shares();
        let weighted = |f: &dyn Fn(f64) -> f64| self.output(o).zip(&shares).map(|(z, p)| p * f(z)).sum::<f64>();
        let first = weighted(&|z| z);
        let mean = first + weighted(&|z| z - first);
        let deviation = weighted(&|z| (z - mean) * (z - mean)).sqrt();
        // A deviation of rounding is none.
        let deviation = if deviation > 4.0 * f64::EPSILON { deviation } else { 1.0 };
        self.move_output(o, |z| (z - mean) / deviation);
        self.shift[o] = mean * self.unit[o];
        self.unit[o] *= deviation;
        self.prior[o] = self.unit[o];
    }

    /// What z counts in units of the process, squared.
    pub(super) fn power(&self, o: usize) -> f64 {
        (self.unit[o] / self.prior[o]).powi(2)
    }

    /// alpha/wᵢ, kept finite.
    pub(super) fn noise(&self, alpha: f64, i: usize) -> f64 {
        noise(alpha, self.training.weights.as_deref(), i)
    }
}

/// alpha/wᵢ, kept finite: a row that light says nothing, whatever the number.
pub(super) fn noise(alpha: f64, weights: Option<&[f64]>, i: usize) -> f64 {
    weights.map_or(alpha, |w| (alpha / w[i]).min(f64::MAX / 8.0))
}
