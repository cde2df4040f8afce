//! Sums of outer products, for normal equations.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::run::Run;

/// Rows and columns of a block that one thread takes. Blocks and not parts of a product, so that
/// threads meet once and not at every panel, and that their number changes no digit.
const BLOCK: usize = 128;

/// Adds AᵀA to the lower triangle of columns of `out`: m×m; A: k×m, row-major.
pub fn add_gram_of_columns(a: &[f64], m: usize, out: &mut [f64], run: &Run) -> Result<()> {
    if m == 0 || !a.len().is_multiple_of(m) || m.checked_mul(m) != Some(out.len()) {
        return Err(Error::shape(
            "AᵀA",
            format!("rows of {m} values and {m}×{m}"),
            format!("{} and {}", a.len(), out.len()),
        ));
    }
    let columns = MatRef::from_column_major_slice(a, m, a.len() / m);
    let blocks = lower_blocks(MatMut::from_column_major_slice_mut(out, m, m));
    run.install(|| blocks.into_par_iter().with_max_len(1).for_each(|block| block.add(columns)));
    Ok(())
}

/// A block of a symmetric matrix, not above its diagonal.
struct Block<'a> {
    row: usize,
    column: usize,
    values: MatMut<'a, f64>,
}

fn lower_blocks(out: MatMut<'_, f64>) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let (mut rest, mut column) = (out, 0);
    while rest.ncols() > 0 {
        let width = BLOCK.min(rest.ncols());
        let (panel, right) = rest.split_at_col_mut(width);
        let (mut below, mut row) = (panel.split_at_row_mut(column).1, column);
        while below.nrows() > 0 {
            let height = BLOCK.min(below.nrows());
            let (values, next) = below.split_at_row_mut(height);
            blocks.push(Block { row, column, values });
            (below, row) = (next, row + height);
        }
        (rest, column) = (right, column + BLOCK);
    }
    blocks
}

impl Block<'_> {
    /// Adds its part of A·Aᵀ for A: m×k.
    fn add(self, a: MatRef<'_, f64>) {
        let left = a.subrows(self.row, self.values.nrows());
        let right = a.subrows(self.column, self.values.ncols()).transpose();
        if self.row > self.column {
            return matmul(self.values, Accum::Add, left, right, 1.0, Par::Seq);
        }
        let (lower, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        triangular_matmul(self.values, lower, Accum::Add, left, whole, right, whole, 1.0, Par::Seq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::points::Chance;
    use crate::testkit::tol;

    #[test]
    fn adds_what_the_definition_says_and_nothing_above_the_diagonal() {
        for (m, k) in [(2 * BLOCK + 5, 37), (30, 300), (7, 512), (BLOCK, 1)] {
            check(m, k);
        }
    }

    fn check(m: usize, k: usize) {
        let mut chance = Chance::new(3);
        let a: Vec<f64> = (0..k * m).map(|_| chance.normal()).collect();
        let results = [1, 3].map(|threads| {
            let mut out = vec![1.0; m * m];
            let run = Run::new().with_threads(threads).expect("threads");
            add_gram_of_columns(&a, m, &mut out, &run).expect("sizes agree");
            out
        });
        assert_eq!(results[0], results[1]);
        for (at, value) in results[0].iter().enumerate() {
            let (i, j) = (at % m, at / m);
            let sum: f64 = (0..k).map(|r| a[r * m + i] * a[r * m + j]).sum();
            let expected = if i >= j { 1.0 + sum } else { 1.0 };
            assert!((value - expected).abs() <= tol::round(k) * k as f64, "{i}, {j}: {value} for {expected}");
        }
        assert!(add_gram_of_columns(&a[1..], m, &mut vec![0.0; m * m], &Run::new()).is_err());
    }
}
