//! What cannot be fitted is refused with a reason; what is odd is fitted.

use mercer::data::{Inputs, Precomputed, Rows, Targets, Weights};
use mercer::kernel::{Param, Rule, Transform};
use mercer::model::Tuning;
use mercer::model::gp::{GaussianProcessClassifier, GaussianProcessRegressor};
use mercer::testkit::tol;
use mercer::{Error, KernelExpr};

use super::{classifier, close, distinct, fit, labels, one_column, regressor, run, targets};

const RBF: &str = "rbf(length_scale=1)";

fn refusal(gp: &GaussianProcessRegressor, x: &Inputs, y: &Targets, w: Option<&[f64]>) -> String {
    let w = w.map(Weights::new).transpose();
    w.and_then(|w| gp.fit(x, y, w.as_ref(), &run())).map(|_| ()).expect_err("refused").to_string()
}

#[test]
fn parameters_outside_their_domain() {
    let x = distinct(5, 2, 1);
    let y = targets(&x, 1, 2);
    for alpha in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(refusal(&regressor(RBF, alpha), &x, &y, None).contains("`alpha` of the model `gp` must be"));
    }
    let free = |alpha: Param| GaussianProcessRegressor { alpha, ..regressor(RBF, 1.0) };
    for alpha in [
        Param::new(0.0, Transform::Log),
        Param::new(1.0, Transform::Identity),
        Param { bounds: Some((2.0, 1.0)), ..Param::new(1.0, Transform::Log) },
        Param::by_rule(Rule::Median),
    ] {
        assert!(refusal(&free(alpha), &x, &y, None).contains("alpha"));
    }
    let gp = GaussianProcessRegressor {
        tuning: Some(Tuning { tolerance: f64::NAN, ..Tuning::default() }),
        ..regressor(RBF, 1.0)
    };
    assert!(refusal(&gp, &x, &y, None).contains("tolerance"));
}

#[test]
fn data_that_do_not_fit() {
    let x = distinct(5, 2, 3);
    let y = targets(&x, 1, 4);
    let gp = regressor(RBF, 1.0);
    assert!(refusal(&gp, &x, &targets(&distinct(4, 2, 3), 1, 4), None).contains("5 rows, one a point"));
    assert!(
        refusal(&gp, &distinct(0, 2, 3), &Targets::new(vec![], 1).expect("none"), None).contains("at least one row")
    );
    assert!(refusal(&gp, &x, &y, Some(&[0.0; 5])).contains("positive somewhere"));
    assert!(refusal(&gp, &x, &y, Some(&[1.0, 1.0, -1.0, 1.0, 1.0])).contains("-1 at row 2"));
    assert!(refusal(&gp, &x, &y, Some(&[1.0])).contains("one a row"));
    let holes: Inputs = Rows::new(vec![1.0, f64::NAN, 0.0], 3, 1).expect("a column").into();
    let error = gp.fit(&holes, Targets::new(vec![1.0, 2.0, 3.0], 1).expect("finite"), None, &run()).map(|_| ());
    assert!(matches!(error, Err(Error::NonFinite { first_row: 1, .. })), "{error:?}");
}

#[test]
fn one_row_and_a_constant_target() {
    let x = one_column(&[2.0]);
    let y = Targets::new(vec![5.0], 1).expect("finite");
    for normalize_target in [false, true] {
        let gp = GaussianProcessRegressor { normalize_target, ..GaussianProcessRegressor::default() };
        let kernel = KernelExpr::parse("1*rbf(length_scale=1)").expect("a formula");
        let fitted = fit(&GaussianProcessRegressor { kernel, ..gp }, &x, &y, None);
        let mean = fitted.model.predict(&x, &run()).expect("a mean")[0];
        assert!(if normalize_target { (mean - 5.0).abs() < 1e-12 } else { mean.is_finite() }, "{mean}");
    }
    let x = distinct(8, 2, 5);
    let y = Targets::new(vec![3.0; 8], 1).expect("finite");
    let gp = GaussianProcessRegressor { normalize_target: true, ..GaussianProcessRegressor::default() };
    let fitted = fit(&gp, &x, &y, None);
    close(&fitted.model.predict(&x, &run()).expect("a mean"), &[3.0; 8], tol::GOLDEN, "the constant");
    assert!(fitted.model.log_evidence().expect("an evidence").is_finite());
}

#[test]
fn equal_points_without_noise_take_jitter_and_say_so() {
    let x = one_column(&[0.0, 0.0, 1.0]);
    let y = Targets::new(vec![1.0, 1.0, 2.0], 1).expect("finite");
    let fitted = fit(&regressor(RBF, 0.0), &x, &y, None);
    assert!(fitted.model.certificate().jitter() > 0.0);
    assert!(
        fitted.report.notes.iter().any(|n| n.to_string().contains("added to its diagonal")),
        "{:?}",
        fitted.report.notes
    );
    close(&fitted.model.predict(&x, &run()).expect("a mean"), y.values(), 1e-6, "interpolation");
    assert!(fitted.model.variance(&x, false, &run()).expect("variances").iter().all(|v| (0.0..1e-6).contains(v)));
    // Nothing can be tuned where no evidence is a number; the parameters stay as given.
    let gp = GaussianProcessRegressor { tuning: Some(Tuning::default()), ..regressor(RBF, 0.0) };
    let stuck = fit(&gp, &x, &y, None);
    assert!(stuck.report.notes.iter().any(|n| n.to_string().contains("as given")), "{:?}", stuck.report.notes);
    assert_eq!(stuck.model.kernel().to_string(), RBF);
}

#[test]
fn numbers_of_extreme_size() {
    let base = [-1.5, -0.3, 0.2, 0.9, 1.7];
    let values = [0.3, -1.0, 2.0, 0.5, 1.0];
    let plain =
        fit(&regressor(RBF, 0.1), &one_column(&base), &Targets::new(values.to_vec(), 1).expect("finite"), None).model;
    let expected = plain.predict(&one_column(&base), &run()).expect("a mean");
    for size in [1e-150, 1e150] {
        let x = one_column(&base.map(|v| v * size));
        let y = Targets::new(values.map(|v| v * size).to_vec(), 1).expect("finite");
        let fitted = fit(&regressor(&format!("rbf(length_scale={size:e})"), 0.1), &x, &y, None);
        let mean = fitted.model.predict(&x, &run()).expect("a mean");
        close(&mean.iter().map(|v| v / size).collect::<Vec<_>>(), &expected, tol::GOLDEN, "the mean");
        close(
            &fitted.model.variance(&x, false, &run()).expect("one"),
            &plain.variance(&one_column(&base), false, &run()).expect("one"),
            tol::GOLDEN,
            "the variance",
        );
        let gp = GaussianProcessRegressor { normalize_target: true, ..GaussianProcessRegressor::default() };
        let tuned = fit(&gp, &x, &y, None);
        assert!(tuned.model.log_evidence().expect("an evidence").is_finite(), "{size:e}: {:?}", tuned.report);
        assert!(tuned.model.predict(&x, &run()).expect("a mean").iter().all(|v| v.is_finite()));
        let gp = GaussianProcessClassifier { tuning: Some(Tuning::default()), ..classifier("1*rbf") };
        let signs = Targets::new(values.map(f64::signum).to_vec(), 1).expect("finite");
        assert!(gp.fit(&x, &signs, None, &run()).expect("fits").model.log_evidence().expect("an evidence").is_finite());
    }
    let light = fit(
        &regressor(RBF, 0.1),
        &one_column(&base),
        &Targets::new(values.to_vec(), 1).expect("finite"),
        Some(&[1e-300, 1.0, 1.0, 1.0, 1e300]),
    );
    assert!(light.model.predict(&one_column(&base), &run()).expect("a mean").iter().all(|v| v.is_finite()));
}

#[test]
fn labels_that_are_none() {
    let x = distinct(6, 2, 7);
    let refusal = |values: Vec<f64>, outputs: usize, w: Option<&[f64]>| {
        let y = Targets::new(values, outputs).expect("finite");
        let w = w.map(Weights::new).transpose();
        w.and_then(|w| classifier(RBF).fit(&x, &y, w.as_ref(), &run())).map(|_| ()).expect_err("refused").to_string()
    };
    assert!(refusal(vec![1.0; 6], 1, None).contains("of at least two classes"));
    let two = vec![1.0, 1.0, -1.0, 1.0, -1.0, 1.0];
    assert!(refusal(two.clone(), 1, Some(&[1.0, 1.0, 0.0, 1.0, 0.0, 1.0])).contains("of at least two classes"));
    assert!(refusal(two, 1, Some(&[0.0; 6])).contains("positive somewhere"));
    assert!(refusal(vec![0.0, 1.0, 1.0, 0.0, 1.0, 1.0], 1, None).contains("at row 0"));
    let both = vec![1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0, -1.0];
    assert!(refusal(both, 2, None).contains("one 1 a row"));
    assert!(Targets::new(vec![1.0, f64::NAN], 1).is_err());
}

#[test]
fn precomputed_matrices_have_a_mean_and_no_variance() {
    let x = distinct(6, 2, 8);
    let k = super::kernel(RBF, &x, &x);
    let matrix: Inputs = Precomputed::new(k, 6, 6).expect("square").into();
    let y = targets(&x, 1, 9);
    let gp = regressor("precomputed", 0.2);
    let (ours, theirs) = (fit(&gp, &matrix, &y, None).model, fit(&regressor(RBF, 0.2), &x, &y, None).model);
    let mean = |m: &mercer::model::Model, x: &Inputs| m.predict(x, &run()).expect("a mean");
    close(&mean(&ours, &matrix), &mean(&theirs, &x), tol::GOLDEN, "means");
    assert!((ours.log_evidence().expect("one") - theirs.log_evidence().expect("one")).abs() < tol::GOLDEN);
    assert!(matches!(ours.variance(&matrix, false, &run()), Err(Error::Unsupported { .. })));
    assert!(classifier("precomputed").fit(&matrix, labels(&x), None, &run()).is_ok());
}

#[test]
fn kernels_that_are_not_positive_definite_are_refused() {
    let x = distinct(12, 2, 10);
    let y = targets(&x, 1, 11);
    let error = regressor("sigmoid(gamma=1, coef0=-1)", 1e-8).fit(&x, &y, None, &run()).map(|_| ());
    assert!(matches!(error, Err(Error::NotPositiveDefinite { .. })), "{error:?}");
}
