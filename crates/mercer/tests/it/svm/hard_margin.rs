//! Hard margins: the largest, or a witness that can be checked by hand.

use mercer::data::{Inputs, Labels, Rows};
use mercer::model::classify::Svc;
use mercer::model::{Cost, Fitted};
use mercer::testkit::points::Chance;
use mercer::{Error, KernelExpr, Result, Run};

fn hard(x: &[f64], d: usize, codes: &[usize], formula: &str, intercept: bool) -> Result<Fitted> {
    let points: Inputs = Rows::new(x.to_vec(), codes.len(), d).expect("rows").into();
    let labels = Labels::new(codes.to_vec(), 2).expect("codes");
    let kernel = KernelExpr::parse(formula).expect("a formula");
    Svc { kernel, c: Cost::HARD, fit_intercept: intercept, tolerance: 1e-6, ..Svc::default() }.fit(
        &points,
        &labels,
        None,
        &Run::new(),
    )
}

#[test]
fn the_margin_of_two_points_and_of_a_square() {
    // Two points: the margin is half their distance, f = ⟨w, x⟩ + b with w = 2(p − q)/‖p − q‖².
    let model = hard(&[0.0, 0.0, 3.0, 4.0], 2, &[0, 1], "linear", true).expect("separable").model;
    let f = model.predict(model.points(), &Run::new()).expect("values");
    assert!((f[0] + 1.0).abs() < 1e-9 && (f[1] - 1.0).abs() < 1e-9, "{f:?}");
    let norm = model.certificate().primal().expect("a primal");
    assert!((norm - 0.5 * (2.0 / 5.0f64).powi(2)).abs() < 1e-6, "{norm}");
    // Without an intercept, through the origin: points (1, 0) and (−2, 0) have the margin 1.
    let model = hard(&[1.0, 0.0, -2.0, 0.0], 2, &[1, 0], "linear", false).expect("separable").model;
    assert!((model.certificate().primal().expect("a primal") - 0.5).abs() < 1e-6);
    assert_eq!(model.intercept(), [0.0]);
}

/// The witness of the error is recomputed from the points alone.
fn check_witness(error: Error, x: &[f64], d: usize, codes: &[usize], intercept: bool) {
    let Error::NotSeparable { distance, witness, intercept: said } = error else { panic!("{error}") };
    assert_eq!(said, intercept);
    let sum = |class: usize| witness.iter().filter(|(i, _)| codes[*i] == class).map(|(_, w)| w).sum::<f64>();
    match intercept {
        true => assert!((sum(0) - 1.0).abs() < 1e-9 && (sum(1) - 1.0).abs() < 1e-9),
        false => assert!((sum(0) + sum(1) - 1.0).abs() < 1e-9),
    }
    assert!(witness.iter().all(|(_, w)| *w >= 0.0));
    let sign = |i: usize| if codes[i] == 1 { 1.0 } else { -1.0 };
    let at = |c: usize| witness.iter().map(|(i, w)| w * sign(*i) * x[i * d + c]).sum::<f64>();
    let norm = (0..d).map(at).map(|v| v * v).sum::<f64>().sqrt();
    let size = x.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    assert!(norm <= 1e-6 * size && distance <= 1e-6 * size, "{norm} {distance}");
}

#[test]
fn classes_that_overlap_have_a_witness() {
    for seed in 0..6 {
        let mut chance = Chance::new(seed);
        let x: Vec<f64> = (0..120).map(|_| chance.normal()).collect();
        let codes: Vec<usize> = (0..60).map(|i| usize::from(i % 2 == 0)).collect();
        for intercept in [true, false] {
            check_witness(hard(&x, 2, &codes, "linear", intercept).expect_err("overlapping"), &x, 2, &codes, intercept);
        }
        // The same points are apart where the kernel tells them from each other.
        let model = hard(&x, 2, &codes, "rbf(length_scale=0.2)", true).expect("separable").model;
        let points: Inputs = Rows::new(x.clone(), 60, 2).expect("rows").into();
        let f = model.predict(&points, &Run::new()).expect("values");
        assert!(f.iter().zip(&codes).all(|(f, c)| (2.0 * *c as f64 - 1.0) * f >= 1.0 - 1e-5));
        assert!(
            model.certificate().gap().is_some_and(|gap| gap <= 1e-4 * model.certificate().primal().expect("a primal"))
        );
    }
}

#[test]
fn a_point_of_both_classes_is_its_own_witness() {
    let x = [0.0, 1.0, 2.0, 1.0];
    let codes = [0, 0, 1, 1];
    check_witness(
        hard(&x, 1, &codes, "rbf(length_scale=0.5)", true).expect_err("twice the same point"),
        &x,
        1,
        &codes,
        true,
    );
}
