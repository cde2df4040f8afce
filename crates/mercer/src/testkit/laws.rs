//! Laws of kernels and of their matrices.

use crate::data::{Inputs, Rows};
use crate::gram::{Bound, KernelGradient, KernelMatrix, TileMut, apply, column, dense, pull_back};
use crate::kernel::KernelExpr;
use crate::kernel::property::Standing;
use crate::linalg::symmetric_eigenvalues;
use crate::run::Run;

pub use super::learner::learner;
use super::points::{self, Chance};
use super::tol;

/// Holds a kernel of three numbers to every law, and to its definition within `tolerance`
/// (relative to its largest value).
pub fn vector_kernel(formula: &str, definition: impl Fn(&[f64], &[f64]) -> f64, tolerance: f64) {
    on_rows(formula, points::vectors(29, 3, 1), definition, tolerance);
}

/// As [`vector_kernel`], on points without negative coordinates.
pub fn non_negative_kernel(formula: &str, definition: impl Fn(&[f64], &[f64]) -> f64, tolerance: f64) {
    on_rows(formula, points::non_negative_vectors(29, 3, 2), definition, tolerance);
}

fn on_rows(formula: &str, x: Rows, definition: impl Fn(&[f64], &[f64]) -> f64, tolerance: f64) {
    kernel(formula, &x.clone().into(), |i, j| definition(x.row(i), x.row(j)), tolerance);
}

/// Holds a kernel of two categories to every law and to its definition.
pub fn category_kernel(formula: &str, definition: impl Fn(&[&str], &[&str]) -> f64, tolerance: f64) {
    let (x, records) = points::categories(23, 3);
    kernel(formula, &x, |i, j| definition(&records[i], &records[j]), tolerance);
}

/// Holds a kernel of text to every law and to its definition.
pub fn text_kernel(formula: &str, definition: impl Fn(&str, &str) -> f64, tolerance: f64) {
    let (x, notes) = points::texts();
    kernel(formula, &x, |i, j| definition(notes[i], notes[j]), tolerance);
}

/// Holds the kernel of a formula to every law on these points, and to its definition, a function
/// of two indices.
pub fn kernel(formula: &str, x: &Inputs, definition: impl Fn(usize, usize) -> f64, tolerance: f64) {
    let expr = KernelExpr::parse(formula).unwrap_or_else(|e| panic!("{e}"));
    survives_printing(&expr);
    theta_goes_round(&expr);
    let bound = expr.bind(x, &Run::new()).unwrap_or_else(|e| panic!("{formula}: {e}"));
    let gram = values(&bound);
    let n = x.len();
    let largest = gram.iter().fold(f64::MIN_POSITIVE, |a, v| a.max(v.abs()));
    for i in 0..n {
        for j in 0..n {
            let (got, expected) = (gram[i * n + j], definition(i, j));
            let gap = (got - expected).abs();
            assert!(gap <= tolerance * largest, "{formula} at ({i}, {j}): {got:e}, by definition {expected:e}");
        }
    }
    matrix(formula, &bound);
    definite(formula, &expr, x, &gram, tolerance);
    agrees_with_cross(formula, &expr, x, &gram);
    moves_with_its_points(formula, &expr, x, &gram, tolerance);
    gradient(formula, &expr, x);
}

/// Laws of any kernel matrix: symmetry, diagonal, blocks, columns, products, threads.
pub fn matrix(name: &str, bound: &dyn KernelMatrix) {
    let gram = values(bound);
    let (n, m) = (bound.nrows(), bound.ncols());
    if bound.is_symmetric() {
        let mut diag = vec![0.0; n];
        bound.diag(&mut diag);
        for i in 0..n {
            assert_eq!(gram[i * n + i], diag[i], "{name}: the diagonal at {i}");
            for j in 0..i {
                assert_eq!(gram[i * n + j], gram[j * n + i], "{name}: symmetry at ({i}, {j})");
            }
        }
    }
    blocks_agree(name, bound, &gram);
    columns_agree(name, bound, &gram);
    products_agree(name, bound, &gram);
    threads_do_not_matter(name, bound, &gram);
    let narrow = dense::<f32>(bound, &Run::new()).unwrap_or_else(|e| panic!("{e}"));
    assert!(narrow.values().iter().zip(&gram).all(|(a, b)| *a == *b as f32), "{name}: storage as f32");
    assert_eq!(gram.len(), n * m);
}

/// All values of a matrix.
fn values(matrix: &dyn KernelMatrix) -> Vec<f64> {
    dense::<f64>(matrix, &Run::new()).unwrap_or_else(|e| panic!("{e}")).into_values()
}

fn survives_printing(expr: &KernelExpr) {
    let text = expr.to_string();
    assert_eq!(KernelExpr::parse(&text).unwrap_or_else(|e| panic!("{e}")), *expr, "{text} does not survive printing");
    let json = serde_json::to_string(expr).expect("a string");
    assert_eq!(serde_json::from_str::<KernelExpr>(&json).expect("reads back"), *expr);
}

fn theta_goes_round(expr: &KernelExpr) {
    let theta = expr.theta().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((theta.len(), theta.len()), (expr.names().len(), expr.bounds().len()));
    let again = expr.with_theta(&theta).and_then(|k| k.theta()).unwrap_or_else(|e| panic!("{e}"));
    for (a, b) in theta.iter().zip(&again) {
        assert!((a - b).abs() <= tol::round(1) * a.abs().max(1.0), "θ {a} came back as {b}");
    }
}

/// Any block holds the same bits as the whole.
fn blocks_agree(name: &str, bound: &dyn KernelMatrix, gram: &[f64]) {
    let (n, m) = (bound.nrows(), bound.ncols());
    let cuts = [(0..n, 0..m), (n / 3..n, m / 2..m), (0..1.min(n), 0..m), (1.min(n)..2.min(n), m / 3..2 * m / 3)];
    for (rows, cols) in cuts {
        let mut block = vec![f64::NAN; rows.len() * cols.len()];
        bound.block(rows.clone(), cols.clone(), TileMut::contiguous(&mut block, rows.len(), cols.len()));
        for (r, i) in rows.enumerate() {
            for (c, j) in cols.clone().enumerate() {
                assert_eq!(block[r * cols.len() + c], gram[i * m + j], "{name}: a block at ({i}, {j})");
            }
        }
    }
}

fn columns_agree(name: &str, bound: &dyn KernelMatrix, gram: &[f64]) {
    let (n, m) = (bound.nrows(), bound.ncols());
    let mut values = vec![f64::NAN; n];
    for j in [0, m / 2, m - 1] {
        column(bound, j, &mut values).unwrap_or_else(|e| panic!("{e}"));
        assert!((0..n).all(|i| values[i] == gram[i * m + j]), "{name}: column {j}");
    }
}

fn products_agree(name: &str, bound: &dyn KernelMatrix, gram: &[f64]) {
    let (n, m) = (bound.nrows(), bound.ncols());
    let mut chance = Chance::new(5);
    for k in [1, 3] {
        let v: Vec<f64> = (0..m * k).map(|_| chance.normal()).collect();
        let mut out = vec![f64::NAN; n * k];
        apply(bound, &v, k, &mut out, &Run::new()).unwrap_or_else(|e| panic!("{e}"));
        for i in 0..n {
            for c in 0..k {
                let terms = (0..m).map(|j| gram[i * m + j] * v[j * k + c]);
                let (sum, size) = terms.fold((0.0, 0.0f64), |(s, a), t| (s + t, a + t.abs()));
                assert!((out[i * k + c] - sum).abs() <= tol::round(m) * size, "{name}: K·V at ({i}, {c})");
            }
        }
    }
}

fn threads_do_not_matter(name: &str, bound: &dyn KernelMatrix, gram: &[f64]) {
    let run = Run::new().with_threads(3).unwrap_or_else(|e| panic!("{e}"));
    let three = dense::<f64>(bound, &run).unwrap_or_else(|e| panic!("{e}"));
    assert!(three.values() == gram, "{name}: the matrix depends on the number of threads");
    let v = vec![0.5; bound.ncols()];
    let [one, three] = [1, 3].map(|threads| {
        let run = Run::new().with_threads(threads).unwrap_or_else(|e| panic!("{e}"));
        let mut out = vec![0.0; bound.nrows()];
        apply(bound, &v, 1, &mut out, &run).unwrap_or_else(|e| panic!("{e}"));
        out
    });
    assert_eq!(one, three, "{name}: a product depends on the number of threads");
}

/// The Gram matrix has what the formula is proved to have: aᵀKa ≥ 0 for all a, or for those that
/// are orthogonal to polynomials of a degree below the order. A formula without a proof may be
/// anything.
fn definite(name: &str, expr: &KernelExpr, x: &Inputs, gram: &[f64], tolerance: f64) {
    let n = x.len();
    match (expr.standing(), x) {
        (Standing::PositiveDefinite, _) => positive_semidefinite(name, gram, n, tolerance),
        (Standing::ConditionallyPositiveDefinite { order }, Inputs::Dense(rows)) => {
            let mut polynomials = vec![vec![1.0; n]];
            if order > 1 {
                polynomials.extend((0..rows.ncols()).map(|j| (0..n).map(|i| rows.row(i)[j]).collect()));
            }
            let projected = project_out(polynomials, gram, n);
            positive_semidefinite(name, &projected, n, tolerance);
            assert!(
                symmetric_eigenvalues(gram, n).unwrap_or_else(|e| panic!("{e}"))[0] < 0.0,
                "{name}: it is even p.d."
            );
        }
        _ => {}
    }
}

/// P·K·P, P the projection on the vectors orthogonal to all of `directions`.
fn project_out(directions: Vec<Vec<f64>>, gram: &[f64], n: usize) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for mut direction in directions {
        for b in &basis {
            let along = dot(&direction, b);
            direction.iter_mut().zip(b).for_each(|(d, b)| *d -= along * b);
        }
        let norm = dot(&direction, &direction).sqrt();
        basis.push(direction.into_iter().map(|d| d / norm).collect());
    }
    let mut projected = gram.to_vec();
    for _side in 0..2 {
        for row in projected.chunks_mut(n) {
            for b in &basis {
                let along = dot(row, b);
                row.iter_mut().zip(b).for_each(|(k, b)| *k -= along * b);
            }
        }
        projected = (0..n * n).map(|at| projected[at % n * n + at / n]).collect();
    }
    projected
}

/// λ_min ≥ −tolerance·trace.
fn positive_semidefinite(name: &str, gram: &[f64], n: usize, tolerance: f64) {
    let trace: f64 = (0..n).map(|i| gram[i * n + i]).sum();
    let smallest = symmetric_eigenvalues(gram, n).unwrap_or_else(|e| panic!("{e}"))[0];
    assert!(
        smallest >= -(tolerance + tol::round(n)) * trace,
        "{name}: smallest eigenvalue {smallest:e}, trace {trace:e}"
    );
}

/// The cross matrix of a set with itself is its Gram matrix, to the bit.
fn agrees_with_cross(name: &str, expr: &KernelExpr, x: &Inputs, gram: &[f64]) {
    let cross = expr.bind_cross(x, x, &Run::new()).unwrap_or_else(|e| panic!("{e}"));
    matrix(name, &cross);
    assert!(values(&cross) == gram, "{name}: cross and Gram differ");
}

/// Reversing the points reverses the matrix.
fn moves_with_its_points(name: &str, expr: &KernelExpr, x: &Inputs, gram: &[f64], tolerance: f64) {
    let n = x.len();
    let reversed = x.take(&(0..n).rev().collect::<Vec<_>>());
    let moved = values(&expr.bind(&reversed, &Run::new()).unwrap_or_else(|e| panic!("{e}")));
    let largest = gram.iter().fold(0.0f64, |a, v| a.max(v.abs()));
    for (at, value) in moved.iter().enumerate() {
        let mirrored = gram[(n - 1 - at / n) * n + (n - 1 - at % n)];
        assert!((value - mirrored).abs() <= (tolerance + tol::round(1)) * largest, "{name}: moved points at {at}");
    }
}

/// Σ W·∂K/∂θ is what central differences say.
pub fn gradient(name: &str, expr: &KernelExpr, x: &Inputs) {
    let run = Run::new();
    let bound: Bound = expr.bind(x, &run).unwrap_or_else(|e| panic!("{e}"));
    let theta = expr.theta().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(bound.n_params(), theta.len(), "{name}: number of free parameters");
    let mut chance = Chance::new(6);
    let w: Vec<f64> = (0..x.len() * x.len()).map(|_| chance.normal()).collect();
    let analytic = pull_back(&bound, &w, &run).unwrap_or_else(|e| panic!("{e}"));
    let weighted = |theta: &[f64]| -> Vec<f64> {
        let moved = expr.with_theta(theta).and_then(|k| k.bind(x, &run)).unwrap_or_else(|e| panic!("{e}"));
        values(&moved).iter().zip(&w).map(|(k, w)| k * w).collect()
    };
    for k in 0..theta.len() {
        let step = f64::EPSILON.cbrt() * theta[k].abs().max(1.0);
        let shifted = |by: f64| {
            let mut moved = theta.clone();
            moved[k] += by;
            weighted(&moved)
        };
        let (above, below) = (shifted(step), shifted(-step));
        let terms = above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * step));
        let (difference, size) = terms.fold((0.0, 0.0f64), |(s, a), t| (s + t, a + t.abs()));
        let gap = (analytic[k] - difference).abs();
        assert!(
            gap <= tol::GRAD * size.max(1e-3),
            "{name}: ∂/∂{} is {}, by differences {difference}",
            expr.names()[k],
            analytic[k]
        );
    }
}
