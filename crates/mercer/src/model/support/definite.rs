//! Whether a matrix of kernel values that came with the data can be one of a kernel.

use crate::data::{Inputs, Precomputed};
use crate::error::{Error, Result};
use crate::linalg::{cholesky_in_place_with_jitter, filled};
use crate::model::Sample;
use crate::note::Note;
use crate::run::Run;

/// Rows that are looked at; of more, as many that are spread evenly.
const ROWS: usize = 3000;

/// Fails for a matrix with an eigenvalue below what rounding to single precision explains, −n·2⁻²³ times its largest diagonal
/// entry: without duality there is no gap, and a program may have many solutions. A principal part of a matrix with a Cholesky
/// factor has one, too, so that what is refused on some rows is refused; what passes there is told.
pub(crate) fn definite(sample: &Sample, run: &Run) -> Result<Option<Note>> {
    let Inputs::Precomputed(k) = &sample.x else { return Ok(None) };
    // Binding refuses what is not symmetric.
    sample.space.gram(&sample.x, run)?;
    let n = k.nrows().min(ROWS);
    let rows: Vec<usize> = (0..n).map(|i| i * k.nrows() / n).collect();
    let alternative = "use fewer rows, or raise the memory limit";
    let (mut values, _reserved) = filled((n * n) as u128, 0.0, "the audit of kernel values", alternative, run)?;
    fill(&mut values, k, &rows);
    // No pivot of a matrix of zeros is positive, and it is one of a kernel.
    if values.iter().any(|v| *v != 0.0) {
        cholesky_in_place_with_jitter(&mut values, n, run).map_err(named)?;
    }
    let looked =
        format!("of the {} rows of kernel values, {n} were looked at: they can be those of a kernel", k.nrows());
    Ok((n < k.nrows()).then(|| looked.into()))
}

/// The error of a factor, with what was factored.
fn named(error: Error) -> Error {
    match error {
        Error::NotPositiveDefinite { pivot, value, jitter, .. } => Error::NotPositiveDefinite {
            stage: "the test that a kernel can give these values".into(),
            pivot,
            value,
            jitter,
        },
        other => other,
    }
}

/// The values of some rows among themselves, with what rounding explains on the diagonal.
fn fill(values: &mut [f64], k: &Precomputed, rows: &[usize]) {
    let largest = rows.iter().map(|i| k.row(*i)[*i]).fold(0.0, f64::max);
    let rounding = rows.len() as f64 * f64::from(f32::EPSILON) * largest;
    for (at, (out, i)) in values.chunks_mut(rows.len()).zip(rows).enumerate() {
        out.iter_mut().zip(rows).for_each(|(v, j)| *v = k.row(*i)[*j]);
        out[at] += rounding;
    }
}
