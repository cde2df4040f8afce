//! The main job on shipped data: it beats the baselines, and says the same every time.

use mercer::data::{MissingPolicy, load};
use mercer::model::pipeline::Prepare;
use mercer::select::{Job, Scores, Split};
use mercer::{KernelExpr, Run};

#[test]
fn penguins_are_told_apart() {
    let data = load("penguins").and_then(|d| d.with_target("species")).expect("penguins");
    let prepare = Prepare { missing: MissingPolicy::Drop, ..Prepare::default() };
    let done = Job { prepare, ..Job::default() }.fit(&data, &Run::new()).expect("a model");
    let estimate = done.estimate.expect("an estimate");
    let (Scores::Classification { accuracy }, Scores::Classification { accuracy: majority }) =
        (estimate.model, estimate.constant)
    else {
        panic!("species are classes")
    };
    assert!(accuracy > 0.98, "accuracy {accuracy}");
    assert!((majority - 146.0 / 333.0).abs() < 0.01, "Adelie are 146 of 333, got {majority}");
    assert_eq!(estimate.rows, 333);
    assert!(done.report.certificate.relative_residual < 1e-10);
    assert!(done.stopped.is_none());
}

#[test]
fn a_regression_beats_mean_and_line() {
    let data = load("penguins").and_then(|d| d.with_target("body_mass_g")).expect("penguins");
    let prepare = Prepare { missing: MissingPolicy::Drop, ..Prepare::default() };
    let job = Job { prepare, split: Some(Split::Folds(3)), ..Job::default() };
    let done = job.fit(&data, &Run::new()).expect("a model");
    let estimate = done.estimate.expect("an estimate");
    let rmse = |scores: Scores| match scores {
        Scores::Regression { rmse, .. } => rmse,
        Scores::Classification { .. } => panic!("grams are numbers"),
    };
    let (own, mean) = (rmse(estimate.model), rmse(estimate.constant));
    let linear = rmse(estimate.linear.expect("there are numbers"));
    assert!(own < linear && linear < mean, "{own} {linear} {mean}");
    let again = job.fit(&data, &Run::new()).expect("a model");
    assert_eq!(again.pipeline.model().coefficients(), done.pipeline.model().coefficients());
}

#[test]
fn a_deadline_leaves_the_best_model_so_far() {
    let data = load("penguins").and_then(|d| d.with_target("body_mass_g")).expect("penguins");
    let prepare = Prepare { missing: MissingPolicy::Drop, ..Prepare::default() };
    let kernel = KernelExpr::parse("rbf").ok();
    let run = Run::new().with_deadline(std::time::Duration::from_millis(1));
    std::thread::sleep(std::time::Duration::from_millis(2));
    let done = Job { prepare, kernel, ..Job::default() }.fit(&data, &run).expect("a model all the same");
    assert!(done.stopped.is_some() && done.estimate.is_none());
    assert!(done.pipeline.predict(&data.take(&[0, 1]).inputs, &Run::new()).is_ok());
}
