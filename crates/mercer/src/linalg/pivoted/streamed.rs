//! Column by column: nothing but B is stored.

use crate::error::Result;
use crate::linalg::dense::subtract_columns;
use crate::run::{Reservation, Run};

use super::progress::Progress;
use super::{ColumnSource, PivotedCholesky, PivotedParams, PivotedStop};

/// Columns for which memory is reserved at a time.
const GROWTH: usize = 64;

/// K ≈ B·Bᵀ from columns of K: rank·n values of K are computed and 8·n·rank bytes stored.
///
/// A deadline or an interrupt gives the factor reached by then. A matrix that is found not to be
/// positive semi-definite is an error; only the columns that were asked for can show it.
///
/// ```
/// use mercer::data::Rows;
/// use mercer::gram::{KernelColumns, Pairwise};
/// use mercer::kernel::vector::Min;
/// use mercer::linalg::{PivotedStop, pivoted_cholesky};
/// let x = Rows::new(vec![1.0, 2.0, 4.0, 2.0], 4, 1)?;
/// let k = Pairwise::gram(&Min, &x);
/// let factor = pivoted_cholesky(&KernelColumns(&k), &Default::default(), &mercer::Run::new())?;
/// assert_eq!(factor.pivots(), [2, 1, 0]); // 4 first; the second 2 brings nothing new
/// assert_eq!(factor.stop(), PivotedStop::Tolerance);
/// assert_eq!(factor.column(0), [0.5, 1.0, 2.0, 1.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn pivoted_cholesky(matrix: &dyn ColumnSource, params: &PivotedParams, run: &Run) -> Result<PivotedCholesky> {
    let n = matrix.dim();
    let mut diagonal = vec![0.0; n];
    matrix.diag(&mut diagonal);
    let mut progress = Progress::new(diagonal, params, run)?;
    let mut store = Store { n, columns: Vec::new(), capacity: 0, reserved: Vec::new() };
    let mut pivots: Vec<usize> = Vec::new();
    let stop = run.install(|| {
        loop {
            let pivot = match progress.next(0, pivots.len(), |i| i)? {
                Ok(pivot) => pivot,
                Err(stop) => break Ok(stop),
            };
            store.grow(pivots.len(), run)?;
            let Some(column) = next_column(matrix, &mut store, &pivots, pivot, run)? else {
                // The value that the diagonal promised is rounding.
                break Ok(PivotedStop::Tolerance);
            };
            progress.take_off(0, column);
            progress.residual[pivot] = 0.0;
            pivots.push(pivot);
        }
    })?;
    store.columns.truncate(n * pivots.len());
    Ok(PivotedCholesky {
        n,
        columns: store.columns,
        pivots,
        trace: progress.trace,
        residual: progress.finished(),
        tolerance: progress.tolerance,
        stop,
        _reserved: store.reserved,
    })
}

/// b = (K[:, p] − B·B[p]ᵀ)/√(its value at p), or nothing if that value is not positive.
fn next_column<'s>(
    matrix: &dyn ColumnSource,
    store: &'s mut Store,
    pivots: &[usize],
    pivot: usize,
    run: &Run,
) -> Result<Option<&'s [f64]>> {
    let (n, rank) = (store.n, pivots.len());
    let (before, column) = store.columns.split_at_mut(rank * n);
    let column = &mut column[..n];
    matrix.column(pivot, column, run)?;
    let weights: Vec<f64> = (0..rank).map(|c| before[c * n + pivot]).collect();
    subtract_columns(before, n, &weights, column);
    let own = column[pivot];
    if !(own > 0.0 && own.is_finite()) {
        return Ok(None);
    }
    let root = own.sqrt();
    column.iter_mut().for_each(|b| *b /= root);
    column[pivot] = root;
    // Zero but for rounding; exactly zero makes the rows at the pivots a triangle.
    pivots.iter().for_each(|&p| column[p] = 0.0);
    Ok(Some(column))
}

/// The columns of B, in memory that grows with the rank and is counted.
struct Store {
    n: usize,
    columns: Vec<f64>,
    capacity: usize,
    reserved: Vec<Reservation>,
}

impl Store {
    /// Makes room for one column more than `rank`.
    fn grow(&mut self, rank: usize, run: &Run) -> Result<()> {
        if rank == self.capacity {
            let more = GROWTH.max(self.capacity / 2);
            let bytes = 8 * (more as u128) * (self.n as u128);
            let purpose = format!("a factor of {} rows and more than {rank} columns", self.n);
            self.reserved.push(run.reserve(bytes, &purpose, "ask for a smaller rank or a larger tolerance")?);
            self.capacity += more;
            self.columns.reserve_exact(more * self.n);
        }
        self.columns.resize((rank + 1) * self.n, 0.0);
        Ok(())
    }
}
