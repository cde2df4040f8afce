//! What users get wrong, and data at the edge of numbers.

use std::sync::Arc;
use std::time::Duration;

use mercer::certificate::Measure;
use mercer::data::{Inputs, Labels, Rows, Targets};
use mercer::loss::{Absolute, EpsilonInsensitive, Hinge, Huber, Logistic, Loss, Pinball, SquaredHinge};
use mercer::model::AnyLoss;
use mercer::model::Penalty;
use mercer::model::classify::{ClassWeight, KernelClassifier, KernelLogisticRegression};
use mercer::model::regress::{KernelQuantileRegressor, KernelRegressor};
use mercer::testkit::points::vectors;
use mercer::{Error, KernelExpr, Run};

use crate::weigh;

fn points(n: usize) -> Inputs {
    vectors(n, 2, 1).into()
}

fn line(values: &[f64]) -> Inputs {
    Rows::new(values.to_vec(), values.len(), 1).expect("rows").into()
}

fn logistic() -> KernelLogisticRegression {
    KernelLogisticRegression { kernel: KernelExpr::parse("rbf(length_scale=1)").expect("parses"), ..Default::default() }
}

fn labels(codes: &[usize]) -> Labels {
    Labels::new(codes.to_vec(), 2).expect("two")
}

fn message(error: Error) -> String {
    format!("{error} {}", error.hint().unwrap_or_default())
}

#[test]
fn one_class_is_an_error_that_says_so() {
    let x = points(4);
    let error = logistic().fit(&x, labels(&[1, 1, 1, 1]), None, &Run::new()).expect_err("one class");
    assert!(message(error).contains("at least two classes"));
    let weights = weigh(&[1.0, 1.0, 0.0, 0.0]);
    for learner in
        [KernelClassifier::default(), KernelClassifier { loss: AnyLoss::Own(Arc::new(Logistic)), ..Default::default() }]
    {
        let error =
            learner.fit(&x, labels(&[1, 1, 0, 0]), Some(&weights), &Run::new()).expect_err("all weight on one class");
        assert!(message(error).contains("positive weight"));
    }
    let zero = KernelLogisticRegression { class_weight: ClassWeight::Values(vec![0.0, 1.0]), ..logistic() };
    assert!(zero.fit(&x, labels(&[1, 1, 0, 0]), None, &Run::new()).is_err());
    let three = Labels::new(vec![0, 0, 2, 2], 3).expect("three");
    let error = logistic().fit(&x, &three, None, &Run::new()).expect_err("a class without rows");
    assert!(message(error).contains("class 1"));
}

#[test]
fn labels_targets_and_parameters_that_are_no_numbers() {
    assert!(Labels::from_numbers(&[1.0, f64::NAN]).is_err());
    assert!(Labels::new(vec![0, 2], 2).is_err());
    assert!(Targets::new(vec![1.0, f64::NAN], 1).is_err());
    let x = points(4);
    let both = labels(&[0, 1, 0, 1]);
    for alpha in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error =
            KernelLogisticRegression { alpha, ..logistic() }.fit(&x, &both, None, &Run::new()).expect_err("alpha");
        assert!(message(error).contains("alpha"));
        let penalty = Penalty::NormBound(alpha);
        assert!(KernelClassifier { penalty, ..Default::default() }.fit(&x, &both, None, &Run::new()).is_err());
    }
    assert!(logistic().fit(&x, &both, Some(&weigh(&[1.0, 1.0])), &Run::new()).is_err());
    assert!(logistic().fit(&points(5), &both, None, &Run::new()).is_err());
    let few = ClassWeight::Values(vec![1.0]);
    assert!(KernelLogisticRegression { class_weight: few, ..logistic() }.fit(&x, &both, None, &Run::new()).is_err());
}

#[test]
fn losses_belong_to_their_learners() {
    let y = Targets::new(vec![1.0, -1.0], 1).expect("finite");
    let hinge = KernelRegressor { loss: AnyLoss::Own(Arc::new(Hinge)), ..Default::default() };
    let error = hinge.fit(&points(2), &y, None, &Run::new()).expect_err("classes");
    assert!(message(error).contains("the model `classifier`"));
    let absolute = KernelClassifier { loss: AnyLoss::Own(Arc::new(Absolute)), ..Default::default() };
    assert!(absolute.fit(&points(2), labels(&[0, 1]), None, &Run::new()).is_err());
    for quantiles in [vec![], vec![0.5, 0.5], vec![0.9, 0.1], vec![0.0], vec![1.0], vec![f64::NAN]] {
        let learner = KernelQuantileRegressor { quantiles, ..Default::default() };
        assert!(learner.fit(&points(2), &y, None, &Run::new()).is_err(), "{:?}", learner.quantiles);
    }
}

/// At alpha → 0 the probabilities of separable classes have no maximum; the fit ends and says how far
/// it is.
#[test]
fn separable_classes_with_a_vanishing_alpha() {
    let x = line(&[-2.0, -1.0, 1.0, 2.0]);
    let both = labels(&[0, 0, 1, 1]);
    let kernel = KernelExpr::parse("linear").expect("parses");
    for alpha in [1e-3, 1e-6, 1e-12, 1e-100, 1e-280] {
        let learner = KernelLogisticRegression { kernel: kernel.clone(), alpha, ..logistic() };
        let Ok(fitted) = learner.fit(&x, &both, None, &Run::new()) else {
            assert!(alpha < 1e-200, "alpha {alpha:e}");
            continue;
        };
        let c = &fitted.model.certificate();
        let (primal, gap) = (c.primal().expect("known"), c.gap().expect("convex"));
        assert!(gap >= 0.0 && primal.is_finite(), "{alpha:e}: {c:?}");
        // Below what the rounding of kernel values leaves open, no gap can be told from 0.
        let enough = 1e-9 * primal + c.get(Measure::Rounding).expect("known");
        assert_eq!(c.stop.is_complete(), gap <= enough, "{alpha:e}: {c:?}");
        assert!(c.stop.is_complete() || !fitted.report.notes.is_empty());
        assert!(alpha < 1e-9 || c.stop.is_complete(), "{alpha:e}: {c:?}");
        let svm = KernelClassifier { kernel: kernel.clone(), penalty: Penalty::Alpha(alpha), ..Default::default() };
        if let Ok(fitted) = svm.fit(&x, &both, None, &Run::new()) {
            // The hard margin: f(±1) = ±1, ‖f‖ = 1.
            let f = fitted.model.predict(&x, &Run::new()).expect("predicts");
            let good = (f[2] - 1.0).abs() < 1e-3 && (f[1] + 1.0).abs() < 1e-3;
            assert!(good || !fitted.model.certificate().stop.is_complete() || alpha < 1e-9, "{alpha:e}: {f:?}");
        }
    }
}

#[test]
fn one_row_is_a_fit() {
    let y = Targets::new(vec![3.0], 1).expect("finite");
    let losses: [Arc<dyn Loss>; 3] =
        [Arc::new(Absolute), Arc::new(Huber::usual()), Arc::new(Pinball::new(0.2).expect("inside"))];
    for loss in losses {
        for fit_intercept in [false, true] {
            let learner = KernelRegressor {
                kernel: KernelExpr::parse("rbf(length_scale=1)").expect("parses"),
                loss: Arc::clone(&loss).into(),
                fit_intercept,
                penalty: Penalty::Alpha(1e-3),
                ..Default::default()
            };
            let fitted = learner.fit(&points(1), &y, None, &Run::new()).expect("fits");
            let f = fitted.model.predict(&points(1), &Run::new()).expect("predicts")[0];
            assert!((f - 3.0).abs() < 0.01, "{}: {f}", loss.name());
            assert!(fitted.model.certificate().gap().is_some_and(|g| g >= 0.0));
        }
    }
}

#[test]
fn constant_targets_are_met_by_the_intercept() {
    let losses: [Arc<dyn Loss>; 3] =
        [Arc::new(Absolute), Arc::new(Huber::usual()), Arc::new(Pinball::new(0.2).expect("inside"))];
    for (loss, constant) in losses.iter().flat_map(|l| [(l, 0.0), (l, -4.5)]) {
        let y = Targets::new(vec![constant; 9], 1).expect("finite");
        let learner = KernelRegressor { loss: Arc::clone(loss).into(), ..Default::default() };
        let fitted = learner.fit(&points(9), &y, None, &Run::new()).expect("fits");
        let f = fitted.model.predict(&points(9), &Run::new()).expect("predicts");
        assert!(f.iter().all(|f| (f - constant).abs() < 1e-6), "{} {constant}: {f:?}", loss.name());
        assert!(fitted.model.certificate().stop.is_complete(), "{}: {:?}", loss.name(), fitted.model.certificate());
    }
}

#[test]
fn duplicates_with_opposite_labels() {
    let x = line(&[1.0, 1.0, 1.0, 1.0, -2.0]);
    let both = labels(&[0, 1, 0, 1, 0]);
    let fitted = logistic().fit(&x, &both, None, &Run::new()).expect("fits");
    assert!(fitted.model.certificate().stop.is_complete());
    for loss in [Arc::new(Hinge) as Arc<dyn Loss>, Arc::new(SquaredHinge)] {
        let fitted = KernelClassifier { loss: loss.into(), ..Default::default() }
            .fit(&x, &both, None, &Run::new())
            .expect("fits");
        assert!(fitted.model.certificate().stop.is_complete(), "{:?}", fitted.model.certificate());
    }
}

#[test]
fn targets_and_weights_of_any_size() {
    let x = points(12);
    let y: Vec<f64> = (0..12).map(|i| (f64::from(i) * 1.3).sin()).collect();
    let objective = |scale: f64, weight: f64| {
        let targets = Targets::new(y.iter().map(|y| y * scale).collect::<Vec<_>>(), 1).expect("finite");
        let loss = EpsilonInsensitive::new(0.1 * scale).expect("not negative");
        let learner = KernelRegressor {
            loss: AnyLoss::Own(Arc::new(loss)),
            penalty: Penalty::Alpha(0.1 * weight / scale),
            ..Default::default()
        };
        let fitted = learner.fit(&x, &targets, Some(&weigh(&[weight; 12])), &Run::new()).expect("fits");
        assert!(fitted.model.certificate().stop.is_complete(), "{scale:e}: {:?}", fitted.model.certificate());
        fitted.model.certificate().primal().expect("known") / scale / weight
    };
    let usual = objective(1.0, 1.0);
    for (scale, weight) in [(1e150, 1.0), (1e-150, 1.0), (1.0, 1e100), (1.0, 1e-100), (1e100, 1e100)] {
        let other = objective(scale, weight);
        assert!((other / usual - 1.0).abs() < 1e-8, "{scale:e}, {weight:e}: {other} and {usual}");
    }
}

#[test]
fn points_of_any_size_end_in_a_fit_or_an_error() {
    let both = labels(&[0, 1, 0, 1, 1, 0]);
    for scale in [1e-200, 1e-150, 1e150, 1e200] {
        let x = line(&[1.0, 2.0, -1.0, 3.0, 2.5, -4.0].map(|v| v * scale));
        for formula in ["linear", "rbf"] {
            let kernel = KernelExpr::parse(formula).expect("parses");
            let learner = KernelLogisticRegression { kernel: kernel.clone(), ..logistic() };
            if let Ok(fitted) = learner.fit(&x, &both, None, &Run::new()) {
                assert!(fitted.model.certificate().gap().is_some_and(|g| g >= 0.0));
            }
            let svm = KernelClassifier { kernel, ..Default::default() };
            if let Ok(fitted) = svm.fit(&x, &both, None, &Run::new()) {
                assert!(fitted.model.certificate().gap().is_some_and(|g| g >= 0.0));
            }
        }
    }
}

/// A loss that is no number anywhere.
#[derive(Debug)]
struct Broken;

impl Loss for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn value(&self, _: f64, _: f64) -> f64 {
        f64::NAN
    }

    fn derivative(&self, _: f64, _: f64) -> f64 {
        f64::NAN
    }

    fn curvature(&self, _: f64, _: f64) -> f64 {
        f64::NAN
    }
}

#[test]
fn a_broken_loss_is_an_error() {
    let y = Targets::new(vec![1.0, 2.0], 1).expect("finite");
    let learner = KernelRegressor { loss: AnyLoss::Own(Arc::new(Broken)), ..Default::default() };
    assert!(learner.fit(&points(2), &y, None, &Run::new()).is_err());
}

#[test]
fn deadlines_and_memory_are_kept() {
    let x = points(60);
    let both = labels(&(0..60).map(|i| i % 2).collect::<Vec<_>>());
    let late = Run::new().with_deadline(Duration::ZERO);
    let error = logistic().fit(&x, &both, None, &late).expect_err("no time");
    assert!(matches!(error, Error::Cancelled { .. }), "{error}");
    let small = Run::new().with_memory_limit(60 * 60 * 8 + 1000);
    let error = logistic().fit(&x, &both, None, &small).expect_err("no memory");
    assert!(matches!(error, Error::Memory { .. }), "{error}");
}
