//! What fits must be, whatever found them.

use std::sync::Arc;

use mercer::certificate::{Algorithm, Measure, Stop};
use mercer::data::{Inputs, Labels, Rows, Targets};
use mercer::loss::{Absolute, EpsilonInsensitive, Hinge, Huber, Loss, Pinball, Squared, SquaredHinge, Tanh};
use mercer::model::AnyLoss;
use mercer::model::classify::{ClassWeight, KernelClassifier, KernelLogisticRegression};
use mercer::model::regress::{Alpha, KernelQuantileRegressor, KernelRegressor, KernelRidge};
use mercer::model::{Learner, Link, Model, Penalty};
use mercer::solver::penalized::PenalizedParams;
use mercer::testkit::points::{Chance, vectors};
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};

use crate::weigh;

fn kernel(formula: &str) -> KernelExpr {
    KernelExpr::parse(formula).unwrap_or_else(|e| panic!("{e}"))
}

/// Points, a noisy wave over them, and its classes.
fn sample(n: usize, seed: u64) -> (Inputs, Targets, Labels) {
    let x = vectors(n, 2, seed);
    let mut chance = Chance::new(seed + 1);
    let y: Vec<f64> = (0..n).map(|i| (2.0 * x.row(i)[0]).sin() + x.row(i)[1] + 0.4 * chance.normal()).collect();
    let codes = y.iter().map(|y| if *y < -0.5 { 0 } else { 1 + usize::from(*y > 0.7) }).collect();
    (x.into(), Targets::new(y, 1).expect("finite"), Labels::new(codes, 3).expect("three"))
}

fn two(labels: &Labels) -> Labels {
    Labels::new(labels.codes().iter().map(|c| usize::from(*c > 0)).collect(), 2).expect("two")
}

fn regress(loss: impl Loss + 'static, penalty: Penalty) -> KernelRegressor {
    KernelRegressor {
        kernel: kernel("rbf(length_scale=1)"),
        loss: AnyLoss::Own(Arc::new(loss)),
        penalty,
        tolerance: 1e-12,
        ..Default::default()
    }
}

fn values(machine: &Model, x: &Inputs) -> Vec<f64> {
    machine.predict(x, &Run::new()).expect("predicts")
}

#[test]
fn the_squared_loss_is_ridge_regression() {
    let (x, y, _) = sample(30, 1);
    let weights = weigh(&(0..30).map(|i| f64::from(i % 3)).collect::<Vec<_>>());
    let machine = regress(Squared, Penalty::Alpha(0.4)).fit(&x, &y, Some(&weights), &Run::new()).expect("fits").model;
    let ridge = KernelRidge {
        kernel: kernel("rbf(length_scale=1)"),
        alpha: Alpha::Value(0.4),
        fit_intercept: true,
        ..Default::default()
    };
    let expected = ridge.fit(&x, &y, Some(&weights), &Run::new()).expect("fits").model;
    close(&values(&machine, &x), &expected.predict(&x, &Run::new()).expect("predicts"), tol::GOLDEN);
    assert_eq!(machine.certificate().algorithm, Algorithm::InteriorPoint);
}

#[test]
fn weights_are_repetition_and_rows_of_weight_0_are_absent() {
    let (x, y, labels) = sample(18, 2);
    let weights = weigh(&(0..18).map(|i| f64::from(i % 3)).collect::<Vec<_>>());
    let rows: Vec<usize> = (0..18).flat_map(|i| vec![i; i % 3]).collect();
    let repeated = x.take(&rows);
    let of = |rows: &[usize]| Targets::new(rows.iter().map(|i| y.values()[*i]).collect::<Vec<_>>(), 1).expect("finite");
    for loss in [Arc::new(Absolute) as Arc<dyn Loss>, Arc::new(Huber::new(0.3).expect("positive"))] {
        let learner = KernelRegressor { loss: loss.into(), ..regress(Squared, Penalty::Alpha(0.5)) };
        let one = learner.fit(&x, &y, Some(&weights), &Run::new()).expect("fits");
        let other = learner.fit(&repeated, of(&rows), None, &Run::new()).expect("fits");
        assert_eq!(one.report.rows_of_weight_zero, 6);
        close(&values(&one.model, &x), &values(&other.model, &x), 1e-4);
        objectives_agree(&one.model, &other.model);
    }
    let again = Labels::new(rows.iter().map(|i| labels.codes()[*i]).collect(), 3).expect("three");
    let learner = KernelLogisticRegression { kernel: kernel("rbf"), tolerance: 1e-13, ..Default::default() };
    let one = learner.fit(&x, &labels, Some(&weights), &Run::new()).expect("fits").model;
    let other = learner.fit(&repeated, &again, None, &Run::new()).expect("fits").model;
    objectives_agree(&one, &other);
    close(&values(&one, &x), &values(&other, &x), 1e-5);
}

fn close(a: &[f64], b: &[f64], tolerance: f64) {
    let far = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(far <= tolerance, "{far:e}");
}

fn objectives_agree(a: &Model, b: &Model) {
    let (a, b) = (a.certificate().primal().expect("known"), b.certificate().primal().expect("known"));
    assert!((a - b).abs() <= tol::GOLDEN * a, "{a} and {b}");
}

#[test]
fn two_classes_of_the_softmax_are_logistic_regression_at_twice_the_alpha() {
    // With f₁ = −f₀ = f/2 the penalty is alpha/4·‖f‖², half of that of the logistic function.
    let (x, _, labels) = sample(24, 3);
    let both = two(&labels);
    let learner = KernelLogisticRegression {
        kernel: kernel("rbf(length_scale=1)"),
        alpha: 0.3,
        tolerance: 1e-13,
        ..Default::default()
    };
    let logistic = learner.fit(&x, &both, None, &Run::new()).expect("fits").model;
    assert_eq!(logistic.link(), Link::Logistic);
    let rows = mercer::loss::SoftmaxRows::new(both.codes(), 2).expect("two");
    let gram =
        mercer::gram::dense::<f64>(&learner.kernel.bind(&x, &Run::new()).expect("binds"), &Run::new()).expect("small");
    let problem = mercer::solver::penalized::Penalized {
        kernel: gram.values(),
        weights: &[1.0; 24],
        alpha: 0.6,
        intercept: true,
    };
    let params = PenalizedParams { tolerance: 1e-13, ..Default::default() };
    let softmax = mercer::solver::penalized::newton(&problem, &rows, None, &params, &Run::new()).expect("solves");
    let difference: Vec<f64> = softmax.values.chunks(2).map(|z| z[1] - z[0]).collect();
    close(&difference, &values(&logistic, &x), 1e-5);
    let primal = logistic.certificate().primal().expect("known");
    assert!((softmax.primal(0.6) - primal).abs() <= tol::GOLDEN * primal);
}

#[test]
fn probabilities_add_up_and_fit_the_classes() {
    let (x, _, labels) = sample(60, 4);
    let learner = KernelLogisticRegression { kernel: kernel("rbf(length_scale=1)"), alpha: 0.1, ..Default::default() };
    let fitted = learner.fit(&x, &labels, None, &Run::new()).expect("fits");
    let p = fitted.model.probabilities(&x, &Run::new()).expect("probabilities");
    assert!(p.chunks(3).all(|p| (p.iter().sum::<f64>() - 1.0).abs() < tol::round(3)));
    // Stationary intercepts: the probabilities of a class add up to the number of its rows.
    for c in 0..3 {
        let expected = labels.codes().iter().filter(|code| **code == c).count() as f64;
        let got: f64 = p.iter().skip(c).step_by(3).sum();
        assert!((got - expected).abs() < 1e-6, "class {c}: {got} and {expected}");
    }
    let gap = fitted.model.certificate().gap().expect("convex");
    assert!(
        gap <= 1e-8 && fitted.model.certificate().iterations().is_some_and(|i| i <= 15),
        "{:?}",
        fitted.model.certificate()
    );
}

#[test]
fn logistic_regression_goes_on_from_a_model_that_is_near() {
    let (x, _, labels) = sample(60, 7);
    let weights = weigh(&(0..60).map(|i| f64::from(i % 4)).collect::<Vec<_>>());
    for (labels, weights) in [(labels.clone(), None), (two(&labels), None), (labels, Some(&weights))] {
        let learner = |alpha: f64| -> Learner {
            let kernel = kernel("rbf(length_scale=1)");
            KernelLogisticRegression { kernel, alpha, tolerance: 1e-12, ..Default::default() }.into()
        };
        let rows = learner(1.0).sample(&x, (&labels).into(), weights, &Run::new()).expect("rows");
        let near = learner(0.3).learn(&rows, &Run::new()).expect("fits").model;
        for alpha in [3.0, 0.1, 1e-3] {
            let afresh = learner(alpha).learn(&rows, &Run::new()).expect("fits").model;
            let resumed = learner(alpha).resume(&near, &rows, &Run::new()).expect("fits").model;
            objectives_agree(&afresh, &resumed);
            close(&values(&resumed, &x), &values(&afresh, &x), 1e-5);
        }
        // From its own solution there is nothing left to do.
        let again = learner(0.3).resume(&near, &rows, &Run::new()).expect("fits").model;
        let steps = |model: &Model| model.certificate().iterations().expect("a count");
        assert!(steps(&again) <= 1 && steps(&near) > 2, "{} and {} steps", steps(&again), steps(&near));
    }
}

#[test]
fn balanced_classes_count_the_same() {
    let (x, _, labels) = sample(40, 5);
    let both = two(&labels);
    let learner = |class_weight| KernelLogisticRegression { kernel: kernel("rbf"), class_weight, ..Default::default() };
    let counts: Vec<f64> = (0..2).map(|c| both.codes().iter().filter(|code| **code == c).count() as f64).collect();
    let numbers = ClassWeight::Values(counts.iter().map(|c| 40.0 / (2.0 * c)).collect());
    let one = learner(ClassWeight::Balanced).fit(&x, &both, None, &Run::new()).expect("fits").model;
    let other = learner(numbers).fit(&x, &both, None, &Run::new()).expect("fits").model;
    close(&values(&one, &x), &values(&other, &x), tol::EXACT);
    // The intercept makes the weighted probabilities of both classes add up to the same.
    let p = one.probabilities(&x, &Run::new()).expect("probabilities");
    let weighted: f64 = (0..40).map(|i| 20.0 / counts[both.codes()[i]] * p[2 * i]).sum();
    assert!((weighted - 20.0).abs() < 1e-6, "{weighted}");
}

#[test]
fn margins_against_the_rest_find_the_classes() {
    let (x, _, labels) = sample(60, 6);
    for loss in [Arc::new(Hinge) as Arc<dyn Loss>, Arc::new(SquaredHinge), Arc::new(Squared)] {
        let learner = KernelClassifier {
            kernel: kernel("rbf(length_scale=0.7)"),
            loss: loss.into(),
            penalty: Penalty::Alpha(0.05),
            ..Default::default()
        };
        let machine = learner.fit(&x, &labels, None, &Run::new()).expect("fits").model;
        assert!(machine.certificate().stop.is_complete(), "{:?}", machine.certificate());
        let f = values(&machine, &x);
        let best = |row: &[f64]| (0..3).max_by(|a, b| row[*a].total_cmp(&row[*b]));
        let right = f.chunks(3).zip(labels.codes()).filter(|(row, code)| best(row) == Some(**code)).count();
        assert!(right >= 51, "{right} of 60 by {}", learner.loss.name());
        assert!(machine.probabilities(&x, &Run::new()).is_err());
    }
}

#[test]
fn quantiles_leave_their_share_below_and_do_not_cross() {
    let (x, y, _) = sample(80, 7);
    let quantiles = vec![0.1, 0.25, 0.5, 0.9];
    let learner = |non_crossing| KernelQuantileRegressor {
        kernel: kernel("rbf(length_scale=0.4)"),
        quantiles: quantiles.clone(),
        alpha: 0.02,
        non_crossing,
        ..Default::default()
    };
    let plain = values(&learner(false).fit(&x, &y, None, &Run::new()).expect("fits").model, &x);
    let sorted = values(&learner(true).fit(&x, &y, None, &Run::new()).expect("fits").model, &x);
    assert!(plain.chunks(4).any(|q| q.windows(2).any(|w| w[0] > w[1])), "the case has curves that cross");
    assert!(sorted.chunks(4).all(|q| q.windows(2).all(|w| w[0] <= w[1])));
    let loss = |f: &[f64]| -> f64 {
        let of = |i: usize, o: usize| Pinball::new(quantiles[o]).expect("inside").value(y.values()[i], f[4 * i + o]);
        (0..80).flat_map(|i| (0..4).map(move |o| (i, o))).map(|(i, o)| of(i, o)).sum()
    };
    assert!(loss(&sorted) <= loss(&plain) + tol::round(320));
    // Of the unsorted curves, with an intercept: at most τn rows lie above by more than the solver's
    // accuracy, and at most (1 − τ)n below.
    for (o, tau) in quantiles.iter().enumerate() {
        let off = |i: usize| plain[4 * i + o] - y.values()[i];
        let below = (0..80).filter(|i| off(*i) > 1e-5).count() as f64;
        let above = (0..80).filter(|i| off(*i) < -1e-5).count() as f64;
        assert!(below <= tau * 80.0 + 0.5 || above <= (1.0 - tau) * 80.0 + 0.5);
        assert!(below <= (tau) * 80.0 + 0.5, "{below} of 80 rows below the curve of {tau}");
        assert!(above <= (1.0 - tau) * 80.0 + 0.5, "{above} of 80 rows above the curve of {tau}");
    }
}

#[test]
fn the_norm_bound_is_met_and_certified() {
    let (x, y, labels) = sample(30, 8);
    let norm = |m: &Model| m.certificate().get(Measure::Norm).expect("a number");
    let losses: [Arc<dyn Loss>; 5] = [
        Arc::new(Squared),
        Arc::new(Absolute),
        Arc::new(EpsilonInsensitive::new(0.1).expect("not negative")),
        Arc::new(Pinball::new(0.2).expect("inside")),
        Arc::new(Huber::new(0.5).expect("positive")),
    ];
    let certified = |m: &Model, what: &str| {
        let certificate = &m.certificate();
        let gap = certificate.gap().expect("convex") / certificate.primal().expect("known");
        assert!((-tol::round(30)..tol::GOLDEN).contains(&gap), "{what}: gap {gap:e}");
        assert_eq!(certificate.stop, Stop::Tolerance, "{what}");
    };
    for loss in losses {
        let learner = |penalty| KernelRegressor { loss: Arc::clone(&loss).into(), ..regress(Squared, penalty) };
        let bounded = learner(Penalty::NormBound(1.5)).fit(&x, &y, None, &Run::new()).expect("fits").model;
        assert!((norm(&bounded) - 1.5).abs() < tol::GOLDEN, "{}: {}", loss.name(), norm(&bounded));
        certified(&bounded, loss.name());
        for (bound, fit_intercept) in [(0.1, true), (3.0, false)] {
            let other = KernelRegressor { fit_intercept, ..learner(Penalty::NormBound(bound)) };
            let other = other.fit(&x, &y, None, &Run::new()).expect("fits").model;
            assert!((norm(&other) / bound - 1.0).abs() < tol::GOLDEN, "{} {bound}: {}", loss.name(), norm(&other));
            certified(&other, &format!("{} with {bound}", loss.name()));
        }
        // The penalised problem of the alpha found is the same function.
        let alpha = bounded.certificate().get(Measure::Alpha).expect("a number");
        let penalised = learner(Penalty::Alpha(alpha)).fit(&x, &y, None, &Run::new()).expect("fits").model;
        close(&values(&bounded, &x), &values(&penalised, &x), 1e-3);
        assert!((norm(&penalised) / 1.5 - 1.0).abs() < 1e-3);
    }
    let margins: [Arc<dyn Loss>; 3] = [Arc::new(mercer::loss::Logistic), Arc::new(Hinge), Arc::new(SquaredHinge)];
    for loss in margins {
        let learner = KernelClassifier {
            kernel: kernel("rbf(length_scale=1)"),
            loss: Arc::clone(&loss).into(),
            penalty: Penalty::NormBound(1.2),
            ..Default::default()
        };
        let machine = learner.fit(&x, two(&labels), None, &Run::new()).expect("fits").model;
        assert!((norm(&machine) / 1.2 - 1.0).abs() < tol::GOLDEN, "{}: {}", loss.name(), norm(&machine));
        certified(&machine, loss.name());
    }
}

#[test]
fn a_slack_bound_is_said_to_be_slack() {
    let x: Inputs = Rows::new(vec![0.0, 1.0, 2.0], 3, 1).expect("rows").into();
    let y = Targets::new(vec![1.0, 3.0, 5.0], 1).expect("finite");
    let learner = KernelRegressor { kernel: kernel("linear"), ..regress(Absolute, Penalty::NormBound(100.0)) };
    let fitted = learner.fit(&x, &y, None, &Run::new()).expect("fits");
    assert!(fitted.report.notes.iter().any(|n| n.to_string().contains("slack")), "{:?}", fitted.report.notes);
    close(&values(&fitted.model, &x), y.values(), 1e-4);
    assert!(fitted.model.certificate().primal().is_some_and(|p| p < 1e-3));
}

#[test]
fn tanh_takes_the_best_of_its_starts() {
    let (x, _, labels) = sample(40, 9);
    let both = two(&labels);
    let learner = |starts| KernelClassifier {
        kernel: kernel("rbf(length_scale=0.5)"),
        loss: AnyLoss::Own(Arc::new(Tanh)),
        penalty: Penalty::Alpha(0.01),
        starts,
        ..Default::default()
    };
    let one = learner(1).fit(&x, &both, None, &Run::new()).expect("fits").model;
    let best = learner(6).fit(&x, &both, None, &Run::new()).expect("fits");
    let primal = best.model.certificate().primal().expect("known");
    assert!(primal <= one.certificate().primal().expect("known"));
    assert_eq!(best.model.certificate().dual(), None);
    assert!(best.report.notes.iter().any(|n| n.to_string().contains("best of 6")), "{:?}", best.report.notes);
    // A stationary point: the gradient is 0 where the loss is not convex, too.
    assert!(best.model.certificate().residual() < 1e-6, "{:?}", best.model.certificate());
}

/// ln cosh, without a conjugate.
#[derive(Debug)]
struct LogCosh;

impl Loss for LogCosh {
    fn name(&self) -> &str {
        "log_cosh"
    }

    fn value(&self, y: f64, z: f64) -> f64 {
        let r = (z - y).abs();
        r + (-2.0 * r).exp().ln_1p() - 2f64.ln()
    }

    fn derivative(&self, y: f64, z: f64) -> f64 {
        (z - y).tanh()
    }

    fn curvature(&self, y: f64, z: f64) -> f64 {
        1.0 - (z - y).tanh().powi(2)
    }
}

#[test]
fn a_users_own_loss_is_fitted_and_its_gap_is_not_known() {
    let (x, y, _) = sample(30, 10);
    let fitted = regress(LogCosh, Penalty::Alpha(0.3)).fit(&x, &y, None, &Run::new()).expect("fits");
    let certificate = &fitted.model.certificate();
    assert_eq!(
        (certificate.dual(), certificate.stop, certificate.algorithm),
        (None, Stop::Tolerance, Algorithm::Newton)
    );
    assert!(certificate.residual() <= 1e-11, "{certificate:?}");
    // Stationary: alpha·a = −ℓ'(y, f).
    let f = values(&fitted.model, &x);
    for (i, a) in fitted.model.expansion().coefficients().iter().enumerate() {
        assert!((0.3 * a + (f[i] - y.values()[i]).tanh()).abs() < 1e-9);
    }
    assert!(fitted.report.notes.iter().any(|n| n.to_string().contains("log_cosh")));
}

#[test]
fn threads_and_order_do_not_matter() {
    let (x, y, labels) = sample(50, 11);
    let logistic = KernelLogisticRegression { kernel: kernel("rbf"), ..Default::default() };
    let huber = regress(Huber::new(0.4).expect("positive"), Penalty::Alpha(0.2));
    let fits = |threads: usize| {
        let run = Run::new().with_threads(threads).expect("few");
        let a = logistic.fit(&x, &labels, None, &run).expect("fits").model;
        let b = huber.fit(&x, &y, None, &run).expect("fits").model;
        (a.expansion().coefficients().to_vec(), b.expansion().coefficients().to_vec())
    };
    assert_eq!(fits(1), fits(3));
}
