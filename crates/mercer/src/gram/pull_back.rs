//! Gradients over whole matrices, on all threads.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::run::Run;

use super::matrix::KernelGradient;

/// Rows of a block whose derivatives are summed apart; fixed, so that the result does not depend
/// on the number of threads.
const ROWS: usize = 64;

/// Σᵢⱼ Wᵢⱼ ∂Kᵢⱼ/∂θₖ for every free parameter θₖ; W has the shape of the matrix, row-major.
pub fn pull_back(matrix: &dyn KernelGradient, w: &[f64], run: &Run) -> Result<Vec<f64>> {
    let (nrows, ncols) = (matrix.nrows(), matrix.ncols());
    if nrows.checked_mul(ncols) != Some(w.len()) {
        return Err(Error::shape("the weights", format!("{nrows}×{ncols} values"), w.len()));
    }
    let task = run.task("gradient", Some(nrows.div_ceil(ROWS) as u64));
    let part = |(block, w): (usize, &[f64])| {
        let rows = block * ROWS..block * ROWS + w.len() / ncols;
        let mut sums = vec![0.0; matrix.n_params()];
        matrix.pull_back(rows, 0..ncols, w, &mut sums)?;
        task.step_or_cancel()?;
        Ok(sums)
    };
    let parts: Vec<Vec<f64>> =
        run.install(|| w.par_chunks((ROWS * ncols).max(1)).enumerate().map(part).collect::<Result<_>>())?;
    let mut total = vec![0.0; matrix.n_params()];
    for part in parts {
        total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
    }
    Ok(total)
}
