//! The graph of kernel values, normalised by the degrees of its points.

use std::ops::Range;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, TileMut, apply};
use crate::linalg::{LinearOperator, eigen, multiply, multiply_first_transposed};
use crate::model::{Learn, Sample};
use crate::run::Run;

use super::merged::Merged;
use super::spectral::SpectralClustering;
use super::sphere::Sphere;

/// Rows that a thread looks at together.
const ROWS: usize = 16;
/// Values below zero by less than this share of the largest are rounding.
const ROUNDING: f64 = 1e-12;
/// Directions of a basis below this share of the largest are rounding.
const SPAN: f64 = 1e-14;

/// D^(−½)W^(½)·K·W^(½)D^(−½) with the degrees D = diag(K·w).
pub(super) struct Affinity<'a> {
    matrix: &'a dyn KernelMatrix,
    /// √(w/d).
    scale: Vec<f64>,
}

/// A space that the operator maps to itself, as far as the residual says.
pub(super) struct InvariantSpace {
    /// An orthonormal basis, row-major: points×dimension.
    pub(super) basis: Vec<f64>,
    pub(super) dimension: usize,
    /// The operator in this basis.
    pub(super) inner: Vec<f64>,
    /// ‖A·Q − Q·H‖ over ‖H‖.
    pub(super) residual: f64,
    /// The cluster of each point: the one of the largest value.
    pub(super) labels: Vec<usize>,
}

impl<'a> Affinity<'a> {
    /// Fails where an edge is negative, or a point has none.
    pub(super) fn new(matrix: &'a dyn KernelMatrix, merged: &Merged, sample: &Sample, run: &Run) -> Result<Self> {
        let n = merged.len();
        let mut diagonal = vec![0.0; n];
        matrix.diag(&mut diagonal);
        let limit = -ROUNDING * diagonal.iter().fold(0.0f64, |m, k| m.max(k.abs()));
        let task = run.task("degrees", Some(n.div_ceil(ROWS) as u64));
        let blocks: Vec<Range<usize>> = (0..n).step_by(ROWS).map(|i| i..(i + ROWS).min(n)).collect();
        let found: Vec<Degrees> = run.install(|| {
            let of = |rows: &Range<usize>| {
                task.step_or_cancel()?;
                Ok(Degrees::of(matrix, rows.clone(), &merged.weights, limit))
            };
            blocks.par_iter().map(of).collect::<Result<_>>()
        })?;
        if let Some((i, j, value)) = found.iter().find_map(|d| d.negative) {
            let (i, j) = (merged.row_of(i, sample), merged.row_of(j, sample));
            return Err(negative(i.min(j), i.max(j), value));
        }
        let degrees: Vec<f64> = found.into_iter().flat_map(|d| d.values).collect();
        if let Some(i) = degrees.iter().position(|d| !(*d > 0.0 && d.is_finite())) {
            return Err(alone(merged.row_of(i, sample), degrees[i]));
        }
        let scale = degrees.iter().zip(&merged.weights).map(|(d, w)| w.sqrt() / d.sqrt()).collect();
        Ok(Affinity { matrix, scale })
    }

    /// The coefficients of the functions of the clusters, row-major: points×clusters. With Q, H basis and operator on it,
    /// Q·H⁻¹·m for each direction m, by points.
    pub(super) fn functions(&self, sphere: &Sphere, labels: &[usize]) -> Vec<f64> {
        let (n, r) = (self.scale.len(), sphere.dimension());
        let directions = sphere.directions(labels);
        let k = directions.len() / r.max(1);
        let solved = sphere.solve(&directions);
        let value = |i: usize, c: usize| -> f64 {
            let q = sphere.basis(i);
            self.scale[i] * (0..r).map(|l| q[l] * solved[c * r + l]).sum::<f64>()
        };
        (0..n).flat_map(|i| (0..k).map(move |c| (i, c))).map(|(i, c)| value(i, c)).collect()
    }

    /// The space that functions span, from their coefficients: their values at the points are the operator's image of it.
    pub(super) fn invariant_space(
        &self,
        matrix: &dyn KernelMatrix,
        coefficients: &[f64],
        k: usize,
        run: &Run,
    ) -> Result<InvariantSpace> {
        let n = self.scale.len();
        let mut values = vec![0.0; n * k];
        apply(matrix, coefficients, k, &mut values, run)?;
        let first = |row: &[f64]| (1..row.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best });
        let labels = values.chunks(k.max(1)).map(first).collect();
        values.chunks_mut(k).zip(&self.scale).for_each(|(row, s)| row.iter_mut().for_each(|v| *v *= s));
        // Twice, since the first basis is orthonormal to the square root of rounding only.
        let (basis, r) = orthonormal(&values, n, k, run)?;
        let (basis, dimension) = orthonormal(&basis, n, r, run)?;
        let mut image = vec![0.0; n * dimension];
        self.apply(&basis, dimension, &mut image, run)?;
        let mut inner = vec![0.0; dimension * dimension];
        multiply_first_transposed(&basis, &image, [dimension, n, dimension], &mut inner, run)?;
        let mut left = vec![0.0; n * dimension];
        multiply(&basis, &inner, [n, dimension, dimension], &mut left, run)?;
        left.iter_mut().zip(&image).for_each(|(l, a)| *l -= a);
        let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let residual = norm(&left) / norm(&inner).max(f64::MIN_POSITIVE);
        Ok(InvariantSpace { basis, dimension, inner, residual, labels })
    }
}

/// An orthonormal basis of the span of the columns, row-major, and its dimension.
fn orthonormal(columns: &[f64], n: usize, k: usize, run: &Run) -> Result<(Vec<f64>, usize)> {
    let mut gram = vec![0.0; k * k];
    multiply_first_transposed(columns, columns, [k, n, k], &mut gram, run)?;
    let e = eigen(&gram, k, run)?;
    let largest = e.values().last().copied().unwrap_or(0.0);
    let kept: Vec<usize> = (0..k).rev().filter(|l| e.values()[*l] > SPAN * largest).collect();
    let r = kept.len();
    let mut turn = vec![0.0; k * r];
    for (at, l) in kept.iter().enumerate() {
        let size = e.values()[*l].sqrt();
        (0..k).for_each(|c| turn[c * r + at] = e.vector(*l)[c] / size);
    }
    let mut basis = vec![0.0; n * r];
    multiply(columns, &turn, [n, k, r], &mut basis, run)?;
    Ok((basis, r))
}

impl LinearOperator for Affinity<'_> {
    fn nrows(&self) -> usize {
        self.scale.len()
    }

    fn ncols(&self) -> usize {
        self.scale.len()
    }

    fn apply(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()> {
        let scaled: Vec<f64> = v.iter().enumerate().map(|(at, v)| v * self.scale[at / k.max(1)]).collect();
        apply(self.matrix, &scaled, k, out, run)?;
        out.iter_mut().enumerate().for_each(|(at, v)| *v *= self.scale[at / k.max(1)]);
        Ok(())
    }
}

/// Sums of some rows.
struct Degrees {
    values: Vec<f64>,
    /// The first edge that is negative.
    negative: Option<(usize, usize, f64)>,
}

impl Degrees {
    fn of(matrix: &dyn KernelMatrix, rows: Range<usize>, weights: &[f64], limit: f64) -> Self {
        let n = weights.len();
        let mut tile = vec![0.0; rows.len() * n];
        let height = rows.len();
        matrix.block(rows.clone(), 0..n, TileMut::contiguous(&mut tile, height, n));
        let mut negative = None;
        let values = tile.chunks(n).zip(rows).map(|(row, i)| {
            if let (None, Some(j)) = (negative, row.iter().position(|k| *k < limit)) {
                negative = Some((i, j, row[j]));
            }
            row.iter().zip(weights).map(|(k, w)| k * w).sum()
        });
        let values = values.collect();
        Degrees { values, negative }
    }
}

fn negative(i: usize, j: usize, value: f64) -> Error {
    Error::Unsupported {
        what: format!(
            "a graph with a negative edge, {value} between rows {i} and {j} (rows count from 0), in {}",
            SpectralClustering::SPEC.title()
        ),
        alternative: "use a kernel whose values are not negative, such as `rbf`, or the model `kernel_k_means`".into(),
    }
}

fn alone(i: usize, degree: f64) -> Error {
    Error::Unsupported {
        what: format!(
            "a graph where row {i} (rows count from 0) has edges of the sum {degree}, in {}",
            SpectralClustering::SPEC.title()
        ),
        alternative: "leave this row out, or use a kernel with k(x, x) > 0".into(),
    }
}
