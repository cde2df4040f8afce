//! Clusters: against all partitions, other libraries, and strange inputs.

mod cca;
mod fisher;
mod k_means;
mod spectral;
mod stops;

use mercer::Run;
use mercer::data::{Inputs, Rows, Target, Weights};
use mercer::kernel::KernelExpr;
use mercer::model::{Fitted, Learner, Model};

/// Points as rows of `d` numbers.
fn points(values: &[f64], d: usize) -> Inputs {
    Rows::new(values.to_vec(), values.len() / d, d).expect("whole rows").into()
}

fn kernel(formula: &str) -> KernelExpr {
    KernelExpr::parse(formula).expect("a kernel")
}

/// k(x, y) of all pairs, value by value.
fn naive_gram(formula: &str, x: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let k = kernel(formula);
    x.iter().map(|a| x.iter().map(|b| k.at(a, b).expect("a value")).collect()).collect()
}

fn fit(learner: &Learner, x: &Inputs, weights: Option<&Weights>) -> Fitted {
    learner.fit(x, Target::None, weights, &Run::new()).unwrap_or_else(|e| panic!("{e}"))
}

/// The cluster of every point.
fn labels(model: &Model, x: &Inputs) -> Vec<usize> {
    model.largest(&model.predict(x, &Run::new()).expect("values"))
}

/// Σ w‖φ − μ‖² by ½Σ_c Σᵢⱼ∈c wᵢwⱼ‖φᵢ − φⱼ‖²/W_c: another formula than the learner's.
fn naive_inertia(gram: &[Vec<f64>], labels: &[usize], weights: &[f64]) -> f64 {
    let clusters = labels.iter().max().map_or(0, |c| c + 1);
    let of = |c: usize| {
        let rows: Vec<usize> = (0..labels.len()).filter(|i| labels[*i] == c).collect();
        let total: f64 = rows.iter().map(|i| weights[*i]).sum();
        let apart = |i: usize, j: usize| gram[i][i] - 2.0 * gram[i][j] + gram[j][j];
        let pairs = rows.iter().flat_map(|i| rows.iter().map(move |j| (*i, *j)));
        let sum: f64 = pairs.map(|(i, j)| weights[i] * weights[j] * apart(i, j)).sum();
        if total > 0.0 { 0.5 * sum / total } else { 0.0 }
    };
    (0..clusters).map(of).sum()
}
