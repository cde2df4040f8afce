//! The largest eigenvalue of an operator that is known by its products.

use crate::error::Result;
use crate::run::Run;

use super::{LinearOperator, dot, symmetric_eigenvalues};

/// Products after which the largest eigenvalue is as good as it gets.
const MOST_STEPS: usize = 80;
/// Relative change between steps at which it is taken as found.
const TOLERANCE: f64 = 1e-13;

/// The largest eigenvalue of a symmetric positive semi-definite operator, from below, by the Lanczos
/// process with full reorthogonalisation (Golub & Van Loan, section 10.3). Near-exact where the
/// largest eigenvalue stands apart, and good to a few digits where it does not.
///
/// ```
/// use mercer::{Run, data::{Inputs, Rows}, gram::Streamed, KernelExpr, linalg::largest_eigenvalue};
/// let x: Inputs = Rows::new(vec![3.0, 4.0], 2, 1)?.into();
/// let k = KernelExpr::parse("linear")?.bind(&x, &Run::new())?; // rank one: 3² + 4²
/// assert!((largest_eigenvalue(&Streamed(&k), &Run::new())? - 25.0).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn largest_eigenvalue(operator: &dyn LinearOperator, run: &Run) -> Result<f64> {
    let n = operator.nrows();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    let Some(mut v) = unit(start(n)) else { return Ok(0.0) };
    let mut found = 0.0;
    for step in 0..MOST_STEPS.min(n) {
        let mut next = vec![0.0; n];
        operator.apply(&v, 1, &mut next, run)?;
        diagonal.push(dot(&next, &v));
        basis.push(v);
        // Twice is enough to make it orthogonal to rounding.
        for _ in 0..2 {
            for q in &basis {
                let along = dot(&next, q);
                next.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
            }
        }
        let largest = top(&diagonal, &beside)?;
        let settled = (largest - found).abs() <= TOLERANCE * largest;
        found = largest;
        let norm = dot(&next, &next).sqrt();
        if (settled && step > 2) || norm <= f64::EPSILON * found {
            break;
        }
        beside.push(norm);
        v = next.iter().map(|x| x / norm).collect();
    }
    Ok(found.max(0.0))
}

/// A vector that no kernel matrix is likely to be orthogonal to: ones, disturbed.
fn start(n: usize) -> Vec<f64> {
    (0..n).map(|i| 1.0 + 0.5 * ((i as f64 * 0.618_033_988_749_895).fract() - 0.5)).collect()
}

fn unit(v: Vec<f64>) -> Option<Vec<f64>> {
    let norm = dot(&v, &v).sqrt();
    (norm > 0.0).then(|| v.iter().map(|x| x / norm).collect())
}

/// The largest eigenvalue of the tridiagonal matrix.
fn top(diagonal: &[f64], beside: &[f64]) -> Result<f64> {
    let k = diagonal.len();
    let mut matrix = vec![0.0; k * k];
    for (i, d) in diagonal.iter().enumerate() {
        matrix[i * k + i] = *d;
    }
    for (i, b) in beside.iter().enumerate().take(k.saturating_sub(1)) {
        matrix[(i + 1) * k + i] = *b;
        matrix[i * k + i + 1] = *b;
    }
    Ok(symmetric_eigenvalues(&matrix, k)?.last().copied().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Diagonal(Vec<f64>);

    impl LinearOperator for Diagonal {
        fn nrows(&self) -> usize {
            self.0.len()
        }

        fn ncols(&self) -> usize {
            self.0.len()
        }

        fn apply(&self, v: &[f64], _: usize, out: &mut [f64], _: &Run) -> Result<()> {
            out.iter_mut().zip(v).zip(&self.0).for_each(|((o, v), d)| *o = d * v);
            Ok(())
        }
    }

    #[test]
    fn the_largest_is_found_from_below() {
        let clustered: Vec<f64> = (0..500).map(|i| 2.0 - f64::from(i) / 500.0).collect();
        for (values, digits) in [(vec![0.0; 7], 1e-15), (vec![3.0], 1e-15), (clustered, 1e-3)] {
            let largest = values.iter().fold(0.0f64, |m, v| m.max(*v));
            let found = largest_eigenvalue(&Diagonal(values), &Run::new()).expect("found");
            assert!(found <= largest * (1.0 + 1e-14) && found >= largest * (1.0 - digits), "{found} {largest}");
        }
    }
}
