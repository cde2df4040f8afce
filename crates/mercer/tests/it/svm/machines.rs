//! Machines as users meet them: several classes, probabilities, stops, kinds of data.

use std::time::Duration;

use mercer::certificate::{Measure, Stop};
use mercer::data::{Csr, Inputs, Labels, Precomputed, Rows, Target, Targets, Weights};
use mercer::model::classify::{NuSvc, Svc};
use mercer::model::detect::OneClassSvm;
use mercer::model::regress::Svr;
use mercer::model::{Cost, Learner, Model, MultiClass};
use mercer::testkit::points::Chance;
use mercer::{Error, KernelExpr, Run};

/// Points in the plane around a centre for each class.
fn clouds(n: usize, classes: usize, spread: f64, seed: u64) -> (Rows, Labels) {
    let mut chance = Chance::new(seed);
    let codes: Vec<usize> = (0..n).map(|i| i % classes).collect();
    let centre = |c: usize| (2.0 * (c as f64 * 2.4).cos(), 2.0 * (c as f64 * 2.4).sin());
    let place = |c: &usize| [centre(*c).0 + spread * chance.normal(), centre(*c).1 + spread * chance.normal()];
    let values: Vec<f64> = codes.iter().flat_map(place).collect();
    (Rows::new(values, n, 2).expect("rows"), Labels::new(codes, classes).expect("codes"))
}

fn rbf() -> KernelExpr {
    KernelExpr::parse("rbf(length_scale=1)").expect("a formula")
}

fn svc() -> Svc {
    Svc { kernel: rbf(), ..Svc::default() }
}

fn fitted(learner: impl Into<Learner>, x: impl Into<Inputs>, y: impl Into<Target>) -> Model {
    learner.into().fit(&x.into(), y, None, &Run::new()).unwrap_or_else(|e| panic!("{e}")).model
}

#[test]
fn pairs_are_machines_of_their_two_classes() {
    let (x, labels) = clouds(90, 4, 0.9, 1);
    let model = fitted(svc(), x.clone(), &labels);
    assert_eq!((model.outputs(), model.answers()), (6, 4));
    let all = model.functions(&x.clone().into(), &Run::new()).expect("values");
    let mut pair = 0;
    for i in 0..4 {
        for j in i + 1..4 {
            let rows: Vec<usize> = (0..90).filter(|r| [i, j].contains(&labels.codes()[*r])).collect();
            // The machine of two classes is positive for the second.
            let own =
                Labels::new(rows.iter().map(|r| usize::from(labels.codes()[*r] == i)).collect(), 2).expect("codes");
            let two = fitted(svc(), x.take(&rows), &own);
            let f = two.predict(&x.clone().into(), &Run::new()).expect("values");
            let apart = (0..90).map(|r| (f[r] - all[r * 6 + pair]).abs()).fold(0.0, f64::max);
            assert!(apart < 5e-3, "pair {i}, {j}: {apart}");
            pair += 1;
        }
    }
    let answers = model.predict(&x.clone().into(), &Run::new()).expect("votes");
    let right = model.largest(&answers).iter().zip(labels.codes()).filter(|(a, b)| a == b).count();
    assert!(right > 75, "{right}");
    assert!(answers.chunks(4).all(|row| (row.iter().map(|v| v.round()).sum::<f64>() - 6.0).abs() < 1e-9));
}

#[test]
fn one_against_the_rest_has_a_function_a_class() {
    let (x, labels) = clouds(90, 3, 0.6, 2);
    let model = fitted(Svc { multi_class: MultiClass::OneVsRest, ..svc() }, x.clone(), &labels);
    assert_eq!((model.outputs(), model.answers()), (3, 3));
    let answers = model.predict(&x.into(), &Run::new()).expect("values");
    let right = model.largest(&answers).iter().zip(labels.codes()).filter(|(a, b)| a == b).count();
    assert!(right > 80, "{right}");
}

#[test]
fn sparse_dense_and_precomputed_points_give_one_machine() {
    let (x, labels) = clouds(80, 3, 0.8, 3);
    let entries: Vec<f64> = x.values().to_vec();
    let sparse =
        Csr::new((0..=80).map(|i| 2 * i).collect::<Vec<usize>>(), [0, 1].repeat(80), entries, 2).expect("rows");
    let exact = Svc { tolerance: 1e-6, gap: 1e-8, ..svc() };
    let dense = fitted(exact.clone(), x.clone(), &labels);
    let other = fitted(exact.clone(), sparse.clone(), &labels);
    let f = dense.functions(&x.clone().into(), &Run::new()).expect("values");
    let g = other.functions(&sparse.into(), &Run::new()).expect("values");
    assert!(f.iter().zip(&g).all(|(a, b)| (a - b).abs() < 1e-4));
    let row = |i: usize| (0..80).map(move |j| (i, j));
    let k: Vec<f64> = (0..80).flat_map(row).map(|(i, j)| rbf().at(x.row(i), x.row(j)).expect("a value")).collect();
    let matrix = Precomputed::new(k, 80, 80).expect("a matrix");
    let known = Svc { kernel: KernelExpr::parse("precomputed").expect("a formula"), ..exact };
    let h = fitted(known, matrix.clone(), &labels).functions(&matrix.into(), &Run::new()).expect("values");
    assert!(f.iter().zip(&h).all(|(a, b)| (a - b).abs() < 1e-4));
}

#[test]
fn little_memory_gives_the_same_answer() {
    let (x, labels) = clouds(600, 2, 1.5, 4);
    let exact = Svc { tolerance: 1e-6, gap: 1e-9, c: Cost(10.0), ..svc() };
    let all = fitted(exact.clone(), x.clone(), &labels);
    let tight = Run::new().with_memory_limit(600_000);
    let few = Learner::from(exact).fit(&x.into(), &labels, None, &tight).expect("room for some rows").model;
    let dual = |m: &Model| m.certificate().dual().expect("a dual");
    assert!((dual(&all) - dual(&few)).abs() < 1e-8 * dual(&all));
}

#[test]
fn a_fit_that_is_cut_off_says_so_and_can_go_on() {
    let (x, labels) = clouds(400, 2, 1.2, 5);
    let short = Svc { max_iterations: 10, c: Cost(100.0), ..svc() };
    let cut = fitted(short.clone(), x.clone(), &labels);
    let c = cut.certificate();
    assert_eq!(c.stop, Stop::MaxIterations);
    assert!(c.gap().is_some_and(|gap| gap > 0.0) && c.dual().is_some_and(|d| d > 0.0));
    let longer: Learner = Svc { max_iterations: 100_000_000, ..short }.into();
    let points: Inputs = x.into();
    let sample = longer.sample(&points, (&labels).into(), None, &Run::new()).expect("a sample");
    let solved = longer.learn(&sample, &Run::new()).expect("solves").model;
    let resumed = longer.resume(&solved, &sample, &Run::new()).expect("solves").model;
    let moves = |m: &Model| m.certificate().iterations().expect("a count");
    assert!(moves(&resumed) * 10 <= moves(&solved), "{} {}", moves(&resumed), moves(&solved));
    let from_cut = longer.resume(&cut, &sample, &Run::new()).expect("solves").model;
    let dual = |m: &Model| m.certificate().dual().expect("a dual");
    assert!((dual(&from_cut) - dual(&solved)).abs() <= 2e-3 * dual(&solved));
}

#[test]
fn a_deadline_leaves_a_model_with_its_gap() {
    let (x, labels) = clouds(3000, 2, 2.0, 6);
    let hard_to_solve = Svc { c: Cost(1e6), tolerance: 1e-9, gap: 1e-12, ..svc() };
    let run = Run::new().with_deadline(Duration::from_millis(300));
    let model = Learner::from(hard_to_solve).fit(&x.into(), &labels, None, &run).expect("something").model;
    assert_eq!(model.certificate().stop, Stop::Deadline);
    assert!(model.certificate().gap().is_some_and(|gap| gap > 0.0));
}

#[test]
fn probabilities_never_contradict_the_classes_of_two() {
    let (x, labels) = clouds(150, 2, 1.8, 7);
    let with = Svc { probability: true, ..svc() };
    let model = fitted(with.clone(), x.clone(), &labels);
    let grid: Vec<f64> =
        (0..400).flat_map(|i| [f64::from(i % 20) * 0.5 - 5.0, f64::from(i / 20) * 0.5 - 5.0]).collect();
    let grid: Inputs = Rows::new(grid, 400, 2).expect("rows").into();
    let (f, p) = (model.predict(&grid, &Run::new()).expect("f"), model.probabilities(&grid, &Run::new()).expect("p"));
    for (f, p) in f.iter().zip(p.chunks(2)) {
        assert!((p[0] + p[1] - 1.0).abs() < 1e-12 && (*f > 0.0) == (p[1] > 0.5), "{f} {p:?}");
    }
    let mut pairs: Vec<(f64, f64)> = f.iter().copied().zip(p.chunks(2).map(|p| p[1])).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(pairs.windows(2).all(|w| w[0].1 <= w[1].1));
    // Weights of one value change nothing.
    let weights = Weights::new(vec![3.0; 150]).expect("weights");
    let scaled = Svc { c: Cost(1.0 / 3.0), ..with };
    let weighted = Learner::from(scaled).fit(&x.into(), &labels, Some(&weights), &Run::new()).expect("fits").model;
    let slopes = |m: &Model| m.support().expect("support").slopes[0];
    assert!(
        (slopes(&model) - slopes(&weighted)).abs() < 1e-2 * slopes(&model),
        "{} {}",
        slopes(&model),
        slopes(&weighted)
    );
    assert!(
        fitted(svc(), clouds(20, 2, 1.0, 1).0, &clouds(20, 2, 1.0, 1).1).probabilities(&grid, &Run::new()).is_err()
    );
}

#[test]
fn probabilities_of_several_classes_are_a_distribution() {
    let (x, labels) = clouds(120, 4, 1.2, 8);
    for multi_class in [MultiClass::OneVsOne, MultiClass::OneVsRest] {
        let model = fitted(Svc { probability: true, multi_class, ..svc() }, x.clone(), &labels);
        let p = model.probabilities(&x.clone().into(), &Run::new()).expect("p");
        assert!(
            p.chunks(4)
                .all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-9 && row.iter().all(|p| (0.0..=1.0).contains(p)))
        );
        let right = p.chunks(4).zip(labels.codes()).filter(|(row, c)| row.iter().all(|p| *p <= row[**c])).count();
        assert!(right > 80, "{right}");
    }
}

#[test]
fn one_class_keeps_its_share_outside() {
    let (x, _) = clouds(200, 1, 1.0, 9);
    for nu in [0.05, 0.3, 0.8] {
        let machine =
            OneClassSvm { kernel: rbf(), nu, calibrate: true, tolerance: 1e-6, gap: 1e-8, ..OneClassSvm::default() };
        let model = fitted(machine, x.clone(), Target::None);
        let f = model.predict(&x.clone().into(), &Run::new()).expect("values");
        let below = f.iter().filter(|f| **f < -1e-5).count() as f64 / 200.0;
        assert!(below <= nu + 1e-9, "{below} below at {nu}");
        let support = model.certificate().get(Measure::SupportVectors).expect("a count") / 200.0;
        assert!(support >= nu - 1e-9, "{support} at {nu}");
        let p = model.p_values(&[-1e9, 1e9]).expect("calibrated");
        assert_eq!(p, [1.0 / 201.0, 1.0]);
    }
}

#[test]
fn shares_that_no_rows_allow_are_refused_before_any_kernel() {
    let (x, _) = clouds(30, 2, 1.0, 10);
    let few = Labels::new((0..30).map(|i| usize::from(i < 3)).collect(), 2).expect("codes");
    let refused = Learner::from(NuSvc { kernel: rbf(), nu: 0.5, ..NuSvc::default() }).fit(
        &x.clone().into(),
        &few,
        None,
        &Run::new(),
    );
    assert!(refused.is_err_and(|e| e.to_string().contains("at most 0.2")));
    for nu in [0.0, -1.0, 1.5, f64::NAN] {
        let one = OneClassSvm { kernel: rbf(), nu, ..OneClassSvm::default() };
        assert!(matches!(
            Learner::from(one).fit(&x.clone().into(), Target::None, None, &Run::new()),
            Err(Error::InvalidParameter { .. })
        ));
    }
    for c in [0.0, -1.0, f64::NAN] {
        let bad = Svr { kernel: rbf(), c: Cost(c), ..Svr::default() };
        let y = Targets::new(vec![1.0; 30], 1).expect("numbers");
        assert!(Learner::from(bad).fit(&x.clone().into(), &y, None, &Run::new()).is_err());
    }
}

#[test]
fn ten_thousand_classes_are_refused_at_once() {
    let n = 20_000;
    let x = Rows::new((0..n).map(f64::from).collect::<Vec<_>>(), n as usize, 1).expect("rows");
    let labels = Labels::new((0..n as usize).map(|i| i % 10_000).collect(), 10_000).expect("codes");
    let refused = Learner::from(svc()).fit(&x.into(), &labels, None, &Run::new());
    assert!(refused.is_err_and(|e| e.hint().is_some_and(|hint| hint.contains("one_vs_rest"))));
}

/// What the peers get wrong or never end on.
#[test]
fn odd_rows_get_an_answer() {
    // All points the same, a constant target, two rows.
    let same: Inputs = Rows::new(vec![1.0; 20], 10, 2).expect("rows").into();
    let labels = Labels::new((0..10).map(|i| i % 2).collect(), 2).expect("codes");
    let model = fitted(svc(), same.clone(), &labels);
    assert!(model.predict(&same, &Run::new()).expect("values").iter().all(|f| f.is_finite()));
    let constant = Targets::new(vec![3.0; 10], 1).expect("numbers");
    let flat = fitted(Svr { kernel: rbf(), ..Svr::default() }, same.clone(), &constant);
    assert!((flat.predict(&same, &Run::new()).expect("values")[0] - 3.0).abs() <= 0.1001);
    // Two rows of opposite classes in one place.
    let two: Inputs = Rows::new(vec![0.0, 0.0], 2, 1).expect("rows").into();
    let both = fitted(svc(), two.clone(), Labels::new(vec![0, 1], 2).expect("codes"));
    assert!(both.predict(&two, &Run::new()).expect("values").iter().all(|f| f.abs() < 1e-9));
    // Two rows apart, with probabilities that agree with the classes.
    let apart: Inputs = Rows::new(vec![0.0, 1.0], 2, 1).expect("rows").into();
    let sure = fitted(Svc { probability: true, ..svc() }, apart.clone(), Labels::new(vec![0, 1], 2).expect("codes"));
    let p = sure.probabilities(&apart, &Run::new()).expect("p");
    assert!(p[0] >= 0.5 && p[3] >= 0.5, "{p:?}");
}

/// −‖x − y‖ has no norm for functions whose coefficients do not add up to 0: there is a fit, and a sentence in place of a bound.
#[test]
fn a_conditional_kernel_has_no_bound_and_says_so() {
    let (x, labels) = clouds(60, 2, 0.8, 31);
    let x: Inputs = x.into();
    for (formula, conditional) in [("energy", true), ("rbf(length_scale=1)", false)] {
        let svc = Svc { kernel: KernelExpr::parse(formula).expect("a formula"), ..Svc::default() };
        let fitted = svc.fit(&x, &labels, None, &Run::new()).unwrap_or_else(|e| panic!("{formula}: {e}"));
        let certificate = fitted.model.certificate();
        assert_eq!(certificate.get(Measure::Dual).is_none(), conditional, "{formula}");
        assert!(certificate.get(Measure::KktViolation).is_some_and(|v| v <= 1e-3), "{formula}: {certificate:?}");
        let told: Vec<String> = fitted.report.notes.iter().map(ToString::to_string).collect();
        let said = told.iter().any(|n| n.contains("only conditionally positive definite of order 1"));
        assert_eq!(said, conditional, "{formula}: {told:?}");
    }
}

/// c·k with the cost C/c is the same function: f is c times as small a sum of kernels c times as large.
#[test]
fn units_of_a_kernel_do_not_matter() {
    let (x, labels) = clouds(700, 2, 1.2, 41);
    let x: Inputs = x.into();
    let y: Vec<f64> = (0..700).map(|i| f64::from(i % 13) - 6.0).collect();
    let y = Targets::new(y, 1).expect("numbers");
    let scaled = |unit: f64| KernelExpr::parse(&format!("{unit:e}*rbf(length_scale=1)")).expect("a formula");
    let cost = |unit: f64| Cost(1.0 / unit);
    let both = |unit: f64| {
        let svc = Svc { kernel: scaled(unit), c: cost(unit), tolerance: 1e-9, ..Svc::default() };
        let svr = Svr { kernel: scaled(unit), c: cost(unit), tolerance: 1e-9, ..Svr::default() };
        let (svc, svr) = (fitted(svc, x.clone(), &labels), fitted(svr, x.clone(), &y));
        [svc, svr].map(|model| model.predict(&x, &Run::new()).expect("values"))
    };
    let expected = both(1.0);
    for unit in [1e-25, 3e-7, 5e6, 1e25] {
        for (found, expected) in both(unit).iter().zip(&expected) {
            let far = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(far < 1e-6, "{unit:e}: {far:e}");
        }
    }
}
