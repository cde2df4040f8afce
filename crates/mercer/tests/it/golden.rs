//! Numbers of other libraries, made by the scripts beside the fixtures.

use mercer::data::{Column, Inputs, Rows, Table, Texts};
use mercer::gram::{KernelMatrix, dense, pull_back};
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};
use serde::Deserialize;

#[derive(Deserialize)]
struct Fixture {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Points {
    Vectors(Vec<Vec<f64>>),
    Texts(Vec<String>),
}

#[derive(Deserialize)]
struct Case {
    name: String,
    formula: String,
    #[serde(rename = "X")]
    x: Points,
    #[serde(rename = "Y")]
    y: Option<Points>,
    #[serde(rename = "K")]
    k: Vec<Vec<f64>>,
    #[serde(rename = "K_xy")]
    k_xy: Option<Vec<Vec<f64>>>,
    #[serde(rename = "W")]
    w: Option<Vec<Vec<f64>>>,
    #[serde(default)]
    theta_names: Vec<String>,
    #[serde(default)]
    gradient: Vec<f64>,
}

fn read(library: &str) -> Vec<Case> {
    let path = format!("{}/tests/fixtures/{library}/kernels.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the fixture is there");
    let fixture: Fixture = serde_json::from_str(&text).expect("the fixture has the shape of its script");
    fixture.cases
}

fn inputs(points: &Points) -> Inputs {
    match points {
        Points::Vectors(rows) => {
            Rows::new(rows.concat(), rows.len(), rows[0].len()).expect("rows of one length").into()
        }
        Points::Texts(texts) => {
            let column = Column::from(Texts::from_values(texts.iter().map(Some)));
            Table::new(vec![("text".into(), column)]).expect("one column").into()
        }
    }
}

/// The arc cosine has half of the digits of a cosine near 1; all else must match to 1e-9.
fn tolerance(formula: &str) -> f64 {
    if formula.contains("arc_cosine") { tol::ANGLE } else { tol::GOLDEN }
}

fn compare(case: &str, got: &dyn KernelMatrix, expected: &[Vec<f64>], tolerance: f64) {
    let gram = dense::<f64>(got, &Run::new()).expect("fits into memory");
    let largest = expected.concat().iter().fold(1.0f64, |a, v| a.max(v.abs()));
    assert_eq!((gram.nrows(), gram.ncols()), (expected.len(), expected[0].len()), "{case}");
    for (i, row) in expected.iter().enumerate() {
        for (j, v) in row.iter().enumerate() {
            let got = gram.row(i)[j];
            assert!((got - v).abs() <= tolerance * largest, "{case} at ({i}, {j}): {got:e}, expected {v:e}");
        }
    }
}

fn matrices_match(library: &str) {
    let cases = read(library);
    assert!(cases.len() >= 15, "{library} has its cases");
    for case in cases {
        let k = KernelExpr::parse(&case.formula).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        let x = inputs(&case.x);
        let bound = k.bind(&x, &Run::new()).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        compare(&case.name, &bound, &case.k, tolerance(&case.formula));
        if let (Some(y), Some(expected)) = (&case.y, &case.k_xy) {
            let cross = k.bind_cross(&x, &inputs(y), &Run::new()).unwrap_or_else(|e| panic!("{}: {e}", case.name));
            compare(&case.name, &cross, expected, tolerance(&case.formula));
        }
    }
}

#[test]
fn scikit_learn_kernels() {
    matrices_match("scikit-learn-1.9.1");
}

#[test]
fn mpmath_kernels() {
    matrices_match("mpmath-1.3.0");
}

/// scikit-learn orders parameters by name; the test finds each by the end of its path.
#[test]
fn scikit_learn_gradients() {
    let with_gradient: Vec<Case> = read("scikit-learn-1.9.1").into_iter().filter(|c| !c.gradient.is_empty()).collect();
    assert_eq!(with_gradient.len(), 5);
    for case in with_gradient {
        let k = KernelExpr::parse(&case.formula).expect("a formula");
        let bound = k.bind(&inputs(&case.x), &Run::new()).expect("binds");
        let weights = case.w.as_ref().expect("weights").concat();
        let got = pull_back(&bound, &weights, &Run::new()).expect("has a gradient");
        for (name, expected) in case.theta_names.iter().zip(&case.gradient) {
            let at = k.names().iter().position(|path| path.ends_with(name)).expect("the parameter is there");
            assert!(
                (got[at] - expected).abs() <= tol::GOLDEN * expected.abs(),
                "{}: {name} {} {expected}",
                case.name,
                got[at]
            );
        }
    }
}
