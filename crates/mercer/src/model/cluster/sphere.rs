//! Points on a sphere: rows of eigenvectors, brought to length 1.

use std::ops::Range;

use crate::error::Result;
use crate::linalg::dot;
use crate::run::Run;
use crate::solver::TopEigen;
use crate::solver::k_means::{GramRows, SomeRows, by_first_row};

use super::affinity::InvariantSpace;

/// The largest number of rounds by directions.
const ROUNDS: usize = 100;

/// A basis of an invariant space, its rows, and the same of length 1.
pub(super) struct Sphere {
    basis: Vec<f64>,
    units: Vec<f64>,
    /// The same, coordinate by coordinate.
    turned: Vec<f64>,
    dimension: usize,
    /// The inverse of the operator in this basis, row-major.
    inverse: Vec<f64>,
    weights: Vec<f64>,
    ones: Vec<f64>,
}

impl Sphere {
    /// Of the first `count` eigenvectors whose eigenvalues are above a share of the largest.
    pub(super) fn of_vectors(top: &TopEigen, count: usize, least: f64, weights: &[f64]) -> Self {
        let limit = least * top.values().first().copied().unwrap_or(0.0);
        let r = top.values().iter().take(count).take_while(|v| **v > limit).count().max(1);
        let basis: Vec<f64> = (0..top.n()).flat_map(|i| (0..r).map(move |l| top.vector(l)[i])).collect();
        let mut inverse = vec![0.0; r * r];
        (0..r).for_each(|l| inverse[l * r + l] = 1.0 / top.values()[l]);
        Self::new(basis, r, inverse, weights)
    }

    /// Of a space that functions span.
    pub(super) fn of_space(space: &InvariantSpace, weights: &[f64]) -> Self {
        let inverse = inverse(&space.inner, space.dimension);
        Self::new(space.basis.clone(), space.dimension, inverse, weights)
    }

    fn new(basis: Vec<f64>, dimension: usize, inverse: Vec<f64>, weights: &[f64]) -> Self {
        let mut units = basis.clone();
        units.chunks_mut(dimension.max(1)).for_each(to_length_one);
        let n = weights.len();
        let turned = (0..dimension).flat_map(|l| (0..n).map(move |i| (i, l))).map(|(i, l)| units[i * dimension + l]);
        let turned = turned.collect();
        Sphere { basis, units, turned, dimension, inverse, weights: weights.to_vec(), ones: vec![1.0; n] }
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// The row of the basis at a point.
    pub(super) fn basis(&self, i: usize) -> &[f64] {
        &self.basis[i * self.dimension..(i + 1) * self.dimension]
    }

    fn unit(&self, i: usize) -> &[f64] {
        &self.units[i * self.dimension..(i + 1) * self.dimension]
    }

    /// The directions of clusters: their weighted sums of points, of length 1, one after the other.
    pub(super) fn directions(&self, labels: &[usize]) -> Vec<f64> {
        let (r, k) = (self.dimension, labels.iter().max().map_or(0, |c| c + 1));
        let mut sums = vec![0.0; k * r];
        for (i, c) in labels.iter().enumerate() {
            let sum = &mut sums[c * r..(c + 1) * r];
            sum.iter_mut().zip(self.unit(i)).for_each(|(s, u)| *s += self.weights[i] * u);
        }
        sums.chunks_mut(r.max(1)).for_each(to_length_one);
        sums
    }

    /// H⁻¹·m for each direction m.
    pub(super) fn solve(&self, directions: &[f64]) -> Vec<f64> {
        let r = self.dimension;
        let solved = |m: &[f64]| (0..r).map(|l| dot(&self.inverse[l * r..(l + 1) * r], m)).collect::<Vec<f64>>();
        directions.chunks(r.max(1)).flat_map(solved).collect()
    }

    /// Moves points to the direction that they are nearest to, until none moves or the run is to stop.
    pub(super) fn settle(&self, labels: Vec<usize>, run: &Run) -> Vec<usize> {
        let mut labels = by_first_row(&labels).0;
        for _ in 0..ROUNDS {
            if run.stop_reason().is_some() {
                break;
            }
            let directions = self.directions(&labels);
            let again: Vec<usize> = (0..labels.len()).map(|i| self.nearest(i, labels[i], &directions)).collect();
            let again = by_first_row(&again).0;
            if again == labels {
                break;
            }
            labels = again;
        }
        labels
    }

    /// The direction that a point is nearest to; its own among equals.
    fn nearest(&self, i: usize, own: usize, directions: &[f64]) -> usize {
        let r = self.dimension.max(1);
        let value = |c: usize| dot(self.unit(i), &directions[c * r..(c + 1) * r]);
        let rounding = 1e-12;
        (0..directions.len() / r).fold(own, |best, c| if value(c) > value(best) + rounding { c } else { best })
    }
}

fn to_length_one(row: &mut [f64]) {
    let length = dot(row, row).sqrt();
    if length > 0.0 {
        row.iter_mut().for_each(|v| *v /= length);
    }
}

/// The inverse of a small positive definite matrix, by Gauss and Jordan with pivots.
fn inverse(matrix: &[f64], r: usize) -> Vec<f64> {
    let (mut a, mut b) = (matrix.to_vec(), vec![0.0; r * r]);
    (0..r).for_each(|l| b[l * r + l] = 1.0);
    for c in 0..r {
        let pivot = (c..r).fold(c, |best, i| if a[i * r + c].abs() > a[best * r + c].abs() { i } else { best });
        for j in 0..r {
            a.swap(c * r + j, pivot * r + j);
            b.swap(c * r + j, pivot * r + j);
        }
        let p = a[c * r + c];
        (0..r).for_each(|j| (a[c * r + j], b[c * r + j]) = (a[c * r + j] / p, b[c * r + j] / p));
        for i in (0..r).filter(|i| *i != c) {
            let f = a[i * r + c];
            (0..r).for_each(|j| {
                a[i * r + j] -= f * a[c * r + j];
                b[i * r + j] -= f * b[c * r + j];
            });
        }
    }
    b
}

impl GramRows for Sphere {
    fn diagonal(&self) -> &[f64] {
        &self.ones
    }

    fn rows<'a>(&'a self, rows: &[usize], _: &Run) -> Result<Box<dyn SomeRows + 'a>> {
        Ok(Box::new(Units(self, rows.to_vec())))
    }
}

/// Some of the points.
struct Units<'a>(&'a Sphere, Vec<usize>);

impl SomeRows for Units<'_> {
    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: &mut [f64]) {
        for (place, out) in rows.zip(out.chunks_mut(cols.len().max(1))) {
            out.fill(0.0);
            for (own, all) in self.0.unit(self.1[place]).iter().zip(self.0.turned.chunks(self.0.ones.len().max(1))) {
                out.iter_mut().zip(&all[cols.clone()]).for_each(|(o, v)| *o += own * v);
            }
        }
    }
}
