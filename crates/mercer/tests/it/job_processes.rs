//! Gaussian processes in the main job: what it reports is what the core says, and it holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mercer::certificate::{Certificate, Measure};
use mercer::data::{Column, Dataset, Inputs, MissingPolicy, Precomputed, Rows, load};
use mercer::kernel::{Param, Registry, Transform};
use mercer::model::Criterion;
use mercer::model::gp::{GaussianProcessClassifier, GaussianProcessRegressor};
use mercer::model::pipeline::{Pipeline, Prepare};
use mercer::model::{Choice, Model, ModelParts};
use mercer::run::{Event, Observer};
use mercer::select::{Asked, Finished, Job, Scores, Split};
use mercer::testkit::points::Chance;
use mercer::testkit::tol;
use mercer::{KernelExpr, Note, Run};

fn gp(kernel: &str) -> Job {
    let kernel = Some(KernelExpr::parse(kernel).expect("a formula"));
    Job { learner: Asked::named("gp").expect("a learner"), kernel, estimate: false, ..Job::default() }
}

/// sin(2x) with noise of standard deviation ½, in units of 10.
fn waves(n: usize, seed: u64) -> Dataset {
    let mut chance = Chance::new(seed);
    let x: Vec<f64> = (0..n).map(|_| 6.0 * chance.unit()).collect();
    let y: Vec<f64> = x.iter().map(|x| 100.0 + 10.0 * ((2.0 * x).sin() + 0.5 * chance.normal())).collect();
    let inputs: Inputs = Rows::new(x, n, 1).expect("a column").into();
    Dataset { inputs, target: Some(("y".into(), Column::Number(y.into()))), ..load("iris").expect("a set") }
}

fn process(done: &Finished) -> &Model {
    let model = done.pipeline.model();
    assert!(model.learner().is::<GaussianProcessRegressor>(), "{:?}", model.learner());
    model
}

#[test]
fn noise_and_evidence_are_those_of_the_process() {
    let (data, run) = (waves(120, 1), Run::new());
    let job = gp("1*rbf");
    let done = job.fit(&data, &run).expect("a model");
    let report = done.report.process.as_ref().expect("a process");
    let alpha = done.report.alpha().expect("noise");
    assert_eq!((done.learner, &done.report.choice), ("gp", &Choice::Evidence));
    // The data were made with a noise of 5.
    let noise = report.noise.expect("numbers have noise");
    assert!((4.2..5.8).contains(&noise), "{noise}");
    let scale = done.pipeline.target_scaling().expect("standardised").scale[0];
    assert!((noise - alpha.sqrt() * scale).abs() <= tol::round(120) * noise);
    // Another fit, with everything as it was found and nothing tuned, has the same evidence.
    let prepared = job.prepare.fit(&data, None).expect("points");
    let kernel = done.pipeline.model().kernel().clone();
    let fixed = GaussianProcessRegressor {
        kernel,
        alpha: Param::new(alpha, Transform::Log).fixed(),
        normalize_target: false,
        tuning: None,
    };
    let again = fixed.fit(&prepared.inputs, &prepared.target, None, &run).expect("fits").model;
    let again = again.log_evidence().expect("an evidence");
    assert!((again - report.log_evidence).abs() <= tol::GOLDEN * again.abs());
    let tuned = done.report.fit.tuned.as_ref().expect("searches");
    assert_eq!(tuned.starts.len(), 3, "the given start and two by chance");
    let names: Vec<&str> = report.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["scale", "rbf.length_scale", "alpha"]);
    assert!(report.parameters[2].value == alpha && tuned.at_bounds.is_empty());
    // No other start is better than the one that was taken.
    assert!(tuned.starts.iter().all(|s| s.value <= report.log_evidence + 1e-9));
}

#[test]
fn bounds_hold_what_they_promise() {
    let (run, done) = (Run::new(), gp("1*rbf").fit(&waves(150, 2), &Run::new()).expect("a model"));
    let new = waves(1000, 3);
    let found = done.pipeline.predict_interval(&new.inputs, 0.9, &run).expect("bounds");
    let Some((_, Column::Number(y))) = &new.target else { panic!("numbers") };
    let inside = (0..1000).filter(|i| found.lower[*i] <= y[*i] && y[*i] <= found.upper[*i]).count();
    assert!((870..=930).contains(&inside), "{inside} of 1000");
    assert!(found.prediction.notes.iter().any(|n| n.to_string().contains("posterior variance + noise")), "{found:?}");
    let (points, _) = done.pipeline.preparation().apply(&new.inputs).expect("rows");
    let variance = process(&done).variance(&points, true, &run).expect("rows");
    let scale = done.pipeline.target_scaling().expect("standardised").scale[0];
    // 1.6448536… is the normal quantile of 0.95.
    for (i, variance) in variance.iter().enumerate() {
        let half = 1.6448536269514722 * variance.sqrt() * scale;
        assert!((found.upper[i] - found.lower[i] - 2.0 * half).abs() < 1e-9 * half);
    }
    for level in [0.0, 1.0, -0.5, f64::NAN] {
        assert!(done.pipeline.predict_interval(&new.inputs, level, &run).is_err(), "{level}");
    }
}

#[test]
fn what_is_given_stays_as_it_is() {
    let data = waves(60, 4);
    let given = Job { tune: false, alpha: Some(0.2), ..gp("3*rbf(length_scale=0.7)") };
    let done = given.fit(&data, &Run::new()).expect("a model");
    let report = done.report.process.as_ref().expect("a process");
    assert_eq!((done.report.alpha(), &done.report.choice), (Some(0.2), &Choice::Given));
    assert!(done.report.fit.tuned.is_none() && report.parameters.is_empty() && done.tuned_on == 0);
    assert_eq!(process(&done).kernel().clone().with_free(true).to_string(), "3*rbf(length_scale=0.7)");
    // Without tuning of the kernel, the noise is still found.
    let noise = Job { alpha: None, ..given.clone() }.fit(&data, &Run::new()).expect("a model");
    let names: Vec<String> = noise.report.process.expect("a process").parameters.into_iter().map(|p| p.name).collect();
    assert_eq!(names, ["alpha"]);
    let kernel = Job { tune: true, ..given }.fit(&data, &Run::new()).expect("a model");
    let names: Vec<String> = kernel.report.process.expect("a process").parameters.into_iter().map(|p| p.name).collect();
    assert_eq!(names, ["scale", "rbf.length_scale"]);
}

#[test]
fn many_rows_are_searched_on_some_and_fitted_on_all() {
    let data = waves(640, 5);
    let done = gp("1*rbf").fit(&data, &Run::new()).expect("a model");
    assert_eq!((done.tuned_on, done.report.fit.rows, process(&done).points().len()), (400, 640, 640));
    // The last search is at a maximum on all rows.
    let prepared = Prepare::default().fit(&data, None).expect("points");
    let alpha = Param::new(done.report.alpha().expect("noise"), Transform::Log);
    let kernel = process(&done).kernel().clone();
    let gp = GaussianProcessRegressor { kernel, alpha, normalize_target: false, tuning: None };
    let evidence = gp
        .evidence(&prepared.inputs, &prepared.target.numbers().expect("numbers"), None, &Run::new())
        .expect("an evidence");
    let (_, gradient) = evidence.value_and_gradient(&evidence.start().expect("numbers"), &Run::new()).expect("finite");
    assert!(gradient.iter().all(|g| g.abs() < 1e-3 * 640.0), "{gradient:?}");
}

#[test]
fn classes_have_probabilities_and_a_certificate_each() {
    let data = load("iris").expect("iris");
    let few = data.take(&(0..150).step_by(2).collect::<Vec<_>>());
    let job = Job { split: Some(Split::Folds(3)), estimate: true, ..gp("1*rbf(length_scale=2)") };
    let done = job.fit(&few, &Run::new()).expect("a model");
    let report = done.report.process.as_ref().expect("a process");
    assert_eq!((done.report.fit.certificates.len(), report.noise, done.report.parameter), (3, None, None));
    let whole = &done.pipeline.model().certificate();
    let sum = |of: fn(&Certificate) -> Option<f64>| {
        done.report.fit.certificates.iter().map(|c| of(c).expect("an objective")).sum::<f64>()
    };
    assert!((whole.primal().expect("an objective") - sum(|c| c.primal())).abs() <= tol::GOLDEN);
    assert!((whole.dual().expect("a bound") - sum(|c| c.dual())).abs() <= tol::GOLDEN);
    let Scores::Classification { accuracy, log_loss: Some(loss) } = done.estimate.as_ref().expect("judged").model
    else {
        panic!("probabilities have a log-loss")
    };
    // With the variance of the evidence, in the hundreds, it was 0.39.
    assert!(accuracy > 0.9 && loss < 0.25, "{accuracy} {loss}");
    let held = |done: &Finished| done.report.fit.notes.iter().any(|n| matches!(n, Note::VarianceHeld { .. }));
    let at = few.inputs.take(&[0]);
    let prior = |done: &Finished| {
        let bound = done.pipeline.model().kernel().bind(&at, &Run::new()).expect("bound");
        mercer::gram::dense::<f64>(&bound, &Run::new()).expect("a value").row(0)[0]
    };
    assert!(held(&done) && (prior(&done) - 50.0).abs() < 50.0 * tol::round(10), "{}", prior(&done));
    // The core's own classifier, at the same parameters, says the same.
    let large = Job { tune: false, estimate: false, ..gp("900*rbf(length_scale=2)") };
    let done = large.fit(&few, &Run::new()).expect("a model");
    assert!(!held(&done) && prior(&done) == 900.0, "what was given stays");
    let done = Job { tune: false, estimate: false, ..job.clone() }.fit(&few, &Run::new()).expect("a model");
    let prepared = job.prepare.fit(&few, None).expect("points");
    let core = GaussianProcessClassifier {
        kernel: done.pipeline.model().kernel().clone(),
        tuning: None,
        ..Default::default()
    };
    let core = core.fit(&prepared.inputs, &prepared.target, None, &Run::new()).expect("fits").model;
    let expected = core.probabilities(&prepared.inputs, &Run::new()).expect("rows");
    let found = done.pipeline.predict(&few.inputs, &Run::new()).expect("rows").probabilities.expect("shares");
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9));
    assert!(found.chunks(3).all(|row| (row.iter().sum::<f64>() - 1.0).abs() <= tol::round(3)));
    let refused = done.pipeline.predict_interval(&few.inputs, 0.9, &Run::new()).expect_err("classes");
    assert!(refused.hint().expect("a hint").contains("probabilities"), "{refused}");
}

#[test]
fn processes_are_held_to_their_claims() {
    let numbers = waves(50, 6);
    let iris = load("iris").expect("iris");
    let classes = iris.take(&(0..150).step_by(3).collect::<Vec<_>>());
    let two = iris.take(&(0..100).step_by(2).collect::<Vec<_>>());
    for data in [numbers, classes, two] {
        let done = Job { tune: false, ..gp("1*rbf(length_scale=1)") }.fit(&data, &Run::new()).expect("a model");
        let bytes = done.pipeline.to_bytes().expect("a file");
        let pipeline = Pipeline::from_bytes(&bytes, &Registry::new()).expect("reads back");
        let check =
            |pipeline: &Pipeline, data: &Dataset| pipeline.verify(data, None, &Run::new()).expect("rows of this kind");
        let found = check(&pipeline, &data);
        assert!(found.holds && found.verdict.contains("log evidence"), "{}", found.verdict);
        let evidence = |c: &Certificate| c.get(Measure::LogEvidence).expect("an evidence");
        let (claimed, again) = (evidence(&found.claimed), evidence(found.found.as_ref().expect("computed again")));
        assert!((claimed - again).abs() <= tol::GOLDEN * claimed.abs());
        // Other rows, other targets, another evidence: none passes.
        let n = data.len();
        let mut swapped: Vec<usize> = (0..n).collect();
        swapped.swap(0, n - 1);
        let other = data.take(&swapped);
        assert!(check(&pipeline, &other).verdict.contains("row 0 differs"));
        let wrong = Dataset { target: other.target, ..data.clone() };
        let verdict = check(&pipeline, &wrong).verdict;
        assert!(verdict.starts_with("the claim does not hold"), "{verdict}");
        assert!(check(&pipeline, &data.take(&(1..n).collect::<Vec<_>>())).verdict.contains("not the training data"));
        let mut parts = pipeline.clone().into_parts();
        let certificate = parts.model.certificate().clone().with(Measure::LogEvidence, claimed + 0.1);
        parts.model = Model::from_parts(ModelParts { certificate, ..parts.model.parts().clone() }).expect("a model");
        let lied = Pipeline::from_parts(parts).expect("still a pipeline");
        let verdict = check(&lied, &data).verdict;
        assert!(verdict.contains("the log evidence is"), "{verdict}");
    }
}

#[test]
fn a_deadline_leaves_a_process() {
    let run = Run::new().with_deadline(std::time::Duration::from_millis(1));
    std::thread::sleep(std::time::Duration::from_millis(2));
    let data = load("penguins").and_then(|d| d.with_target("body_mass_g")).expect("penguins");
    let prepare = Prepare { missing: MissingPolicy::Drop, ..Prepare::default() };
    let done = Job { learner: Asked::named("gp").expect("a learner"), prepare, ..Job::default() }
        .fit(&data, &run)
        .expect("a model all the same");
    assert!(done.stopped.is_some() && done.estimate.is_none());
    assert!(done.pipeline.model().certificate().residual() < 1e-9);
    let refused = Job { learner: Asked::named("gp").expect("a learner"), prepare, ..Job::default() }
        .fit(&data, &Run::new().with_memory_limit(9999));
    assert!(matches!(refused, Err(mercer::Error::Memory { .. })));
}

#[test]
fn a_matrix_gets_a_variance() {
    let (data, run) = (waves(80, 3), Run::new());
    let Inputs::Dense(x) = &data.inputs else { panic!("dense rows") };
    let kernel = KernelExpr::parse("rbf(length_scale=0.7)").expect("a formula");
    // A hundredth of the kernel that fits: the process has to scale it up.
    let k = |i, j| 0.01 * kernel.at(x.row(i), x.row(j)).expect("a value");
    let values: Vec<f64> = (0..80 * 80).map(|at| k(at / 80, at % 80)).collect();
    let matrix = Precomputed::new(values, 80, 80).expect("a square");
    let data = Dataset { inputs: matrix.into(), ..data };
    let job = Job { learner: Asked::named("gp").expect("a learner"), estimate: false, ..Job::default() };
    let done = job.fit(&data, &run).expect("a model");
    let kernel = done.pipeline.model().kernel().to_string();
    let variance: f64 = kernel.split('*').next().and_then(|v| v.parse().ok()).unwrap_or_else(|| panic!("{kernel}"));
    assert!(variance > 10.0, "{kernel}");
}

/// Raises a flag at an event of this number.
struct Raised {
    at: usize,
    seen: AtomicUsize,
    flag: Arc<AtomicBool>,
}

impl Observer for Raised {
    fn on_event(&self, _: &Event<'_>) {
        if self.seen.fetch_add(1, Ordering::Relaxed) >= self.at {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_stop_anywhere_leaves_a_process_of_some_rows() {
    let data = waves(700, 5);
    let job = Job { learner: Asked::named("gp").expect("a learner"), estimate: false, ..Job::default() };
    let stopped = |at: usize| {
        let (seen, flag) = (AtomicUsize::new(0), Arc::new(AtomicBool::new(false)));
        let observer = Arc::new(Raised { at, seen, flag: Arc::clone(&flag) });
        let run = Run::new().with_observer(observer.clone()).with_cancel(flag);
        let done = job.fit(&data, &run).expect("a model all the same");
        (done, observer.seen.load(Ordering::Relaxed))
    };
    let (whole, events) = stopped(usize::MAX);
    assert_eq!(whole.pipeline.model().points().len(), 700);
    for at in (0..8).map(|i| i * events / 8) {
        let (done, _) = stopped(at);
        let rows = done.pipeline.model().points().len();
        assert!(done.stopped.is_some() && rows < 700, "{rows} rows after event {at} of {events}");
        assert!(done.report.fit.notes.iter().any(|n| matches!(n, Note::InHaste { of: 700, .. })), "at {at}");
        assert!(done.pipeline.model().certificate().residual() < 1e-9);
    }
}
