//! Kernels of low rank: coefficients that no function sees must not drift, and objectives are those of the features.

use std::sync::Arc;

use mercer::certificate::{Measure, Stop};
use mercer::data::{Inputs, Labels, Rows, Targets};
use mercer::loss::{Absolute, EpsilonInsensitive, Hinge, Huber, Logistic, Loss, Pinball, Squared, SquaredHinge};
use mercer::model::classify::{KernelClassifier, KernelLogisticRegression};
use mercer::model::regress::KernelRegressor;
use mercer::model::{Model, Penalty};
use mercer::testkit::points::{Chance, categories, vectors};
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};

use crate::ridge::eliminate;
use crate::weigh;

/// Points with the features of their kernel, written out.
struct Case {
    name: &'static str,
    formula: &'static str,
    x: Inputs,
    features: Vec<Vec<f64>>,
}

fn rows(x: &[Vec<f64>]) -> Inputs {
    Rows::new(x.concat(), x.len(), x[0].len()).expect("rows").into()
}

/// (1, √2·x, x², √2·xᵢxⱼ), whose inner product is (⟨x, y⟩ + 1)².
fn squares(x: &[f64]) -> Vec<f64> {
    let root = 2f64.sqrt();
    let mut features = vec![1.0];
    for i in 0..x.len() {
        features.extend([root * x[i], x[i] * x[i]]);
        features.extend((0..i).map(|j| root * x[i] * x[j]));
    }
    features
}

fn cases() -> Vec<Case> {
    let mut chance = Chance::new(1);
    let means = [[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.5, 2.0]];
    let flowers: Vec<Vec<f64>> = (0..150).map(|i| means[i / 50].map(|m| m + 0.4 * chance.normal()).to_vec()).collect();
    let few: Vec<Vec<f64>> = (0..150).map(|i| flowers[i * 7 % 13 + 50 * (i % 3)].clone()).collect();
    let constant: Vec<Vec<f64>> = flowers.iter().map(|x| vec![x[0], 100.0, x[2], -3.0]).collect();
    let zero: Vec<Vec<f64>> = flowers.iter().map(|_| vec![0.0; 2]).collect();
    let (table, records) = categories(150, 5);
    let one_hot = |level: &str| ["a", "b", "c"].map(|l| f64::from(u8::from(l == level))).to_vec();
    let case = |name, formula, x: &[Vec<f64>], features: Vec<Vec<f64>>| Case { name, formula, x: rows(x), features };
    vec![
        case("three clusters", "linear", &flowers, flowers.clone()),
        case("squares", "(linear + 1)^2", &flowers, flowers.iter().map(|x| squares(x)).collect()),
        case("repeated rows", "linear", &few, few.clone()),
        case("constant columns", "linear", &constant, constant.clone()),
        case("no kernel", "linear", &zero, zero.clone()),
        Case {
            name: "categories",
            formula: "delta(kind)",
            x: table,
            features: records.iter().map(|r| one_hot(r[0])).collect(),
        },
    ]
}

/// −ln P of all rows plus the penalty, its gradient and its curvature, at weights θ of c classes and p features, the
/// intercept last and without a penalty.
fn softmax(features: &[Vec<f64>], codes: &[usize], c: usize, alpha: f64, theta: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
    let q = features[0].len() + 1;
    let m = c * q;
    let (mut value, mut gradient, mut curvature) = (0.0, vec![0.0; m], vec![0.0; m * m]);
    for (x, code) in features.iter().zip(codes) {
        let phi: Vec<f64> = x.iter().copied().chain([1.0]).collect();
        let z: Vec<f64> = theta.chunks(q).map(|t| t.iter().zip(&phi).map(|(t, v)| t * v).sum()).collect();
        let largest = z.iter().fold(f64::NEG_INFINITY, |m, z| m.max(*z));
        let total: f64 = z.iter().map(|z| (z - largest).exp()).sum();
        let p: Vec<f64> = z.iter().map(|z| (z - largest).exp() / total).collect();
        value += largest + total.ln() - z[*code];
        for o in 0..c {
            let slope = p[o] - f64::from(u8::from(o == *code));
            (0..q).for_each(|j| gradient[o * q + j] += slope * phi[j]);
            for l in 0..c {
                let bend = p[o] * (f64::from(u8::from(o == l)) - p[l]);
                for j in 0..q {
                    (0..q).for_each(|k| curvature[(o * q + j) * m + l * q + k] += bend * phi[j] * phi[k]);
                }
            }
        }
    }
    for at in (0..m).filter(|at| at % q + 1 < q) {
        value += 0.5 * alpha * theta[at] * theta[at];
        gradient[at] += alpha * theta[at];
        curvature[at * m + at] += alpha;
    }
    (value, gradient, curvature)
}

/// The least value, by Newton's method in the weights of the features.
fn least(features: &[Vec<f64>], codes: &[usize], c: usize, alpha: f64) -> f64 {
    let m = c * (features[0].len() + 1);
    let mut theta = vec![0.0; m];
    let mut lowest = f64::INFINITY;
    for _ in 0..200 {
        let (value, gradient, mut curvature) = softmax(features, codes, c, alpha, &theta);
        lowest = lowest.min(value);
        // Intercepts that move together change nothing; this keeps the system solvable and moves no minimum.
        (0..m).for_each(|at| curvature[at * m + at] += 1e-10);
        let step = eliminate(&curvature, m, &gradient, 1);
        let expected: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
        if expected <= 1e-15 * value {
            break;
        }
        let at = |length: f64| theta.iter().zip(&step).map(|(t, s)| t - length * s).collect::<Vec<f64>>();
        let falls = |length: &f64| {
            softmax(features, codes, c, alpha, &at(*length)).0 <= value - 1e-4 * length * expected + 1e-14 * value
        };
        match (0..40).map(|k| 0.5f64.powi(k)).find(falls) {
            Some(length) => theta = at(length),
            None => break,
        }
    }
    lowest
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

#[test]
fn softmax_reaches_the_optimum_of_the_features() {
    let codes: Vec<usize> = (0..150).map(|i| i / 50).collect();
    let labels = Labels::new(codes.clone(), 3).expect("three");
    for Case { name, formula, x, features } in cases() {
        for alpha in [1.0, 0.01, 1e-4] {
            let kernel = KernelExpr::parse(formula).expect("a formula");
            let learner = KernelLogisticRegression { kernel, alpha, ..Default::default() };
            let machine = learner.fit(&x, &labels, None, &Run::new()).expect("fits").model;
            let what = format!("{name}, alpha {alpha}");
            let c = &machine.certificate();
            let (primal, gap) = (c.primal().expect("known"), c.gap().expect("convex"));
            assert_eq!(c.stop, Stop::Tolerance, "{what}: {c:?}");
            let open = c.get(Measure::Rounding).expect("known");
            // Both bounds allow for rounding, and below it a solver need not go.
            assert!(gap <= 1e-9 * primal + 2.0 * open, "{what}: gap {gap:e} of {primal}, {open:e} for rounding");
            // At the solution, alpha·a is a slope of the loss, and those are at most 1.
            let size = alpha * largest(machine.expansion().coefficients());
            assert!(size <= 1.0 + tol::GRAD, "{what}: alpha·a = {size}");
            let expected = least(&features, &codes, 3, alpha);
            let off = (primal - expected) / expected;
            let above = 2.0 * tol::GOLDEN + open / expected;
            assert!((-tol::GOLDEN..=above).contains(&off), "{what}: {primal} and {expected}");
        }
    }
}

/// The objective of a machine without an intercept in terms of features, and a lower bound of the least one: weights
/// Φᵀa, and −Σ ℓ*(u) − ‖Φᵀu‖²/(2·alpha) at u = −alpha·a, put inside the domain, or at the slopes of the loss.
fn both(loss: &dyn Loss, y: &[f64], features: &[Vec<f64>], machine: &Model, alpha: f64) -> (f64, f64) {
    let loss = loss.convex().expect("convex");
    let a = machine.expansion().coefficients();
    let sums = |v: &[f64]| -> Vec<f64> {
        (0..features[0].len()).map(|j| features.iter().zip(v).map(|(x, v)| x[j] * v).sum()).collect()
    };
    let theta = sums(a);
    let z: Vec<f64> = features.iter().map(|x| x.iter().zip(&theta).map(|(x, t)| x * t).sum()).collect();
    let square = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>();
    let primal = y.iter().zip(&z).map(|(y, z)| loss.value(*y, *z)).sum::<f64>() + 0.5 * alpha * square(&theta);
    let dual = |u: Vec<f64>| {
        let conjugates: f64 = y.iter().zip(&u).map(|(y, u)| loss.conjugate(*y, *u)).sum();
        -conjugates - square(&sums(&u)) / (2.0 * alpha)
    };
    let inside = |(y, a): (&f64, &f64)| (-alpha * a).clamp(loss.domain(*y).0, loss.domain(*y).1);
    let kept = dual(y.iter().zip(a).map(inside).collect());
    (primal, kept.max(dual(y.iter().zip(&z).map(|(y, z)| loss.derivative(*y, *z)).collect())))
}

#[test]
fn every_loss_is_solved_in_the_features() {
    let mut chance = Chance::new(3);
    let numbers: Vec<f64> = (0..150).map(|i| f64::from(i / 50) + 0.3 * chance.normal()).collect();
    let signs: Vec<f64> = (0..150).map(|i| if i % 50 < 30 - i / 10 { -1.0 } else { 1.0 }).collect();
    let of_numbers: [Arc<dyn Loss>; 5] = [
        Arc::new(Squared),
        Arc::new(Huber::new(0.4).expect("a width")),
        Arc::new(Absolute),
        Arc::new(EpsilonInsensitive::new(0.1).expect("a width")),
        Arc::new(Pinball::new(0.2).expect("a quantile")),
    ];
    let of_signs: [Arc<dyn Loss>; 3] = [Arc::new(Logistic), Arc::new(SquaredHinge), Arc::new(Hinge)];
    for Case { name, formula, x, features } in cases() {
        for (loss, alpha) in of_numbers.iter().chain(&of_signs).flat_map(|loss| [(loss, 0.5), (loss, 1e-3)]) {
            let (kernel, penalty) = (KernelExpr::parse(formula).expect("a formula"), Penalty::Alpha(alpha));
            let classes = loss.against() == mercer::loss::Against::Signs;
            let machine = if classes {
                let labels = Labels::new(signs.iter().map(|s| usize::from(*s > 0.0)).collect(), 2).expect("two");
                let loss = Arc::clone(loss);
                let learner =
                    KernelClassifier { kernel, loss: loss.into(), penalty, fit_intercept: false, ..Default::default() };
                learner.fit(&x, &labels, None, &Run::new()).expect("fits").model
            } else {
                let y = Targets::new(numbers.clone(), 1).expect("finite");
                let loss = Arc::clone(loss);
                let learner =
                    KernelRegressor { kernel, loss: loss.into(), penalty, fit_intercept: false, ..Default::default() };
                learner.fit(&x, &y, None, &Run::new()).expect("fits").model
            };
            let what = format!("{name}, {}, alpha {alpha}", loss.name());
            let solved = machine.certificate().stop == Stop::Tolerance || machine.certificate().residual() <= 1e-8;
            assert!(solved, "{what}: {:?}", machine.certificate());
            let y = if classes { &signs } else { &numbers };
            let (primal, dual) = both(&**loss, y, &features, &machine, alpha);
            let certified = machine.certificate().primal().expect("known");
            let open = 10.0 * tol::GOLDEN * primal + machine.certificate().get(Measure::Rounding).expect("known");
            assert!((primal - certified).abs() <= open, "{what}: {primal} and {certified}");
            assert!(primal - dual <= 1e-8 * primal, "{what}: {primal} above {dual}");
        }
    }
}

/// Inputs nobody thought of: random sizes, ranks, scales and weights.
#[test]
fn random_low_rank_fits_are_solved() {
    let mut chance = Chance::new(11);
    for seed in 0..40 {
        let (n, d, c) = (20 + chance.below(60), 1 + chance.below(4), 2 + chance.below(3));
        let scale = 10f64.powf(chance.unit() - 0.5);
        let distinct = 2 + chance.below(n);
        let x = vectors(n, d, seed);
        let x: Vec<Vec<f64>> = (0..n).map(|i| x.row(i % distinct).iter().map(|v| scale * v).collect()).collect();
        let codes: Vec<usize> = (0..n).map(|i| if i < c { i } else { chance.below(c) }).collect();
        let weights: Vec<f64> = (0..n).map(|_| 0.1 + chance.unit()).collect();
        let alpha = 10f64.powf(-3.0 * chance.unit());
        let kernel = KernelExpr::parse(["linear", "(linear + 1)^2", "linear + 1"][chance.below(3)]).expect("a formula");
        let labels = Labels::new(codes, c).expect("classes");
        let learner = KernelLogisticRegression { kernel, alpha, ..Default::default() };
        let machine = learner.fit(&rows(&x), &labels, Some(&weigh(&weights)), &Run::new()).expect("fits").model;
        let what = format!("seed {seed}: {n}×{d}, {c} classes, scale {scale}, alpha {alpha}");
        assert_eq!(machine.certificate().stop, Stop::Tolerance, "{what}: {:?}", machine.certificate());
        let size = alpha * largest(machine.expansion().coefficients());
        assert!(size <= 1.1 + tol::GRAD, "{what}: alpha·a = {size}");
    }
}
