//! Every form of machine against a generic solver of its dual.

use mercer::certificate::Measure;
use mercer::data::{Inputs, Labels, Rows, Target, Targets, Weights};
use mercer::model::classify::{NuSvc, Svc};
use mercer::model::detect::OneClassSvm;
use mercer::model::regress::{NuSvr, Svr};
use mercer::model::{Cost, Learner, Model};
use mercer::testkit::points::Chance;
use mercer::{KernelExpr, Run};

use super::oracle::Qp;

struct Points {
    x: Inputs,
    k: Vec<f64>,
    y: Vec<f64>,
    labels: Labels,
    numbers: Targets,
    weights: Vec<f64>,
    kernel: KernelExpr,
}

/// Few points in the plane, with noisy classes and numbers, and weights.
fn points(seed: u64, n: usize, formula: &str) -> Points {
    let mut chance = Chance::new(seed);
    let rows: Vec<f64> = (0..2 * n).map(|_| chance.normal()).collect();
    let smooth: Vec<f64> = rows.chunks(2).map(|p| p[0] + 0.7 * p[1] + 0.5 * chance.normal()).collect();
    let mut codes: Vec<usize> = smooth.iter().map(|s| usize::from(*s > 0.2)).collect();
    (codes[0], codes[1]) = (0, 1);
    let kernel = KernelExpr::parse(formula).expect("a formula");
    let at = |i: usize, j: usize| kernel.at(&rows[2 * i..2 * i + 2], &rows[2 * j..2 * j + 2]).expect("a value");
    let k = (0..n * n).map(|p| at(p / n, p % n)).collect();
    Points {
        x: Rows::new(rows.clone(), n, 2).expect("rows").into(),
        k,
        y: codes.iter().map(|c| 2.0 * *c as f64 - 1.0).collect(),
        labels: Labels::new(codes, 2).expect("codes"),
        numbers: Targets::new(smooth, 1).expect("numbers"),
        weights: (0..n).map(|i| 0.5 + (i % 3) as f64).collect(),
        kernel,
    }
}

fn fit(learner: impl Into<Learner>, p: &Points, y: impl Into<Target>, weights: bool) -> Model {
    let weights = weights.then(|| Weights::new(p.weights.clone()).expect("weights"));
    learner.into().fit(&p.x, y, weights.as_ref(), &Run::new()).unwrap_or_else(|e| panic!("{e}")).model
}

/// The dual value is that of the oracle, the gap is small and not negative, the primal not below.
fn same_dual(name: &str, model: &Model, expected: f64) {
    let c = model.certificate();
    let (primal, dual) = (c.primal().expect("a primal"), c.dual().expect("a dual"));
    let size = expected.abs().max(1e-3);
    assert!((dual - expected).abs() <= 1e-6 * size, "{name}: dual {dual}, expected {expected}");
    assert!(primal >= dual && primal - dual <= 1e-6 * size, "{name}: primal {primal}, dual {dual}");
    assert!(c.get(Measure::KktViolation).is_some_and(|v| v <= 1.001e-7), "{name}: {c:?}");
    assert!(c.get(Measure::SupportVectors).is_some_and(|v| v as usize <= model.points().len()), "{name}");
}

const FORMULAS: [&str; 3] = ["rbf(length_scale=1)", "linear", "poly(degree=3, coef0=1)"];
const EXACT: (f64, f64) = (1e-7, 1e-9);

fn costs(p: &Points, c: f64, weighted: bool) -> Vec<f64> {
    p.weights.iter().map(|w| if weighted { c * w } else { c }).collect()
}

#[test]
fn classes_by_cost() {
    for (seed, formula) in FORMULAS.iter().enumerate() {
        for (c, intercept, weighted) in [(1.0, true, false), (10.0, false, true), (0.1, true, true)] {
            let p = points(seed as u64, 24, formula);
            let cost = costs(&p, c, weighted);
            let bound = |i: usize| if p.y[i] > 0.0 { (0.0, cost[i]) } else { (-cost[i], 0.0) };
            let qp = Qp {
                q: p.k.clone(),
                shift: p.y.iter().map(|y| -y).collect(),
                low: (0..24).map(|i| bound(i).0).collect(),
                high: (0..24).map(|i| bound(i).1).collect(),
                sums: if intercept { vec![((0..24).collect(), 0.0)] } else { Vec::new() },
            };
            let (tolerance, gap) = EXACT;
            let svc = Svc {
                kernel: p.kernel.clone(),
                c: Cost(c),
                fit_intercept: intercept,
                tolerance,
                gap,
                ..Svc::default()
            };
            let model = fit(svc, &p, &p.labels, weighted);
            same_dual(&format!("{formula}, C = {c}, {intercept}, {weighted}"), &model, -qp.minimum());
        }
    }
}

#[test]
fn classes_by_share() {
    for (seed, formula) in FORMULAS.iter().enumerate() {
        for (nu, weighted) in [(0.3, false), (0.5, true)] {
            let p = points(seed as u64 + 10, 24, formula);
            let cost = costs(&p, 1.0, weighted);
            let mass = 0.5 * nu * cost.iter().sum::<f64>();
            let bound = |i: usize| if p.y[i] > 0.0 { (0.0, cost[i]) } else { (-cost[i], 0.0) };
            let side = |sign: f64| (0..24).filter(|i| p.y[*i] == sign).collect::<Vec<_>>();
            let qp = Qp {
                q: p.k.clone(),
                shift: vec![0.0; 24],
                low: (0..24).map(|i| bound(i).0).collect(),
                high: (0..24).map(|i| bound(i).1).collect(),
                sums: vec![(side(1.0), mass), (side(-1.0), -mass)],
            };
            let (tolerance, gap) = EXACT;
            let svc = NuSvc { kernel: p.kernel.clone(), nu, tolerance, gap, ..NuSvc::default() };
            let least = qp.minimum();
            if least < 1e-9 {
                // The reduced hulls meet, and there is no margin.
                let refused = Learner::from(svc).fit(&p.x, &p.labels, None, &Run::new());
                assert!(refused.is_err_and(|e| e.to_string().contains("reduced hulls meet")), "{formula}, nu = {nu}");
                continue;
            }
            let model = fit(svc, &p, &p.labels, weighted);
            // ρ·ΣΑ/ρ − ½‖f/ρ‖²: the dual with costs over ρ.
            let rho = model.support().expect("support").widths[0];
            same_dual(&format!("{formula}, nu = {nu}"), &model, 2.0 * mass / rho - least / (rho * rho));
        }
    }
}

#[test]
fn numbers_by_tube_and_share() {
    for (seed, formula) in FORMULAS.iter().enumerate() {
        let p = points(seed as u64 + 20, 20, formula);
        let n = 20;
        for (c, weighted) in [(1.0, false), (5.0, true)] {
            let cost = costs(&p, c, weighted);
            let y = p.numbers.values();
            let twice: Vec<f64> = (0..4 * n * n).map(|at| p.k[(at / (2 * n)) % n * n + at % (2 * n) % n]).collect();
            let half = |above: f64, below: f64| [vec![above; n], vec![below; n]].concat();
            let bounds = |sign: f64| -> Vec<f64> {
                let of = |j: usize| if (j < n) == (sign > 0.0) { sign * cost[j % n] } else { 0.0 };
                (0..2 * n).map(of).collect()
            };
            let epsilon = 0.2;
            let shift: Vec<f64> = half(epsilon, -epsilon).iter().enumerate().map(|(j, e)| e - y[j % n]).collect();
            let tube = Qp {
                q: twice.clone(),
                shift,
                low: bounds(-1.0),
                high: bounds(1.0),
                sums: vec![((0..2 * n).collect(), 0.0)],
            };
            let (tolerance, gap) = EXACT;
            let svr = Svr { kernel: p.kernel.clone(), c: Cost(c), epsilon, tolerance, gap, ..Svr::default() };
            same_dual(&format!("{formula}, C = {c}"), &fit(svr, &p, &p.numbers, weighted), -tube.minimum());

            let nu = 0.4;
            let mass = 0.5 * nu * cost.iter().sum::<f64>();
            let shares = Qp {
                shift: (0..2 * n).map(|j| -y[j % n]).collect(),
                sums: vec![((0..n).collect(), mass), ((n..2 * n).collect(), -mass)],
                ..tube
            };
            let svr = NuSvr { kernel: p.kernel.clone(), c: Cost(c), nu, tolerance, gap, ..NuSvr::default() };
            let model = fit(svr, &p, &p.numbers, weighted);
            let width = model.support().expect("support").widths[0];
            same_dual(&format!("{formula}, nu, C = {c}"), &model, -shares.minimum() - 2.0 * mass * width);
        }
    }
}

#[test]
fn one_class_by_share() {
    for (seed, formula) in ["rbf(length_scale=1)", "poly(degree=2, coef0=1)"].iter().enumerate() {
        for weighted in [false, true] {
            let p = points(seed as u64 + 30, 30, formula);
            let cost = costs(&p, 1.0, weighted);
            let mass = 0.3 * cost.iter().sum::<f64>();
            let qp = Qp {
                q: p.k.clone(),
                shift: vec![0.0; 30],
                low: vec![0.0; 30],
                high: cost,
                sums: vec![((0..30).collect(), mass)],
            };
            let (tolerance, gap) = EXACT;
            let machine = OneClassSvm { kernel: p.kernel.clone(), nu: 0.3, tolerance, gap, ..OneClassSvm::default() };
            same_dual(formula, &fit(machine, &p, Target::None, weighted), -qp.minimum());
        }
    }
}
