//! Gaussian processes in files.

use mercer::model::gp::{GaussianProcessClassifier, GaussianProcessRegressor};
use mercer::model::pipeline::{Pipeline, Prepare};
use mercer::model::{Model, pipeline};
use mercer::{KernelExpr, Run};

use super::*;

/// Saves, reads, compares, predicts with both, saves again.
fn goes_round(pipeline: &Pipeline, new: &Inputs) -> (pipeline::Prediction, Model) {
    let bytes = pipeline.to_bytes().expect("a file");
    let again = reload(pipeline);
    assert_eq!(bytes, again.to_bytes().expect("a file"), "the same bytes from what was read");
    let (f, g) = (pipeline.model(), again.model());
    assert_eq!((f.learner(), f.kernel(), f.certificate()), (g.learner(), g.kernel(), g.certificate()));
    assert_eq!((f.alpha(), f.log_evidence(), f.weights()), (g.alpha(), g.log_evidence(), g.weights()));
    let run = Run::new();
    let (p, q) = (pipeline.predict(new, &run).expect("rows"), again.predict(new, &run).expect("rows"));
    assert_eq!(bits(&p.values), bits(&q.values));
    assert_eq!(p.labels, q.labels);
    (p, again.into_parts().model)
}

#[test]
fn the_posterior_of_a_regression_comes_back() {
    let (x, y): (Inputs, _) = (dense(25, 2, 1).into(), [target(25)]);
    let weights = weigh(&(0..25).map(|i| f64::from(i % 3)).collect::<Vec<_>>());
    let prepared = Prepare::default().fit_to(&x, &y, Some(&weights)).expect("valid data");
    let gp = GaussianProcessRegressor { normalize_target: true, ..Default::default() };
    let model = gp.fit(&prepared.inputs, &prepared.target, Some(&weights), &Run::new()).expect("fits").model;
    let new = dense(7, 2, 2);
    let variance = model.variance(&new.clone().into(), true, &Run::new()).expect("rows");
    let pipeline = prepared.pipeline(model).expect("fits together");
    let again = goes_round(&pipeline, &new.clone().into()).1;
    assert_eq!(bits(&again.variance(&new.into(), true, &Run::new()).expect("rows")), bits(&variance));
}

#[test]
fn the_probabilities_of_a_classification_come_back() {
    for classes in [&["no", "yes"][..], &["a", "b", "c"]] {
        let (x, y): (Inputs, _) = (dense(24, 2, 3).into(), [class_target(24, classes)]);
        let prepared = Prepare::default().fit_to(&x, &y, None).expect("valid data");
        let kernel = KernelExpr::parse("4*rbf(length_scale=1)").expect("a formula");
        let gp = GaussianProcessClassifier { kernel, tuning: None, ..Default::default() };
        let model = gp.fit(&prepared.inputs, &prepared.target, None, &Run::new()).expect("fits").model;
        let new: Inputs = dense(9, 2, 4).into();
        let pipeline = prepared.pipeline(model.clone()).expect("fits together");
        let (points, _) = pipeline.preparation().apply(&new).expect("rows");
        let expected = model.probabilities(&points, &Run::new()).expect("rows");
        let (prediction, _) = goes_round(&pipeline, &new);
        assert_eq!(prediction.probabilities.as_ref(), Some(&expected));
        let labels = prediction.labels.expect("classes");
        for (i, p) in expected.chunks(classes.len()).enumerate() {
            let best = (0..p.len()).fold(0, |best, c| if p[c] > p[best] { c } else { best });
            assert_eq!(labels.get(i), Some(classes[best]), "the most probable");
        }
    }
}
