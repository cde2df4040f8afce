//! Kernel ridge regression against dense elimination, refits, definitions and other libraries.

mod auto;
mod bad_input;
mod exact;
mod golden;
mod landmarks;
mod large;
mod leave_one_out;

use mercer::data::{Inputs, Rows, Targets};
use mercer::model::Fitted;
use mercer::model::regress::{Alpha, KernelRidge, RidgeSolver};
use mercer::testkit::points::{self, Chance};
use mercer::{KernelExpr, Run};

use crate::weigh;

pub(super) const RBF: &str = "rbf(length_scale=1.5)";

pub(super) fn run() -> Run {
    Run::new()
}

/// Points without repeats.
pub(super) fn distinct(n: usize, d: usize, seed: u64) -> Inputs {
    points::vectors(n + 2, d, seed).take(&(0..n).collect::<Vec<_>>()).into()
}

pub(super) fn rows(x: &Inputs) -> &Rows {
    match x {
        Inputs::Dense(rows) => rows,
        _ => panic!("dense rows"),
    }
}

/// A smooth function of the points, an offset and some noise, in so many outputs.
pub(super) fn targets(x: &Inputs, outputs: usize, seed: u64) -> Targets {
    let mut chance = Chance::new(seed);
    let rows = rows(x);
    let mut values = Vec::new();
    for i in 0..rows.nrows() {
        for o in 0..outputs {
            let s: f64 = rows.row(i).iter().sum();
            values.push((s + o as f64).sin() + 3.0 * (o as f64 + 1.0) + 0.1 * chance.normal());
        }
    }
    Targets::new(values, outputs).expect("finite")
}

pub(super) fn weights(n: usize, seed: u64) -> Vec<f64> {
    let mut chance = Chance::new(seed);
    (0..n).map(|_| 0.2 + 3.0 * chance.unit()).collect()
}

pub(super) fn ridge(kernel: &str, alpha: f64, fit_intercept: bool, solver: RidgeSolver) -> KernelRidge {
    let kernel = KernelExpr::parse(kernel).expect("a formula");
    KernelRidge { kernel, alpha: Alpha::Value(alpha), fit_intercept, solver, seed: 7 }
}

pub(super) fn fit(ridge: &KernelRidge, x: &Inputs, y: &Targets, w: Option<&[f64]>) -> Fitted {
    ridge.fit(x, y, w.map(weigh).as_ref(), &run()).unwrap_or_else(|e| panic!("{e}"))
}

/// k(x, y) by the formula, pair by pair.
pub(super) fn kernel(formula: &str, x: &Inputs, y: &Inputs) -> Vec<f64> {
    let k = KernelExpr::parse(formula).expect("a formula");
    let (x, y) = (rows(x), rows(y));
    let pair = |i: usize, j: usize| k.at(x.row(i), y.row(j)).expect("a value");
    (0..x.nrows()).flat_map(|i| (0..y.nrows()).map(move |j| pair(i, j)).collect::<Vec<_>>()).collect()
}

/// Gaussian elimination with partial pivoting: A·X = B for B: n×k, row-major.
pub(crate) fn eliminate(a: &[f64], n: usize, b: &[f64], k: usize) -> Vec<f64> {
    let (mut a, mut x) = (a.to_vec(), b.to_vec());
    for p in 0..n {
        let best = (p..n).fold(p, |best, i| if a[i * n + p].abs() > a[best * n + p].abs() { i } else { best });
        (0..n).for_each(|j| a.swap(p * n + j, best * n + j));
        (0..k).for_each(|j| x.swap(p * k + j, best * k + j));
        for i in p + 1..n {
            let factor = a[i * n + p] / a[p * n + p];
            (p..n).for_each(|j| a[i * n + j] -= factor * a[p * n + j]);
            (0..k).for_each(|j| x[i * k + j] -= factor * x[p * k + j]);
        }
    }
    for p in (0..n).rev() {
        for j in 0..k {
            let rest: f64 = (p + 1..n).map(|i| a[p * n + i] * x[i * k + j]).sum();
            x[p * k + j] = (x[p * k + j] - rest) / a[p * n + p];
        }
    }
    x
}

/// Ridge regression by its definition: the system with W⁻¹ and, for the intercept, a last row and
/// column of ones, solved by elimination. Coefficients, then b; row-major.
pub(super) struct Naive {
    pub(super) coefficients: Vec<f64>,
    pub(super) intercept: Vec<f64>,
}

pub(super) fn naive(formula: &str, x: &Inputs, y: &Targets, w: Option<&[f64]>, alpha: f64, intercept: bool) -> Naive {
    let (n, c) = (x.len(), y.outputs());
    let k = kernel(formula, x, x);
    let size = n + usize::from(intercept);
    let mut a = vec![0.0; size * size];
    let mut b = vec![0.0; size * c];
    for i in 0..n {
        (0..n).for_each(|j| a[i * size + j] = k[i * n + j]);
        a[i * size + i] += alpha / w.map_or(1.0, |w| w[i]);
        if intercept {
            a[i * size + n] = 1.0;
            a[n * size + i] = 1.0;
        }
        b[i * c..(i + 1) * c].copy_from_slice(y.row(i));
    }
    let solved = eliminate(&a, size, &b, c);
    let bias = if intercept { solved[n * c..].to_vec() } else { vec![0.0; c] };
    Naive { coefficients: solved[..n * c].to_vec(), intercept: bias }
}

impl Naive {
    pub(super) fn predict(&self, formula: &str, x: &Inputs, at: &Inputs) -> Vec<f64> {
        let (n, m, c) = (x.len(), at.len(), self.intercept.len());
        let k = kernel(formula, at, x);
        let value = |q: usize, o: usize| (0..n).map(|i| k[q * n + i] * self.coefficients[i * c + o]).sum::<f64>();
        (0..m * c).map(|at| value(at / c, at % c) + self.intercept[at % c]).collect()
    }
}

pub(super) fn largest_gap(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, |m, g| if g.is_nan() { f64::NAN } else { m.max(g) })
}

pub(super) fn close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    let scale = b.iter().fold(1.0f64, |m, v| m.max(v.abs()));
    let gap = largest_gap(a, b);
    assert!(gap <= tolerance * scale, "{what}: off by {gap:e}, scale {scale:e}");
}
