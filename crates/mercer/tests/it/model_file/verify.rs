//! A saved model held to its claims: it keeps them on its training data, and on no others.

use mercer::approx::NystromParams;
use mercer::certificate::Measure;
use mercer::data::{Column, Inputs, MissingPolicy, Precomputed, Rows};
use mercer::gram::{Repair, RepairMethod};
use mercer::kernel::Registry;
use mercer::model::pipeline::{Pipeline, Prepare, Verification};
use mercer::model::regress::{Alpha, KernelRidge, RidgeSolver};
use mercer::model::{Model, ModelParts, catalogue};
use mercer::solver::CgParams;
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};

use super::{MIXED, class_target, dense, fit, fit_with, imputing, mixed, numbers, reload, sparse, target};
use crate::weigh;

type Targets = [(String, Column)];

fn verify(pipeline: &Pipeline, x: impl Into<Inputs>, y: &Targets, weights: Option<&[f64]>) -> Verification {
    pipeline.verify_on(&x.into(), y.to_vec(), weights.map(weigh).as_ref(), &Run::new()).expect("data of this kind")
}

fn holds(pipeline: &Pipeline, x: impl Into<Inputs>, y: &Targets, weights: Option<&[f64]>) {
    let found = verify(&reload(pipeline), x, y, weights);
    assert!(found.holds, "{found:?}");
    assert!(found.verdict.starts_with("the certificate holds"), "{}", found.verdict);
}

/// The file with one number of an array changed.
fn tampered(pipeline: &Pipeline, array: &str, place: usize, change: impl FnOnce(f64) -> f64) -> Pipeline {
    let mut bytes = pipeline.to_bytes().expect("a file");
    let length = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes")) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).expect("a header");
    let start = header[array]["data_offsets"][0].as_u64().expect("the array") as usize;
    let at = 8 + length + start + 8 * place;
    let old = f64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    bytes[at..at + 8].copy_from_slice(&change(old).to_le_bytes());
    Pipeline::from_bytes(&mercer::save::resealed(&bytes), &Registry::new()).expect("still a model")
}

fn broken(pipeline: &Pipeline, x: impl Into<Inputs>, y: &Targets, words: &str) {
    let found = verify(pipeline, x, y, None);
    assert!(!found.holds && found.verdict.contains(words), "`{words}`: {found:?}");
}

#[test]
fn every_solver_keeps_its_claims() {
    let weights: Vec<f64> = (0..60).map(|i| 1.0 + f64::from(i % 3)).collect();
    let solvers = [
        ("rbf(length_scale=1)", RidgeSolver::Eigen),
        ("rbf(length_scale=1)", RidgeSolver::Cholesky),
        ("rbf(length_scale=1)", RidgeSolver::Cg(CgParams::default())),
        ("rbf(length_scale=1)", RidgeSolver::Nystrom(NystromParams { landmarks: Some(10) })),
        ("linear + 1", RidgeSolver::Primal),
    ];
    for (kernel, solver) in solvers {
        for w in [None, Some(&weights[..])] {
            let (x, y) = (dense(60, 2, 14), [target(60)]);
            let pipeline = fit_with(Prepare::default(), solver.clone(), kernel, (x.clone().into(), &y, w));
            holds(&pipeline, x.clone(), &y, w);
            // The model keeps the weights, so they need not be given again.
            holds(&pipeline, x, &y, None);
        }
    }
}

#[test]
fn every_kind_of_data_and_target() {
    let (x, y) = (mixed(30, 3, true), [target(30)]);
    holds(&fit_with(imputing(), RidgeSolver::Eigen, MIXED, (x.clone().into(), &y, None)), x.clone(), &y, None);
    let drop = Prepare { missing: MissingPolicy::Drop, ..Prepare::default() };
    let dropped = fit_with(drop, RidgeSolver::Eigen, MIXED, (x.clone().into(), &y, None));
    assert_eq!(dropped.model().points().len(), 24, "six of the rows have gaps");
    holds(&dropped, x, &y, None);
    let y = [class_target(20, &["a", "b", "c"])];
    holds(&fit("rbf", dense(20, 3, 4), &y, None), dense(20, 3, 4), &y, None);
    let y = [("u".to_owned(), numbers((0..20).map(f64::from))), target(20)];
    holds(&fit("linear", sparse(20, 6, 5), &y, None), sparse(20, 6, 5), &y, None);
    let weights: Vec<f64> = (0..20).map(|i| f64::from(i % 4)).collect();
    holds(&fit("rbf", dense(20, 2, 6), &y, Some(&weights)), dense(20, 2, 6), &y, Some(&weights));
}

#[test]
fn precomputed_matrices() {
    let x = dense(12, 2, 16);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() + 1.0;
    let places = (0..12).flat_map(|i| (0..12).map(move |j| (i, j)));
    let gram = Precomputed::new(places.map(|(i, j)| dot(x.row(i), x.row(j))).collect::<Vec<_>>(), 12, 12);
    let gram = Inputs::from(gram.expect("12×12"));
    let weights: Vec<f64> = (0..12).map(|i| f64::from(i % 3)).collect();
    for w in [None, Some(&weights[..])] {
        holds(&fit("precomputed", gram.clone(), &[target(12)], w), gram.clone(), &[target(12)], w);
    }
}

/// At alpha = 0 the system is another one, also where K is singular and the targets contradict.
#[test]
fn interpolation() {
    let (x, y) = (dense(15, 2, 7), [target(15)]);
    let prepared = Prepare::default().fit_to(&x.clone().into(), &y, None).expect("valid");
    let kernel = KernelExpr::parse("linear").expect("a kernel");
    let ridge = KernelRidge { kernel, alpha: Alpha::Value(0.0), solver: RidgeSolver::Eigen, ..KernelRidge::default() };
    let model = ridge.fit(&prepared.inputs, &prepared.target, None, &Run::new()).expect("a fit").model;
    let pipeline = prepared.pipeline(model).expect("valid");
    holds(&pipeline, x.clone(), &y, None);
    broken(&tampered(&pipeline, "coefficients", 3, |a| a + 0.1), x, &y, "the claim does not hold");
}

/// The numbers are those of the definition, in plain loops.
#[test]
fn the_residual_is_that_of_the_system() {
    let plain = Prepare { standardize: false, scale_target: false, ..Prepare::default() };
    let (x, y) = (dense(9, 2, 8), [target(9)]);
    let pipeline = fit_with(plain, RidgeSolver::Eigen, "rbf(length_scale=1)", (x.clone().into(), &y, None));
    let pipeline = tampered(&pipeline, "coefficients", 2, |a| 1.5 * a);
    let found = verify(&pipeline, x.clone(), &y, None).found.expect("the same rows");
    let Column::Number(targets) = &y[0].1 else { panic!("numbers") };
    let (a, b) = (pipeline.model().coefficients(), pipeline.model().intercept()[0]);
    let squares = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(u, v)| (u - v) * (u - v)).sum::<f64>();
    let f = |i: usize| (0..9).map(|j| a[j] * (-0.5 * squares(x.row(i), x.row(j))).exp()).sum::<f64>();
    let residual: f64 = (0..9).map(|i| (targets[i] - f(i) - b - 0.1 * a[i]).powi(2)).sum();
    let balance = (0..9).map(|i| targets[i] - f(i) - b).sum::<f64>().abs() / 3.0;
    let scale = targets.iter().map(|y| y * y).sum::<f64>().sqrt();
    let relative = residual.sqrt().max(balance) / scale;
    assert!((found.residual() - relative).abs() <= tol::GOLDEN * relative, "{found:?} {relative}");
    let primal: f64 = (0..9).map(|i| 0.5 * (targets[i] - f(i) - b).powi(2) + 0.05 * a[i] * f(i)).sum();
    assert!((found.primal().expect("an objective") - primal).abs() <= tol::GOLDEN * primal, "{found:?} {primal}");
}

#[test]
fn a_changed_file_is_found_out() {
    let (x, y) = (dense(40, 2, 9), [target(40)]);
    let solvers =
        [RidgeSolver::Eigen, RidgeSolver::Cholesky, RidgeSolver::Nystrom(NystromParams { landmarks: Some(12) })];
    for solver in solvers {
        let pipeline = fit_with(Prepare::default(), solver, "rbf(length_scale=1)", (x.clone().into(), &y, None));
        for place in [0, 5, 11] {
            let changed = tampered(&pipeline, "coefficients", place, |a| a + 1e-6);
            broken(&changed, x.clone(), &y, "the claim does not hold: the relative residual");
        }
        broken(&tampered(&pipeline, "intercept", 0, |b| b + 1e-6), x.clone(), &y, "the claim does not hold");
        assert!(!verify(&tampered(&pipeline, "points", 4, |p| p + 1e-3), x.clone(), &y, None).holds);
    }
}

#[test]
fn a_changed_objective_is_found_out() {
    let (x, y) = (dense(20, 2, 10), [target(20)]);
    let mut parts = fit("rbf", x.clone(), &y, None).into_parts();
    let claimed = parts.model.certificate().clone();
    let certificate = claimed.clone().with(Measure::Primal, claimed.primal().map(|p| 0.9 * p));
    let model = ModelParts { certificate, ..parts.model.parts().clone() };
    parts.model = Model::from_parts(model).expect("the same sizes");
    broken(&Pipeline::from_parts(parts).expect("valid"), x, &y, "the objective is");
}

#[test]
fn other_data_are_found_out() {
    let (x, y) = (dense(30, 2, 11), [target(30)]);
    let pipeline = fit("rbf(length_scale=1)", x.clone(), &y, None);
    let change = |at: usize, by: f64| {
        let mut values = x.values().to_vec();
        values[at] += by;
        Rows::new(values, 30, 2).expect("30×2")
    };
    broken(&pipeline, change(14, 0.01), &y, "not the training data: row 7 differs");
    let Column::Number(old) = &y[0].1 else { panic!("numbers") };
    let mut new = old.to_vec();
    new[12] += 0.01;
    let moved = [("y".to_owned(), numbers(new))];
    broken(&pipeline, x.clone(), &moved, "the target of row 12 differs");
    let few: Vec<usize> = (1..30).collect();
    let fewer = [("y".to_owned(), y[0].1.take(&few))];
    broken(&pipeline, x.take(&few), &fewer, "29 rows count, and the model was fitted to 30 rows");
    let landmarks = RidgeSolver::Nystrom(NystromParams { landmarks: Some(8) });
    let approximate = fit_with(Prepare::default(), landmarks, "rbf", (x.clone().into(), &y, None));
    broken(&approximate, x.clone(), &moved, "the claim does not hold");
    broken(&approximate, change(14, 0.01), &y, "the claim does not hold");
    // Rows that were left out of the fit are not missed.
    let words = pipeline.verify_on(&x.into(), vec![class_target(30, &["a", "b"])], None, &Run::new());
    assert!(words.is_err(), "classes are no numbers");
}

/// A model of landmarks of a matrix has a place for every row; those with a coefficient are the landmarks.
#[test]
fn landmarks_of_a_matrix_are_verified() {
    let (x, y) = (dense(40, 2, 21), [target(40)]);
    let k =
        |i: usize, j: usize| (-0.5 * x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp();
    let values: Vec<f64> = (0..1600).map(|at| k(at / 40, at % 40)).collect();
    let matrix: Inputs = Precomputed::new(values, 40, 40).expect("40×40").into();
    let weights: Vec<f64> = (0..40).map(|i| f64::from(u8::from(i % 7 != 3)) * (1.0 + f64::from(i % 3))).collect();
    for weights in [None, Some(&weights[..])] {
        let solver = RidgeSolver::Nystrom(NystromParams { landmarks: Some(12) });
        let pipeline = fit_with(Prepare::default(), solver, "precomputed", (matrix.clone(), &y, weights));
        holds(&pipeline, matrix.clone(), &y, weights);
        let place = pipeline.model().coefficients().iter().position(|a| *a != 0.0).expect("a landmark");
        let changed = tampered(&pipeline, "coefficients", place, |a| a + 1e-6);
        let found = verify(&changed, matrix.clone(), &y, weights);
        assert!(!found.holds && found.verdict.contains("relative residual"), "{}", found.verdict);
        let Column::Number(old) = &y[0].1 else { panic!("numbers") };
        let mut new = old.to_vec();
        new[12] += 0.01;
        assert!(!verify(&pipeline, matrix.clone(), &[("y".to_owned(), numbers(new))], weights).holds);
    }
}

/// A matrix that no kernel gives is repaired before the fit. Verifying repairs it again, and finds the coefficients of the fit,
/// which predictions do not need.
#[test]
fn models_of_repaired_matrices() {
    let (n, run) = (30, Run::new());
    let x = dense(n, 2, 23);
    let product = |i: usize, j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum::<f64>();
    let values = |shift: f64| (0..n * n).map(|at| (product(at / n, at % n) - shift).tanh()).collect::<Vec<_>>();
    let matrix = |values: Vec<f64>| Inputs::from(Precomputed::new(values, n, n).expect("n×n"));
    let weights: Vec<f64> = (0..n).map(|i| [2.0, 1.0, 0.0, 3.0][i % 4]).collect();
    let numbers = ["ridge", "gp", "lssvm", "regressor", "filter"].map(|name| (name, target(n)));
    let classes =
        ["logistic", "classifier", "gp_classifier", "barycentre"].map(|name| (name, class_target(n, &["a", "b"])));
    for (name, y) in numbers.into_iter().chain(classes) {
        for (method, w) in [
            (RepairMethod::Clip, None),
            (RepairMethod::Clip, Some(&weights[..])),
            (RepairMethod::Flip, None),
            (RepairMethod::Shift, Some(&weights[..])),
        ] {
            let (given, y) = (matrix(values(1.0)), [y.clone()]);
            let prepared = Prepare::default().fit_to(&given, &y, w.map(weigh).as_ref()).expect("valid");
            let repair = Repair::fit(&values(1.0), n, method, &run).expect("symmetric");
            assert!(repair.report().negative > 5, "{:?}", repair.report());
            let mut changed = values(1.0);
            repair.apply(&mut changed, &run).expect("n×n");
            let learner = catalogue::by_name(name).expect("a learner");
            let learner = learner.with_kernel(KernelExpr::parse("precomputed").expect("a kernel"));
            let fitted = learner.fit(&matrix(changed), prepared.target.clone(), prepared.weights.as_ref(), &run);
            let model = fitted.unwrap_or_else(|e| panic!("{name}: {e}")).model.after_repair(&repair, &run);
            let pipeline = prepared.pipeline(model.expect("n points")).expect("valid");
            holds(&pipeline, given.clone(), &y, w);
            assert!(!verify(&pipeline, matrix(values(1.1)), &y, w).holds, "{name}: another matrix");
            for array in ["coefficients", "fitted_coefficients"] {
                let changed = tampered(&pipeline, array, 3, |a| a + 1e-3);
                let found = verify(&changed, given.clone(), &y, w);
                assert!(!found.holds, "{name} {method:?} {array}: {}", found.verdict);
            }
        }
    }
}
