//! ‖f‖ ≤ B: the least loss falls in B, and stays where the bound is slack.

use std::sync::Arc;

use mercer::certificate::Measure;
use mercer::data::{Inputs, Labels, Rows, Targets};
use mercer::loss::{Absolute, Huber, Logistic, Loss, Squared, SquaredHinge};
use mercer::model::AnyLoss;
use mercer::model::classify::KernelClassifier;
use mercer::model::regress::KernelRegressor;
use mercer::model::{Fitted, Penalty};
use mercer::testkit::points::{Chance, vectors};
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};

const BOUNDS: [f64; 14] = [1e-3, 0.1, 1.0, 10.0, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e12, 1e100, 1e300];

/// Objectives of one learner for all bounds are in order; `scale` is the loss of f = 0.
fn in_order(what: &str, scale: f64, fit: impl Fn(f64) -> Fitted) {
    let mut before = f64::INFINITY;
    for bound in BOUNDS {
        let Fitted { model, report } = fit(bound);
        let primal = model.certificate().primal().expect("known");
        // The search ends at a gap of 1e-10 of the objective, or of a hundredth of that of f = 0.
        let leeway = tol::GOLDEN * primal.abs().max(1e-2 * scale);
        // The objective lies between both; the rest is what the rounding of kernel values leaves open.
        let least = primal - model.certificate().get(Measure::Rounding).expect("known");
        assert!(least <= before + leeway, "{what}, {bound:e}: {least:e} after {before:e}");
        assert!(
            model.certificate().get(Measure::Norm).is_some_and(|norm| norm <= bound * (1.0 + tol::GOLDEN)),
            "{what}"
        );
        assert!(report.notes.iter().all(|note| note.to_string().len() < 200), "{what}: {:?}", report.notes);
        before = before.min(primal);
    }
    assert!(before <= scale, "{what}");
}

#[test]
fn a_larger_bound_is_never_worse() {
    let x = vectors(40, 3, 1);
    let mut chance = Chance::new(2);
    let y: Vec<f64> = (0..40).map(|i| x.row(i)[0].sin() + 0.2 * chance.normal()).collect();
    let separable: Vec<usize> = (0..40).map(|i| usize::from(x.row(i)[0] > 0.1)).collect();
    let mixed: Vec<usize> = (0..40).map(|i| usize::from(y[i] > 0.0) ^ usize::from(i % 7 == 0)).collect();
    let x = Inputs::from(x);
    for formula in ["linear", "rbf(length_scale=1)", "poly(degree=2)"] {
        let kernel = KernelExpr::parse(formula).expect("a formula");
        let numbers: [Arc<dyn Loss>; 3] =
            [Arc::new(Squared), Arc::new(Absolute), Arc::new(Huber::new(0.5).expect("a width"))];
        for loss in numbers {
            let scale = y.iter().map(|y| loss.value(*y, 0.0)).sum();
            in_order(&format!("{formula}, {}", loss.name()), scale, |bound| {
                let (kernel, loss, penalty) = (kernel.clone(), Arc::clone(&loss), Penalty::NormBound(bound));
                let learner = KernelRegressor { kernel, loss: loss.into(), penalty, ..Default::default() };
                learner.fit(&x, Targets::new(y.clone(), 1).expect("finite"), None, &Run::new()).expect("fits")
            });
        }
        let margins: [Arc<dyn Loss>; 2] = [Arc::new(Logistic), Arc::new(SquaredHinge)];
        for (loss, codes) in margins.iter().flat_map(|loss| [(loss, &separable), (loss, &mixed)]) {
            let scale = 40.0 * loss.value(1.0, 0.0);
            in_order(&format!("{formula}, {}", loss.name()), scale, |bound| {
                let (kernel, loss, penalty) = (kernel.clone(), Arc::clone(loss), Penalty::NormBound(bound));
                let learner = KernelClassifier { kernel, loss: loss.into(), penalty, ..Default::default() };
                learner.fit(&x, Labels::new(codes.clone(), 2).expect("two"), None, &Run::new()).expect("fits")
            });
        }
    }
}

/// Beyond the norm of least squares the answer is least squares, whatever the bound.
#[test]
fn a_slack_bound_gives_the_limit() {
    let x = Rows::new((0..30).map(f64::from).collect::<Vec<_>>(), 30, 1).expect("rows");
    let y: Vec<f64> = (0..30).map(|i| 2.0 * f64::from(i) + (f64::from(i) * 1.7).sin()).collect();
    // Without an intercept: ⟨x, y⟩/⟨x, x⟩.
    let slope =
        (0..30).map(|i| f64::from(i) * y[i as usize]).sum::<f64>() / (0..30).map(|i| f64::from(i * i)).sum::<f64>();
    let (kernel, y) = (KernelExpr::parse("linear").expect("a formula"), Targets::new(y, 1).expect("finite"));
    let at: Inputs = Rows::new(vec![1.0], 1, 1).expect("a row").into();
    for bound in [10.0, 1e6, 1e8, 1e200] {
        let penalty = Penalty::NormBound(bound);
        let learner = KernelRegressor {
            kernel: kernel.clone(),
            loss: AnyLoss::Own(Arc::new(Squared)),
            penalty,
            fit_intercept: false,
            ..Default::default()
        };
        let machine = learner.fit(&x.clone().into(), &y, None, &Run::new()).expect("fits").model;
        let found = machine.predict(&at, &Run::new()).expect("predicts")[0];
        assert!((found / slope - 1.0).abs() < tol::GRAD, "{bound:e}: {found} and {slope}");
    }
}
