//! Which rows become landmarks, and what each of them is worth.

use mercer::approx::{LandmarkData, LandmarkSystem, NystromParams, landmarks};
use mercer::data::{Inputs, Precomputed, Targets};
use mercer::model::regress::RidgeSolver;
use mercer::rkhs::Space;
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};

use super::{RBF, close, distinct, eliminate, fit, kernel, ridge, rows, run, targets, weights};
use crate::weigh;

fn space(formula: &str, x: &Inputs) -> Space {
    Space::new(&KernelExpr::parse(formula).expect("a formula"), x, &run()).expect("a space")
}

/// The least of Σ ½w(y − k_zᵀa − b)² + (alpha/2)·aᵀK_zz·a by elimination, over all outputs.
fn least(x: &Inputs, y: &Targets, w: &[f64], z: &[usize], alpha: f64, intercept: bool) -> f64 {
    let (n, m, c) = (x.len(), z.len(), y.outputs());
    let points = x.take(z);
    let (k, kzz) = (kernel(RBF, x, &points), kernel(RBF, &points, &points));
    let size = m + usize::from(intercept);
    let feature = |i: usize, j: usize| if j < m { k[i * m + j] } else { 1.0 };
    let penalty = |i: usize, j: usize| if i < m && j < m { alpha * kzz[i * m + j] } else { 0.0 };
    let entry = |i: usize, j: usize| (0..n).map(|r| w[r] * feature(r, i) * feature(r, j)).sum::<f64>() + penalty(i, j);
    let matrix: Vec<f64> = (0..size * size).map(|at| entry(at / size, at % size)).collect();
    let right = |j: usize, o: usize| (0..n).map(|r| w[r] * feature(r, j) * y.row(r)[o]).sum::<f64>();
    let rhs: Vec<f64> = (0..size * c).map(|at| right(at / c, at % c)).collect();
    let solved = eliminate(&matrix, size, &rhs, c);
    let fitted: f64 = solved.iter().zip(&rhs).map(|(s, r)| s * r).sum();
    let squares: f64 = (0..n).flat_map(|r| y.row(r).iter().map(move |v| w[r] * v * v)).sum();
    0.5 * (squares - fitted)
}

#[test]
fn what_a_landmark_is_worth_is_what_its_removal_costs() {
    let x = distinct(50, 2, 120);
    let (y, w) = (targets(&x, 2, 121), weights(50, 122));
    let z: Vec<usize> = (0..7).map(|j| 7 * j).collect();
    for intercept in [false, true] {
        let of = space(RBF, &x);
        let k_zz = kernel(RBF, &x.take(&z), &x.take(&z));
        let (mut system, kept) = LandmarkSystem::new(k_zz, 7, 2, &run()).expect("a system");
        let order: Vec<usize> = kept.iter().map(|&j| z[j]).collect();
        let ordered = of.cross(&x, &x.take(&order), &run()).expect("values");
        let data = LandmarkData { cross: &ordered, y: y.values(), weights: Some(&w) };
        system.accumulate(&data, true, &run()).expect("sums");
        let costs = system.removal_costs(0.3, intercept, &run()).expect("costs");
        let all = least(&x, &y, &w, &order, 0.3, intercept);
        let without = |j: usize| order.iter().enumerate().filter(|(i, _)| *i != j).map(|(_, z)| *z).collect::<Vec<_>>();
        let naive: Vec<f64> = (0..7).map(|j| least(&x, &y, &w, &without(j), 0.3, intercept) - all).collect();
        close(&costs, &naive, tol::GOLDEN * all.abs().max(1.0), &format!("intercept {intercept}"));
    }
}

/// Targets that vary in one corner only: landmarks go there, and the objective is below that of as many pivots.
#[test]
fn the_targets_choose_among_pivots() {
    let x = distinct(600, 2, 123);
    let values = (0..600).map(|i| {
        let row = rows(&x).row(i);
        if row[0] > 0.0 && row[1] > 0.0 { (3.0 * row[0]).sin() * (3.0 * row[1]).cos() } else { 0.0 }
    });
    let y = Targets::new(values.collect::<Vec<_>>(), 1).expect("finite");
    let formula = "rbf(length_scale=0.5)";
    let solver = RidgeSolver::Nystrom(NystromParams { landmarks: Some(30) });
    let chosen = fit(&ridge(formula, 0.1, false, solver), &x, &y, None);
    assert_eq!(chosen.model.points().len(), 30);
    let of = space(formula, &x);
    let pivots = landmarks(&of.gram(&x, &run()).expect("a matrix"), 30, 7, &run()).expect("pivots");
    let objective = |points: &Inputs| {
        let (k, kzz) = (kernel(formula, &x, points), kernel(formula, points, points));
        let entry = |i: usize, j: usize| (0..600).map(|r| k[r * 30 + i] * k[r * 30 + j]).sum::<f64>();
        let matrix: Vec<f64> = (0..900).map(|at| entry(at / 30, at % 30) + 0.1 * kzz[at]).collect();
        let rhs: Vec<f64> = (0..30).map(|j| (0..600).map(|r| k[r * 30 + j] * y.row(r)[0]).sum()).collect();
        let fitted: f64 = eliminate(&matrix, 30, &rhs, 1).iter().zip(&rhs).map(|(a, b)| a * b).sum();
        0.5 * (y.values().iter().map(|v| v * v).sum::<f64>() - fitted)
    };
    let (ours, theirs) = (objective(chosen.model.points()), objective(&x.take(&pivots)));
    assert!(ours < 0.8 * theirs, "{ours} with landmarks that the targets chose, {theirs} with pivots");
    let primal = chosen.model.certificate().primal().expect("an objective");
    assert!((ours - primal).abs() <= tol::GOLDEN * ours, "{primal} for {ours}");
}

/// The same landmarks on any number of threads, and from the values of a precomputed matrix.
#[test]
fn landmarks_depend_on_the_data_alone() {
    let x = distinct(300, 3, 124);
    let (y, w) = (targets(&x, 2, 125), weights(300, 126));
    let solver = RidgeSolver::Nystrom(NystromParams { landmarks: Some(20) });
    let estimator = ridge(RBF, 0.2, true, solver.clone());
    let [one, three] = [1, 3].map(|threads| {
        let run = Run::new().with_threads(threads).expect("threads");
        estimator.fit(&x, &y, Some(&weigh(&w)), &run).expect("fits").model
    });
    assert_eq!(one.coefficients(), three.coefficients());
    let k = Inputs::from(Precomputed::new(kernel(RBF, &x, &x), 300, 300).expect("a matrix"));
    let stored = fit(&ridge("precomputed", 0.2, true, solver), &k, &y, Some(&w));
    let [a, b] = [(&stored.model, &k), (&one, &x)].map(|(model, at)| model.predict(at, &run()).expect("predicts"));
    close(&a, &b, 1e-6, "a precomputed matrix");
}

/// With room for the pivots alone, they are the landmarks; with less, the limit is an error.
#[test]
fn scarce_memory_leaves_the_pivots() {
    let x = distinct(3000, 3, 127);
    let y = targets(&x, 1, 128);
    let solver = RidgeSolver::Nystrom(NystromParams { landmarks: Some(200) });
    let estimator = ridge(RBF, 0.2, true, solver);
    // Factors of 3000×300 and 3000×200 numbers take 7.2 MB and 4.8 MB.
    let [scarce, none] = [6_500_000, 3_000_000].map(|bytes| Run::new().with_memory_limit(bytes));
    let model = estimator.fit(&x, &y, None, &scarce).expect("fits").model;
    let pivots = landmarks(&space(RBF, &x).gram(&x, &run()).expect("a matrix"), 200, 7, &run()).expect("pivots");
    let sorted = |rows: &Inputs| {
        let mut all: Vec<Vec<u64>> =
            (0..rows.len()).map(|i| super::rows(rows).row(i).iter().map(|v| v.to_bits()).collect()).collect();
        all.sort();
        all
    };
    assert_eq!(sorted(model.points()), sorted(&x.take(&pivots)));
    assert!(matches!(estimator.fit(&x, &y, None, &none), Err(mercer::Error::Memory { .. })));
}
