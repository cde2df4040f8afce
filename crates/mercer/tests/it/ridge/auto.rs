//! The choice of a solver depends on data and settings alone, and no answer is worse than f = 0.

use mercer::Run;
use mercer::certificate::Algorithm;
use mercer::data::{Inputs, Targets};
use mercer::model::Model;
use mercer::model::regress::{Alpha, KernelRidge, RidgeSolver};
use mercer::solver::CgParams;
use mercer::testkit::points::Chance;
use mercer::testkit::tol;

use super::{RBF, close, distinct, eliminate, fit, ridge, rows, run, targets};

#[test]
fn auto_does_not_ask_for_threads() {
    let memory = 24 << 20;
    for (n, formula, alpha) in
        [(60, "linear", 1.0), (60, "linear", 1e-9), (300, RBF, 0.1), (700, "linear", 0.1), (700, RBF, 0.5)]
    {
        let x = distinct(n, 3, 1);
        let y = targets(&x, 1, 2);
        let mut found = Vec::new();
        for threads in [1, 2, 8] {
            for limit in [None, Some(memory)] {
                let run = Run::new().with_threads(threads).expect("threads");
                let run = limit.map_or(run.clone(), |bytes| run.with_memory_limit(bytes));
                let learner = ridge(formula, alpha, true, RidgeSolver::Auto);
                let fitted = learner.fit(&x, &y, None, &run).expect("fits");
                found.push((limit, fitted.report.considered, fitted.model.coefficients().to_vec()));
            }
        }
        for (limit, considered, coefficients) in &found[2..] {
            let first = found[..2].iter().find(|f| f.0 == *limit).expect("the same limit");
            assert_eq!((considered, coefficients), (&first.1, &first.2), "{n} rows of {formula}");
        }
    }
}

/// Weights of the features by their own normal equations, and the values at the rows.
fn by_features(x: &Inputs, y: &Targets, alpha: f64) -> Vec<f64> {
    let x = rows(x);
    let (n, d) = (x.nrows(), x.ncols());
    let mut a: Vec<f64> = (0..d * d).map(|at| (0..n).map(|i| x.row(i)[at / d] * x.row(i)[at % d]).sum()).collect();
    (0..d).for_each(|j| a[j * d + j] += alpha);
    let b: Vec<f64> = (0..d).map(|j| (0..n).map(|i| x.row(i)[j] * y.row(i)[0]).sum()).collect();
    let theta = eliminate(&a, d, &b, 1);
    (0..n).map(|i| x.row(i).iter().zip(&theta).map(|(x, t)| x * t).sum()).collect()
}

#[test]
fn few_rows_of_a_linear_kernel_are_as_exact_as_many() {
    let x = distinct(100, 3, 5);
    let y = targets(&x, 1, 6);
    for (alpha, algorithm) in [(1.0, Algorithm::Eigen), (1e-6, Algorithm::Primal), (1e-10, Algorithm::Primal)] {
        let auto = fit(&ridge("linear", alpha, false, RidgeSolver::Auto), &x, &y, None);
        assert_eq!(auto.model.certificate().algorithm, algorithm, "{alpha}");
        let expected = by_features(&x, &y, alpha);
        close(&auto.model.predict(&x, &run()).expect("predicts"), &expected, tol::round(100), "values");
        assert!(auto.model.loo().is_some(), "leave-one-out comes along");
    }
}

/// Leave-one-out of the features is leave-one-out of the eigendecomposition, and that of refits.
#[test]
fn leave_one_out_of_features() {
    let x = distinct(40, 3, 7);
    let y = targets(&x, 2, 8);
    let weights: Vec<f64> = (0..40).map(|i| 0.5 + f64::from(i % 3)).collect();
    for (intercept, w) in [(false, None), (true, None), (true, Some(&weights[..]))] {
        let of = |solver| fit(&ridge("linear", 1e-3, intercept, solver), &x, &y, w).model;
        let [primal, eigen] = [of(RidgeSolver::Primal), of(RidgeSolver::Eigen)];
        let residuals = |m: &Model| m.loo().expect("kept").residuals.clone();
        close(&residuals(&primal), &residuals(&eigen), tol::GOLDEN, "residuals");
    }
}

/// ½·Σ(y − f)² + (alpha/2)·aᵀKa of f, and of f = 0.
fn objectives(learner: &KernelRidge, model: &Model, x: &Inputs, y: &Targets) -> [f64; 2] {
    let Alpha::Value(alpha) = learner.alpha else { panic!("one alpha") };
    let f = model.predict(x, &run()).expect("predicts");
    let norm: f64 = f.iter().zip(model.coefficients()).map(|(f, a)| a * (f - model.intercept()[0])).sum();
    let loss =
        |f: &dyn Fn(usize) -> f64| 0.5 * y.values().iter().enumerate().map(|(i, y)| (y - f(i)).powi(2)).sum::<f64>();
    let mean = if learner.fit_intercept { y.values().iter().sum::<f64>() / y.values().len() as f64 } else { 0.0 };
    [loss(&|i| f[i]) + 0.5 * alpha * norm.max(0.0), loss(&|_| mean)]
}

#[test]
fn no_answer_is_worse_than_none() {
    let mut chance = Chance::new(3);
    let mut cleared = 0;
    for seed in 0..30 {
        let n = 40 + chance.below(200);
        let x = distinct(n, 1 + chance.below(3), seed);
        let y = targets(&x, 1, seed + 1);
        let alpha = 10f64.powf(-12.0 * chance.unit());
        let solver = match seed % 3 {
            0 => RidgeSolver::Cg(CgParams { max_iterations: 1 + chance.below(60), ..CgParams::default() }),
            1 => RidgeSolver::Cg(CgParams::default()),
            _ => RidgeSolver::Cholesky,
        };
        let learner = ridge(
            ["rbf(length_scale=3)", "matern12(length_scale=1)", "linear"][chance.below(3)],
            alpha,
            seed % 2 == 0,
            solver,
        );
        let fitted = fit(&learner, &x, &y, None);
        let [is, zero] = objectives(&learner, &fitted.model, &x, &y);
        assert!(is <= zero * (1.0 + tol::GRAD), "seed {seed}, alpha {alpha:e}: {is} above {zero}");
        let said = fitted.model.certificate().reason.contains("f = 0");
        assert_eq!(said, fitted.model.coefficients().iter().all(|a| *a == 0.0), "seed {seed}");
        assert!(!said || !fitted.model.certificate().stop.is_complete(), "seed {seed}");
        cleared += usize::from(said);
    }
    assert!(cleared > 0, "the generator meets the case");
}
