//! Numbers of scikit-learn, made by the script beside the fixture.

use mercer::data::{Inputs, Rows, Targets};
use mercer::model::regress::{Alpha, KernelRidge, RidgeSolver};
use mercer::testkit::tol;
use serde::Deserialize;

use super::{close, fit, ridge, run};

#[derive(Deserialize)]
struct Fixture {
    #[serde(rename = "X")]
    x: Vec<Vec<f64>>,
    #[serde(rename = "X_new")]
    x_new: Vec<Vec<f64>>,
    #[serde(rename = "Y")]
    y: Vec<Vec<f64>>,
    weights: Vec<f64>,
    alphas: Vec<f64>,
    kernel_ridge: Vec<Dual>,
    ridge_cv: Vec<LeaveOneOut>,
}

#[derive(Deserialize)]
struct Dual {
    formula: String,
    alpha: f64,
    weighted: bool,
    dual_coef: Vec<Vec<f64>>,
    predictions: Vec<Vec<f64>>,
}

#[derive(Deserialize)]
struct LeaveOneOut {
    fit_intercept: bool,
    squared_errors: Vec<Vec<f64>>,
    best: f64,
    predictions: Vec<Vec<f64>>,
}

fn read() -> Fixture {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/scikit-learn-1.9.1/ridge.json");
    let text = std::fs::read_to_string(path).expect("the fixture is there");
    serde_json::from_str(&text).expect("the fixture has the shape of its script")
}

fn inputs(rows: &[Vec<f64>]) -> Inputs {
    Rows::new(rows.concat(), rows.len(), rows[0].len()).expect("rows of one length").into()
}

#[test]
fn kernel_ridge() {
    let fixture = read();
    let (x, at) = (inputs(&fixture.x), inputs(&fixture.x_new));
    let y = Targets::new(fixture.y.concat(), 2).expect("finite");
    for case in &fixture.kernel_ridge {
        let w = case.weighted.then_some(&fixture.weights[..]);
        for solver in [RidgeSolver::Eigen, RidgeSolver::Cholesky] {
            let model = fit(&ridge(&case.formula, case.alpha, false, solver), &x, &y, w).model;
            let what = format!("{}, alpha {}, weighted {}", case.formula, case.alpha, case.weighted);
            close(&model.predict(&at, &run()).expect("predicts"), &case.predictions.concat(), tol::GOLDEN, &what);
            close(model.coefficients(), &case.dual_coef.concat(), tol::GOLDEN, &what);
        }
    }
    assert!(fixture.kernel_ridge.len() >= 20);
}

#[test]
fn ridge_cv() {
    let fixture = read();
    let (x, at) = (inputs(&fixture.x), inputs(&fixture.x_new));
    let y = Targets::new(fixture.y.iter().map(|row| row[0]).collect::<Vec<_>>(), 1).expect("finite");
    for case in &fixture.ridge_cv {
        for (a, alpha) in fixture.alphas.iter().enumerate() {
            let model = fit(&ridge("linear", *alpha, case.fit_intercept, RidgeSolver::Eigen), &x, &y, None).model;
            close(&model.predict(&at, &run()).expect("predicts"), &case.predictions[a], tol::GOLDEN, "predictions");
            let squares: Vec<f64> = model.loo().expect("eigen").residuals.iter().map(|e| e * e).collect();
            close(&squares, &case.squared_errors[a], tol::GOLDEN, "squared errors");
        }
        let estimator = KernelRidge {
            alpha: Alpha::Loo(fixture.alphas.clone()),
            ..ridge("linear", 1.0, case.fit_intercept, RidgeSolver::Eigen)
        };
        assert_eq!(fit(&estimator, &x, &y, None).model.alpha(), Some(case.best));
    }
}
