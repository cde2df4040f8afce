//! The exact solvers.

use mercer::certificate::{Algorithm, Measure, Stop};
use mercer::data::{Inputs, Precomputed, Rows, Targets};
use mercer::model::regress::{Alpha, KernelRidge, RidgeSolver};
use mercer::solver::CgParams;
use mercer::testkit::{points, tol};
use mercer::{KernelExpr, Run};

use super::{RBF, close, distinct, fit, kernel, naive, ridge, rows, run, targets, weights};

fn cg() -> RidgeSolver {
    RidgeSolver::Cg(CgParams { tolerance: 1e-12, ..CgParams::default() })
}

/// Every exact solver against elimination: weights or none, intercept or none, three outputs.
#[test]
fn all_solvers_are_the_definition() {
    let (x, at) = (distinct(60, 3, 1), distinct(17, 3, 2));
    let (y, w) = (targets(&x, 3, 3), weights(60, 4));
    for alpha in [1e-3, 1.0, 50.0] {
        for intercept in [false, true] {
            for w in [None, Some(&w[..])] {
                let expected = naive(RBF, &x, &y, w, alpha, intercept);
                let values = expected.predict(RBF, &x, &at);
                for solver in [RidgeSolver::Eigen, RidgeSolver::Cholesky, cg(), RidgeSolver::Auto] {
                    let what = format!("{solver:?}, alpha {alpha}, intercept {intercept}, weights {}", w.is_some());
                    let fitted = fit(&ridge(RBF, alpha, intercept, solver), &x, &y, w);
                    let model = &fitted.model;
                    close(model.coefficients(), &expected.coefficients, tol::GOLDEN, &what);
                    close(model.intercept(), &expected.intercept, tol::GOLDEN, &what);
                    close(&model.predict(&at, &run()).expect("predicts"), &values, tol::GOLDEN, &what);
                    let certificate = &fitted.model.certificate();
                    assert!(certificate.residual() <= 1e-11, "{what}: {}", certificate.residual());
                    let gap = certificate.gap().expect("both objectives");
                    let primal = certificate.primal().expect("an objective");
                    let rounding = certificate.get(Measure::Rounding).expect("measured");
                    assert!(gap.abs() <= 1e-10 * primal + rounding, "{what}: gap {gap:e} of {primal:e}");
                    assert_eq!(certificate.jitter(), 0.0);
                }
            }
        }
    }
}

/// The certificate against the system, multiplied out here.
#[test]
fn the_certificate_is_the_residual() {
    let x = distinct(80, 2, 5);
    let (y, w) = (targets(&x, 1, 6), weights(80, 7));
    let loose = RidgeSolver::Cg(CgParams { tolerance: 1e-3, max_iterations: 1000 });
    for solver in [RidgeSolver::Eigen, RidgeSolver::Cholesky, loose] {
        let fitted = fit(&ridge(RBF, 0.1, false, solver), &x, &y, Some(&w));
        let (a, k) = (fitted.model.coefficients(), kernel(RBF, &x, &x));
        let residual = |i: usize| y.row(i)[0] - (0..80).map(|j| k[i * 80 + j] * a[j]).sum::<f64>() - 0.1 / w[i] * a[i];
        let norm = |f: &dyn Fn(usize) -> f64| (0..80).map(|i| w[i] * f(i).powi(2)).sum::<f64>().sqrt();
        let expected = norm(&residual) / norm(&|i| y.row(i)[0]);
        let got = fitted.model.certificate().residual();
        assert!((got - expected).abs() <= 1e-3 * expected + tol::round(80), "{got:e} for {expected:e}");
        let objective: f64 = (0..80)
            .map(|i| {
                let f: f64 = (0..80).map(|j| k[i * 80 + j] * a[j]).sum();
                0.5 * w[i] * (y.row(i)[0] - f).powi(2) + 0.05 * a[i] * f
            })
            .sum();
        let primal = fitted.model.certificate().primal().expect("an objective");
        assert!((primal - objective).abs() <= tol::GOLDEN * objective, "{primal} for {objective}");
        let gap = fitted.model.certificate().gap().expect("a bound");
        assert!(gap >= -1e-12 * primal, "the dual is not above the primal: {gap:e}");
    }
}

#[test]
fn weights_count_like_repeated_rows() {
    let x = distinct(25, 2, 8);
    let y = targets(&x, 2, 9);
    let w: Vec<f64> = (0..25).map(|i| f64::from(i % 3)).collect();
    let repeated: Vec<usize> = (0..25).flat_map(|i| vec![i; i % 3]).collect();
    let values: Vec<f64> = repeated.iter().flat_map(|&i| y.row(i).to_vec()).collect();
    let (x2, y2) = (x.take(&repeated), Targets::new(values, 2).expect("finite"));
    let at = distinct(9, 2, 10);
    for solver in [RidgeSolver::Eigen, RidgeSolver::Cholesky, cg()] {
        for intercept in [false, true] {
            let estimator = ridge(RBF, 0.5, intercept, solver.clone());
            let [a, b] = [fit(&estimator, &x, &y, Some(&w)), fit(&estimator, &x2, &y2, None)]
                .map(|f| f.model.predict(&at, &run()).expect("predicts"));
            close(&a, &b, tol::GOLDEN, &format!("{solver:?}, intercept {intercept}"));
        }
    }
}

#[test]
fn a_row_of_weight_zero_is_absent_to_the_last_bit() {
    let x = distinct(30, 2, 11);
    let y = targets(&x, 1, 12);
    let mut w = weights(30, 13);
    (0..30).step_by(4).for_each(|i| w[i] = 0.0);
    let kept: Vec<usize> = (0..30).filter(|i| w[*i] > 0.0).collect();
    let x2 = x.take(&kept);
    let y2 = Targets::new(kept.iter().map(|&i| y.row(i)[0]).collect::<Vec<_>>(), 1).expect("finite");
    let w2: Vec<f64> = kept.iter().map(|&i| w[i]).collect();
    let formula = "rbf(length_scale=median)";
    for solver in [RidgeSolver::Eigen, RidgeSolver::Cholesky, cg(), RidgeSolver::Nystrom(Default::default())] {
        let estimator = ridge(formula, 0.5, true, solver);
        let (a, b) = (fit(&estimator, &x, &y, Some(&w)), fit(&estimator, &x2, &y2, Some(&w2)));
        // The unit of an output may differ by a power of two, which changes no digit.
        assert_eq!(a.model.coefficients(), b.model.coefficients());
        assert_eq!(a.model.intercept(), b.model.intercept());
        assert_eq!(a.model.kernel(), b.model.kernel());
        assert_eq!(a.report.rows_of_weight_zero, 30 - kept.len());
    }
}

/// With the linear kernel, the intercept is the fit to centred points and targets.
#[test]
fn the_intercept_is_the_centred_problem() {
    let x = distinct(40, 3, 14);
    let y = targets(&x, 1, 15);
    let mean_y = y.values().iter().sum::<f64>() / 40.0;
    let means: Vec<f64> = (0..3).map(|j| (0..40).map(|i| rows(&x).row(i)[j]).sum::<f64>() / 40.0).collect();
    let centred: Vec<f64> = rows(&x).values().iter().enumerate().map(|(at, v)| v - means[at % 3]).collect();
    let x2: Inputs = Rows::new(centred, 40, 3).expect("40×3").into();
    let y2 = Targets::new(y.values().iter().map(|v| v - mean_y).collect::<Vec<_>>(), 1).expect("finite");
    for solver in [RidgeSolver::Eigen, RidgeSolver::Cholesky, cg(), RidgeSolver::Primal] {
        let with = fit(&ridge("linear", 0.3, true, solver.clone()), &x, &y, None).model.predict(&x, &run());
        let without = fit(&ridge("linear", 0.3, false, solver), &x2, &y2, None).model.predict(&x2, &run());
        let expected: Vec<f64> = without.expect("predicts").iter().map(|v| v + mean_y).collect();
        close(&with.expect("predicts"), &expected, tol::GOLDEN, "centred");
    }
}

/// A primal solution has as many coefficients as the feature space has dimensions.
#[test]
fn primal_is_dual() {
    let (x, at) = (distinct(70, 3, 16), distinct(11, 3, 17));
    let (y, w) = (targets(&x, 2, 18), weights(70, 19));
    for (formula, dimensions) in [("linear", 3), ("2*linear + 1", 4), ("poly(degree=2)", 10)] {
        for intercept in [false, true] {
            for alpha in [1e-4, 1.0] {
                let dual = fit(&ridge(formula, alpha, intercept, RidgeSolver::Eigen), &x, &y, Some(&w));
                let primal = fit(&ridge(formula, alpha, intercept, RidgeSolver::Primal), &x, &y, Some(&w));
                assert_eq!(primal.model.points().len(), dimensions, "{formula}");
                assert_eq!(primal.model.certificate().algorithm, Algorithm::Primal);
                let [a, b] = [&primal, &dual].map(|f| f.model.predict(&at, &run()).expect("predicts"));
                close(&a, &b, 10.0 * tol::GOLDEN, &format!("{formula}, alpha {alpha}, intercept {intercept}"));
                assert!(primal.model.certificate().residual() <= 1e-8);
            }
        }
    }
    let full = ridge(RBF, 1.0, false, RidgeSolver::Primal).fit(&x, &y, None, &run());
    assert!(full.is_err(), "a Gaussian has no small feature space");
}

#[test]
fn auto_takes_the_primal_of_a_linear_kernel() {
    let x = distinct(600, 4, 20);
    let fitted = fit(&ridge("linear + 1", 0.5, false, RidgeSolver::Auto), &x, &targets(&x, 1, 21), None);
    assert_eq!(fitted.model.certificate().algorithm, Algorithm::Primal);
    assert_eq!(fitted.model.certificate().rank(), Some(5));
    assert!(fitted.model.certificate().reason.contains("5 features"), "{}", fitted.model.certificate().reason);
}

/// alpha = 0 interpolates, and is the limit of small alphas.
#[test]
fn alpha_zero_interpolates() {
    let (x, at) = (distinct(20, 3, 22), distinct(8, 3, 23));
    let y = targets(&x, 2, 24);
    for intercept in [false, true] {
        let zero = fit(&ridge("matern12(length_scale=2)", 0.0, intercept, RidgeSolver::Auto), &x, &y, None);
        close(&zero.model.predict(&x, &run()).expect("predicts"), y.values(), tol::GOLDEN, "interpolates");
        assert!(zero.model.certificate().residual() <= 1e-10);
        let small = fit(&ridge("matern12(length_scale=2)", 1e-9, intercept, RidgeSolver::Cholesky), &x, &y, None);
        let [a, b] = [zero, small].map(|f| f.model.predict(&at, &run()).expect("predicts"));
        close(&a, &b, 1e-7, "the limit");
    }
}

/// Repeated rows with different targets: the best fit is their mean, and its norm is least.
#[test]
fn alpha_zero_of_a_singular_matrix_is_the_minimum_norm_fit() {
    let x = points::vectors(12, 2, 25);
    let twice: Inputs = x.take(&[0, 0, 1, 2, 3, 4, 4, 5]).into();
    let once: Inputs = x.take(&[0, 1, 2, 3, 4, 5]).into();
    let y = Targets::new(vec![1.0, 3.0, -1.0, 0.5, 2.0, 7.0, 9.0, 0.0], 1).expect("finite");
    let means = Targets::new(vec![2.0, -1.0, 0.5, 2.0, 8.0, 0.0], 1).expect("finite");
    let at = distinct(6, 2, 26);
    for intercept in [false, true] {
        let singular = fit(&ridge(RBF, 0.0, intercept, RidgeSolver::Auto), &twice, &y, None);
        // The mean of a pair counts twice, which only the intercept's position feels, and not at 0.
        let plain = fit(&ridge(RBF, 0.0, intercept, RidgeSolver::Auto), &once, &means, None);
        let rank = singular.model.certificate().rank().expect("a rank");
        assert_eq!(rank, if intercept { 5 } else { 6 });
        let [a, b] = [&singular, &plain].map(|f| f.model.predict(&at, &run()).expect("predicts"));
        close(&a, &b, 1e-7, &format!("intercept {intercept}"));
        assert!(singular.model.certificate().residual() <= 1e-9);
    }
    // A linear kernel of rank 2 on 12 rows: least squares by the normal equations.
    let x: Inputs = x.into();
    let y = targets(&x, 1, 27);
    let fitted = fit(&ridge("linear", 0.0, false, RidgeSolver::Eigen), &x, &y, None);
    let mut gram = [0.0; 4];
    let mut rhs = [0.0; 2];
    for i in 0..12 {
        let row = rows(&x).row(i);
        (0..4).for_each(|at| gram[at] += row[at / 2] * row[at % 2]);
        (0..2).for_each(|j| rhs[j] += row[j] * y.row(i)[0]);
    }
    let slope = super::eliminate(&gram, 2, &rhs, 1);
    let expected: Vec<f64> = (0..12).map(|i| rows(&x).row(i).iter().zip(&slope).map(|(a, b)| a * b).sum()).collect();
    close(&fitted.model.predict(&x, &run()).expect("predicts"), &expected, tol::GOLDEN, "least squares");
    assert_eq!(fitted.model.certificate().rank(), Some(2));
    let primal = fit(&ridge("linear", 0.0, false, RidgeSolver::Primal), &x, &y, None);
    close(&primal.model.predict(&x, &run()).expect("predicts"), &expected, tol::GOLDEN, "least squares, primal");
}

#[test]
fn an_alpha_below_rounding_counts_as_zero_and_is_said() {
    let x: Inputs = points::vectors(12, 2, 28).take(&[0, 0, 1, 2, 3]).into();
    let y = Targets::new(vec![1.0, 3.0, -1.0, 0.5, 2.0], 1).expect("finite");
    let tiny = fit(&ridge(RBF, 1e-19, false, RidgeSolver::Auto), &x, &y, None);
    let zero = fit(&ridge(RBF, 0.0, false, RidgeSolver::Auto), &x, &y, None);
    assert_eq!(tiny.model.coefficients(), zero.model.coefficients());
    let factored = fit(&ridge(RBF, 1e-19, false, RidgeSolver::Cholesky), &x, &y, None);
    assert!(factored.model.certificate().jitter() > 0.0, "the ladder is reported");
}

#[test]
fn order_and_threads_do_not_matter() {
    let x = distinct(90, 3, 29);
    let y = targets(&x, 2, 30);
    let order: Vec<usize> = (0..90).map(|i| (i * 37) % 90).collect();
    let moved = Targets::new(order.iter().flat_map(|&i| y.row(i).to_vec()).collect::<Vec<_>>(), 2).expect("finite");
    let at = distinct(10, 3, 31);
    for solver in [RidgeSolver::Eigen, RidgeSolver::Cholesky, cg(), RidgeSolver::Nystrom(Default::default())] {
        let estimator = ridge(RBF, 0.1, true, solver);
        let a = fit(&estimator, &x, &y, None).model.predict(&at, &run()).expect("predicts");
        let b = fit(&estimator, &x.take(&order), &moved, None).model.predict(&at, &run()).expect("predicts");
        close(&a, &b, tol::GOLDEN, "order");
        let of = |threads: usize| {
            let run = Run::new().with_threads(threads).expect("a few");
            let model = estimator.fit(&x, &y, None, &run).expect("fits").model;
            (model.coefficients().to_vec(), model.predict(&at, &run).expect("predicts"))
        };
        assert!(of(1) == of(3), "threads matter: {:?}", estimator.solver);
    }
}

#[test]
fn precomputed_values_give_the_same_model() {
    let (x, at) = (distinct(30, 2, 32), distinct(7, 2, 33));
    let y = targets(&x, 1, 34);
    let mut w = weights(30, 35);
    w[3] = 0.0;
    let k: Inputs = Precomputed::new(kernel(RBF, &x, &x), 30, 30).expect("30×30").into();
    let new: Inputs = Precomputed::new(kernel(RBF, &at, &x), 7, 30).expect("7×30").into();
    for solver in [RidgeSolver::Eigen, RidgeSolver::Cholesky, cg(), RidgeSolver::Nystrom(Default::default())] {
        let from_points = fit(&ridge(RBF, 0.2, true, solver.clone()), &x, &y, Some(&w)).model;
        let from_values = fit(&ridge("precomputed", 0.2, true, solver), &k, &y, Some(&w)).model;
        let [a, b] =
            [from_points.predict(&at, &run()), from_values.predict(&new, &run())].map(|f| f.expect("predicts"));
        close(&b, &a, tol::GOLDEN, "precomputed");
    }
}

#[test]
fn estimators_and_certificates_survive_json() {
    let estimator = KernelRidge { alpha: Alpha::Loo(vec![0.1, 1.0]), ..KernelRidge::default() };
    let text = serde_json::to_string(&estimator).expect("a string");
    assert_eq!(serde_json::from_str::<KernelRidge>(&text).expect("reads back"), estimator);
    let x = distinct(10, 2, 36);
    let certificate =
        fit(&ridge(RBF, 1.0, false, RidgeSolver::Auto), &x, &targets(&x, 1, 37), None).model.certificate().clone();
    assert_eq!(certificate.stop, Stop::Direct);
    let text = serde_json::to_string(&certificate).expect("a string");
    assert_eq!(serde_json::from_str::<mercer::certificate::Certificate>(&text).expect("reads back"), certificate);
}

#[test]
fn rules_are_resolved_on_the_rows_that_count() {
    let x = distinct(30, 2, 38);
    let estimator = KernelRidge { kernel: KernelExpr::parse("rbf").expect("a formula"), ..KernelRidge::default() };
    let fitted = fit(&estimator, &x, &targets(&x, 1, 39), None);
    assert_eq!(fitted.report.resolutions.len(), 1);
    assert!(fitted.model.kernel().is_resolved());
}
