//! Distances between points of the feature space.
//!
//! d(x, y)² = ‖k(x, ·) − k(y, ·)‖² = k(x, x) + k(y, y) − 2k(x, y).

use std::ops::Range;

use crate::data::Inputs;
use crate::error::Result;
use crate::gram::{Bound, DenseGram, KernelMatrix, TileMut, dense, map_block};
use crate::run::Run;

use super::Space;

/// The matrix of distances between two sets, or within one, to be read in blocks.
///
/// A difference of nearly equal numbers: distances below 1e-8·√k(x, x) are rounding. Equal points
/// are at distance exactly 0.
#[derive(Debug)]
pub struct Distances {
    matrix: Bound,
    rows: Vec<f64>,
    cols: Vec<f64>,
}

impl Space {
    /// The distances d(xᵢ, yⱼ), or d(xᵢ, xⱼ) without a second set, not stored.
    pub fn distances(&self, x: &Inputs, y: Option<&Inputs>, run: &Run) -> Result<Distances> {
        let rows = self.diag(x, run)?;
        let (matrix, cols) = match y {
            None => (self.gram(x, run)?, rows.clone()),
            Some(y) => (self.cross(x, y, run)?, self.diag(y, run)?),
        };
        Ok(Distances { matrix, rows, cols })
    }

    /// The same distances, stored.
    pub fn distance_matrix(&self, x: &Inputs, y: Option<&Inputs>, run: &Run) -> Result<DenseGram> {
        dense(&self.distances(x, y, run)?, run)
    }

    /// d(xᵢ, yᵢ) for pairs of points.
    pub fn paired_distances(&self, x: &Inputs, y: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let (xx, yy) = (self.diag(x, run)?, self.diag(y, run)?);
        let xy = self.paired(x, y, run)?;
        Ok(xy.iter().zip(xx.iter().zip(&yy)).map(|(xy, (xx, yy))| distance(*xx, *yy, *xy)).collect())
    }
}

/// √(k(x, x) + k(y, y) − 2k(x, y)); a value below zero is rounding.
fn distance(xx: f64, yy: f64, xy: f64) -> f64 {
    ((xx - xy) + (yy - xy)).max(0.0).sqrt()
}

impl KernelMatrix for Distances {
    fn nrows(&self) -> usize {
        self.matrix.nrows()
    }

    fn ncols(&self) -> usize {
        self.matrix.ncols()
    }

    fn is_symmetric(&self) -> bool {
        self.matrix.is_symmetric()
    }

    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: TileMut<'_>) {
        let others = &self.cols[cols.clone()];
        map_block(&self.matrix, rows, cols, out, |i, values, distances| {
            let (own, pairs) = (self.rows[i], others.iter().zip(values));
            distances.iter_mut().zip(pairs).for_each(|(d, (other, k))| *d = distance(own, *other, *k));
        });
    }

    /// The distance of every point to itself: zero.
    fn diag(&self, out: &mut [f64]) {
        out.fill(0.0);
    }
}
