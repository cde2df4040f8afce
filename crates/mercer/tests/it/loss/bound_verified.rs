//! Models with ‖f‖ ≤ B are held to their claims, as those with alpha are.

use mercer::data::{Dataset, load};
use mercer::kernel::Registry;
use mercer::loss::{LossSpec, NamedLoss};
use mercer::model::classify::KernelClassifier;
use mercer::model::pipeline::{Pipeline, Prepare, Verification};
use mercer::model::regress::KernelRegressor;
use mercer::model::{Expansion, Extra, Learner, Model, ModelParts, Penalty};
use mercer::{KernelExpr, Run};

const FORMULA: &str = "rbf(length_scale=2)";
/// A bound that no function here comes near to. Its coefficients are so large that rounding hides small changes.
const SLACK: f64 = 1e6;

fn iris(target: &str) -> Dataset {
    let all = load("iris").expect("a set").with_target(target).expect("a column");
    all.take(&(0..150).step_by(3).collect::<Vec<_>>())
}

fn saved(data: &Dataset, learner: Learner) -> Pipeline {
    let prepared = Prepare::default().fit(data, None).expect("prepares");
    let fitted = learner.fit(&prepared.inputs, prepared.target.clone(), None, &Run::new()).expect("fits");
    let pipeline = prepared.pipeline(fitted.model).expect("valid");
    Pipeline::from_bytes(&pipeline.to_bytes().expect("a file"), &Registry::new()).expect("reads back")
}

fn verified(pipeline: Pipeline, data: &Dataset) -> Verification {
    pipeline.verify(data, None, &Run::new()).expect("the rows")
}

/// The same pipeline with other numbers in its model.
fn altered(pipeline: &Pipeline, change: impl FnOnce(&mut ModelParts)) -> Pipeline {
    let mut parts = pipeline.clone().into_parts();
    let mut model = parts.model.parts().clone();
    change(&mut model);
    parts.model = Model::from_parts(model).expect("valid");
    Pipeline::from_parts(parts).expect("valid")
}

fn moved(f: &Expansion, coefficient: impl Fn(usize, f64) -> f64, intercept: f64) -> Expansion {
    let coefficients = f.coefficients().iter().enumerate().map(|(at, a)| coefficient(at, *a)).collect();
    let intercepts = f.intercept().iter().map(|b| b + intercept).collect();
    Expansion::new(f.space().clone(), f.points().clone(), coefficients, intercepts).expect("finite")
}

fn learners() -> Vec<(&'static str, Learner)> {
    let kernel = || KernelExpr::parse(FORMULA).expect("a formula");
    let mut all: Vec<(&str, Learner)> = Vec::new();
    for bound in [0.3, 2.0, 50.0, SLACK] {
        let penalty = Penalty::NormBound(bound);
        for spec in LossSpec::ALL {
            let loss = NamedLoss::of(spec).into();
            let regressor: Learner = KernelRegressor { kernel: kernel(), loss, penalty, ..Default::default() }.into();
            let loss = NamedLoss::of(spec).into();
            let classifier: Learner = KernelClassifier { kernel: kernel(), loss, penalty, ..Default::default() }.into();
            let both = [("petal_width_cm", regressor), ("species", classifier)];
            all.extend(both.into_iter().filter(|(_, learner)| learner.validate().is_ok()));
        }
    }
    all
}

#[test]
fn every_loss_is_verified_and_altered_numbers_are_refused() {
    for (target, learner) in learners() {
        let (data, what) = (iris(target), format!("{target}: {:?}", learner.settings()));
        let pipeline = saved(&data, learner);
        let found = verified(pipeline.clone(), &data);
        assert!(found.holds, "{what}: {}", found.verdict);
        let again = found.found.expect("the rows of the fit");
        assert_eq!(again.dual().is_some(), found.claimed.dual().is_some(), "{what}");
        if pipeline.model().learner().settings()["penalty"]["norm_bound"] == SLACK {
            continue;
        }
        let size = pipeline.model().coefficients().iter().fold(0.0f64, |m, a| m.max(a.abs()));
        for (change, coefficient, intercept) in [
            (
                "one coefficient",
                &(|at: usize, a: f64| if at == 4 { a + 0.05 * size } else { a }) as &dyn Fn(usize, f64) -> f64,
                0.0,
            ),
            ("all coefficients", &|_, a| 1.1 * a, 0.0),
            ("a sign", &|_, a| -a, 0.0),
            ("the intercept", &|_, a| a, 0.5),
        ] {
            let other = altered(&pipeline, |m| m.expansion = moved(&m.expansion, coefficient, intercept));
            let found = verified(other, &data);
            assert!(!found.holds, "{change} of {what}: {} {:?}", found.verdict, found.claimed);
        }
    }
}

#[test]
fn a_norm_above_its_bound_is_refused_whatever_is_claimed() {
    let data = iris("petal_width_cm");
    let of = |bound: f64| {
        let (kernel, penalty) = (KernelExpr::parse(FORMULA).expect("a formula"), Penalty::NormBound(bound));
        saved(&data, KernelRegressor { kernel, penalty, ..Default::default() }.into())
    };
    // The function of a wider bound under the name of a narrow one; then with a certificate that is true of it.
    let (narrow, wide) = (of(0.3), of(0.4));
    let learner = narrow.model().learner().clone();
    let other = altered(&wide, |m| m.learner = learner);
    let found = verified(other.clone(), &data);
    assert!(!found.holds, "{}", found.verdict);
    let claimed = found.found.expect("the rows of the fit");
    let honest = verified(altered(&other, |m| m.certificate = claimed), &data);
    assert!(!honest.holds && honest.verdict.contains("its bound is 3.0"), "{}", honest.verdict);
    let lost = altered(&narrow, |m| m.extra = Extra::None);
    assert!(lost.verify(&data, None, &Run::new()).expect_err("no alpha").to_string().contains("an alpha an output"));
    let odd = altered(&narrow, |m| m.extra = Extra::Alphas(vec![1e3]));
    assert!(!verified(odd, &data).holds);
}
