//! The points that a stochastic descent writes its function with.

use crate::data::{Inputs, Precomputed};
use crate::error::{Error, Result};
use crate::gram::{apply, dense};
use crate::linalg::{PivotedParams, pivoted_cholesky_dense, solve_lower, solve_lower_transposed};
use crate::model::{Expansion, Sample};
use crate::rkhs::Space;
use crate::run::Run;

/// What coordinates belong to.
#[derive(Debug)]
pub(super) enum Basis {
    /// All points of a fit, by row.
    Rows(Inputs),
    /// Points in the order in which they came.
    Growing(Vec<Inputs>),
    /// Landmarks z with K_zz = L·Lᵀ; coordinates are those of φ(x) = L⁻¹k_z(x).
    Landmarks { points: Inputs, lower: Vec<f64> },
}

impl Basis {
    /// Landmarks among the rows.
    pub(super) fn landmarks(training: &Sample, count: usize, seed: u64, run: &Run) -> Result<Self> {
        if let Inputs::Precomputed(_) = &training.x {
            return Err(Error::Unsupported {
                what: "landmarks of a precomputed matrix in a stochastic gradient descent".into(),
                alternative: "use all points".into(),
            });
        }
        let chosen = training.landmarks(count.min(training.n), seed, run)?;
        if chosen.is_empty() {
            return Ok(Basis::zero(training));
        }
        let points = training.x.take(&chosen);
        let mut k_zz = dense::<f64>(&training.space.gram(&points, run)?, run)?.into_values();
        let factor = pivoted_cholesky_dense(&mut k_zz, points.len(), &PivotedParams::default(), run)?;
        if factor.rank() == 0 {
            return Ok(Basis::zero(training));
        }
        Ok(Basis::Landmarks { points: points.take(factor.pivots()), lower: factor.triangle() })
    }

    /// One point for all, where the kernel is 0 on the rows. Of its feature 0, any factor makes 0.
    fn zero(training: &Sample) -> Self {
        Basis::Landmarks { points: training.x.take(&[0]), lower: vec![1.0] }
    }

    /// Number of coordinates, for one output.
    pub(super) fn len(&self) -> usize {
        match self {
            Basis::Rows(points) | Basis::Landmarks { points, .. } => points.len(),
            Basis::Growing(parts) => parts.iter().map(Inputs::len).sum(),
        }
    }

    /// Lets points come after those of a fit.
    pub(super) fn open(&mut self) -> Result<()> {
        match self {
            Basis::Rows(Inputs::Precomputed(_)) => Err(Error::Unsupported {
                what: "a precomputed matrix that comes in parts".into(),
                alternative: "fit to the whole matrix, or give the points".into(),
            }),
            Basis::Rows(points) => {
                *self = Basis::Growing(vec![points.clone()]);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// φ(x) for every point, row-major, with their number; nothing where there are no landmarks.
    pub(super) fn features(&self, space: &Space, x: &Inputs, run: &Run) -> Result<Option<(Vec<f64>, usize)>> {
        let Basis::Landmarks { points, lower } = self else { return Ok(None) };
        let mut features = dense::<f64>(&space.cross(x, points, run)?, run)?.into_values();
        solve_lower(lower, points.len(), &mut features, run)?;
        Ok(Some((features, points.len())))
    }

    /// Σ aⱼ·k(xⱼ, x) at the points of a chunk, for coefficients of points with c outputs.
    pub(super) fn values(&self, space: &Space, a: &[f64], x: &Inputs, c: usize, run: &Run) -> Result<Vec<f64>> {
        let mut values = vec![0.0; x.len() * c];
        let parts: Vec<&Inputs> = match self {
            Basis::Rows(points) => vec![points],
            Basis::Growing(parts) => parts.iter().collect(),
            Basis::Landmarks { .. } => Vec::new(),
        };
        let mut start = 0;
        for points in parts {
            let coefficients = &a[start * c..(start + points.len()) * c];
            start += points.len();
            let mut added = vec![0.0; values.len()];
            match x {
                // The rows of a precomputed matrix are kernel values with all points already.
                Inputs::Precomputed(k) => {
                    for (row, out) in (0..k.nrows()).map(|i| k.row(i)).zip(added.chunks_mut(c)) {
                        for (k, a) in row.iter().zip(coefficients.chunks(c)) {
                            out.iter_mut().zip(a).for_each(|(o, a)| *o += k * a);
                        }
                    }
                }
                _ => apply(&space.cross(x, points, run)?, coefficients, c, &mut added, run)?,
            }
            values.iter_mut().zip(&added).for_each(|(v, a)| *v += a);
        }
        Ok(values)
    }

    /// The function with these coordinates.
    pub(super) fn expansion(&self, space: &Space, coordinates: Vec<f64>, outputs: usize) -> Result<Expansion> {
        let (none, space) = (vec![0.0; outputs], space.clone());
        match self {
            Basis::Rows(Inputs::Precomputed(k)) => {
                let points = Precomputed::new(Vec::new(), k.nrows(), 0)?;
                Expansion::new(space, points.into(), coordinates, none)
            }
            Basis::Rows(points) => Expansion::new(space, points.clone(), coordinates, none),
            Basis::Growing(parts) => Expansion::new(space, Inputs::concatenate(parts)?, coordinates, none),
            Basis::Landmarks { points, lower } => {
                let mut coefficients = coordinates;
                solve_lower_transposed(lower, points.len(), &mut coefficients, outputs);
                Ok(Expansion::new(space, points.clone(), coefficients, none)?.of_some_rows())
            }
        }
    }
}

/// The kernel values of a chunk with itself; of a precomputed matrix, `rows` are its places there.
pub(super) fn local_gram(space: &Space, x: &Inputs, rows: Option<&[usize]>, run: &Run) -> Result<Vec<f64>> {
    if let (Inputs::Precomputed(k), Some(rows)) = (x, rows) {
        return Ok((0..k.nrows()).flat_map(|i| rows.iter().map(move |&j| k.row(i)[j])).collect());
    }
    Ok(dense::<f64>(&space.gram(x, run)?, run)?.into_values())
}
