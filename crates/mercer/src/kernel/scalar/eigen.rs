//! The smallest eigenvalue of a small symmetric matrix.

/// Sweeps of rotations; small matrices need about six.
const MAX_SWEEPS: usize = 30;

/// The smallest eigenvalue and its unit eigenvector, by Jacobi's rotations.
pub(super) fn smallest(matrix: &[Vec<f64>]) -> (f64, Vec<f64>) {
    let n = matrix.len();
    let mut a = matrix.to_vec();
    let mut vectors: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..MAX_SWEEPS {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j] * a[i][j]).sum();
        let size: f64 = (0..n).map(|i| a[i][i] * a[i][i]).sum();
        if off <= 1e-32 * size {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut vectors, p, q);
            }
        }
    }
    let least = (0..n).min_by(|i, j| a[*i][*i].total_cmp(&a[*j][*j])).unwrap_or(0);
    (a[least][least], vectors.iter().map(|row| row[least]).collect())
}

/// The rotation in the plane of p and q that makes a[p][q] zero.
fn rotate(a: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    let (upper, lower) = a.split_at_mut(q);
    for (x, y) in upper[p].iter_mut().zip(lower[0].iter_mut()) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
    for row in vectors.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
}

#[cfg(test)]
mod tests {
    use super::smallest;
    use crate::testkit::{points::Chance, tol};

    #[test]
    fn the_pair_satisfies_its_equation_and_no_direction_is_lower() {
        let mut chance = Chance::new(2);
        for n in 1..=6 {
            for _ in 0..100 {
                let b: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| chance.normal()).collect()).collect();
                let a: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| b[i][j] + b[j][i]).collect()).collect();
                let (value, v) = smallest(&a);
                let apply =
                    |v: &[f64]| -> Vec<f64> { a.iter().map(|r| r.iter().zip(v).map(|(p, q)| p * q).sum()).collect() };
                let residual: f64 = apply(&v).iter().zip(&v).map(|(p, q)| (p - value * q).powi(2)).sum();
                assert!(residual.sqrt() < tol::round(n) * 10.0, "{residual}");
                let w: Vec<f64> = (0..n).map(|_| chance.normal()).collect();
                let norm: f64 = w.iter().map(|p| p * p).sum();
                let form: f64 = apply(&w).iter().zip(&w).map(|(p, q)| p * q).sum();
                assert!(form >= (value - tol::round(n)) * norm);
            }
        }
    }
}
