//! Eigenvalues of a tridiagonal matrix, without vectors.

use crate::error::{Error, Result};

use super::Tridiagonal;
use super::steps::Steps;

/// Sweeps for each eigenvalue after which there is no hope; two are usual.
const SWEEPS: usize = 40;
/// Sweeps between two looks at the clock.
const PATIENCE: usize = 64;

/// The eigenvalues in increasing order, by the QL method without square roots (Pal, Walker and Kahan, as in Parlett 1998,
/// The symmetric eigenvalue problem, section 8.15).
pub(super) fn eigenvalues(matrix: Tridiagonal, steps: &Steps) -> Result<Vec<f64>> {
    let Tridiagonal { mut diagonal, mut beside } = matrix;
    let n = diagonal.len();
    beside.iter_mut().for_each(|e| *e *= *e);
    let (mut start, mut sweeps) = (0, 0);
    while start < n {
        let mut end = start;
        while end + 1 < n && !negligible(&diagonal, &beside, end) {
            end += 1;
        }
        let (d, e) = (&mut diagonal[start..=end], &mut beside[start..end]);
        // The sweeps run towards the smaller end, where eigenvalues are found first.
        if d[d.len() - 1].abs() < d[0].abs() {
            d.reverse();
            e.reverse();
        }
        unreduced(d, e, &mut sweeps, steps)?;
        start = end + 1;
    }
    diagonal.sort_unstable_by(f64::total_cmp);
    Ok(diagonal)
}

/// Whether the square beside entry i is below rounding.
fn negligible(d: &[f64], squares: &[f64], i: usize) -> bool {
    const ROUNDING: f64 = f64::EPSILON * f64::EPSILON / 4.0;
    squares[i] <= ROUNDING * (d[i] * d[i + 1]).abs() || squares[i] < f64::MIN_POSITIVE
}

/// A block that does not fall apart at first sight.
fn unreduced(d: &mut [f64], squares: &mut [f64], sweeps: &mut usize, steps: &Steps) -> Result<()> {
    let (last, mut at, begun) = (d.len() - 1, 0, *sweeps);
    while at < last {
        let mut end = at;
        while end < last && !negligible(d, squares, end) {
            end += 1;
        }
        if end == at {
            at += 1;
        } else if end == at + 1 {
            (d[at], d[end]) = of_two(d[at], squares[at], d[end]);
            squares[at] = 0.0;
            at += 2;
        } else {
            if end < last {
                squares[end] = 0.0;
            }
            sweep(&mut d[at..=end], &mut squares[at..end]);
            *sweeps += 1;
            if sweeps.is_multiple_of(PATIENCE) {
                steps.check()?;
            }
        }
        if *sweeps - begun > SWEEPS * d.len() {
            return Err(no_convergence());
        }
    }
    Ok(())
}

/// The error that nobody has seen.
pub(super) fn no_convergence() -> Error {
    Error::Unsupported {
        what: "the eigenvalue decomposition of this matrix (it does not converge)".into(),
        alternative: "check that its values are symmetric and of one scale".into(),
    }
}

/// The eigenvalues of [[a, b], [b, c]], given b².
fn of_two(a: f64, square: f64, c: f64) -> (f64, f64) {
    let (half, mean) = (0.5 * (a - c), 0.5 * (a + c));
    let radius = (half * half + square).sqrt();
    // The one of larger magnitude is a sum without cancellation, the other follows from the determinant.
    let far = if mean < 0.0 { mean - radius } else { mean + radius };
    match far == 0.0 {
        true => (0.0, 0.0),
        false => (far, (a / far) * c - square / far),
    }
}

/// One QL sweep with Wilkinson's shift; e holds squares.
///
/// With c = p/r and s = e/r, the textbook has γ ← c·(d − σ) − s·γ and p ← γ²/c. Here γ = t/r and p = t²/(r·p) with
/// t = p·(d − σ) − e·γ: the same numbers, but no division waits for another.
fn sweep(d: &mut [f64], e: &mut [f64]) {
    /// A product of two factors from which on it has all its digits.
    const SAFE: f64 = 1e-280;
    let root = e[0].sqrt();
    let ratio = (d[1] - d[0]) / (2.0 * root);
    let shift = d[0] - root / (ratio + ratio.hypot(1.0).copysign(ratio));
    let m = d.len() - 1;
    let (mut c_before, mut s, mut gamma) = (1.0, 0.0, d[m] - shift);
    let mut p = gamma * gamma;
    for i in (0..m).rev() {
        let square = e[i];
        let r = p + square;
        if i + 1 < m {
            e[i + 1] = s * r;
        }
        let old_gamma = gamma;
        let t = p * (d[i] - shift) - square * old_gamma;
        let c = p / r;
        s = square / r;
        gamma = t / r;
        d[i + 1] = old_gamma + (d[i] - gamma);
        let (above, below) = (t * t, r * p);
        p = if above.min(below) > SAFE {
            above / below
        } else if c == 0.0 {
            c_before * square
        } else {
            gamma * gamma / c
        };
        c_before = c;
    }
    e[0] = s * p;
    d[0] = shift + gamma;
}
