//! The problem as it is solved: rows that count, in numbers of moderate size.

use crate::data::{Inputs, Precomputed, Targets};
use crate::error::{Error, Result};
use crate::kernel::Registry;
use crate::linalg::{largest_magnitude, power_of_two};
use crate::rkhs::Space;
use crate::run::Run;

use super::KernelRidge;

/// Rows of positive weight. Targets and weights are divided by powers of two, which changes no digit
/// and keeps squares of values near 1e±150 in range.
pub(super) struct Problem {
    pub(super) space: Space,
    /// The points that count.
    pub(super) x: Inputs,
    /// All points.
    pub(super) all: Inputs,
    /// All targets, as given.
    pub(super) targets: Targets,
    /// Which rows count, where not all do.
    pub(super) kept: Option<Vec<usize>>,
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
    pub(super) fn new(
        ridge: &KernelRidge,
        x: &Inputs,
        y: &Targets,
        weights: Option<&[f64]>,
        registry: &Registry,
        run: &Run,
    ) -> Result<Self> {
        check_shapes(x, y, weights)?;
        let kept =
            weights.filter(|w| w.contains(&0.0)).map(|w| (0..w.len()).filter(|i| w[*i] > 0.0).collect::<Vec<_>>());
        let points = match &kept {
            None => x.clone(),
            Some(kept) => subset(x, kept),
        };
        let n = points.len();
        let space = Space::with_registry(&ridge.kernel, registry, &points, run)?;
        let rows = |i: usize| kept.as_ref().map_or(i, |k| k[i]);
        let units = units(y);
        let scaled = (0..n).flat_map(|i| y.row(rows(i)).iter().zip(&units).map(|(y, u)| y / u)).collect();
        let weight_unit = weights.map_or(1.0, |w| power_of_two(largest_magnitude(w)));
        let weights =
            weights.map(|w| (0..n).map(|i| (w[rows(i)] / weight_unit).max(f64::MIN_POSITIVE)).collect::<Vec<_>>());
        Ok(Problem {
            space,
            x: points,
            all: x.clone(),
            targets: y.clone(),
            n,
            y: scaled,
            outputs: y.outputs(),
            units,
            weights: weights.filter(|w| w.iter().any(|v| *v != 1.0)),
            weight_unit,
            kept,
            intercept: ridge.fit_intercept,
            seed: ridge.seed,
        })
    }

    /// alpha over the unit of the weights.
    pub(super) fn scaled_alpha(&self, alpha: f64) -> f64 {
        alpha / self.weight_unit
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
    (0..y.outputs()).map(largest).map(|m| if m > 0.0 { power_of_two(m) } else { 1.0 }).collect()
}

fn check_shapes(x: &Inputs, y: &Targets, weights: Option<&[f64]>) -> Result<()> {
    if x.is_empty() {
        return Err(Error::shape("the points of KernelRidge", "at least one row", "none"));
    }
    if y.nrows() != x.len() {
        return Err(Error::shape("the target", format!("{} rows, one a point", x.len()), y.nrows()));
    }
    let Some(weights) = weights else { return Ok(()) };
    if weights.len() != x.len() {
        return Err(Error::shape("the weights", format!("{} values, one a row", x.len()), weights.len()));
    }
    let bad = |must: &str, value: String| Err(Error::invalid("KernelRidge", "weights", value, must));
    if let Some(i) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
        return bad("finite and not negative", format!("{} at row {i}", weights[i]));
    }
    if weights.iter().all(|w| *w == 0.0) {
        return bad("positive somewhere", "only zeros".into());
    }
    Ok(())
}

/// These points; of a precomputed matrix, these rows and columns.
pub(super) fn subset(x: &Inputs, rows: &[usize]) -> Inputs {
    match x {
        Inputs::Precomputed(k) if k.ncols() == k.nrows() => {
            let values: Vec<f64> = rows.iter().flat_map(|&i| rows.iter().map(move |&j| k.row(i)[j])).collect();
            // Sizes agree by construction.
            Precomputed::new(values, rows.len(), rows.len()).map_or_else(|_| x.clone(), Inputs::from)
        }
        other => other.take(rows),
    }
}
