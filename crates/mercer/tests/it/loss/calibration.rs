//! Calibrated quantiles cover what they say.

use mercer::data::{Inputs, Precomputed, Rows, Targets, load};
use mercer::kernel::Registry;
use mercer::model::pipeline::{Pipeline, Prepare};
use mercer::model::regress::KernelQuantileRegressor;
use mercer::model::{Extra, Model, ModelParts};
use mercer::select::{Fold, Split};
use mercer::testkit::points::Chance;
use mercer::testkit::tol;
use mercer::{KernelExpr, Run};

use crate::weigh;

const LEVELS: [f64; 3] = [0.05, 0.5, 0.95];
/// Standard deviations that a share may be off at a fixed seed.
const Z: f64 = 4.0;

fn learner(calibrate: bool) -> KernelQuantileRegressor {
    KernelQuantileRegressor {
        kernel: KernelExpr::parse("rbf(length_scale=0.15)").expect("a formula"),
        quantiles: LEVELS.to_vec(),
        alpha: 0.02,
        calibrate,
        ..Default::default()
    }
}

/// A wave whose noise grows to the right.
fn waves(n: usize, chance: &mut Chance) -> (Inputs, Targets) {
    let x: Vec<f64> = (0..n).map(|_| 2.0 * chance.unit()).collect();
    let y: Vec<f64> = x.iter().map(|x| (3.0 * x).sin() + 0.2 * (0.5 + x) * chance.normal()).collect();
    (Rows::new(x, n, 1).expect("rows").into(), Targets::new(y, 1).expect("finite"))
}

/// Rows between the outer curves.
fn inside(curves: &[f64], y: &[f64]) -> f64 {
    curves.chunks(LEVELS.len()).zip(y).filter(|(q, y)| q[0] <= **y && **y <= q[LEVELS.len() - 1]).count() as f64
}

#[test]
fn calibrated_curves_cover_and_others_do_not() {
    let (repeats, n, m) = (8, 150, 1000);
    let mut chance = Chance::new(4);
    let mut shares = [0.0; 2];
    for _ in 0..repeats {
        let (x, y) = waves(n, &mut chance);
        let (new, truth) = waves(m, &mut chance);
        for (share, calibrate) in shares.iter_mut().zip([false, true]) {
            let machine = learner(calibrate).fit(&x, &y, None, &Run::new()).expect("fits").model;
            let curves = machine.predict(&new, &Run::new()).expect("predicts");
            assert!(curves.chunks(3).all(|q| q[0] <= q[1] && q[1] <= q[2]));
            *share += inside(&curves, truth.values()) / (repeats * m) as f64;
        }
    }
    // A share of 0.9 that is learnt from 8·150 rows and judged by 8·1000.
    let deviation = (0.09 * (1.0 / 1200.0 + 1.0 / 8000.0_f64)).sqrt();
    assert!(shares[0] < 0.9 - 2.0 * Z * deviation, "uncalibrated: {}", shares[0]);
    // What is promised is a share from below: the model of all rows is better than those of the folds that shift it.
    assert!(shares[1] >= 0.9 - Z * deviation, "calibrated: {} ± {deviation}", shares[1]);
    assert!((shares[1] - 0.9).abs() < 0.5 * (0.9 - shares[0]), "calibrated: {}, not: {}", shares[1], shares[0]);
}

#[test]
fn calibrated_curves_cover_a_shipped_set() {
    let (wine, run) = (load("diabetes").expect("a set"), Run::new());
    let prepared = Prepare::default().fit(&wine, None).expect("prepares");
    let (n, y_all) = (prepared.inputs.len(), prepared.target.numbers().expect("numbers"));
    let learner = |calibrate| KernelQuantileRegressor {
        kernel: KernelExpr::parse("rbf(length_scale=2)").expect("a formula"),
        quantiles: LEVELS.to_vec(),
        alpha: 0.05,
        calibrate,
        ..Default::default()
    };
    let mut shares = [0.0; 2];
    for Fold { train, test } in Split::Folds(4).folds(n, None, None, 1).expect("folds") {
        let of = |rows: &[usize]| rows.iter().map(|i| y_all.row(*i)[0]).collect::<Vec<f64>>();
        let y = Targets::new(of(&train), 1).expect("finite");
        for (share, calibrate) in shares.iter_mut().zip([false, true]) {
            let machine = learner(calibrate).fit(&prepared.inputs.take(&train), &y, None, &run).expect("fits").model;
            let curves = machine.predict(&prepared.inputs.take(&test), &run).expect("predicts");
            *share += inside(&curves, &of(&test)) / n as f64;
        }
    }
    let deviation = (0.09 * 2.0 / n as f64).sqrt();
    assert!(shares[0] < 0.9 - 2.0 * Z * deviation, "uncalibrated: {}", shares[0]);
    assert!((shares[1] - 0.9).abs() <= Z * deviation, "calibrated: {} ± {deviation}", shares[1]);
}

/// The shift is an order statistic of the scores: with curves that are constant by a huge alpha, and one fold a row, of
/// the targets less the quantiles of the others.
#[test]
fn shifts_are_order_statistics() {
    let mut chance = Chance::new(9);
    let (x, y) = waves(39, &mut chance);
    let fitted = KernelQuantileRegressor { quantiles: vec![0.1, 0.9], ..learner(true) }
        .fit(&x, &y, None, &Run::new())
        .expect("fits");
    let shifts: Vec<f64> = fitted.model.shifts().expect("calibrated").to_vec();
    assert!(shifts[0] < 0.0 && shifts[1] > 0.0, "{shifts:?}");
    assert!(fitted.report.notes.iter().any(|n| n.to_string().contains("5 folds")), "{:?}", fitted.report.notes);
    // Weights of 2 are rows that count twice, though not in folds: shifts stay inside of the scores.
    let weights = weigh(&[2.0; 39]);
    assert!(learner(true).fit(&x, &y, Some(&weights), &Run::new()).is_ok());
    let few = learner(true).fit(
        &x.take(&[0, 1, 2]),
        Targets::new(y.values()[..3].to_vec(), 1).expect("3"),
        None,
        &Run::new(),
    );
    assert!(few.expect_err("too few rows").to_string().contains("at least 19"));
}

#[test]
fn a_precomputed_matrix_is_calibrated_as_its_points_are() {
    let mut chance = Chance::new(10);
    let (x, y) = waves(60, &mut chance);
    let gram = mercer::gram::dense::<f64>(&learner(true).kernel.bind(&x, &Run::new()).expect("binds"), &Run::new());
    let gram = Precomputed::new(gram.expect("a matrix").into_values(), 60, 60).expect("square");
    let known =
        KernelQuantileRegressor { kernel: KernelExpr::parse("precomputed").expect("a formula"), ..learner(true) };
    let [one, two] = [learner(true).fit(&x, &y, None, &Run::new()), known.fit(&gram.into(), &y, None, &Run::new())]
        .map(|fitted| fitted.expect("fits").model.shifts().expect("calibrated").to_vec());
    // Fits end at a gap, and values feel its root.
    assert!(one.iter().zip(&two).all(|(a, b)| (a - b).abs() <= tol::GRAD), "{one:?} {two:?}");
}

#[test]
fn a_saved_model_keeps_its_shifts_and_is_held_to_them() {
    let (diabetes, run) = (load("diabetes").expect("a set"), Run::new());
    let data = diabetes.take(&(0..80).collect::<Vec<_>>());
    let prepared = Prepare::default().fit(&data, None).expect("prepares");
    let kernel = KernelExpr::parse("rbf(length_scale=2)").expect("a formula");
    let fitted =
        KernelQuantileRegressor { kernel, ..learner(true) }.fit(&prepared.inputs, &prepared.target, None, &run);
    let pipeline = prepared.pipeline(fitted.expect("fits").model).expect("valid");
    let again = Pipeline::from_bytes(&pipeline.to_bytes().expect("a file"), &Registry::new()).expect("reads back");
    let predicted = |p: &Pipeline| p.predict(&data.inputs, &run).expect("predicts").values;
    assert_eq!(predicted(&again), predicted(&pipeline));
    let found = again.verify(&data, None, &run).expect("the rows");
    assert!(found.holds, "{}", found.verdict);
    let mut parts = again.into_parts();
    let mut shifts = parts.model.shifts().expect("calibrated").to_vec();
    shifts[1] = 0.5;
    let changed = ModelParts { extra: Extra::Shifts(shifts), ..parts.model.parts().clone() };
    parts.model = Model::from_parts(changed).expect("valid");
    let other = Pipeline::from_parts(parts).expect("valid").verify(&data, None, &run).expect("the rows");
    assert!(!other.holds && other.verdict.contains("calibration"), "{}", other.verdict);
}
