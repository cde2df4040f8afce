//! Principal components, pre-images and outliers.

mod attack;
mod components;
mod golden;
mod preimages;
mod stops;

use mercer::data::{Inputs, Rows, Target, Weights};
use mercer::model::reduce::{KernelPca, PcaSolver};
use mercer::model::{Fitted, Model};
use mercer::{KernelExpr, Run};

fn run() -> Run {
    Run::new()
}

fn pca(formula: &str, components: usize) -> KernelPca {
    let kernel = KernelExpr::parse(formula).unwrap_or_else(|e| panic!("{formula}: {e}"));
    KernelPca { kernel, components, ..KernelPca::default() }
}

fn with(formula: &str, components: usize, solver: PcaSolver) -> KernelPca {
    KernelPca { solver, ..pca(formula, components) }
}

fn fit(learner: &KernelPca, x: &Inputs, weights: Option<&Weights>) -> Fitted {
    learner.fit(x, Target::None, weights, &run()).unwrap_or_else(|e| panic!("{learner:?}: {e}"))
}

fn coordinates(model: &Model, x: &Inputs) -> Vec<f64> {
    model.predict(x, &run()).unwrap_or_else(|e| panic!("{e}"))
}

fn rows(values: &[Vec<f64>]) -> Inputs {
    let d = values.first().map_or(0, Vec::len);
    Rows::new(values.concat(), values.len(), d).unwrap_or_else(|e| panic!("{e}")).into()
}

/// Columns that agree up to their sign.
fn same_columns(a: &[f64], b: &[f64], k: usize, tolerance: f64, name: &str) {
    assert_eq!(a.len(), b.len(), "{name}");
    for l in 0..k {
        let column = |of: &[f64]| of.iter().skip(l).step_by(k).copied().collect::<Vec<f64>>();
        let (a, b) = (column(a), column(b));
        let size = a.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let sign = if a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        for (i, (a, b)) in a.iter().zip(&b).enumerate() {
            assert!((a - sign * b).abs() <= tolerance * size.max(1.0), "{name}: {a} {b} at row {i} of component {l}");
        }
    }
}

/// Eigenvalues, the largest first, and unit vectors of a symmetric matrix, by Jacobi's rotations.
fn jacobi(matrix: &[f64], n: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut a: Vec<Vec<f64>> = matrix.chunks(n).map(<[f64]>::to_vec).collect();
    let mut v: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..60 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for row in &mut a {
                    let (x, y) = (row[p], row[q]);
                    (row[p], row[q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p][k], a[q][k]);
                    (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (v[k][p], v[k][q]);
                    (v[k][p], v[k][q]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| a[*j][*j].total_cmp(&a[*i][*i]));
    let values = order.iter().map(|i| a[*i][*i]).collect();
    (values, order.iter().map(|l| (0..n).map(|i| v[i][*l]).collect()).collect())
}
