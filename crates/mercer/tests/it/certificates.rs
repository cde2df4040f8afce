//! Certificates that hold in floating point; tools/certify judges many more, with 80 digits.

use std::sync::Arc;

use mercer::certificate::{Certificate, Measure};
use mercer::data::{Inputs, Rows, Targets};
use mercer::loss::{Absolute, Huber, Loss, Squared};
use mercer::model::AnyLoss;
use mercer::model::Penalty;
use mercer::model::regress::{Alpha, KernelRegressor, KernelRidge, RidgeSolver};
use mercer::solver::CgParams;
use mercer::{KernelExpr, Run};

fn line(values: &[f64]) -> Inputs {
    Rows::new(values.to_vec(), values.len(), 1).expect("one column").into()
}

fn ridge(formula: &str, alpha: f64, solver: RidgeSolver) -> KernelRidge {
    let kernel = KernelExpr::parse(formula).expect("a formula");
    KernelRidge { kernel, alpha: Alpha::Value(alpha), solver, ..KernelRidge::default() }
}

/// What of a certificate must hold beside a least objective that is known to all digits but the last.
fn holds(c: &Certificate, least: f64, what: &str) {
    let (primal, rounding) = (c.primal().expect("known"), c.get(Measure::Rounding).expect("known"));
    assert!(primal >= least * (1.0 - 4.0 * f64::EPSILON), "{what}: {c:?}, the least is {least:e}");
    if let (Some(dual), Some(gap)) = (c.dual(), c.gap()) {
        assert!(dual <= least * (1.0 + 4.0 * f64::EPSILON), "{what}: {c:?}, the least is {least:e}");
        assert!((0.0..=gap).contains(&rounding) && gap >= primal - dual, "{what}: {c:?}");
    }
}

/// Two equal points: f is a number, and the least objective is (y₁ − y₂)²/4 + alpha·(y₁ + y₂)²/(4(2 + alpha)), in which
/// nothing cancels. In double precision K + alpha is singular where alpha is below ε.
#[test]
fn bounds_hold_where_alpha_is_below_rounding() {
    let x = line(&[0.3, 0.3]);
    for apart in [0.0, 1e-9, 1e-3, 1.0] {
        let y = Targets::new(vec![1.0, 1.0 + apart], 1).expect("targets");
        let (minus, plus) = (y.values()[1] - y.values()[0], y.values()[0] + y.values()[1]);
        for exponent in 0..20 {
            let alpha = 10f64.powi(-exponent);
            let least = minus * minus / 4.0 + alpha * plus * plus / (4.0 * (2.0 + alpha));
            let cg = RidgeSolver::Cg(CgParams::default());
            for solver in [RidgeSolver::Eigen, RidgeSolver::Cholesky, cg, RidgeSolver::Auto] {
                let what = format!("{solver:?}, alpha {alpha:e}, apart {apart:e}");
                // A matrix that is singular to rounding may be refused.
                if let Ok(fitted) = ridge("rbf(length_scale=1)", alpha, solver).fit(&x, &y, None, &Run::new()) {
                    holds(fitted.model.certificate(), least, &what);
                }
            }
            let squared: Arc<dyn Loss> = Arc::new(Squared);
            let kernel = KernelExpr::parse("rbf(length_scale=1)").expect("a formula");
            let regressor = KernelRegressor {
                kernel,
                loss: squared.into(),
                penalty: Penalty::Alpha(alpha),
                fit_intercept: false,
                ..Default::default()
            };
            if let Ok(fitted) = regressor.fit(&x, &y, None, &Run::new()) {
                holds(fitted.model.certificate(), least, &format!("squared, alpha {alpha:e}, apart {apart:e}"));
            }
        }
    }
}

/// One point of a linear kernel: with z = a·x² the objective of |z − y| is |z − y| + (alpha/2)·z²/x², least at
/// z = min(y, x²/alpha).
#[test]
fn bounds_of_a_kink_hold_at_every_scale() {
    for exponent in (-12..=12).step_by(2) {
        let (alpha, y) = (10f64.powi(exponent), 3.0);
        let z = (4.0 / alpha).min(y);
        let least = (y - z) + 0.125 * alpha * z * z;
        let kernel = KernelExpr::parse("linear").expect("a formula");
        let regressor = KernelRegressor {
            kernel,
            loss: AnyLoss::Own(Arc::new(Absolute)),
            penalty: Penalty::Alpha(alpha),
            fit_intercept: false,
            ..Default::default()
        };
        let y = Targets::new(vec![y], 1).expect("a target");
        let fitted = regressor.fit(&line(&[2.0]), &y, None, &Run::new()).expect("fits");
        holds(fitted.model.certificate(), least, &format!("alpha {alpha:e}"));
    }
}

/// With an intercept a constant target costs nothing, and nothing is what is claimed to rounding.
#[test]
fn nothing_is_bounded_by_nothing() {
    let (x, y) = (line(&[0.0, 0.5, 1.0, 2.0]), Targets::new(vec![7.0; 4], 1).expect("targets"));
    let kernel = KernelExpr::parse("rbf(length_scale=1)").expect("a formula");
    let huber: Arc<dyn Loss> = Arc::new(Huber::new(1.0).expect("positive"));
    let regressor = KernelRegressor { kernel, loss: huber.into(), ..Default::default() };
    let c = regressor.fit(&x, &y, None, &Run::new()).expect("fits").model.certificate().clone();
    holds(&c, 0.0, "a constant");
    // Beside the 26 of f = 0.
    assert!(c.stop.is_complete() && c.primal().is_some_and(|p| p < 1e-9), "{c:?}");
}

/// Without a minimum there is nothing to bound, whatever the solver.
#[test]
fn an_indefinite_kernel_has_no_lower_bound() {
    let (x, y) = (line(&[0.1, 0.2, 0.4]), Targets::new(vec![1.0, -1.0, 2.0], 1).expect("targets"));
    for solver in [RidgeSolver::Cholesky, RidgeSolver::Auto] {
        if let Ok(fitted) = ridge("sigmoid(gamma=1, coef0=-0.1)", 10.0, solver).fit(&x, &y, None, &Run::new()) {
            let c = fitted.model.certificate();
            assert!(c.dual().is_none() && c.gap().is_none() && c.primal().is_some(), "{c:?}");
        }
    }
}
