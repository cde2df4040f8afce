//! Data that say nothing: kernels that are 0, constant, of one point, or out of range. Nothing panics.

use std::sync::Arc;
use std::time::Duration;

use mercer::approx::NystromParams;
use mercer::data::{Inputs, Labels, Rows, Targets};
use mercer::loss::NamedLoss;
use mercer::model::classify::{KernelBarycentre, KernelClassifier, KernelLogisticRegression};
use mercer::model::descent::{Dictionary, KernelGradientDescent, KernelSgd, SpectralFilter};
use mercer::model::gp::{GaussianProcessClassifier, GaussianProcessRegressor};
use mercer::model::regress::{Alpha, KernelQuantileRegressor, KernelRegressor, KernelRidge, RidgeSolver};
use mercer::model::{LeastSquaresSvm, Penalty};
use mercer::solver::{CgParams, Filter};
use mercer::{Error, KernelExpr, Run};

const KERNELS: [&str; 7] = [
    "linear",
    "poly(degree=2)",
    "rbf(length_scale=1)",
    "laplace(length_scale=1)",
    "linear*linear",
    "normalize(linear + 1)",
    "1e-300*linear",
];

fn dense(n: usize, d: usize, of: impl Fn(usize, usize) -> f64) -> Inputs {
    Rows::new((0..n * d).map(|at| of(at / d, at % d)).collect::<Vec<_>>(), n, d).expect("n×d").into()
}

/// n rows of each kind.
fn kinds(n: usize) -> Vec<(&'static str, Inputs)> {
    let wave = |i: usize| (i as f64 * 0.7).sin();
    vec![
        ("zeros", dense(n, 2, |_, _| 0.0)),
        ("one zero row and none else", dense(1, 1, |_, _| 0.0)),
        ("constant columns", dense(n, 3, |_, j| [3.0, -7.0, 0.1][j])),
        ("one column of zeros", dense(n, 2, |i, j| if j == 0 { 0.0 } else { wave(i) })),
        ("two distinct rows", dense(n, 2, |i, j| if i % 2 == 0 { 0.0 } else { wave(j + 1) })),
        ("one row that is not zero", dense(n, 2, |i, _| if i == n / 2 { 1.0 } else { 0.0 })),
        ("huge", dense(n, 2, |i, j| 1e160 * wave(i + j))),
        ("large", dense(n, 2, |i, j| 1e70 * wave(i + j))),
        ("tiny", dense(n, 2, |i, j| 1e-170 * wave(i + j))),
        ("below normal", dense(n, 2, |i, j| 1e-310 * wave(i + j))),
        ("nearly constant", dense(n, 1, |i, _| 1.0 + 1e-15 * (i % 3) as f64)),
    ]
}

/// An answer is numbers, an error is a sentence; a panic is neither.
fn said(what: &str, answer: Result<Vec<f64>, Error>) {
    match answer {
        Ok(values) => assert!(values.iter().all(|v| v.is_finite()), "{what}: {:?}", &values[..values.len().min(5)]),
        Err(error) => {
            assert!(
                !error.to_string().is_empty() && error.kind() != mercer::error::ErrorKind::Internal,
                "{what}: {error}"
            )
        }
    }
}

fn solvers() -> Vec<RidgeSolver> {
    vec![
        RidgeSolver::Auto,
        RidgeSolver::Eigen,
        RidgeSolver::Cholesky,
        RidgeSolver::Cg(CgParams::default()),
        RidgeSolver::Nystrom(NystromParams::default()),
        RidgeSolver::Nystrom(NystromParams { landmarks: Some(3) }),
        RidgeSolver::Primal,
    ]
}

fn numbers(n: usize) -> Targets {
    Targets::new((0..n).map(|i| (i as f64).cos() + 2.0).collect::<Vec<_>>(), 1).expect("finite")
}

#[test]
fn ridge_by_every_solver() {
    for n in [12, 530] {
        for (kind, x) in kinds(n) {
            for formula in KERNELS.iter().take(if n > 100 { 2 } else { KERNELS.len() }) {
                for (solver, alpha) in solvers().into_iter().flat_map(|s| [0.0, 1e-8, 1.0].map(|a| (s.clone(), a))) {
                    let what = format!("{kind}, {} rows, {formula}, {solver:?}, alpha {alpha}", x.len());
                    let kernel = KernelExpr::parse(formula).expect("a formula");
                    let fit_intercept = alpha > 0.5;
                    let learner = KernelRidge { kernel, alpha: Alpha::Value(alpha), fit_intercept, solver, seed: 1 };
                    let y = numbers(x.len());
                    let fitted = learner.fit(&x, &y, None, &Run::new());
                    said(&what, fitted.and_then(|f| f.model.predict(&x, &Run::new())));
                }
            }
        }
    }
}

#[test]
fn ridge_with_lists_and_deadlines() {
    for (kind, x) in kinds(530).into_iter().take(5) {
        let y = numbers(x.len());
        for solver in solvers() {
            let kernel = KernelExpr::parse("linear").expect("a formula");
            let list =
                KernelRidge { kernel, alpha: Alpha::Gcv(vec![0.0, 1e-3, 1.0]), solver, ..KernelRidge::default() };
            said(kind, list.fit(&x, &y, None, &Run::new()).and_then(|f| f.model.predict(&x, &Run::new())));
            let one = KernelRidge { alpha: Alpha::Value(0.1), ..list };
            for micros in [0, 50, 200, 1000, 5000] {
                let run = Run::new().with_deadline(Duration::from_micros(micros));
                said(kind, one.fit(&x, &y, None, &run).and_then(|f| f.model.predict(&x, &Run::new())));
            }
        }
    }
}

/// A kernel that is 0 on all rows leaves the mean, and the certificate of that is computed again by `verify`.
#[test]
fn nothing_to_learn_from_is_the_mean() {
    let x = dense(600, 2, |_, _| 0.0);
    let (y, run) = (numbers(600), Run::new());
    let mean = y.values().iter().sum::<f64>() / 600.0;
    for (solver, fit_intercept) in solvers().into_iter().flat_map(|s| [(s.clone(), true), (s, false)]) {
        let kernel = KernelExpr::parse("linear").expect("a formula");
        let alpha = Alpha::Value(1.0);
        let model =
            KernelRidge { kernel, alpha, fit_intercept, solver, seed: 0 }.fit(&x, &y, None, &run).expect("fits").model;
        let expected = if fit_intercept { mean } else { 0.0 };
        let at = dense(3, 2, |i, j| (i + j) as f64);
        for value in model.predict(&at, &run).expect("predicts") {
            assert!((value - expected).abs() < 1e-12, "{value} {expected}");
        }
        let objective: f64 = y.values().iter().map(|y| 0.5 * (y - expected).powi(2)).sum();
        let again = model.certify(&x, &y, None, &run).expect("certifies").certificate;
        assert!(again.residual() <= model.certificate().tolerance(600), "{again:?}");
        assert!((again.primal().expect("known") / objective - 1.0).abs() < 1e-12);
    }
}

#[test]
fn every_other_learner() {
    for (kind, x) in kinds(14) {
        let n = x.len();
        let y = numbers(n);
        let two = |n: usize| Labels::new((0..n).map(|i| i % 2).collect(), 2);
        let three = |n: usize| Labels::new((0..n).map(|i| i % 3).collect(), 3);
        let signs =
            Targets::new((0..n).map(|i| if i % 2 == 0 { -1.0 } else { 1.0 }).collect::<Vec<_>>(), 1).expect("signs");
        for formula in KERNELS {
            let kernel = || KernelExpr::parse(formula).expect("a formula");
            let run = Run::new();
            let what = |name: &str| format!("{name}: {kind}, {formula}");
            for name in ["squared", "huber", "absolute", "epsilon_insensitive", "pinball"] {
                let loss = NamedLoss::parse(name, None).and_then(NamedLoss::build).expect("a loss");
                for penalty in
                    [Penalty::Alpha(1e-6), Penalty::Alpha(1.0), Penalty::NormBound(1.0), Penalty::NormBound(1e9)]
                {
                    let learner = KernelRegressor {
                        kernel: kernel(),
                        loss: Arc::clone(&loss).into(),
                        penalty,
                        ..Default::default()
                    };
                    said(&what(name), learner.fit(&x, &y, None, &run).and_then(|f| f.model.predict(&x, &run)));
                }
            }
            for name in ["logistic", "squared_hinge", "hinge", "tanh"] {
                let loss = NamedLoss::parse(name, None).and_then(NamedLoss::build).expect("a loss");
                for penalty in [Penalty::Alpha(1e-3), Penalty::NormBound(10.0)] {
                    let learner = KernelClassifier {
                        kernel: kernel(),
                        loss: Arc::clone(&loss).into(),
                        penalty,
                        ..Default::default()
                    };
                    let fitted = two(n).and_then(|labels| learner.fit(&x, &labels, None, &run));
                    said(&what(name), fitted.and_then(|f| f.model.predict(&x, &run)));
                }
            }
            let logistic = KernelLogisticRegression { kernel: kernel(), alpha: 0.01, ..Default::default() };
            for labels in [two(n), three(n)] {
                let fitted = labels.and_then(|labels| logistic.fit(&x, &labels, None, &run));
                said(&what("logistic regression"), fitted.and_then(|f| f.model.predict(&x, &run)));
            }
            for calibrate in [false, true] {
                let quantiles = vec![0.2, 0.8];
                let learner = KernelQuantileRegressor { kernel: kernel(), quantiles, calibrate, ..Default::default() };
                said(&what("quantiles"), learner.fit(&x, &y, None, &run).and_then(|f| f.model.predict(&x, &run)));
            }
            let descent = KernelGradientDescent { kernel: kernel(), ..Default::default() };
            said(&what("descent"), descent.fit(&x, &y, None, &run).and_then(|f| f.model.predict(&x, &run)));
            for dictionary in [Dictionary::All, Dictionary::Landmarks(4)] {
                let sgd = KernelSgd { kernel: kernel(), dictionary, passes: 2, ..Default::default() };
                said(&what("sgd"), sgd.fit(&x, &y, None, &run).and_then(|f| f.model.predict(&x, &run)));
            }
            for filter in [
                Filter::CutOff { lambda: 1e-3 },
                Filter::Tikhonov { lambda: 1e-3 },
                Filter::Landweber { step_size: None, iterations: 20 },
            ] {
                let learner = SpectralFilter { kernel: kernel(), filter };
                said(&what("filter"), learner.fit(&x, &y, None, &run).and_then(|f| f.model.predict(&x, &run)));
            }
            let svm = LeastSquaresSvm { kernel: kernel(), gamma: 10.0, ..Default::default() };
            said(&what("lssvm"), svm.fit(&x, &signs, None, &run).and_then(|f| f.model.predict(&x, &run)));
            let barycentre = KernelBarycentre { kernel: kernel() };
            said(&what("barycentre"), barycentre.fit(&x, &signs, None, &run).and_then(|f| f.model.predict(&x, &run)));
            let process = GaussianProcessRegressor { kernel: kernel(), tuning: None, ..Default::default() };
            said(&what("gp"), process.fit(&x, &y, None, &run).and_then(|f| f.model.predict(&x, &run)));
            let process = GaussianProcessClassifier { kernel: kernel(), tuning: None, ..Default::default() };
            said(&what("gp classes"), process.fit(&x, &signs, None, &run).and_then(|f| f.model.predict(&x, &run)));
        }
    }
}
