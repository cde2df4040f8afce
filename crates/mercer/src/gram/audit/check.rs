//! What must be true of a matrix before it can be used as kernel values.

use crate::error::{Error, Result};

/// How far a matrix may be from symmetric, relative to its largest value: rounding, not meaning.
pub(super) const ASYMMETRY: f64 = 1e-10;

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

/// The largest |K[i, j] − K[j, i]|, and where it is.
pub(super) fn worst_pair(values: &[f64], n: usize) -> (f64, usize, usize) {
    let mut worst = (0.0, 0, 0);
    for i in 0..n {
        for j in 0..i {
            let gap = (values[i * n + j] - values[j * n + i]).abs();
            if gap > worst.0 {
                worst = (gap, i, j);
            }
        }
    }
    worst
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
