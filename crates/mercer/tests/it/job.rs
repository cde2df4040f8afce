//! The main job on shipped data: it beats the baselines, and says the same every time.

use mercer::data::{Dataset, Labels, MissingPolicy, TargetKind, load};
use mercer::loss::{Absolute, Against, Hinge, LossSpec, NamedLoss};
use mercer::metric::log_loss;
use mercer::model::classify::KernelLogisticRegression;
use mercer::model::pipeline::Prepare;
use mercer::model::{Choice, Learner, catalogue};
use mercer::select::{Asked, Job, Scores, Split};
use mercer::{KernelExpr, Run};
use serde_json::json;

#[test]
fn penguins_are_told_apart() {
    let data = load("penguins").and_then(|d| d.with_target("species")).expect("penguins");
    let prepare = Prepare { missing: MissingPolicy::Drop, ..Prepare::default() };
    let done = Job { prepare, ..Job::default() }.fit(&data, &Run::new()).expect("a model");
    let estimate = done.estimate.expect("an estimate");
    let of = |scores: Scores| match scores {
        Scores::Classification { accuracy, log_loss } => (accuracy, log_loss.expect("probabilities")),
        _ => panic!("species are classes"),
    };
    let ((accuracy, loss), (majority, frequency)) = (of(estimate.model), of(estimate.constant));
    let (_, linear) = of(estimate.linear.expect("there are numbers"));
    assert!(accuracy > 0.98, "accuracy {accuracy}");
    assert!((majority - 146.0 / 333.0).abs() < 0.01, "Adelie are 146 of 333, got {majority}");
    // The entropy of the shares 146, 68 and 119 of 333, by hand.
    assert!((frequency - 1.0542).abs() < 0.01, "{frequency}");
    assert!(loss < 0.1 && loss < linear + 0.02 && linear < frequency, "{loss} {linear} {frequency}");
    assert_eq!(done.learner, "logistic");
    assert!(matches!(done.report.choice, Choice::Folds { folds: 3, rows: 333, .. }), "{:?}", done.report.choice);
    let best = done.report.path.iter().min_by(|a, b| a.score.total_cmp(&b.score)).expect("a path");
    assert_eq!(done.report.alpha(), Some(best.value));
    assert_eq!(estimate.rows, 333);
    let certificate = &done.pipeline.model().certificate();
    assert!(certificate.gap().zip(certificate.primal()).is_some_and(|(gap, primal)| gap <= 1e-9 * primal));
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
        _ => panic!("grams are numbers"),
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

/// A learner, small: a kernel as given, no estimate.
fn small(name: &str, loss: Option<NamedLoss>) -> Job {
    let kernel = KernelExpr::parse("rbf(length_scale=2)").ok();
    let learner = Asked::named(name).expect("a learner");
    let learner = loss.map_or(learner.clone(), |loss| learner.with("loss", serde_json::json!(loss)));
    Job { learner, kernel, tune: false, estimate: false, ..Job::default() }
}

/// The names of learners that take such targets, and `auto`.
fn names(kind: TargetKind) -> Vec<&'static str> {
    let all = catalogue::all();
    let of = |l: &Learner| l.spec().takes(kind).then_some(l.spec().name);
    std::iter::once("auto").chain(all.iter().filter_map(of)).collect()
}

fn few(name: &str, target: &str) -> Dataset {
    let data = load(name).and_then(|d| d.with_target(target)).expect("a shipped set");
    data.take(&(0..data.len()).step_by(2).collect::<Vec<_>>())
}

#[test]
fn every_learner_learns_classes_and_survives_its_file() {
    let data = few("iris", "species");
    for learner in names(TargetKind::Classes) {
        let done = small(learner, None).fit(&data, &Run::new()).unwrap_or_else(|e| panic!("{learner:?}: {e}"));
        let answers = done.pipeline.predict(&data.inputs, &Run::new()).expect("answers");
        let labels = answers.labels.as_ref().expect("classes");
        let named = |i: usize| labels.get(i).unwrap_or_default().to_owned();
        let truth = |i: usize| ["setosa", "versicolor", "virginica"][i / 25];
        let right = (0..75).filter(|i| named(*i) == truth(*i)).count();
        assert!(right >= 60, "{learner:?}: {right} of 75");
        let complexity = catalogue::by_name(done.learner).expect("a learner").complexity();
        assert_eq!(done.report.parameter, complexity.map(|c| c.name));
        assert_eq!(done.report.value.is_some(), complexity.is_some(), "{learner:?}");
        let bytes = done.pipeline.to_bytes().expect("a file");
        let again = mercer::model::pipeline::Pipeline::from_bytes(&bytes, &mercer::kernel::Registry::new());
        assert_eq!(again.expect("reads back").predict(&data.inputs, &Run::new()).expect("answers"), answers);
        let verified = done.pipeline.verify(&data, None, &Run::new());
        assert!(verified.as_ref().is_ok_and(|v| v.holds), "{learner:?}: {verified:?}");
    }
}

#[test]
fn every_learner_and_loss_of_numbers_beats_the_mean() {
    let data = load("penguins").and_then(|d| d.with_target("body_mass_g")).expect("penguins");
    let prepare = Prepare { missing: MissingPolicy::Drop, ..Prepare::default() };
    let kernel = KernelExpr::parse("rbf(length_scale=3) + delta(sex)").ok();
    let losses =
        LossSpec::ALL.iter().filter(|spec| spec.against == Against::Numbers).map(|spec| Some(NamedLoss::of(spec)));
    // Quantiles are no means.
    let plain = names(TargetKind::Numbers).into_iter().filter(|name| *name != "quantiles").map(|l| (l, None));
    for (learner, loss) in plain.chain(losses.map(|l| ("auto", l))) {
        let job = Job { prepare, kernel: kernel.clone(), split: Some(Split::HoldOut(0.25)), ..small(learner, loss) };
        let done = Job { estimate: true, ..job }.fit(&data, &Run::new()).expect("a model");
        let Some(Scores::Regression { r2, .. }) = done.estimate.map(|e| e.model) else { panic!("numbers") };
        assert!(r2 > 0.75, "{learner:?} {loss:?}: {r2}");
        assert!(loss.is_none() || done.learner == "regressor");
        assert!(done.pipeline.verify(&data, None, &Run::new()).is_ok_and(|v| v.holds), "{learner:?} {loss:?}");
    }
}

#[test]
fn every_loss_of_classes_verifies_and_a_change_does_not() {
    let data = few("iris", "species");
    for name in ["logistic", "squared_hinge", "hinge", "tanh", "squared", "huber"] {
        let loss = NamedLoss::parse(name, None).ok();
        let job = Job { alpha: Some(0.1), ..small("classifier", loss) };
        let done = job.fit(&data, &Run::new()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = done.pipeline.verify(&data, None, &Run::new()).expect("the training data");
        assert!(found.holds, "{name}: {found:?}");
        let dual = |c: &mercer::certificate::Certificate| c.dual().is_some();
        assert_eq!(found.found.as_ref().is_some_and(dual), name != "tanh");
        let mut swapped: Vec<usize> = (0..75).collect();
        swapped.swap(0, 70);
        let other = data.take(&swapped);
        assert!(!done.pipeline.verify(&other, None, &Run::new()).expect("rows of this kind").holds, "{name}");
        // The same points with another truth: residual or objective must show it.
        let wrong = Dataset { target: other.target, ..data.clone() };
        let found = done.pipeline.verify(&wrong, None, &Run::new()).expect("rows of this kind");
        assert!(!found.holds && found.verdict.starts_with("the claim does not hold"), "{name}: {}", found.verdict);
    }
}

/// The path of alpha is what leaving folds out by hand gives.
#[test]
fn the_score_of_an_alpha_is_the_log_loss_of_rows_left_out() {
    let data = few("iris", "species");
    let job = small("logistic", None);
    let done = job.fit(&data, &Run::new()).expect("a model");
    let prepared = job.prepare.fit(&data, None).expect("points");
    let labels = prepared.target.labels().expect("classes");
    let folds = Split::Folds(5).folds(75, Some(labels.codes()), None, 0).expect("folds");
    let kernel = KernelExpr::parse("rbf(length_scale=2)").expect("a kernel");
    for tried in &done.report.path {
        let mut shares = Vec::new();
        for fold in &folds {
            let codes = |rows: &[usize]| rows.iter().map(|i| labels.codes()[*i]).collect::<Vec<_>>();
            let learner = KernelLogisticRegression { kernel: kernel.clone(), alpha: tried.value, ..Default::default() };
            let train = Labels::new(codes(&fold.train), 3).expect("codes");
            let model =
                learner.fit(&prepared.inputs.take(&fold.train), &train, None, &Run::new()).expect("a fit").model;
            let p = model.probabilities(&prepared.inputs.take(&fold.test), &Run::new()).expect("probabilities");
            shares.extend(codes(&fold.test).iter().enumerate().map(|(i, c)| p[3 * i + c]));
        }
        assert_eq!(shares.len(), 75);
        assert!(
            (log_loss(&shares, None) / tried.score - 1.0).abs() < 1e-2,
            "{} {}",
            log_loss(&shares, None),
            tried.score
        );
    }
    assert!(done.report.path.len() >= 4);
}

#[test]
fn what_does_not_fit_is_said_with_what_does() {
    let (classes, numbers) = (few("iris", "species"), few("iris", "petal_width_cm"));
    let message = |job: Job, data: &Dataset| job.fit(data, &Run::new()).expect_err("refused").to_string();
    for learner in ["logistic", "classifier", "barycentre"] {
        assert!(message(small(learner, None), &numbers).contains("ridge, regressor, quantiles"), "{learner:?}");
    }
    assert!(message(small("regressor", None), &classes).contains("ridge, logistic, classifier"));
    assert!(message(small("ridge", Some(NamedLoss::of(&Absolute::SPEC))), &numbers).contains("one of its settings"));
    assert!(message(small("regressor", Some(NamedLoss::of(&Hinge::SPEC))), &numbers).contains("a loss of numbers"));
    assert!(message(small("classifier", Some(NamedLoss::of(&Absolute::SPEC))), &classes).contains("a loss of classes"));
    for (learner, data) in [("descent", &numbers), ("sgd", &numbers), ("barycentre", &classes)] {
        let job = Job { alpha: Some(1.0), ..small(learner, None) };
        assert!(message(job, data).contains("it has none"), "{learner:?}");
    }
    for learner in ["logistic", "classifier", "lssvm", "filter"] {
        for alpha in [0.0, -1.0] {
            let job = Job { alpha: Some(alpha), ..small(learner, None) };
            assert!(message(job, &classes).contains("alpha"), "{learner:?}");
        }
    }
}

#[test]
fn what_is_given_is_not_chosen() {
    let numbers = few("iris", "petal_width_cm");
    let given = |learner: &str, name: &str, value: serde_json::Value| {
        let asked = Asked::named(learner).expect("a learner").with(name, value);
        Job { learner: asked, ..small(learner, None) }
    };
    for (learner, name, value) in [
        ("ridge", "alpha", json!({"value": 0.3})),
        ("lssvm", "gamma", json!(4.0)),
        ("lssvm", "alphas", json!([0.5, 2.0])),
        ("regressor", "penalty", json!({"norm_bound": 0.5})),
        ("quantiles", "alpha", json!(0.3)),
        ("descent", "stopping", json!({"iterations": 7})),
        ("sgd", "passes", json!(3)),
        ("filter", "filter", json!({"filter": "tikhonov", "lambda": 0.25})),
    ] {
        let job = given(learner, name, value.clone());
        let done = job.fit(&numbers, &Run::new()).unwrap_or_else(|e| panic!("{learner}: {e}"));
        let kept = done.pipeline.model().learner().settings();
        assert!(name == "alphas" || kept[name] == value, "{learner}: {:?}", kept[name]);
        let twice = Job { alpha: Some(1.0), ..job }.fit(&numbers, &Run::new()).map(|_| ()).expect_err("said twice");
        assert!(twice.to_string().contains("alpha"), "{learner}: {twice}");
    }
    for solver in ["auto", "eigen", "cholesky", "cg", "nystrom"] {
        let job = Job { alpha: None, ..given("ridge", "solver", json!(solver)) };
        let done = job.fit(&numbers, &Run::new()).unwrap_or_else(|e| panic!("{solver}: {e}"));
        assert!(done.report.alpha().is_some_and(|alpha| alpha > 0.0), "{solver}");
    }
    for (name, value) in [("tuning", json!(null)), ("alpha", json!({"value": {"number": 0.2}, "free": false}))] {
        let refused = given("gp", name, value).fit(&numbers, &Run::new()).map(|_| ()).expect_err("refused");
        assert!(refused.to_string().contains(name), "{refused}");
    }
}

#[test]
fn a_deadline_leaves_a_logistic_model_and_memory_is_an_error() {
    let data = few("iris", "species");
    let run = Run::new().with_deadline(std::time::Duration::from_millis(1));
    std::thread::sleep(std::time::Duration::from_millis(2));
    let done = Job { tune: true, estimate: true, ..small("auto", None) }.fit(&data, &run).expect("a model");
    assert!(done.stopped.is_some() && done.estimate.is_none() && done.learner == "logistic");
    assert!(done.pipeline.model().certificate().stop.is_complete(), "the fit itself was let through");
    let tight = Run::new().with_memory_limit(10_000);
    let refused = small("logistic", None).fit(&data, &tight).expect_err("too little");
    assert!(matches!(refused, mercer::Error::Memory { .. }), "{refused}");
}
