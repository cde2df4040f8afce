//! The evidence against its definition, and gradients against differences.

use mercer::data::{BAG, Bag, CellValue, Inputs, Table, Targets, Values};
use mercer::kernel::property::Standing;
use mercer::kernel::{Domain, Kind, Param, Transform};
use mercer::linalg::symmetric_eigenvalues;
use mercer::model::Criterion;
use mercer::model::gp::{GaussianProcessRegressor, GpEvidence};
use mercer::testkit::{points, tol};
use mercer::{KernelExpr, Run};

use super::{classifier, distinct, eliminate, fit, kernel, labels, regressor, repeated, run, targets, weights};
use crate::weigh;

/// log N(y; 0, A) for each output, from the eigenvalues of A and by elimination.
fn log_normal(a: &[f64], y: &Targets) -> f64 {
    let (n, c) = (y.nrows(), y.outputs());
    let log_det: f64 = symmetric_eigenvalues(a, n).expect("symmetric").iter().map(|v| v.ln()).sum();
    let solved = eliminate(a, n, y.values(), c);
    let fit: f64 = solved.iter().zip(y.values()).map(|(s, y)| s * y).sum();
    -0.5 * fit - 0.5 * c as f64 * (log_det + n as f64 * std::f64::consts::TAU.ln())
}

#[test]
fn it_is_the_density_of_the_targets() {
    let x = distinct(25, 3, 1);
    let y = targets(&x, 2, 2);
    let formula = "0.8*rbf(length_scale=[1.5, 0.8, 2]) + matern32(length_scale=3)";
    for alpha in [1e-3, 0.7] {
        let mut a = kernel(formula, &x, &x);
        (0..25).for_each(|i| a[i * 26] += alpha);
        let expected = log_normal(&a, &y);
        let got = fit(&regressor(formula, alpha), &x, &y, None).model.log_evidence().expect("an evidence");
        assert!((got - expected).abs() <= tol::GOLDEN * expected.abs(), "{got}, by definition {expected}");
    }
}

/// The gradient is what central differences of fourth order say; their step may be long, which the
/// evidence of a classifier needs, as it is good to 1e-12 and not to the last digit.
fn check_gradient(name: &str, evidence: &GpEvidence) {
    const STEP: f64 = 1e-4;
    let at = evidence.start().unwrap_or_else(|e| panic!("{name}: {e}"));
    let (value, gradient) = evidence.value_and_gradient(&at, &run()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let alone = evidence.value(&at, &run()).expect("a value");
    assert!((value - alone).abs() <= tol::GOLDEN * value.abs(), "{name}: {value} with a gradient, {alone} without");
    assert!(value.is_finite(), "{name}: {value}");
    for (k, path) in evidence.names().iter().enumerate() {
        let moved = |by: f64| {
            let mut there = at.clone();
            there[k] += by;
            evidence.value(&there, &run()).unwrap_or_else(|e| panic!("{name}: {e}"))
        };
        let between = |by: f64| moved(by) - moved(-by);
        let difference = (8.0 * between(STEP) - between(2.0 * STEP)) / (12.0 * STEP);
        let gap = (gradient[k] - difference).abs();
        assert!(gap <= tol::GRAD * difference.abs().max(1.0), "{name}: ∂/∂{path} is {}, not {difference}", gradient[k]);
    }
}

/// Bags of one to four points on the line.
fn bags() -> Inputs {
    let place = |i: usize, j: usize| ((7 * i + 3 * j) % 11) as f64 / 3.0;
    let cell = |i: usize| format!("{:?}", (0..1 + i % 4).map(|j| place(i, j)).collect::<Vec<f64>>());
    let bags = (0..16).map(|i| Some(Bag::parse(&cell(i)).expect("a bag")));
    Table::new(vec![("bag".into(), Values::from_values(bags).into())]).expect("one column").into()
}

/// The kernels of the catalogue that are positive definite and have something to tune, with points.
fn catalogue() -> Vec<(KernelExpr, Inputs)> {
    let vectors: Inputs = points::vectors(16, 2, 3).into();
    let positive: Inputs = points::non_negative_vectors(16, 2, 3).into();
    let on = |kind: &Kind| match kind.spec().domain {
        Domain::Number => Some(vectors.clone()),
        Domain::NonNegative => Some(positive.clone()),
        Domain::Structured(kind) if *kind == BAG => Some(bags()),
        Domain::Structured(_) => Some(points::texts().0),
        Domain::Category => Some(points::categories(16, 3).0),
        _ => None,
    };
    // What has nothing to tune may ask for more than points: an order, say.
    let with_points = |kind: &Kind| on(kind).map(|x| (KernelExpr::of(*kind), x)).filter(|(k, _)| !k.names().is_empty());
    let resolved = |(k, x): (KernelExpr, Inputs)| k.resolve(&x, &Run::new()).map(|(k, _)| (k, x));
    let all = Kind::ALL.iter().filter_map(with_points).map(|case| resolved(case).unwrap_or_else(|e| panic!("{e}")));
    all.filter(|(k, _)| k.standing() == Standing::PositiveDefinite).collect()
}

const COMPOSED: [&str; 9] = [
    "1.3*rbf(length_scale=[1.5, 0.8]) + 0.4*linear + 0.2",
    "matern52(length_scale=[0.7, 2])*periodic(length_scale=1.2, period=1.7)",
    "0.6*rbf(length_scale=1)*poly(degree=2, gamma=0.5, coef0=1) + matern12(length_scale=2)",
    "laplace_l1(length_scale=[1, 2])",
    "exp(0.3*linear)",
    "normalize(linear + 1.5)",
    "(rbf(length_scale=2) + 0.5)^2",
    "rational_quadratic(length_scale=[1, 3], alpha=0.8)",
    "0.5*rbf(length_scale=1!) + 2!*matern32(length_scale=1)",
];

fn targets_of(n: usize) -> Targets {
    Targets::new((0..2 * n).map(|i| (1.7 * i as f64).sin() + 0.2).collect::<Vec<_>>(), 2).expect("finite")
}

fn cases() -> Vec<(KernelExpr, Inputs)> {
    let x: Inputs = points::vectors(16, 2, 4).into();
    let composed = COMPOSED.iter().map(|f| (KernelExpr::parse(f).unwrap_or_else(|e| panic!("{e}")), x.clone()));
    catalogue().into_iter().chain(composed).collect()
}

#[test]
fn gradients_of_a_regression() {
    assert!(catalogue().len() >= 12, "the catalogue has kernels to tune");
    for (kernel, x) in cases() {
        let y = targets_of(x.len());
        let w = weights(x.len(), 5);
        let gp = GaussianProcessRegressor {
            kernel: kernel.clone(),
            alpha: Param::new(0.3, Transform::Log),
            ..GaussianProcessRegressor::default()
        };
        for w in [None, Some(&w[..])] {
            let evidence = gp.evidence(&x, &y, w.map(weigh).as_ref(), &run()).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(evidence.names().last().map(String::as_str), Some("alpha"));
            check_gradient(&kernel.to_string(), &evidence);
        }
    }
}

#[test]
fn gradients_of_a_classification() {
    for (kernel, x) in cases() {
        let n = x.len();
        let one = |i: usize| if (1.7 * i as f64).sin() > 0.0 { 1.0 } else { -1.0 };
        let y = Targets::new((0..n).map(one).collect::<Vec<_>>(), 1).expect("finite");
        let w = weights(n, 6);
        for w in [None, Some(&w[..])] {
            let gp = mercer::model::gp::GaussianProcessClassifier {
                kernel: kernel.clone(),
                tuning: None,
                ..Default::default()
            };
            let evidence = gp.evidence(&x, &y, w.map(weigh).as_ref(), &run()).unwrap_or_else(|e| panic!("{e}"));
            check_gradient(&kernel.to_string(), &evidence);
        }
    }
}

#[test]
fn many_rows_and_columns_go_through_tiles() {
    // More rows than two tiles, more columns than a panel, two outputs.
    let x = distinct(530, 11, 7);
    let y = targets(&x, 2, 8);
    let scales: Vec<String> = (0..11).map(|j| format!("{}", 3.0 + j as f64)).collect();
    let gp = GaussianProcessRegressor {
        alpha: Param::new(0.3, Transform::Log),
        ..regressor(&format!("2*rbf(length_scale=[{}])", scales.join(", ")), 0.3)
    };
    let evidence = gp.evidence(&x, &y, None, &run()).expect("evidence");
    check_gradient("13 parameters", &evidence);
    let at = evidence.start().expect("numbers");
    let [one, three] = [1, 3].map(|threads| {
        let run = Run::new().with_threads(threads).expect("threads");
        evidence.value_and_gradient(&at, &run).expect("a gradient")
    });
    assert_eq!(one, three, "the gradient depends on the number of threads");
}

#[test]
fn weights_are_repetition_for_every_parameter() {
    let x = distinct(9, 2, 9);
    let y = targets(&x, 1, 10);
    let times = [1, 2, 1, 3, 1, 1, 2, 1, 1];
    let w: Vec<f64> = times.iter().map(|t| *t as f64).collect();
    let (many_x, many_y) = repeated(&x, &y, &times);
    let gp = GaussianProcessRegressor {
        alpha: Param::new(0.3, Transform::Log),
        ..regressor("2*rbf(length_scale=[1, 2])", 0.3)
    };
    let of = |x: &Inputs, y: &Targets, w: Option<&[f64]>| {
        let evidence = gp.evidence(x, y, w.map(weigh).as_ref(), &run()).expect("evidence");
        evidence.value_and_gradient(&evidence.start().expect("numbers"), &run()).expect("a gradient")
    };
    let (one, many) = (of(&x, &y, Some(&w)), of(&many_x, &many_y, None));
    super::close(&one.1, &many.1, tol::GOLDEN, "gradients");
    assert!((one.0 - many.0).abs() < tol::GOLDEN * many.0.abs());
    let (y, many_y) = (labels(&x), labels(&many_x));
    let gp = classifier("2*rbf(length_scale=[1, 2])");
    let of = |x: &Inputs, y: &Targets, w: Option<&[f64]>| {
        let evidence = gp.evidence(x, y, w.map(weigh).as_ref(), &run()).expect("evidence");
        evidence.value_and_gradient(&evidence.start().expect("numbers"), &run()).expect("a gradient")
    };
    let (one, many) = (of(&x, &y, Some(&w)), of(&many_x, &many_y, None));
    super::close(&one.1, &many.1, tol::GOLDEN, "gradients of a classifier");
}
