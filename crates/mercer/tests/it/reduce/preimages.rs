//! Points near functions: every method against a search written here, and digits without their noise.

use mercer::certificate::Stop;
use mercer::data::{Column, Inputs, Rows, Table, Texts};
use mercer::rkhs::{PreImageMethod, PreImageTargets, Space};
use mercer::testkit::points::{self, Chance};
use mercer::testkit::tol;
use mercer::{Error, KernelExpr};

use super::{coordinates, fit, pca, rows, run};

/// The value of a kernel by its definition.
fn k(kernel: &KernelExpr, a: &[f64], b: &[f64]) -> f64 {
    kernel.at(a, b).expect("a value")
}

/// g(z).
fn at(kernel: &KernelExpr, x: &Rows, beta: &[f64], z: &[f64]) -> f64 {
    beta.iter().enumerate().map(|(i, b)| b * k(kernel, x.row(i), z)).sum()
}

/// ‖g‖².
fn norm(kernel: &KernelExpr, x: &Rows, beta: &[f64]) -> f64 {
    beta.iter().enumerate().map(|(i, b)| b * at(kernel, x, beta, x.row(i))).sum()
}

/// k(z, z) − 2g(z) + ‖g‖².
fn square(kernel: &KernelExpr, x: &Rows, beta: &[f64], z: &[f64]) -> f64 {
    k(kernel, z, z) - 2.0 * at(kernel, x, beta, z) + norm(kernel, x, beta)
}

/// The least distance on a fine grid around the points.
fn on_a_grid(kernel: &KernelExpr, x: &Rows, beta: &[f64]) -> f64 {
    let (mut least, norm) = (f64::INFINITY, norm(kernel, x, beta));
    for i in 0..121 {
        for j in 0..121 {
            let z = [-3.0 + 0.05 * f64::from(i), -3.0 + 0.05 * f64::from(j)];
            least = least.min(k(kernel, &z, &z) - 2.0 * at(kernel, x, beta, &z) + norm);
        }
    }
    least.max(0.0).sqrt()
}

#[test]
fn searches_come_as_near_as_a_grid() {
    let x = points::vectors(8, 2, 31);
    let mut chance = Chance::new(32);
    let beta: Vec<f64> = (0..8).map(|_| chance.unit() / 4.0).collect();
    for (formula, method) in [
        ("rbf(length_scale=2)", PreImageMethod::FixedPoint),
        ("3*rbf(length_scale=[2, 3])", PreImageMethod::FixedPoint),
        ("cauchy(length_scale=2)", PreImageMethod::FixedPoint),
        ("rational_quadratic(length_scale=2, alpha=1.5)", PreImageMethod::FixedPoint),
        ("matern52(length_scale=2)", PreImageMethod::FixedPoint),
        ("rbf(length_scale=2)", PreImageMethod::Descent),
        ("poly(degree=2)", PreImageMethod::Descent),
        ("rbf(length_scale=2) + linear", PreImageMethod::Descent),
    ] {
        let kernel = KernelExpr::parse(formula).expect("a formula");
        let inputs: Inputs = x.clone().into();
        let space = Space::new(&kernel, &inputs, &run()).expect("a space");
        let targets = PreImageTargets { space: &space, points: &inputs, coefficients: &beta, count: 1 };
        let found = &targets.pre_images(method, &run()).expect("found")[0];
        let truly = square(&kernel, &x, &beta, &found.point).max(0.0).sqrt();
        assert!((found.distance - truly).abs() <= 1e-6, "{formula} {method:?}: {} {truly}", found.distance);
        let grid = on_a_grid(&kernel, &x, &beta);
        assert!(found.distance <= grid + 2e-3, "{formula} {method:?}: {} on a grid {grid}", found.distance);
        assert!(found.stop == Stop::Tolerance || found.stop == Stop::Stagnation, "{formula}: {:?}", found.stop);
    }
}

/// Where every part of a formula has slopes, they are taken; differences are said to be differences, and both come as near.
#[test]
fn gradients_are_slopes_where_there_are_some() {
    let x = points::vectors(8, 2, 31);
    let beta: Vec<f64> = (0..8).map(|i| 0.05 * f64::from(i)).collect();
    let find = |formula: &str| {
        let kernel = KernelExpr::parse(formula).expect("a formula");
        let inputs: Inputs = x.clone().into();
        let space = Space::new(&kernel, &inputs, &run()).expect("a space");
        let targets = PreImageTargets { space: &space, points: &inputs, coefficients: &beta, count: 1 };
        targets.pre_images(PreImageMethod::Descent, &run()).expect("found").remove(0)
    };
    // The product of two kernels of one column each is the kernel of both, which names no columns.
    let (slopes, differences) = (find("rbf(length_scale=2)"), find("rbf(x0, length_scale=2)*rbf(x1, length_scale=2)"));
    assert!(!slopes.differences && differences.differences);
    assert!((slopes.distance - differences.distance).abs() <= 1e-9, "{} {}", slopes.distance, differences.distance);
    for (a, b) in slopes.point.iter().zip(&differences.point) {
        assert!((a - b).abs() <= 1e-4, "{a} {b}");
    }
    assert!(find("laplace(length_scale=2)").differences && !find("poly(degree=2)*rbf(length_scale=3)").differences);
}

#[test]
fn images_of_points_are_found_again() {
    let x = points::vectors(20, 3, 33);
    let model = fit(&pca("rbf(length_scale=2)", 19), &x.clone().into(), None).model;
    let back = model.pre_images(&coordinates(&model, &x.clone().into()), PreImageMethod::Auto, &run()).expect("found");
    for (i, found) in back.iter().enumerate() {
        assert!(found.distance <= 1e-6, "{i}: {}", found.distance);
        let off = found.point.iter().zip(x.row(i)).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(off <= 1e-5, "{i}: {off}");
    }
    // A kernel that is linear has them in the plane of its components.
    let flat = fit(&pca("linear", 3), &x.clone().into(), None).model;
    let back = flat.pre_images(&coordinates(&flat, &x.clone().into()), PreImageMethod::Descent, &run()).expect("found");
    assert!(back.iter().enumerate().all(|(i, f)| f.point.iter().zip(x.row(i)).all(|(a, b)| (a - b).abs() <= 1e-5)));
}

#[test]
fn texts_have_the_best_of_the_candidates() {
    let words = ["aa bb", "bb cc", "cc dd", "dd ee", "aa bb"];
    let column = Column::from(Texts::from_values(words.iter().map(|w| Some(*w))));
    let x: Inputs = Table::new(vec![("note".into(), column)]).expect("one column").into();
    let model = fit(&pca("ngram(note)", 4), &x, None).model;
    let back = model.pre_images(&coordinates(&model, &x), PreImageMethod::Auto, &run()).expect("found");
    let found: Vec<usize> = back.iter().map(|f| f.candidate).collect();
    assert_eq!(found, [0, 1, 2, 3, 0]);
    assert!(back.iter().all(|f| f.point.is_empty() && f.distance <= 1e-6));
    let refused = model.pre_images(&coordinates(&model, &x), PreImageMethod::FixedPoint, &run());
    assert!(refused.is_err_and(|e| e.hint().is_some_and(|h| h.contains("candidate"))));
}

#[test]
fn what_has_no_pre_image_is_said() {
    let x: Inputs = points::vectors(10, 2, 34).into();
    let model = fit(&pca("linear", 2), &x, None).model;
    assert!(matches!(
        model.pre_images(&[1.0, f64::NAN], PreImageMethod::Auto, &run()),
        Err(Error::InvalidParameter { .. })
    ));
    assert!(matches!(model.pre_images(&[1.0; 3], PreImageMethod::Auto, &run()), Err(Error::Shape { .. })));
    assert!(matches!(model.pre_images(&[1.0; 2], PreImageMethod::FixedPoint, &run()), Err(Error::Unsupported { .. })));
    assert_eq!(model.pre_images(&[], PreImageMethod::Auto, &run()).expect("nothing asked"), []);
}

/// Regression is ridge regression with the same kernel on coordinates: the numbers of scikit-learn.
#[test]
fn regression_is_that_of_scikit_learn() {
    #[derive(serde::Deserialize)]
    struct Fixture {
        #[serde(rename = "X")]
        x: Vec<Vec<f64>>,
        #[serde(rename = "X_new")]
        x_new: Vec<Vec<f64>>,
        cases: Vec<Case>,
    }
    #[derive(serde::Deserialize)]
    struct Case {
        formula: String,
        inverse: Vec<Vec<f64>>,
    }
    let text = include_str!("../../fixtures/scikit-learn-1.9.1/kernel_pca.json");
    let made: Fixture = serde_json::from_str(text).expect("the fixture reads");
    for case in made.cases.iter().take(2) {
        let model = fit(&pca(&case.formula, 3), &rows(&made.x), None).model;
        let found = model.regressed_points(&coordinates(&model, &rows(&made.x_new)), 0.1, &run()).expect("regressed");
        for (a, b) in found.iter().zip(case.inverse.concat()) {
            assert!((a - b).abs() <= tol::GOLDEN.max(1e-8), "{}: {a} {b}", case.formula);
        }
    }
}

/// Digits with noise, projected and taken back, are nearer to what they were.
#[test]
fn digits_lose_their_noise() {
    let digits = mercer::data::load("digits").expect("shipped");
    let Inputs::Table(table) = &digits.inputs else { panic!("a table") };
    let d = table.ncols();
    let columns: Vec<&[f64]> = table.iter().map(|(_, c)| c.numbers().expect("numbers")).collect();
    let image = |i: usize| columns.iter().map(|c| c[i] / 16.0).collect::<Vec<f64>>();
    let mut chance = Chance::new(35);
    let train: Vec<Vec<f64>> = (0..400).map(image).collect();
    let clean: Vec<Vec<f64>> = (400..430).map(image).collect();
    let noisy: Vec<Vec<f64>> = clean.iter().map(|x| x.iter().map(|v| v + 0.3 * chance.normal()).collect()).collect();
    let error = |points: &[Vec<f64>]| {
        let squares = points.iter().zip(&clean).flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)));
        squares.sum::<f64>() / (clean.len() * d) as f64
    };
    let model = fit(&pca("rbf(length_scale=2)", 60), &rows(&train), None).model;
    let back = model.pre_images(&coordinates(&model, &rows(&noisy)), PreImageMethod::Auto, &run()).expect("found");
    let back: Vec<Vec<f64>> = back.into_iter().map(|f| f.point).collect();
    assert!(error(&back) < 0.6 * error(&noisy), "{} of {}", error(&back), error(&noisy));
}
