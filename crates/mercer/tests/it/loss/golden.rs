//! Optimal objectives of a conic solver, refined in 40 digits by the script beside the fixture.

use mercer::data::{Inputs, Rows};
use mercer::gram::dense;
use mercer::loss::{LossSpec, NamedLoss, ScalarRows, SoftmaxRows};
use mercer::solver::penalized::{Penalized, PenalizedAnswer, PenalizedParams, interior_point, newton};
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};
use serde::Deserialize;

#[derive(Deserialize)]
struct Fixture {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    loss: String,
    parameter: Option<f64>,
    formula: String,
    alpha: f64,
    intercept: bool,
    weights: Vec<f64>,
    #[serde(rename = "X")]
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    classes: Option<usize>,
    objective: f64,
}

fn read() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/cvxpy-1.7.3/losses.json");
    let text = std::fs::read_to_string(path).expect("the fixture is there");
    serde_json::from_str::<Fixture>(&text).expect("the fixture has the shape of its script").cases
}

fn solve(case: &Case, smooth: bool, tolerance: f64) -> PenalizedAnswer {
    let run = Run::new();
    let x: Inputs = Rows::new(case.x.concat(), case.x.len(), 2).expect("two columns").into();
    let bound = KernelExpr::parse(&case.formula).and_then(|k| k.bind(&x, &run)).expect("binds");
    let kernel = dense::<f64>(&bound, &run).expect("small");
    let problem =
        Penalized { kernel: kernel.values(), weights: &case.weights, alpha: case.alpha, intercept: case.intercept };
    let params = PenalizedParams { tolerance, ..PenalizedParams::default() };
    if let Some(classes) = case.classes {
        let own: Vec<usize> = case.y.iter().map(|c| *c as usize).collect();
        let rows = SoftmaxRows::new(&own, classes).expect("classes");
        return newton(&problem, &rows, None, &params, &run).expect("solves");
    }
    let loss = NamedLoss::parse(&case.loss, case.parameter).and_then(NamedLoss::build).expect("a loss");
    if smooth || loss.convex().is_none_or(|loss| loss.pieces(1.0).is_empty()) {
        let rows = ScalarRows { loss: &*loss, y: &case.y };
        return newton(&problem, &rows, None, &params, &run).expect("solves");
    }
    interior_point(&problem, &*loss, &case.y, &params, &run).expect("solves")
}

/// Of an objective: a sum over the rows of losses of sums over the rows.
fn rounding(case: &Case) -> f64 {
    tol::round(case.y.len() * case.y.len())
}

fn check(case: &Case, answer: &PenalizedAnswer) {
    let primal = answer.primal(case.alpha);
    let name = format!("{} of alpha {}, {}", case.loss, case.alpha, case.formula);
    let excess = primal / case.objective - 1.0;
    let gap = answer.gap.expect("convex") / case.objective;
    assert!(excess.abs() <= tol::GOLDEN, "{name}: {primal} for {}, {:?}", case.objective, answer.stop);
    assert!(gap <= tol::GOLDEN, "{name}: gap {gap:e}, {:?} after {}", answer.stop, answer.iters);
    assert!(gap >= excess - rounding(case), "{name}: gap {gap:e} below {excess:e}");
    let sum: f64 = answer.slopes.iter().sum();
    assert!(!case.intercept || sum.abs() <= tol::round(1), "{name}: the coefficients add up to {sum:e}");
}

#[test]
fn objectives_are_those_of_the_conic_solver() {
    let cases = read();
    for name in LossSpec::names().filter(|n| *n != "tanh").chain(["softmax"]) {
        let of_loss: Vec<&Case> = cases.iter().filter(|c| c.loss == name).collect();
        assert_eq!(of_loss.len(), 20, "{name}");
        let mut most = 0;
        for case in of_loss {
            let answer = solve(case, false, 1e-10);
            check(case, &answer);
            most = most.max(answer.iters);
        }
        assert!(most <= 40, "{name}: {most} steps");
    }
}

/// Losses with curvature have both ways.
#[test]
fn newton_and_the_interior_point_method_agree() {
    for case in read().iter().filter(|c| ["squared", "huber", "squared_hinge"].contains(&&*c.loss)) {
        check(case, &solve(case, true, 1e-10));
    }
}

/// Stopped far from the minimum, the gap is still no smaller than the distance.
#[test]
fn early_gaps_are_bounds_too() {
    for case in &read() {
        for tolerance in [0.5, 0.05, 1e-3] {
            let answer = solve(case, false, tolerance);
            let excess = answer.primal(case.alpha) - case.objective;
            let gap = answer.gap.expect("convex");
            assert!(gap >= excess - rounding(case) * case.objective, "{}: {gap:e}, {excess:e}", case.loss);
        }
    }
}
