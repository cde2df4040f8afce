//! Numbers of scikit-learn, made by the script beside the fixture.

use mercer::data::{Inputs, Rows, Targets};
use mercer::model::Criterion;
use mercer::model::Tuning;
use mercer::model::gp::{GaussianProcessClassifier, GaussianProcessRegressor};
use mercer::testkit::tol;
use serde::Deserialize;

use super::{classifier, classify, close, fit, regressor, run};

/// scikit-learn takes the last Newton step but one for the mode: it ends when the evidence moves by
/// less than 1e-10, where its mode is good to half of these digits.
const THEIR_MODE: f64 = 1e-5;
/// Their probabilities are a sum of five error functions, good to three digits.
const THEIR_PROBABILITY: f64 = 2e-3;
/// They end tuning when the evidence moves by 2e-9 of itself; θ is then good to half of that.
const THEIR_THETA: f64 = 2e-3;

#[derive(Deserialize)]
struct Fixture {
    #[serde(rename = "X")]
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    #[serde(rename = "X_new")]
    x_new: Vec<Vec<f64>>,
    #[serde(rename = "C")]
    c: Vec<Vec<f64>>,
    labels: Vec<f64>,
    #[serde(rename = "C_new")]
    c_new: Vec<Vec<f64>>,
    regression: Vec<Regression>,
    classification: Vec<Classification>,
    tuned: Tuned,
}

#[derive(Deserialize)]
struct Regression {
    formula: String,
    alpha: f64,
    normalize: bool,
    mean: Vec<f64>,
    covariance: Vec<Vec<f64>>,
    log_evidence: f64,
    gradient: Vec<f64>,
}

#[derive(Deserialize)]
struct Classification {
    formula: String,
    mean: Vec<f64>,
    variance: Vec<f64>,
    probability: Vec<f64>,
    log_evidence: f64,
    gradient: Vec<f64>,
}

#[derive(Deserialize)]
struct Tuned {
    log_evidence: [f64; 2],
    theta: [Vec<f64>; 2],
}

fn read() -> Fixture {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/scikit-learn-1.9.1/gp.json");
    let text = std::fs::read_to_string(path).expect("the fixture is there");
    serde_json::from_str(&text).expect("the fixture has the shape of its script")
}

fn inputs(rows: &[Vec<f64>]) -> Inputs {
    Rows::new(rows.concat(), rows.len(), rows[0].len()).expect("rows of one length").into()
}

/// scikit-learn sorts the parameters of a kernel by name: a rational quadratic has alpha first.
fn in_our_order(formula: &str, mut gradient: Vec<f64>) -> Vec<f64> {
    let n = gradient.len();
    if formula.contains("rational_quadratic") {
        gradient.swap(n - 2, n - 1);
    }
    gradient
}

#[test]
fn regression() {
    let fixture = read();
    let (x, at) = (inputs(&fixture.x), inputs(&fixture.x_new));
    let y = Targets::new(fixture.y.clone(), 1).expect("finite");
    for case in &fixture.regression {
        let what = format!("{}, alpha {}, normalised {}", case.formula, case.alpha, case.normalize);
        let gp = GaussianProcessRegressor { normalize_target: case.normalize, ..regressor(&case.formula, case.alpha) };
        let fitted = fit(&gp, &x, &y, None);
        close(&fitted.model.predict(&at, &run()).expect("a mean"), &case.mean, tol::GOLDEN, &what);
        let prior = fitted.model.prior().expect("a process")[0];
        let covariance: Vec<f64> = fitted
            .model
            .covariance(&at, false, &run())
            .expect("a covariance")
            .values()
            .iter()
            .map(|v| v * prior * prior)
            .collect();
        close(&covariance, &case.covariance.concat(), tol::GOLDEN, &what);
        close(&[fitted.model.log_evidence().expect("an evidence")], &[case.log_evidence], tol::GOLDEN, &what);
        let evidence = gp.evidence(&x, &y, None, &run()).expect("evidence");
        let at = evidence.start().expect("numbers");
        let (_, gradient) = evidence.value_and_gradient(&at, &run()).expect("a gradient");
        close(&gradient, &in_our_order(&case.formula, case.gradient.clone()), tol::GOLDEN, &what);
    }
    assert!(fixture.regression.len() >= 20);
}

#[test]
fn classification() {
    let fixture = read();
    let (x, at) = (inputs(&fixture.c), inputs(&fixture.c_new));
    let y = Targets::new(fixture.labels.clone(), 1).expect("finite");
    for case in &fixture.classification {
        let gp = classifier(&case.formula);
        let fitted = classify(&gp, &x, &y, None);
        close(&[fitted.model.log_evidence().expect("an evidence")], &[case.log_evidence], tol::GOLDEN, &case.formula);
        close(&fitted.model.predict(&at, &run()).expect("means"), &case.mean, THEIR_MODE, &case.formula);
        close(
            &fitted.model.variance(&at, false, &run()).expect("variances"),
            &case.variance,
            THEIR_MODE,
            &case.formula,
        );
        let p: Vec<f64> =
            fitted.model.probabilities(&at, &run()).expect("probabilities").chunks(2).map(|p| p[1]).collect();
        close(&p, &case.probability, THEIR_PROBABILITY, &case.formula);
        let evidence = gp.evidence(&x, &y, None, &run()).expect("evidence");
        let (_, gradient) = evidence.value_and_gradient(&evidence.start().expect("numbers"), &run()).expect("one");
        close(&gradient, &in_our_order(&case.formula, case.gradient.clone()), THEIR_MODE, &case.formula);
    }
    assert!(fixture.classification.len() >= 5);
}

#[test]
fn tuned() {
    let fixture = read();
    // Default bounds are a factor of 1e5 around the value in both libraries.
    let formula = "1*rbf(length_scale=1)";
    let tuning = Some(Tuning::default());
    let y = Targets::new(fixture.y.clone(), 1).expect("finite");
    let gp = GaussianProcessRegressor { tuning, ..regressor(formula, 0.3) };
    let fitted = fit(&gp, &inputs(&fixture.x), &y, None);
    let labels = Targets::new(fixture.labels.clone(), 1).expect("finite");
    let classified =
        classify(&GaussianProcessClassifier { tuning, ..classifier(formula) }, &inputs(&fixture.c), &labels, None);
    let found = [
        (fitted.model.log_evidence().expect("an evidence"), fitted.model.kernel().theta().expect("numbers")),
        (classified.model.log_evidence().expect("an evidence"), classified.model.kernel().theta().expect("numbers")),
    ];
    for ((value, theta), (their_value, their_theta)) in
        found.iter().zip(fixture.tuned.log_evidence.iter().zip(&fixture.tuned.theta))
    {
        assert!(*value >= their_value - tol::GOLDEN * their_value.abs(), "{value} is below {their_value}");
        close(theta, their_theta, THEIR_THETA, "θ");
    }
}
