//! The solvers for many rows: conjugate gradients, landmarks, limits.

use std::time::Duration;

use mercer::approx::{NystromParams, RpCholeskyParams, rp_cholesky};
use mercer::certificate::{Algorithm, Stop};
use mercer::gram::KernelColumns;
use mercer::linalg::LinearOperator;
use mercer::model::regress::RidgeSolver;
use mercer::solver::{CgParams, Identity, System, conjugate_gradient};
use mercer::testkit::{points, tol};
use mercer::{Error, KernelExpr, Run};

use super::{RBF, close, distinct, fit, naive, ridge, run, targets, weights};

#[test]
fn auto_reaches_the_tolerance_by_iteration() {
    let x = distinct(2600, 10, 80);
    let (y, w) = (targets(&x, 2, 81), weights(2600, 82));
    for alpha in [1.0, 1e-4] {
        let formula = "rbf(length_scale=5)";
        let fitted = fit(&ridge(formula, alpha, true, RidgeSolver::Auto), &x, &y, Some(&w));
        let certificate = &fitted.model.certificate();
        assert!(certificate.residual() <= 1e-8, "{certificate:?}");
        let factored = fit(&ridge(formula, alpha, true, RidgeSolver::Cholesky), &x, &y, Some(&w));
        let at = distinct(40, 10, 83);
        let [a, b] = [&fitted, &factored].map(|f| f.model.predict(&at, &run()).expect("predicts"));
        close(&a, &b, 1e-5, &format!("alpha {alpha}, {:?}", certificate.algorithm));
        assert_eq!(fitted.report.considered[0].algorithm, "cg");
    }
}

#[test]
fn a_streamed_matrix_gives_the_same() {
    let x = distinct(900, 4, 84);
    let y = targets(&x, 1, 85);
    let estimator = ridge(RBF, 0.5, true, RidgeSolver::Cg(CgParams::default()));
    // The matrix needs 6.5 MB and 64 MB are kept free beside it.
    let small = Run::new().with_memory_limit(60 << 20);
    let streamed = estimator.fit(&x, &y, None, &small).expect("fits");
    assert!(streamed.model.certificate().residual() <= 1e-8);
    let stored = fit(&estimator, &x, &y, None);
    close(streamed.model.coefficients(), stored.model.coefficients(), 1e-6, "streamed");
}

struct Diagonal(Vec<f64>);

impl LinearOperator for Diagonal {
    fn nrows(&self) -> usize {
        self.0.len()
    }

    fn ncols(&self) -> usize {
        self.0.len()
    }

    fn apply(&self, v: &[f64], k: usize, out: &mut [f64], _: &Run) -> mercer::Result<()> {
        out.iter_mut().enumerate().for_each(|(at, o)| *o = self.0[at / k] * v[at]);
        Ok(())
    }
}

/// A diagonal matrix with ten different values: ten iterations, and its condition number is known.
#[test]
fn conjugate_gradients_end_after_as_many_steps_as_there_are_eigenvalues() {
    let a = Diagonal((0..200).map(|i| 1.0 + f64::from(i % 10) * 11.0).collect());
    let rhs: Vec<f64> = (0..400).map(|i| (f64::from(i) * 0.37).sin() + 0.1).collect();
    let system = System { operator: &a, preconditioner: &Identity, rhs: &rhs, k: 2 };
    let mut x = vec![0.0; 400];
    let params = CgParams { tolerance: 1e-12, max_iterations: 50 };
    let info = conjugate_gradient(&system, &mut x, &params, &run()).expect("solves");
    assert_eq!(info.stop, Stop::Tolerance);
    assert!(info.iterations <= 11, "{info:?}");
    assert!((info.condition - 100.0).abs() <= 1e-6, "{info:?}");
    for (at, x) in x.iter().enumerate() {
        assert!((x * a.0[at / 2] - rhs[at]).abs() <= 1e-10);
    }
    let short = CgParams { max_iterations: 3, ..params };
    let info = conjugate_gradient(&system, &mut vec![0.0; 400], &short, &run()).expect("stops");
    assert_eq!((info.iterations, info.stop), (3, Stop::MaxIterations));
    for tolerance in [0.0, 1.0, f64::NAN] {
        assert!(CgParams { tolerance, ..params }.validate().is_err());
    }
    assert!(conjugate_gradient(&system, &mut [0.0; 3], &params, &run()).is_err());
}

/// With as many landmarks as rows, the approximation is exact.
#[test]
fn all_rows_as_landmarks_are_exact() {
    let (x, at) = (distinct(120, 3, 86), distinct(20, 3, 87));
    let (y, w) = (targets(&x, 2, 88), weights(120, 89));
    for alpha in [1e-6, 0.1, 10.0] {
        for intercept in [false, true] {
            let expected = naive(RBF, &x, &y, Some(&w), alpha, intercept).predict(RBF, &x, &at);
            let solver = RidgeSolver::Nystrom(NystromParams { landmarks: Some(120) });
            let fitted = fit(&ridge(RBF, alpha, intercept, solver), &x, &y, Some(&w));
            let got = fitted.model.predict(&at, &run()).expect("predicts");
            close(&got, &expected, 1e-6, &format!("alpha {alpha}, intercept {intercept}"));
            assert!(fitted.model.certificate().residual() <= 1e-6, "{:?}", fitted.model.certificate());
        }
    }
}

/// On few landmarks, the answer minimises over functions of the landmarks: no other is better.
#[test]
fn few_landmarks_give_the_best_function_of_theirs() {
    let x = distinct(400, 3, 90);
    let (y, w) = (targets(&x, 1, 91), weights(400, 92));
    let solver = RidgeSolver::Nystrom(NystromParams { landmarks: Some(25) });
    let fitted = fit(&ridge(RBF, 0.7, true, solver), &x, &y, Some(&w));
    let model = &fitted.model;
    assert_eq!(model.points().len(), 25);
    let k = super::kernel(RBF, &x, model.points());
    let kzz = super::kernel(RBF, model.points(), model.points());
    let objective = |a: &[f64], b: f64| {
        let loss: f64 = (0..400)
            .map(|i| {
                let f: f64 = (0..25).map(|j| k[i * 25 + j] * a[j]).sum();
                0.5 * w[i] * (y.row(i)[0] - f - b).powi(2)
            })
            .sum();
        let norm: f64 = (0..625).map(|at| a[at / 25] * kzz[at] * a[at % 25]).sum();
        loss + 0.35 * norm
    };
    let (a, b) = (model.coefficients(), model.intercept()[0]);
    let least = objective(a, b);
    let primal = fitted.model.certificate().primal().expect("an objective");
    assert!((least - primal).abs() <= tol::GOLDEN * least, "{primal} for {least}");
    for j in 0..25 {
        for step in [-1e-4, 1e-4] {
            let mut moved = a.to_vec();
            moved[j] += step;
            assert!(objective(&moved, b) >= least - tol::round(400) * least, "coefficient {j}");
        }
    }
    assert!(objective(a, b + 1e-4) > least && objective(a, b - 1e-4) > least);
}

#[test]
fn random_pivots_factor_what_they_say() {
    let x = distinct(300, 3, 93);
    let k = KernelExpr::parse(RBF).expect("a formula").bind(&x, &run()).expect("binds");
    let gram = super::kernel(RBF, &x, &x);
    for rank in [1, 20, 300] {
        let params = RpCholeskyParams { rank, residual_trace: 0.0, seed: 3 };
        let factor = rp_cholesky(&KernelColumns(&k), &params, &run()).expect("a factor");
        let (r, f) = (factor.rank(), factor.columns());
        assert!(r <= rank && (rank > 20 || r == rank));
        let mut distinct = factor.pivots().to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), r, "no pivot twice");
        // K − FFᵀ vanishes at the pivots and has the trace that is reported.
        let rest =
            |i: usize, j: usize| gram[i * 300 + j] - (0..r).map(|c| f[c * 300 + i] * f[c * 300 + j]).sum::<f64>();
        for &p in factor.pivots() {
            (0..300).for_each(|i| assert!(rest(i, p).abs() <= 1e-9, "({i}, {p}) of rank {r}"));
        }
        let trace: f64 = (0..300).map(|i| rest(i, i)).sum();
        assert!((trace - factor.residual_trace()).abs() <= 1e-9, "{trace} for {}", factor.residual_trace());
        let again = rp_cholesky(&KernelColumns(&k), &params, &run()).expect("a factor");
        assert_eq!(again.pivots(), factor.pivots(), "a seed is a seed");
    }
}

/// Nearly the best rank-20 factor: within twice the error of the best of rank 20/2.
#[test]
fn random_pivots_are_nearly_the_best() {
    let x = distinct(300, 3, 94);
    let bound = KernelExpr::parse(RBF).expect("a formula").bind(&x, &run()).expect("binds");
    let values = mercer::linalg::symmetric_eigenvalues(&super::kernel(RBF, &x, &x), 300).expect("values");
    let best: f64 = values[..300 - 20].iter().sum();
    for seed in 0..5 {
        let params = RpCholeskyParams { rank: 40, residual_trace: 0.0, seed };
        let left = rp_cholesky(&KernelColumns(&bound), &params, &run()).expect("a factor").residual_trace();
        assert!(left <= 2.0 * best, "seed {seed}: {left} left, best {best} of half the rank");
    }
}

#[test]
fn a_deadline_gives_the_best_so_far_or_says_so() {
    let x = points::vectors(3000, 5, 95).into();
    let y = targets(&x, 1, 96);
    let late = || Run::new().with_deadline(Duration::ZERO);
    for solver in [RidgeSolver::Eigen, RidgeSolver::Cholesky, RidgeSolver::Nystrom(Default::default())] {
        let error = ridge(RBF, 0.1, false, solver).fit(&x, &y, None, &late()).map(|_| ()).expect_err("nothing to give");
        assert!(matches!(error, Error::Cancelled { .. }), "{error}");
    }
    // Conjugate gradients without a matrix have the function 0 to begin with.
    let streamed = Run::new().with_memory_limit(100 << 20).with_deadline(Duration::ZERO);
    let hard = RidgeSolver::Cg(CgParams { tolerance: 1e-13, max_iterations: 100_000 });
    let fitted = ridge("rbf(length_scale=30)", 1e-7, false, hard).fit(&x, &y, None, &streamed);
    match fitted {
        Ok(fitted) => {
            assert_eq!(fitted.model.certificate().stop, Stop::Deadline);
            assert!(fitted.model.certificate().residual() <= 1.0 + 1e-12);
        }
        Err(error) => assert!(matches!(error, Error::Cancelled { .. }), "{error}"),
    }
}

#[test]
fn the_memory_limit_is_obeyed_and_auto_works_around_it() {
    let x = distinct(2000, 3, 97);
    let y = targets(&x, 1, 98);
    let tight = || Run::new().with_memory_limit(24 << 20);
    for solver in [RidgeSolver::Eigen, RidgeSolver::Cholesky] {
        let error = ridge(RBF, 0.1, false, solver).fit(&x, &y, None, &tight()).map(|_| ()).expect_err("32 MB needed");
        assert!(matches!(error, Error::Memory { .. }), "{error}");
    }
    let fitted = ridge(RBF, 0.1, false, RidgeSolver::Auto).fit(&x, &y, None, &tight()).expect("streams");
    assert_eq!(fitted.model.certificate().algorithm, Algorithm::Cg);
    assert!(fitted.model.certificate().residual() <= 1e-8, "{:?}", fitted.model.certificate());
    assert!(fitted.model.certificate().reason.contains("does not fit"), "{}", fitted.model.certificate().reason);
}
