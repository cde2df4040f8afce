//! Numbers of scikit-learn, made by the script beside the fixture.

use mercer::testkit::tol;
use serde::Deserialize;

use super::{coordinates, fit, pca, rows, same_columns};

#[derive(Deserialize)]
struct Fixture {
    #[serde(rename = "X")]
    x: Vec<Vec<f64>>,
    #[serde(rename = "X_new")]
    x_new: Vec<Vec<f64>>,
    cases: Vec<Case>,
    pca: Plain,
}

#[derive(Deserialize)]
struct Case {
    formula: String,
    eigenvalues: Vec<f64>,
    coordinates: Vec<Vec<f64>>,
    new: Vec<Vec<f64>>,
}

#[derive(Deserialize)]
struct Plain {
    variances: Vec<f64>,
    ratios: Vec<f64>,
    new: Vec<Vec<f64>>,
}

fn fixture() -> Fixture {
    let text = include_str!("../../fixtures/scikit-learn-1.9.1/kernel_pca.json");
    serde_json::from_str(text).expect("the fixture reads")
}

#[test]
fn coordinates_are_those_of_scikit_learn() {
    let made = fixture();
    let (x, new) = (rows(&made.x), rows(&made.x_new));
    for case in &made.cases {
        let model = fit(&pca(&case.formula, 3), &x, None).model;
        let variances = &model.components().expect("components").variances;
        for (ours, theirs) in variances.iter().zip(&case.eigenvalues) {
            let theirs = theirs / made.x.len() as f64;
            assert!((ours - theirs).abs() <= tol::GOLDEN * case.eigenvalues[0], "{}: {ours} {theirs}", case.formula);
        }
        same_columns(&coordinates(&model, &x), &case.coordinates.concat(), 3, tol::GOLDEN, &case.formula);
        same_columns(&coordinates(&model, &new), &case.new.concat(), 3, tol::GOLDEN, &case.formula);
    }
}

#[test]
fn the_linear_kernel_is_principal_component_analysis() {
    let made = fixture();
    let model = fit(&pca("linear", 3), &rows(&made.x), None).model;
    let kept = model.components().expect("components");
    for (ours, theirs) in
        kept.variances.iter().zip(&made.pca.variances).chain(kept.explained().iter().zip(&made.pca.ratios))
    {
        assert!((ours - theirs).abs() <= tol::GOLDEN, "{ours} {theirs}");
    }
    same_columns(&coordinates(&model, &rows(&made.x_new)), &made.pca.new.concat(), 3, tol::GOLDEN, "plain");
}
