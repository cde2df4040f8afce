//! Filters, several quantiles and weights in the main job.

use mercer::certificate::Measure;
use mercer::data::{Column, Dataset, Inputs, Rows, TargetKind, Weights, load};
use mercer::kernel::Registry;
use mercer::loss::{Absolute, NamedLoss};
use mercer::metric::{coverage, mean_pinball};
use mercer::model::pipeline::{Pipeline, Prediction, Task};
use mercer::model::regress::{Alpha, KernelRidge};
use mercer::model::{Choice, catalogue};
use mercer::select::{Asked, Job, Scores, Split};
use mercer::solver::Filter;
use mercer::testkit::points::Chance;
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};

use crate::weigh;

fn small() -> Job {
    let kernel = KernelExpr::parse("rbf(length_scale=0.5)").ok();
    Job { kernel, tune: false, estimate: false, ..Job::default() }
}

fn asked(name: &str) -> Asked {
    Asked::named(name).expect("a learner")
}

fn quantiles(levels: &[f64]) -> Asked {
    asked("quantiles").with("quantiles", serde_json::json!(levels))
}

fn data(x: Vec<f64>, y: Vec<f64>) -> Dataset {
    let inputs: Inputs = Rows::new(x, y.len(), 1).expect("a column").into();
    Dataset { inputs, target: Some(("y".into(), Column::Number(y.into()))), ..load("iris").expect("a set") }
}

/// A wave whose noise grows to the right.
fn waves(n: usize, seed: u64) -> Dataset {
    let mut chance = Chance::new(seed);
    let x: Vec<f64> = (0..n).map(|_| 4.0 * chance.unit()).collect();
    let y = x.iter().map(|x| (2.0 * x).sin() + 0.1 * (1.0 + x) * chance.normal()).collect();
    data(x, y)
}

fn truth(data: &Dataset) -> Vec<f64> {
    match &data.target {
        Some((_, Column::Number(y))) => y.to_vec(),
        _ => panic!("numbers"),
    }
}

fn predict(pipeline: &Pipeline, x: &Inputs) -> Prediction {
    pipeline.predict(x, &Run::new()).expect("rows")
}

#[test]
fn every_filter_is_chosen_by_its_own_number() {
    let data = waves(120, 1);
    for name in Filter::NAMES {
        let filter = Filter::parse(name, None).expect("a filter");
        let job = Job {
            learner: asked("filter").with_open("filter", serde_json::json!(filter)),
            estimate: true,
            split: Some(Split::Folds(3)),
            ..small()
        };
        let done = job.fit(&data, &Run::new()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let Some(Scores::Regression { r2, .. }) = done.estimate.map(|e| e.model) else { panic!("numbers") };
        assert!(r2 > 0.7, "{name}: {r2}");
        let counted = matches!(name, "landweber" | "nu_method");
        assert_eq!(done.report.parameter, Some(if counted { "iterations" } else { "alpha" }));
        let value = done.report.value.expect("a number");
        assert!(!counted || value.fract() == 0.0, "{name}: {value}");
        assert!(matches!(done.report.choice, Choice::Folds { rows: 120, .. }), "{:?}", done.report.choice);
        let best = done.report.path.iter().min_by(|a, b| a.score.total_cmp(&b.score)).expect("a path");
        assert_eq!(best.value, value);
        assert!(
            done.report.fit.notes.iter().any(|n| n.to_string().contains("qualification")),
            "{:?}",
            done.report.fit.notes
        );
        assert!(done.pipeline.verify(&data, None, &Run::new()).expect("the rows").holds, "{name}");
    }
}

#[test]
fn tikhonov_is_ridge_and_landweber_takes_its_step_from_the_spectrum() {
    let (data, run) = (waves(40, 2), Run::new());
    let tikhonov = Filter::parse("tikhonov", None).expect("a filter");
    let job =
        Job { learner: asked("filter").with_open("filter", serde_json::json!(tikhonov)), alpha: Some(0.3), ..small() };
    let filtered = job.fit(&data, &run).expect("a model");
    let prepared = job.prepare.fit(&data, None).expect("points");
    let kernel = KernelExpr::parse("rbf(length_scale=0.5)").expect("a formula");
    let ridge = KernelRidge { kernel: kernel.clone(), alpha: Alpha::Value(0.3), ..KernelRidge::default() };
    let ridge = ridge.fit(&prepared.inputs, &prepared.target, None, &run).expect("fits").model;
    let expected = prepared.clone().pipeline(ridge).expect("fits together");
    let (a, b) = (predict(&filtered.pipeline, &data.inputs), predict(&expected, &data.inputs));
    assert!(a.values.iter().zip(&b.values).all(|(a, b)| (a - b).abs() < 1e-10));

    let landweber = Filter::parse("landweber", None).expect("a filter");
    let done = Job { learner: asked("filter").with_open("filter", serde_json::json!(landweber)), ..small() }
        .fit(&data, &run)
        .expect("a model");
    let settings = done.pipeline.model().learner().settings();
    let step = settings["filter"]["step_size"].as_f64().expect("a step");
    // The largest eigenvalue of K/n by two hundred multiplications, from the definition of the kernel.
    let Inputs::Dense(x) = &prepared.inputs else { panic!("dense") };
    let k = |i: usize, j: usize| (-(x.row(i)[0] - x.row(j)[0]).powi(2) / (2.0 * 0.25)).exp() / 40.0;
    let (mut v, mut largest) = (vec![1.0; 40], 0.0);
    for _ in 0..200 {
        let next: Vec<f64> = (0..40).map(|i| (0..40).map(|j| k(i, j) * v[j]).sum()).collect();
        largest = next.iter().map(|v| v * v).sum::<f64>().sqrt();
        v = next.iter().map(|v| v / largest).collect();
    }
    assert!((step * largest - 0.95).abs() < 1e-9, "{step} {largest}");
    assert!(
        done.report.fit.notes.iter().any(|n| n.to_string().starts_with("step_size = ")),
        "{:?}",
        done.report.fit.notes
    );
}

#[test]
fn quantiles_are_columns_that_do_not_cross() {
    let (data, run) = (waves(150, 3), Run::new());
    let levels = vec![0.1, 0.5, 0.9];
    let job = Job { learner: quantiles(&levels), ..small() };
    let done =
        Job { estimate: true, split: Some(Split::HoldOut(0.4)), ..job.clone() }.fit(&data, &run).expect("a model");
    assert_eq!(done.learner, "quantiles");
    assert_eq!(done.pipeline.task(), &Task::Quantiles { target: "y".into(), quantiles: levels.clone() });
    assert_eq!(done.pipeline.task().names(), ["q0.1", "q0.5", "q0.9"]);
    let bytes = done.pipeline.to_bytes().expect("a file");
    let again = Pipeline::from_bytes(&bytes, &Registry::new()).expect("reads back");
    let new = waves(500, 4);
    let found = predict(&again, &new.inputs);
    assert_eq!(found, predict(&done.pipeline, &new.inputs));
    assert!(found.values.chunks(3).all(|q| q[0] <= q[1] && q[1] <= q[2]));
    let inside = coverage(3, &truth(&new), &found.values, None);
    assert!((0.68..0.92).contains(&inside), "{inside}");
    assert!(again.verify(&data, None, &run).expect("the rows").holds);
    let refused = again.predict_interval(&new.inputs, 0.8, &run).expect_err("no interval");
    assert!(refused.hint().expect("a hint").contains("outer quantiles"), "{refused}");
    let Some(Scores::Quantiles { pinball, coverage, nominal }) = done.estimate.as_ref().map(|e| e.model) else {
        panic!("quantiles")
    };
    assert!((nominal - 0.8).abs() < 1e-12 && (0.6..=1.0).contains(&coverage));
    let Some(Scores::Quantiles { pinball: plain, .. }) = done.estimate.as_ref().map(|e| e.constant) else {
        panic!("quantiles")
    };
    assert!(pinball < 0.6 * plain, "{pinball} {plain}");
    assert!(done.estimate.expect("judged").linear.is_some());
    // What a score is: the mean over rows and quantiles of max(τr, (τ − 1)r).
    let y = truth(&new);
    let by_hand: f64 = (0..500)
        .flat_map(|i| (0..3).map(move |k| (i, k)))
        .map(|(i, k)| (y[i] - found.values[3 * i + k], levels[k]))
        .map(|(r, tau)| if r > 0.0 { tau * r } else { (tau - 1.0) * r })
        .sum();
    assert!((mean_pinball(&levels, &y, &found.values, None) - by_hand / 1500.0).abs() <= tol::round(1500));
}

#[test]
fn the_plain_quantile_is_the_best_constant() {
    // With a constant column nothing but the intercept is left.
    let y: Vec<f64> = (0..60).map(|i| f64::from((i * 37) % 60)).collect();
    let job = Job { learner: quantiles(&[0.25]), alpha: Some(1e6), ..small() };
    let done = job.fit(&data((0..60).map(f64::from).collect(), y.clone()), &Run::new()).expect("a model");
    let found = predict(&done.pipeline, &Rows::new(vec![3.0], 1, 1).expect("a row").into());
    // Every number from the 15th to the 16th of 0, …, 59 is a first quartile.
    assert!((13.9..=15.1).contains(&found.values[0]), "{found:?}");
}

#[test]
fn quantiles_that_are_none_are_named() {
    let data = waves(30, 5);
    let message = |job: Job| job.fit(&data, &Run::new()).expect_err("refused").to_string();
    for (list, words) in [(vec![0.5, 1.2], "1.2"), (vec![-0.1], "-0.1"), (vec![0.9, 0.1], "larger than")] {
        let text = message(Job { learner: quantiles(&list), ..small() });
        assert!(text.contains(words) && text.contains("quantile"), "{text}");
    }
    let of = |name: &str| Job { learner: asked(name).with("quantiles", serde_json::json!([0.5])), ..small() };
    assert!(message(of("ridge")).contains("one of its settings"));
    let both = asked("auto")
        .with("quantiles", serde_json::json!([0.5]))
        .with("loss", serde_json::json!(NamedLoss::of(&Absolute::SPEC)));
    assert!(message(Job { learner: both, ..small() }).contains("settings of one model"));
    let iris = load("iris").expect("iris");
    assert!(of("auto").fit(&iris, &Run::new()).is_err(), "classes have no quantiles");
}

/// Weights 0, 1, 2, 3, … against rows that stand as often in the data.
#[test]
fn a_weight_is_a_number_of_repetitions() {
    let (some, run) = (waves(30, 6), Run::new());
    let weights = weigh(&(0..30).map(|i| f64::from(i % 4)).collect::<Vec<_>>());
    let rows: Vec<usize> = (0..30).flat_map(|i| vec![i; i % 4]).collect();
    let (classes, many) = (load("iris").expect("iris"), some.take(&rows));
    let few = classes.take(&(0..150).step_by(5).collect::<Vec<_>>());
    let many_classes = few.take(&rows);
    let new = waves(9, 7).inputs;
    for known in catalogue::all().iter().filter(|l| l.spec().weights) {
        let learner = known.spec().name;
        // The early end of a descent is found on rows held out, which are not the same rows.
        if learner == "descent" {
            continue;
        }
        let alpha = known.complexity().filter(|c| c.name == "alpha").map(|_| 0.4);
        let compare = |one: &Dataset, all: &Dataset, x: &Inputs, alpha: Option<f64>| {
            // Machines that stop at a gap of a thousandth are told to go on.
            let exact =
                [("tolerance", 1e-10), ("gap", 1e-12)].into_iter().filter(|_| known.spec().setting("gap").is_some());
            let told = exact.fold(asked(learner), |told, (name, value)| told.with(name, value.into()));
            let plain = Job { learner: told, alpha, ..small() };
            let weighted = Job { weights: Some(weights.clone()), ..plain.clone() };
            let a = weighted.fit(one, &run).unwrap_or_else(|e| panic!("{learner:?}: {e}")).pipeline;
            let b = plain.fit(all, &run).unwrap_or_else(|e| panic!("{learner:?}: {e}")).pipeline;
            let (p, q) = (predict(&a, x), predict(&b, x));
            let off = p.values.iter().zip(&q.values).fold(0.0, |m: f64, (p, q)| m.max((p - q).abs()));
            assert!(off < 1e-6, "{learner:?}: {off}");
            let counting = weights.counting();
            let own = weights.take(&counting).expect("weights");
            assert!(a.verify(&one.take(&counting), Some(&own), &run).expect("the rows").holds, "{learner:?}");
        };
        if known.spec().takes(TargetKind::Numbers) {
            compare(&some, &many, &new, alpha);
        }
        if known.spec().takes(TargetKind::Classes) {
            compare(&few, &many_classes, &classes.inputs, alpha);
        }
    }
}

#[test]
fn weights_that_are_none_are_refused() {
    let data = waves(12, 8);
    let message = |weights: Vec<f64>, name: &str| {
        Weights::new(weights)
            .and_then(|w| Job { weights: Some(w), learner: asked(name), ..small() }.fit(&data, &Run::new()))
            .expect_err("refused")
            .to_string()
    };
    let with = |at: usize, value: f64| (0..12).map(|i| if i == at { value } else { 1.0 }).collect::<Vec<f64>>();
    assert!(message(with(3, -1.0), "ridge").contains("-1 at row 3"));
    assert!(message(with(5, f64::NAN), "ridge").contains("NaN at row 5"));
    assert!(message(with(0, f64::INFINITY), "gp").contains("finite"));
    assert!(message(vec![0.0; 12], "ridge").contains("only zeros"));
    assert!(message(vec![1.0; 5], "ridge").contains("12 values"));
    assert!(message(with(0, 2.0), "sgd").contains("`weights` of the model `sgd`"));
}

#[test]
fn a_stochastic_descent_is_held_to_its_loss_and_norm() {
    let (data, run) = (waves(40, 9), Run::new());
    let done = Job { learner: asked("sgd"), ..small() }.fit(&data, &run).expect("a model");
    let found = done.pipeline.verify(&data, None, &run).expect("the rows");
    assert!(found.holds && found.verdict.contains("mean loss"), "{}", found.verdict);
    let again = found.found.expect("computed again");
    // ½ of the mean square, in units of the standardised target, and aᵀKa by hand.
    let f = predict(&done.pipeline, &data.inputs).values;
    let scale = done.pipeline.target_scaling().expect("standardised").scale[0];
    let loss: f64 = truth(&data).iter().zip(&f).map(|(y, f)| ((y - f) / scale).powi(2)).sum::<f64>() / 80.0;
    let mean_loss = again.get(Measure::MeanLoss).expect("a loss");
    assert!((mean_loss - loss).abs() < 1e-12 * loss.max(1.0), "{mean_loss} {loss}");
    let (Inputs::Dense(x), a) = (done.pipeline.model().points(), done.pipeline.model().coefficients()) else {
        panic!("dense")
    };
    let k = |i: usize, j: usize| (-(x.row(i)[0] - x.row(j)[0]).powi(2) / (2.0 * 0.25)).exp();
    let square: f64 = (0..40).flat_map(|i| (0..40).map(move |j| (i, j))).map(|(i, j)| a[i] * a[j] * k(i, j)).sum();
    let norm = again.get(Measure::Norm).expect("a norm");
    assert!((norm - square.sqrt()).abs() < 1e-10, "{norm} {square}");
    let mut y = truth(&data);
    y[7] += 0.1;
    let wrong = Dataset { target: Some(("y".into(), Column::Number(y.into()))), ..data.clone() };
    let found = done.pipeline.verify(&wrong, None, &run).expect("rows of this kind");
    assert!(!found.holds && found.verdict.contains("the mean loss is"), "{}", found.verdict);
    let fewer = done.pipeline.verify(&data.take(&(1..40).collect::<Vec<_>>()), None, &run).expect("rows");
    assert!(fewer.verdict.contains("not the training data"), "{}", fewer.verdict);
}

#[test]
fn three_rows_give_a_model_and_say_what_they_do_not() {
    let few = data(vec![0.0, 1.0, 2.0], vec![1.0, 3.0, 2.0]);
    let done = Job { estimate: true, ..small() }.fit(&few, &Run::new()).expect("a model");
    assert!(done.estimate.is_some_and(|e| e.rows == 3), "each row is left out once");
    let iris = load("iris").expect("iris").take(&[0, 1, 60]);
    let job = Job { estimate: true, learner: asked("gp"), ..small() };
    let done = job.fit(&iris, &Run::new()).expect("a model");
    assert!(
        done.estimate.is_none() && done.report.fit.notes.iter().any(|n| n.to_string().contains("cannot be estimated"))
    );
    assert!(Job { split: Some(Split::Folds(3)), ..job }.fit(&iris, &Run::new()).is_err(), "asked for by the user");
}
