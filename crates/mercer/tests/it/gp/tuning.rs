//! Tuning: what it finds, what it reports, and that it stops.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mercer::certificate::Stop;
use mercer::data::{Inputs, Targets};
use mercer::kernel::{Param, Transform};
use mercer::model::Criterion;
use mercer::model::Fitted;
use mercer::model::Tuning;
use mercer::model::gp::{GaussianProcessClassifier, GaussianProcessRegressor};
use mercer::testkit::points::Chance;
use mercer::{KernelExpr, Run};

use super::{classifier, distinct, fit, labels, regressor, rows, run};

fn free(formula: &str, alpha: f64, restarts: usize) -> GaussianProcessRegressor {
    GaussianProcessRegressor {
        alpha: Param::new(alpha, Transform::Log),
        tuning: Some(Tuning { restarts, ..Tuning::default() }),
        ..regressor(formula, alpha)
    }
}

/// sin(2x₀) and noise of deviation 0.2; the second column says nothing.
fn data(n: usize) -> (Inputs, Targets) {
    let x = distinct(n, 2, 1);
    let mut chance = Chance::new(2);
    let y: Vec<f64> = (0..n).map(|i| (2.0 * rows(&x).row(i)[0]).sin() + 0.2 * chance.normal()).collect();
    (x, Targets::new(y, 1).expect("finite"))
}

#[test]
fn it_finds_noise_and_relevance() {
    let (x, y) = data(150);
    let fitted = fit(&free("1*rbf(length_scale=[1, 1])", 1.0, 0), &x, &y, None);
    let tuned = fitted.report.tuned.as_ref().expect("tuned");
    assert_eq!(tuned.stop, Stop::Tolerance);
    assert!(
        (0.02..0.08).contains(&fitted.model.alpha().expect("noise")),
        "alpha {}, true 0.04",
        fitted.model.alpha().expect("noise")
    );
    let theta = fitted.model.kernel().theta().expect("numbers");
    assert!(theta[2] > theta[1] + 1.0, "{}", fitted.model.kernel());
    // At an inner maximum the gradient is 0.
    let gp = GaussianProcessRegressor {
        kernel: fitted.model.kernel().clone(),
        alpha: Param::new(fitted.model.alpha().expect("noise"), Transform::Log),
        ..regressor("linear", 1.0)
    };
    let evidence = gp.evidence(&x, &y, None, &run()).expect("evidence");
    let (value, gradient) = evidence.value_and_gradient(&evidence.start().expect("numbers"), &run()).expect("one");
    assert!((value - fitted.model.log_evidence().expect("an evidence")).abs() < 1e-6);
    let names = evidence.names();
    for (name, slope) in names.iter().zip(&gradient) {
        let held = tuned.at_bounds.iter().any(|b| b.parameter == *name);
        assert!(held || slope.abs() < 1e-3 * 150.0, "{name}: {slope}");
    }
}

#[test]
fn a_parameter_at_its_bound_is_named() {
    let (x, y) = data(60);
    let gp = free("1*rbf(length_scale=1 in [0.9, 1.1])", 1.0, 0);
    let fitted = fit(
        &GaussianProcessRegressor { alpha: Param { bounds: Some((0.5, 2.0)), ..gp.alpha.clone() }, ..gp },
        &x,
        &y,
        None,
    );
    let tuned = fitted.report.tuned.expect("tuned");
    let found: Vec<(&str, bool)> = tuned.at_bounds.iter().map(|b| (b.parameter.as_str(), b.upper)).collect();
    assert_eq!(found.last(), Some(&("alpha", false)), "{tuned:?}");
    assert!((fitted.model.alpha().expect("noise") - 0.5).abs() < 1e-12);
    assert!(
        fitted.report.notes.iter().any(|n| n.to_string().contains("`alpha` ended at its lower bound, 5e-1")),
        "{:?}",
        fitted.report.notes
    );
}

#[test]
fn restarts_are_the_same_every_time_and_never_worse() {
    let (x, y) = data(40);
    let evidence = |fitted: &Fitted| fitted.model.log_evidence().expect("an evidence");
    let one = fit(&free("1*rbf(length_scale=30)", 1.0, 0), &x, &y, None);
    let [a, b] = [(), ()].map(|()| fit(&free("1*rbf(length_scale=30)", 1.0, 4), &x, &y, None));
    assert_eq!(a.report.tuned, b.report.tuned);
    assert_eq!(a.report.tuned.as_ref().map(|t| t.starts.len()), Some(5));
    assert!(evidence(&a) >= evidence(&one) - 1e-9);
    let best = a.report.tuned.iter().flat_map(|t| &t.starts).map(|s| s.value).fold(f64::NEG_INFINITY, f64::max);
    assert!((best - evidence(&a)).abs() < 1e-9 * best.abs());
}

#[test]
fn a_deadline_and_an_interrupt_give_the_best_so_far() {
    let (x, y) = data(40);
    let gp = free("1*rbf(length_scale=1)", 1.0, 0);
    for run in [Run::new().with_deadline(Duration::ZERO), Run::new().with_cancel(Arc::new(AtomicBool::new(true)))] {
        let fitted = gp.fit(&x, &y, None, &run).expect("what was given is an answer");
        assert!(matches!(fitted.report.tuned.as_ref().map(|t| t.stop), Some(Stop::Deadline | Stop::Interrupted)));
        assert!(
            (fitted.model.alpha().expect("noise") - 1.0).abs() < 1e-12
                && fitted.model.log_evidence().expect("an evidence").is_finite()
        );
        assert!(fitted.model.predict(&x, &Run::new()).expect("a mean").iter().all(|v| v.is_finite()));
        assert!(!fitted.report.notes.is_empty());
    }
    let gp = GaussianProcessClassifier { tuning: Some(Tuning::default()), ..classifier("1*rbf(length_scale=1)") };
    let late = gp.fit(&x, labels(&x), None, &Run::new().with_deadline(Duration::ZERO)).expect("an answer");
    assert_eq!(late.model.certificate().stop, Stop::Tolerance, "the mode of the parameters as given");
    // Without tuning the first Newton steps are the answer, and the report says so.
    let early =
        classifier("1*rbf(length_scale=1)").fit(&x, labels(&x), None, &Run::new().with_deadline(Duration::ZERO));
    assert!(early.is_err_and(|e| matches!(e, mercer::Error::Cancelled { .. })), "no kernel matrix, no answer");
}

#[test]
fn without_anything_free_tuning_changes_nothing() {
    let (x, y) = data(30);
    let kernel = KernelExpr::parse("2!*rbf(length_scale=1!)").expect("a formula");
    let gp = GaussianProcessRegressor { kernel, tuning: Some(Tuning::default()), ..regressor("linear", 0.3) };
    let fitted = fit(&gp, &x, &y, None);
    assert_eq!(fitted.model.alpha().expect("noise"), 0.3);
    assert_eq!(fitted.model.kernel().to_string(), "2!*rbf(length_scale=1!)");
    assert_eq!(fitted.report.tuned.map(|t| t.evaluations), Some(1));
}
