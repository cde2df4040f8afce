//! What must be true of a matrix before it can be used as kernel values.

use rayon::prelude::*;

use crate::error::{Error, Result};

/// How far a matrix may be from symmetric, relative to its largest value: rounding, not meaning.
pub(super) const ASYMMETRY: f64 = 1e-10;

/// Rows and columns that are looked at together.
pub(super) const TILE: usize = 64;

/// Fails where a value is not finite.
pub(crate) fn finite(values: &[f64], ncols: usize, what: &str) -> Result<()> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(first) => Err(Error::NonFinite {
            place: format!("{what} (first in column {})", first % ncols.max(1)),
            count: values.iter().filter(|v| !v.is_finite()).count(),
            total: values.len(),
            first_row: first / ncols.max(1),
            what: "NaN or infinite".into(),
        }),
    }
}

/// The largest |K[i, j] − K[j, i]|, and the first place where it is, below the diagonal and row by row.
pub(super) fn worst_pair(values: &[f64], n: usize) -> (f64, usize, usize) {
    let worse = |a: (f64, usize, usize), b: (f64, usize, usize)| {
        if b.0 > a.0 || b.0 == a.0 && (b.1, b.2) < (a.1, a.2) { b } else { a }
    };
    let of_rows = |first: usize| {
        let mut worst = (0.0, 0, 0);
        // Tile by tile: a column of a large matrix has a page of memory for each of its values.
        for across in (0..=first).step_by(TILE) {
            for i in first..(first + TILE).min(n) {
                for j in across..(across + TILE).min(i) {
                    let gap = (values[i * n + j] - values[j * n + i]).abs();
                    if gap > 0.0 {
                        worst = worse(worst, (gap, i, j));
                    }
                }
            }
        }
        worst
    };
    let tiles: Vec<usize> = (0..n).step_by(TILE).collect();
    tiles.into_par_iter().map(of_rows).reduce(|| (0.0, 0, 0), worse)
}

/// Fails unless the matrix is square and symmetric.
pub(crate) fn symmetric(values: &[f64], nrows: usize, ncols: usize, what: &str) -> Result<()> {
    if nrows != ncols {
        return Err(Error::shape(what, "a square matrix for one set of points", format!("{nrows}×{ncols}")));
    }
    let largest = values.iter().fold(0.0f64, |a, v| a.max(v.abs()));
    let (gap, i, j) = worst_pair(values, nrows);
    if gap <= ASYMMETRY * largest {
        return Ok(());
    }
    Err(Error::Domain {
        kernel: what.into(),
        expected: "symmetric values".into(),
        got: format!("K[{i}, {j}] and K[{j}, {i}] that differ by {gap:e}"),
        column: None,
        candidates: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::points::Chance;

    /// The first of the largest differences, by all pairs in their order.
    #[test]
    fn the_worst_pair_is_the_first_of_the_worst() {
        let mut chance = Chance::new(3);
        for n in [0, 1, 2, TILE, 2 * TILE + 5] {
            let values: Vec<f64> = (0..n * n).map(|_| (4.0 * chance.unit()).floor()).collect();
            let mut wanted = (0.0, 0, 0);
            for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
                let gap = (values[i * n + j] - values[j * n + i]).abs();
                if gap > wanted.0 {
                    wanted = (gap, i, j);
                }
            }
            assert_eq!(worst_pair(&values, n), wanted, "{n}");
        }
    }
}
