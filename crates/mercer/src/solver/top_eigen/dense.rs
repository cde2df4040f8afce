//! Small operators, and those of which a large part is asked for, are written out.

use crate::certificate::Stop;
use crate::error::Result;
use crate::linalg::{LinearOperator, dot, eigen, filled};
use crate::run::Run;

use super::TopEigen;

/// What needs less memory.
const ALTERNATIVE: &str = "ask for fewer eigenvalues, or raise the memory limit";

/// The operator on the unit vectors, and the end of its spectrum.
pub(super) fn decompose(operator: &dyn LinearOperator, count: usize, run: &Run) -> Result<TopEigen> {
    let n = operator.nrows();
    let size = n as u128 * n as u128;
    let (mut unit, reserved) = filled(size, 0.0, "the unit vectors", ALTERNATIVE, run)?;
    (0..n).for_each(|i| unit[i * n + i] = 1.0);
    let (mut matrix, _reserved) = filled(size, 0.0, "an operator that is written out", ALTERNATIVE, run)?;
    operator.apply(&unit, n, &mut matrix, run)?;
    drop((unit, reserved));
    let whole = eigen(&matrix, n, run)?;
    let (mut values, mut vectors) = (Vec::new(), Vec::new());
    for l in (0..n).rev().take(count) {
        values.push(whole.values()[l]);
        vectors.extend_from_slice(whole.vector(l));
    }
    let residuals = residuals(&matrix, &values, &vectors);
    Ok(TopEigen { n, values, vectors, residuals, products: 1, dense: true, stop: Stop::Direct })
}

/// ‖A·v − λ·v‖, with A as it was written out.
fn residuals(matrix: &[f64], values: &[f64], vectors: &[f64]) -> Vec<f64> {
    let n = vectors.len() / values.len().max(1);
    let of = |(v, value): (&[f64], &f64)| {
        let left: Vec<f64> = matrix.chunks(n).zip(v).map(|(row, own)| dot(row, v) - value * own).collect();
        let largest = left.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        // Squares of huge or tiny values leave the range of numbers.
        if largest == 0.0 { 0.0 } else { largest * left.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt() }
    };
    vectors.chunks(n.max(1)).zip(values).map(of).collect()
}
