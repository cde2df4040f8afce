//! Leave-one-out, generalised cross-validation and jackknife+, against refits and definitions.

use mercer::data::{Inputs, Targets};
use mercer::model::regress::{Alpha, KernelRidge, RidgeSolver};
use mercer::testkit::{points, tol};

use super::{RBF, close, distinct, eliminate, fit, kernel, naive, ridge, run, targets, weights};

/// The residual at every row of the fit without it, by refitting.
fn refits(estimator: &KernelRidge, x: &Inputs, y: &Targets, w: Option<&[f64]>) -> Vec<f64> {
    let (n, c) = (x.len(), y.outputs());
    let mut residuals = Vec::new();
    for i in 0..n {
        let rest: Vec<usize> = (0..n).filter(|j| *j != i).collect();
        let part = Targets::new(rest.iter().flat_map(|&j| y.row(j).to_vec()).collect::<Vec<_>>(), c).expect("finite");
        let w: Option<Vec<f64>> = w.map(|w| rest.iter().map(|&j| w[j]).collect());
        let model = fit(estimator, &x.take(&rest), &part, w.as_deref()).model;
        let at = model.predict(&x.take(&[i]), &run()).expect("predicts");
        residuals.extend(y.row(i).iter().zip(&at).map(|(y, f)| y - f));
    }
    residuals
}

#[test]
fn residuals_are_those_of_refits() {
    let x = distinct(25, 2, 50);
    let (y, mut w) = (targets(&x, 2, 51), weights(25, 52));
    w[4] = 0.0;
    for intercept in [false, true] {
        for w in [None, Some(&w[..])] {
            for alpha in [1e-3, 1.0] {
                let estimator = ridge(RBF, alpha, intercept, RidgeSolver::Eigen);
                let expected = refits(&estimator, &x, &y, w);
                let model = fit(&estimator, &x, &y, w).model;
                let loo = model.loo().expect("eigen gives them");
                let what = format!("intercept {intercept}, alpha {alpha}, weights {}", w.is_some());
                close(&loo.residuals, &expected, tol::GOLDEN, &what);
                let predictions: Vec<f64> = y.values().iter().zip(&expected).map(|(y, e)| y - e).collect();
                close(&loo.predictions, &predictions, tol::GOLDEN, &what);
                if w.is_none() {
                    let factored = fit(&ridge(RBF, alpha, intercept, RidgeSolver::Cholesky), &x, &y, w).model;
                    assert!(factored.loo().is_none());
                    let loo = factored.leave_one_out(&run()).expect("from a factor");
                    close(&loo.residuals, &expected, tol::GOLDEN, &format!("{what}, factor"));
                    close(&loo.predictions, &predictions, tol::GOLDEN, &format!("{what}, factor"));
                }
            }
        }
    }
}

/// At alpha = 0, with and without a null space.
#[test]
fn interpolation_has_leave_one_out_too() {
    let distinct = distinct(12, 3, 53);
    let repeated: Inputs = points::vectors(14, 3, 54).take(&[0, 0, 1, 2, 3, 4, 5, 5, 6]).into();
    for (x, name) in [(distinct, "distinct"), (repeated, "repeated")] {
        let y = targets(&x, 1, 55);
        for intercept in [false, true] {
            let estimator = ridge("matern12(length_scale=1)", 0.0, intercept, RidgeSolver::Eigen);
            let expected = refits(&estimator, &x, &y, None);
            let model = fit(&estimator, &x, &y, None).model;
            close(&model.loo().expect("eigen").residuals, &expected, 1e-7, &format!("{name}, intercept {intercept}"));
        }
    }
}

/// Both scores by their definitions, with the smoother H written out.
#[test]
fn scores_are_their_definitions() {
    let x = distinct(30, 2, 56);
    let (y, w) = (targets(&x, 2, 57), weights(30, 58));
    let (n, alphas) = (30, vec![1e-3, 0.1, 2.0]);
    for intercept in [false, true] {
        let estimator =
            KernelRidge { alpha: Alpha::Gcv(alphas.clone()), ..ridge(RBF, 1.0, intercept, RidgeSolver::Eigen) };
        let path = fit(&estimator, &x, &y, Some(&w)).report.scores;
        for (score, alpha) in path.iter().zip(&alphas) {
            assert_eq!(score.alpha, *alpha);
            // H eⱼ is the fit to the j-th unit vector.
            let mut trace = 0.0;
            for j in 0..n {
                let unit =
                    Targets::new((0..n).map(|i| f64::from(u8::from(i == j))).collect::<Vec<_>>(), 1).expect("finite");
                trace += naive(RBF, &x, &unit, Some(&w), *alpha, intercept).predict(RBF, &x, &x)[j];
            }
            let fitted = naive(RBF, &x, &y, Some(&w), *alpha, intercept).predict(RBF, &x, &x);
            let rss: f64 = (0..2 * n).map(|at| w[at / 2] * (y.values()[at] - fitted[at]).powi(2)).sum();
            let gcv = n as f64 * rss / (n as f64 - trace).powi(2);
            assert!((score.gcv - gcv).abs() <= tol::GOLDEN * gcv, "gcv {} for {gcv}", score.gcv);
            assert!((score.freedom - trace).abs() <= tol::GOLDEN * trace, "freedom {} for {trace}", score.freedom);
            let fixed = ridge(RBF, *alpha, intercept, RidgeSolver::Eigen);
            let e = refits(&fixed, &x, &y, Some(&w));
            let loo = (0..2 * n).map(|at| w[at / 2] * e[at] * e[at]).sum::<f64>() / w.iter().sum::<f64>();
            let got = score.loo.expect("leave-one-out");
            assert!((got - loo).abs() <= tol::GOLDEN * loo, "loo {got} for {loo}");
        }
    }
}

#[test]
fn the_least_score_is_taken_and_its_model_is_that_of_the_alpha() {
    let x = distinct(40, 2, 59);
    let y = targets(&x, 1, 60);
    for alpha in [Alpha::Loo(Alpha::grid()), Alpha::Gcv(Alpha::grid())] {
        let by_loo = matches!(alpha, Alpha::Loo(_));
        let estimator = KernelRidge { alpha, ..ridge(RBF, 1.0, true, RidgeSolver::Auto) };
        let fitted = fit(&estimator, &x, &y, None);
        let value = |s: &mercer::model::AlphaScore| if by_loo { s.loo.expect("loo") } else { s.gcv };
        let least = fitted.report.scores.iter().map(value).fold(f64::INFINITY, f64::min);
        let chosen = fitted.report.scores.iter().find(|s| Some(s.alpha) == fitted.model.alpha()).expect("of the list");
        assert_eq!(value(chosen), least);
        assert!(!fitted.report.at_the_edge);
        let alone = fit(&ridge(RBF, chosen.alpha, true, RidgeSolver::Eigen), &x, &y, None);
        close(alone.model.coefficients(), fitted.model.coefficients(), tol::GOLDEN, "alone");
    }
    let edge = KernelRidge { alpha: Alpha::Loo(vec![1e5, 1e6]), ..ridge(RBF, 1.0, true, RidgeSolver::Auto) };
    assert!(fit(&edge, &x, &y, None).report.at_the_edge);
}

/// GCV on landmarks equals that of all rows where the landmarks are all rows.
#[test]
fn gcv_on_landmarks() {
    let x = distinct(50, 3, 61);
    let (y, w) = (targets(&x, 1, 62), weights(50, 63));
    let alphas = vec![0.01, 0.3, 4.0];
    for solver in [RidgeSolver::Nystrom(Default::default()), RidgeSolver::Primal] {
        let formula = if solver == RidgeSolver::Primal { "poly(degree=2)" } else { RBF };
        for intercept in [false, true] {
            let of = |solver: RidgeSolver| {
                let estimator =
                    KernelRidge { alpha: Alpha::Gcv(alphas.clone()), ..ridge(formula, 1.0, intercept, solver) };
                fit(&estimator, &x, &y, Some(&w))
            };
            let (some, all) = (of(solver.clone()), of(RidgeSolver::Eigen));
            for (a, b) in some.report.scores.iter().zip(&all.report.scores) {
                assert!((a.gcv - b.gcv).abs() <= 1e-7 * b.gcv, "{solver:?}: gcv {} for {}", a.gcv, b.gcv);
                assert!((a.freedom - b.freedom).abs() <= 1e-7 * b.freedom);
            }
            assert_eq!(some.model.alpha(), all.model.alpha());
        }
    }
}

/// Jackknife+ by its definition: all refits, all sorted.
#[test]
fn intervals_are_those_of_refits() {
    let (x, at) = (distinct(19, 2, 64), distinct(5, 2, 65));
    let y = targets(&x, 2, 66);
    let (n, c, level) = (19, 2, 0.8);
    for intercept in [false, true] {
        let estimator = ridge(RBF, 0.3, intercept, RidgeSolver::Cholesky);
        let model = fit(&estimator, &x, &y, None).model;
        let interval = model.interval(&at, level, &run()).expect("an interval");
        let e = refits(&estimator, &x, &y, None);
        let mut without = Vec::new();
        for i in 0..n {
            let rest: Vec<usize> = (0..n).filter(|j| *j != i).collect();
            let part =
                Targets::new(rest.iter().flat_map(|&j| y.row(j).to_vec()).collect::<Vec<_>>(), c).expect("finite");
            without.push(fit(&estimator, &x.take(&rest), &part, None).model.predict(&at, &run()).expect("predicts"));
        }
        for q in 0..at.len() * c {
            let sorted = |sign: f64| {
                let mut v: Vec<f64> = (0..n).map(|i| without[i][q] + sign * e[i * c + q % c].abs()).collect();
                v.sort_by(f64::total_cmp);
                v
            };
            // ⌈0.8·20⌉ = 16 and ⌊0.2·20⌋ = 4, counted from 1.
            assert!((interval.upper[q] - sorted(1.0)[15]).abs() <= tol::GOLDEN, "upper {q}");
            assert!((interval.lower[q] - sorted(-1.0)[3]).abs() <= tol::GOLDEN, "lower {q}");
        }
        let wide = model.interval(&at, 0.99, &run()).expect("an interval");
        assert!(wide.upper.iter().all(|v| *v == f64::INFINITY), "nineteen rows say nothing of 99 %");
        assert!(model.interval(&at, 1.0, &run()).is_err());
    }
}

/// Leave-one-out of the textbook: e = α/diag((K + alpha·I)⁻¹).
#[test]
fn the_closed_form() {
    let x = distinct(15, 2, 67);
    let y = targets(&x, 1, 68);
    let mut a = kernel(RBF, &x, &x);
    (0..15).for_each(|i| a[i * 15 + i] += 0.4);
    let identity: Vec<f64> = (0..225).map(|at| f64::from(u8::from(at / 15 == at % 15))).collect();
    let inverse = eliminate(&a, 15, &identity, 15);
    let model = fit(&ridge(RBF, 0.4, false, RidgeSolver::Eigen), &x, &y, None).model;
    let expected: Vec<f64> = (0..15).map(|i| model.coefficients()[i] / inverse[i * 16]).collect();
    close(&model.loo().expect("eigen").residuals, &expected, tol::GOLDEN, "closed form");
}
