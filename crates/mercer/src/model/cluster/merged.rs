//! The different points of a sample: a weight is a number of repetitions, so equal rows are one with the sum of their weights. Points
//! stand in the order of their values, so that what is drawn by chance and how clusters are numbered do not follow the order of rows.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::linalg::power_of_two;
use crate::model::Sample;
use crate::model::sample::subset;

/// Different points with their weights.
#[derive(Debug)]
pub(super) struct Merged {
    /// The points, in the order of their values.
    pub(super) x: Inputs,
    /// Their weights over `unit`.
    pub(super) weights: Vec<f64>,
    /// The weights of the rows over `unit`.
    own: Vec<f64>,
    /// A power of two that keeps sums of weights in range.
    pub(super) unit: f64,
    /// The place of each row among the points.
    pub(super) place: Vec<usize>,
}

impl Merged {
    pub(super) fn of(sample: &Sample) -> Self {
        let first = sample.x.first_equal();
        let mut rows: Vec<usize> = (0..sample.n).filter(|i| first[*i] == *i).collect();
        sample.x.sort_rows(&mut rows);
        let mut among = vec![0; sample.n];
        rows.iter().enumerate().for_each(|(place, row)| among[*row] = place);
        let place: Vec<usize> = first.iter().map(|i| among[*i]).collect();
        let weight = |i: usize| sample.weights.as_ref().map_or(1.0, |w| w[i]);
        let unit = power_of_two((0..sample.n).map(weight).fold(0.0, f64::max));
        let mut weights = vec![0.0; rows.len()];
        let own: Vec<f64> = (0..sample.n).map(|i| weight(i) / unit).collect();
        place.iter().zip(&own).for_each(|(p, w)| weights[*p] += w);
        let x = if rows.iter().copied().eq(0..sample.n) { sample.x.clone() } else { subset(&sample.x, &rows) };
        Merged { x, weights, own, unit, place }
    }

    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    /// The share of each row, given those of the points.
    pub(super) fn share_of_rows<'a>(&'a self, shares: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.place.iter().zip(&self.own).map(|(p, w)| shares[*p] * (w / self.weights[*p]))
    }

    /// What is said of each point, for each row.
    pub(super) fn to_rows<T: Copy>(&self, of_points: &[T]) -> Vec<T> {
        self.place.iter().map(|p| of_points[*p]).collect()
    }

    /// Coefficients of the points, given those of the rows, row-major: a point has the sum of what its rows have. `at` says where
    /// those of a row stand.
    pub(super) fn of_points(&self, rows: &[f64], outputs: usize, at: impl Fn(usize) -> usize) -> Result<Vec<f64>> {
        let mut points = vec![0.0; self.len() * outputs];
        for (i, p) in self.place.iter().enumerate() {
            let row = rows.get(at(i) * outputs..(at(i) + 1) * outputs);
            let row = row
                .ok_or_else(|| Error::shape("the coefficients of the model", self.place.len() * outputs, rows.len()))?;
            points[p * outputs..(p + 1) * outputs].iter_mut().zip(row).for_each(|(sum, v)| *sum += v);
        }
        Ok(points)
    }

    /// Coefficients of the rows, given those of the points: shared out by weight.
    pub(super) fn spread(&self, points: &[f64], outputs: usize) -> Vec<f64> {
        let row = |(p, w): (&usize, &f64)| {
            let share = w / self.weights[*p];
            points[p * outputs..(p + 1) * outputs].iter().map(move |v| v * share).collect::<Vec<f64>>()
        };
        self.place.iter().zip(&self.own).flat_map(row).collect()
    }

    /// The row of the data that a point stands in first.
    pub(super) fn row_of(&self, point: usize, sample: &Sample) -> usize {
        self.place.iter().position(|p| *p == point).map_or(point, |i| sample.row(i))
    }
}
