//! Logistic regression on landmarks.

use mercer::chance::Chance;
use mercer::data::{Categories, Column, Dataset, Inputs, Labels, Origin, Rows, Weights};
use mercer::kernel::Registry;
use mercer::model::classify::KernelLogisticRegression;
use mercer::model::pipeline::{Pipeline, Prepare};
use mercer::{KernelExpr, Run};

const ROWS: usize = 90;

fn points() -> Rows {
    let mut chance = Chance::new(4);
    Rows::new((0..2 * ROWS).map(|_| chance.normal()).collect::<Vec<_>>(), ROWS, 2).expect("rows")
}

fn codes(x: &Rows, classes: usize) -> Vec<usize> {
    let score = |i: usize| x.row(i)[0] * x.row(i)[1] + 0.3 * ((7 * i) % 5) as f64;
    (0..ROWS).map(|i| (usize::from(score(i) > 0.4) + usize::from(score(i) > 1.2)).min(classes - 1)).collect()
}

fn learner(formula: &str, landmarks: Option<usize>) -> KernelLogisticRegression {
    let kernel = KernelExpr::parse(formula).expect("a formula");
    KernelLogisticRegression { kernel, alpha: 0.3, landmarks, ..Default::default() }
}

/// A polynomial of degree two has six features, so that ten landmarks have every function there is.
#[test]
fn landmarks_that_span_the_space_have_the_same_minimum() {
    let x = points();
    let weights = Weights::new((0..ROWS).map(|i| 1.0 + (i % 3) as f64).collect::<Vec<_>>()).expect("weights");
    for classes in [2, 3] {
        for weights in [None, Some(&weights)] {
            let labels = Labels::new(codes(&x, classes), classes).expect("codes");
            let fit = |landmarks| {
                let learner = learner("(linear + 1)^2", landmarks);
                learner.fit(&x.clone().into(), &labels, weights, &Run::new()).expect("a model").model
            };
            let (all, some) = (fit(None), fit(Some(10)));
            assert!(some.points().len() <= 10 && !some.keeps_all_rows());
            let inputs: Inputs = x.clone().into();
            let [a, b] = [&all, &some].map(|m| m.probabilities(&inputs, &Run::new()).expect("shares"));
            let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-5, "{classes} classes: {off}");
            let [p, q] = [&all, &some].map(|m| m.certificate().primal().expect("an objective"));
            assert!((p - q).abs() <= 1e-8 * p, "{p} and {q}");
            assert!(
                some.certificate().gap().is_some_and(|gap| (0.0..1e-7 * q).contains(&gap)),
                "{:?}",
                some.certificate()
            );
        }
    }
}

fn pipeline(threads: usize) -> (Pipeline, Dataset) {
    let x = points();
    let names = ["low", "middle", "high"];
    let y = Column::Category(Categories::from_values(codes(&x, 3).into_iter().map(|c| Some(names[c]))));
    let data = Dataset {
        name: "rows".into(),
        inputs: x.into(),
        target: Some(("y".into(), y)),
        origin: Origin::File("rows.csv".into()),
        notes: Vec::new(),
    };
    let prepared = Prepare::default().fit(&data, None).expect("prepared");
    let run = Run::new().with_threads(threads).expect("threads");
    let learner = learner("rbf(length_scale=1)", Some(30));
    let model =
        learner.fit(&prepared.inputs, prepared.target.labels().expect("classes"), None, &run).expect("a model").model;
    (prepared.pipeline(model).expect("a pipeline"), data)
}

#[test]
fn models_of_landmarks_are_verified_from_their_files() {
    let (model, data) = pipeline(2);
    let read = Pipeline::from_bytes(&model.to_bytes().expect("bytes"), &Registry::new()).expect("a file");
    let found = read.verify(&data, None, &Run::new()).expect("verified");
    assert!(found.holds, "{}", found.verdict);
    let turned: Vec<usize> = (1..ROWS).chain([0]).collect();
    let others = Dataset { target: data.take(&turned).target, ..data };
    assert!(!read.verify(&others, None, &Run::new()).expect("verified").holds);
}

#[test]
fn landmarks_have_the_same_bits_for_any_number_of_threads() {
    let one = pipeline(1).0.to_bytes().expect("bytes");
    assert!([1, 2, 5].into_iter().all(|threads| pipeline(threads).0.to_bytes().expect("bytes") == one));
}

#[test]
fn no_landmarks_are_refused() {
    let labels = Labels::new(codes(&points(), 2), 2).expect("codes");
    let refused = learner("rbf", Some(0)).fit(&points().into(), &labels, None, &Run::new());
    assert!(refused.is_err_and(|e| e.to_string().contains("landmarks")));
}
