//! Gradients over whole matrices, on all threads.

use std::ops::Range;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::run::Run;

use super::matrix::{KernelGradient, Shape};
use super::tiling::tiles;

/// Rows of a block whose derivatives are summed apart; fixed, so that the result does not depend
/// on the number of threads.
const ROWS: usize = 64;

/// Σᵢⱼ Wᵢⱼ ∂Kᵢⱼ/∂θₖ for every free parameter θₖ; W has the shape of the matrix, row-major.
pub fn pull_back(matrix: &dyn KernelGradient, w: &[f64], run: &Run) -> Result<Vec<f64>> {
    let Shape { nrows, ncols, .. } = checked(matrix, w)?;
    let params = matrix.n_params();
    let task = run.task("gradient", Some(nrows.div_ceil(ROWS) as u64));
    let part = |(block, w): (usize, &[f64])| {
        let rows = block * ROWS..block * ROWS + w.len() / ncols;
        let mut sums = vec![0.0; params];
        task.watched(|| matrix.pull_back(rows, 0..ncols, w, &mut sums))??;
        task.step_or_cancel()?;
        Ok(sums)
    };
    let parts: Vec<Vec<f64>> =
        run.install(|| w.par_chunks((ROWS * ncols).max(1)).enumerate().map(part).collect::<Result<_>>())?;
    Ok(add_up(parts, params))
}

/// As [`pull_back`] for a Gram matrix and symmetric weights, of which only the upper triangle is read:
/// half of the work.
pub fn pull_back_symmetric(matrix: &dyn KernelGradient, upper: &[f64], run: &Run) -> Result<Vec<f64>> {
    let Shape { nrows: n, symmetric, .. } = checked(matrix, upper)?;
    let params = matrix.n_params();
    if !symmetric {
        return Err(Error::shape("a matrix with symmetric weights", "the Gram matrix of one set", "one of two sets"));
    }
    let pairs: Vec<_> = tiles(n).flat_map(|rows| tiles(n).map(move |cols| (rows.clone(), cols))).collect();
    let pairs: Vec<_> = pairs.into_iter().filter(|(rows, cols)| rows.start <= cols.start).collect();
    let task = run.task("gradient", Some(pairs.len() as u64));
    let part = |scratch: &mut Vec<f64>, (rows, cols): (Range<usize>, Range<usize>)| {
        folded(upper, n, &rows, &cols, scratch);
        let mut sums = vec![0.0; params];
        task.watched(|| matrix.pull_back(rows, cols, scratch, &mut sums))??;
        task.step_or_cancel()?;
        Ok(sums)
    };
    let parts: Vec<Vec<f64>> = run.install(|| pairs.into_par_iter().map_init(Vec::new, part).collect::<Result<_>>())?;
    Ok(add_up(parts, params))
}

/// The weights of a tile on or above the diagonal that stand for both halves: those off the diagonal
/// count twice, those below it not at all.
fn folded(upper: &[f64], n: usize, rows: &Range<usize>, cols: &Range<usize>, tile: &mut Vec<f64>) {
    tile.clear();
    for i in rows.clone() {
        let row = &upper[i * n + cols.start..i * n + cols.end];
        tile.extend(row.iter().map(|w| 2.0 * w));
    }
    if rows.start == cols.start {
        let width = cols.len();
        for r in 0..rows.len() {
            tile[r * width..r * width + r].fill(0.0);
            tile[r * width + r] *= 0.5;
        }
    }
}

/// The shape of the matrix, which the weights must have.
fn checked(matrix: &dyn KernelGradient, w: &[f64]) -> Result<Shape> {
    let shape @ Shape { nrows, ncols, .. } = Shape::of(matrix)?;
    match nrows.checked_mul(ncols) == Some(w.len()) {
        true => Ok(shape),
        false => Err(Error::shape("the weights", format!("{nrows}×{ncols} values"), w.len())),
    }
}

fn add_up(parts: Vec<Vec<f64>>, params: usize) -> Vec<f64> {
    let mut total = vec![0.0; params];
    for part in parts {
        total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
    }
    total
}
