//! Descents against their formulas, loops written out, and each other.

mod batches;
mod certificate;

use mercer::certificate::Measure;
use mercer::data::{Inputs, Precomputed, Rows, Targets};
use mercer::loss::{Logistic, NamedLoss};
use mercer::model::Model;
use mercer::model::classify::KernelBarycentre;
use mercer::model::descent::{Dictionary, KernelGradientDescent, KernelSgd, SpectralFilter, StepSize, Stopping};
use mercer::model::regress::{Alpha, KernelRidge};
use mercer::solver::Filter;
use mercer::testkit::points::{self, Chance};
use mercer::{KernelExpr, Run};

use crate::weigh;

const LENGTH_SCALE: f64 = 1.2;

fn kernel() -> KernelExpr {
    KernelExpr::parse(&format!("rbf(length_scale={LENGTH_SCALE})")).expect("a formula")
}

fn k(a: &[f64], b: &[f64]) -> f64 {
    let r2: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    (-r2 / (2.0 * LENGTH_SCALE * LENGTH_SCALE)).exp()
}

fn data(n: usize, seed: u64) -> (Rows, Targets) {
    let x = points::vectors(n, 2, seed);
    let mut chance = Chance::new(seed + 1);
    let y: Vec<f64> = (0..n).map(|i| (2.0 * x.row(i)[0]).sin() + 0.2 * chance.normal()).collect();
    (x, Targets::new(y, 1).expect("finite"))
}

fn values(machine: &Model, x: &Rows) -> Vec<f64> {
    machine.predict(&x.clone().into(), &Run::new()).expect("finite")
}

#[track_caller]
fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    let size = b.iter().fold(1.0f64, |m, v| m.max(v.abs()));
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * size, "{a} {b}");
    }
}

fn descend(descent: &KernelGradientDescent, x: &Rows, y: &Targets, w: Option<&[f64]>) -> Model {
    descent.fit(&x.clone().into(), y, w.map(weigh).as_ref(), &Run::new()).unwrap_or_else(|e| panic!("{e}")).model
}

#[test]
fn ten_thousand_iterations_are_the_closed_form() {
    let (x, y) = data(60, 1);
    let mut chance = Chance::new(5);
    let start: Vec<f64> = (0..60).map(|_| chance.normal()).collect();
    let weights: Vec<f64> = (0..60).map(|_| 0.1 + chance.unit()).collect();
    let fading: Vec<f64> = (0..500).map(|t| 3.0 / (1.0 + 0.01 * f64::from(t))).collect();
    for step_size in [StepSize::Auto, StepSize::Constant(0.7), StepSize::Varying(fading)] {
        for (start, weights) in [(None, None), (Some(start.clone()), Some(weights.as_slice()))] {
            let iterated = KernelGradientDescent {
                kernel: kernel(),
                step_size: step_size.clone(),
                stopping: Stopping::Iterations(10_000),
                start,
                ..KernelGradientDescent::default()
            };
            let jumped = KernelGradientDescent { closed_form: true, ..iterated.clone() };
            let [a, b] = [iterated, jumped].map(|d| values(&descend(&d, &x, &y, weights), &x));
            assert_close(&a, &b, 1e-10);
        }
    }
}

#[test]
fn the_values_at_the_points_follow_the_formula() {
    // Fᵗ = Y + (I − step·K/n)ᵗ(F⁰ − Y), step by step.
    let (x, y) = data(12, 2);
    let (n, step) = (12, 0.8);
    let start: Vec<f64> = (0..n).map(|i| i as f64 / 10.0).collect();
    let times = |v: &[f64]| (0..n).map(|i| (0..n).map(|j| k(x.row(i), x.row(j)) * v[j]).sum()).collect::<Vec<f64>>();
    let mut gap: Vec<f64> = times(&start).iter().zip(y.values()).map(|(f, y)| f - y).collect();
    for _ in 0..9 {
        let pulled = times(&gap);
        gap.iter_mut().zip(&pulled).for_each(|(g, p)| *g -= step * p / n as f64);
    }
    let expected: Vec<f64> = gap.iter().zip(y.values()).map(|(g, y)| g + y).collect();
    let descent = KernelGradientDescent {
        kernel: kernel(),
        step_size: StepSize::Constant(step),
        stopping: Stopping::Iterations(9),
        start: Some(start),
        ..KernelGradientDescent::default()
    };
    assert_close(&values(&descend(&descent, &x, &y, None), &x), &expected, 1e-12);
}

#[test]
fn a_weight_of_two_is_the_row_twice() {
    let (x, y) = data(20, 3);
    let twice: Vec<usize> = (0..20).chain([4, 7]).collect();
    let weights: Vec<f64> = (0..20).map(|i| if i == 4 || i == 7 { 2.0 } else { 1.0 }).collect();
    let again = Targets::new(twice.iter().map(|i| y.row(*i)[0]).collect::<Vec<_>>(), 1).expect("finite");
    let descent = KernelGradientDescent { kernel: kernel(), ..KernelGradientDescent::default() };
    let (a, b) = (descend(&descent, &x, &y, Some(&weights)), descend(&descent, &x.take(&twice), &again, None));
    assert_close(&values(&a, &x), &values(&b, &x), 1e-12);
    for filter in [Filter::CutOff { lambda: 0.01 }, Filter::NuMethod { nu: 1.0, iterations: 5, scale: None }] {
        let filter = SpectralFilter { kernel: kernel(), filter };
        let a = filter.fit(&x.clone().into(), &y, Some(&weigh(&weights)), &Run::new()).expect("fits").model;
        let b = filter.fit(&x.take(&twice).into(), &again, None, &Run::new()).expect("fits").model;
        assert_close(&values(&a, &x), &values(&b, &x), 1e-11);
    }
}

#[test]
fn landweber_is_the_descent_from_zero() {
    let (x, y) = data(25, 4);
    let filter = Filter::Landweber { step_size: Some(1.1), iterations: 30 };
    let filtered = SpectralFilter { kernel: kernel(), filter };
    let descent = KernelGradientDescent {
        kernel: kernel(),
        step_size: StepSize::Constant(1.1),
        stopping: Stopping::Iterations(30),
        ..KernelGradientDescent::default()
    };
    let a = filtered.fit(&x.clone().into(), &y, None, &Run::new()).expect("fits").model;
    assert_close(&values(&a, &x), &values(&descend(&descent, &x, &y, None), &x), 1e-12);
}

#[test]
fn a_descent_ends_where_it_should() {
    let (x, y) = data(80, 6);
    let inputs: Inputs = x.clone().into();
    let with = |stopping| KernelGradientDescent { kernel: kernel(), stopping, ..KernelGradientDescent::default() };
    let until = Stopping::Discrepancy { noise: 0.2, factor: 1.5, max_iterations: 5000 };
    let done = with(until).fit(&inputs, &y, None, &Run::new()).expect("fits");
    let history = &done.report.history;
    let (last, before) = (history[history.len() - 1], history[history.len() - 2]);
    assert!(last <= 0.3 && before > 0.3, "{before} {last}");
    assert!(history.windows(2).all(|w| w[1] <= w[0]), "a step below 1/μ never overshoots");
    let held = Stopping::HoldOut { share: 0.3, max_iterations: 20_000 };
    let mut chance = Chance::new(3);
    let noisy =
        Targets::new(y.values().iter().map(|y| y + 0.6 * chance.normal()).collect::<Vec<_>>(), 1).expect("finite");
    let best = with(held).fit(&inputs, &noisy, None, &Run::new()).expect("fits");
    let iterations = best.model.certificate().iterations().expect("counted");
    assert!((1..20_000).contains(&iterations), "noise must stop it early: {iterations}");
    assert!(best.report.notes[0].to_string().contains("held out"));
}

#[test]
fn steps_that_diverge_are_refused_before_the_first_one() {
    let (x, y) = data(30, 7);
    let inputs: Inputs = x.into();
    let descent = |step| KernelGradientDescent {
        kernel: kernel(),
        step_size: StepSize::Constant(step),
        ..KernelGradientDescent::default()
    };
    let largest = descent(0.1)
        .fit(&inputs, &y, None, &Run::new())
        .expect("fits")
        .model
        .certificate()
        .get(Measure::LargestEigenvalue)
        .expect("a number");
    let error = descent(2.000_001 / largest).fit(&inputs, &y, None, &Run::new()).expect_err("diverges");
    assert!(error.to_string().contains("diverges"), "{error}");
    let fine = descent(1.9 / largest).fit(&inputs, &y, None, &Run::new()).expect("converges");
    assert!(fine.report.notes[0].to_string().contains("overshoot"), "{:?}", fine.report.notes);
    let sgd = KernelSgd { kernel: kernel(), step_size: Some(2.0), ..KernelSgd::default() };
    let error = sgd.fit(&inputs, &y, None, &Run::new()).expect_err("k(x, x) = 1");
    assert!(error.to_string().contains("below 2.0"), "{error}");
    assert!(KernelSgd { step_size: Some(1.9), ..sgd }.fit(&inputs, &y, None, &Run::new()).is_ok());
}

/// Steps one after the other, as the definition has them; the last function and the mean of all.
fn loop_of_steps(x: &Rows, y: &Targets, step: f64, batch: usize, new: &Rows) -> (Vec<f64>, Vec<f64>) {
    let n = x.nrows();
    let mut a = vec![0.0; n];
    let mut mean = vec![0.0; n];
    for (before, start) in (0..n).step_by(batch).enumerate() {
        let rows: Vec<usize> = (start..(start + batch).min(n)).collect();
        let at = |a: &[f64], p: &[f64]| (0..n).map(|j| a[j] * k(x.row(j), p)).sum::<f64>();
        let moves: Vec<f64> =
            rows.iter().map(|i| step / rows.len() as f64 * (y.row(*i)[0] - at(&a, x.row(*i)))).collect();
        rows.iter().zip(&moves).for_each(|(i, m)| a[*i] += m);
        mean.iter_mut().zip(&a).for_each(|(m, a)| *m += (a - *m) / (before + 1) as f64);
    }
    let at = |a: &[f64]| (0..new.nrows()).map(|i| (0..n).map(|j| a[j] * k(x.row(j), new.row(i))).sum()).collect();
    (at(&a), at(&mean))
}

#[test]
fn chunks_and_products_do_what_single_steps_do() {
    // More rows than a chunk holds, and parts that cut across batches.
    let (x, y) = data(1300, 8);
    let new = points::vectors(20, 2, 9);
    for batch in [1, 4] {
        let expected = loop_of_steps(&x, &y, 0.9, batch, &new);
        for (averaging, expected) in [(false, &expected.0), (true, &expected.1)] {
            let sgd = KernelSgd {
                kernel: kernel(),
                step_size: Some(0.9),
                batch_size: batch,
                averaging,
                dictionary: Dictionary::All,
                ..KernelSgd::default()
            };
            let first: Inputs = x.take(&(0..400).collect::<Vec<_>>()).into();
            let mut learner = sgd.begin(&first, 1, &Run::new()).expect("begins");
            for part in [0..400, 400..1300] {
                let rows: Vec<usize> = part.collect();
                let targets = Targets::new(rows.iter().map(|i| y.row(*i)[0]).collect::<Vec<_>>(), 1).expect("finite");
                learner.learn(&x.take(&rows).into(), &targets, &Run::new()).expect("learns");
            }
            assert_close(&values(&learner.model().expect("a machine"), &new), expected, 1e-11);
        }
    }
}

#[test]
fn a_batch_of_all_rows_is_gradient_descent() {
    let (x, y) = data(50, 10);
    let sgd = KernelSgd {
        kernel: kernel(),
        step_size: Some(0.9),
        batch_size: 50,
        passes: 7,
        averaging: false,
        ..KernelSgd::default()
    };
    let descent = KernelGradientDescent {
        kernel: kernel(),
        step_size: StepSize::Constant(0.9),
        stopping: Stopping::Iterations(7),
        ..KernelGradientDescent::default()
    };
    let a = sgd.fit(&x.clone().into(), &y, None, &Run::new()).expect("fits").model;
    assert_close(&values(&a, &x), &values(&descend(&descent, &x, &y, None), &x), 1e-12);
}

#[test]
fn landmarks_that_span_everything_change_nothing_and_precomputed_values_are_the_same() {
    let (x, y) = data(60, 11);
    let x = x.take(&(0..58).collect::<Vec<_>>());
    let y = Targets::new(y.values()[..58].to_vec(), 1).expect("finite");
    let exact = KernelSgd { kernel: kernel(), batch_size: 2, passes: 3, seed: 4, ..KernelSgd::default() };
    let projected = KernelSgd { dictionary: Dictionary::Landmarks(58), ..exact.clone() };
    let inputs: Inputs = x.clone().into();
    let a = exact.fit(&inputs, &y, None, &Run::new()).expect("fits").model;
    let b = projected.fit(&inputs, &y, None, &Run::new()).expect("fits").model;
    assert_close(&values(&a, &x), &values(&b, &x), 1e-6);
    let gram: Vec<f64> = (0..58).flat_map(|i| (0..58).map(|j| k(x.row(i), x.row(j))).collect::<Vec<_>>()).collect();
    let matrix: Inputs = Precomputed::new(gram, 58, 58).expect("58×58").into();
    let given = KernelSgd { kernel: KernelExpr::parse("precomputed").expect("a formula"), ..exact };
    let c = given.fit(&matrix, &y, None, &Run::new()).expect("fits").model;
    assert_close(&c.predict(&matrix, &Run::new()).expect("finite"), &values(&a, &x), 1e-12);
}

#[test]
fn averaged_steps_come_near_the_best_function() {
    let (x, y) = data(4000, 12);
    let (new, _) = data(200, 13);
    let ridge = KernelRidge { kernel: kernel(), alpha: Alpha::Value(1.0), ..KernelRidge::default() };
    let best = ridge.fit(&x.clone().into(), &y, None, &Run::new()).expect("fits").model;
    let best = best.predict(&new.clone().into(), &Run::new()).expect("finite");
    for dictionary in [Dictionary::All, Dictionary::Landmarks(200)] {
        let sgd = KernelSgd { kernel: kernel(), dictionary, ..KernelSgd::default() };
        let done = sgd.fit(&x.clone().into(), &y, None, &Run::new()).expect("fits");
        let got = values(&done.model, &new);
        let far = got.iter().zip(&best).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 200.0;
        assert!(far.sqrt() < 0.1, "{dictionary:?}: {}", far.sqrt());
        let (first, last) = (done.report.history[0], *done.report.history.last().expect("chunks"));
        assert!(last < first && last < 0.05, "the loss before learning falls: {first} {last}");
    }
}

#[test]
fn threads_do_not_matter() {
    let (x, y) = data(600, 14);
    let inputs: Inputs = x.into();
    let bits = |threads: usize| {
        let run = Run::new().with_threads(threads).expect("threads");
        let sgd = KernelSgd { kernel: kernel(), dictionary: Dictionary::Landmarks(50), ..KernelSgd::default() };
        let a = sgd.fit(&inputs, &y, None, &run).expect("fits").model.expansion().coefficients().to_vec();
        let descent = KernelGradientDescent { kernel: kernel(), ..KernelGradientDescent::default() };
        let b = descent.fit(&inputs, &y, None, &run).expect("fits").model.expansion().coefficients().to_vec();
        [a, b].concat().iter().map(|v| v.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(bits(1), bits(2));
}

#[test]
fn the_nearest_barycentre_wins() {
    let (x, _) = data(40, 15);
    let class: Vec<usize> = (0..40).map(|i| i % 3).collect();
    let codes: Vec<f64> = class.iter().flat_map(|c| (0..3).map(move |o| if o == *c { 1.0 } else { -1.0 })).collect();
    let weights: Vec<f64> = (0..40).map(|i| 0.5 + f64::from(i % 4)).collect();
    let barycentre = KernelBarycentre { kernel: kernel() };
    let y = Targets::new(codes, 3).expect("codes");
    let machine = barycentre.fit(&x.clone().into(), &y, Some(&weigh(&weights)), &Run::new()).expect("fits").model;
    let new = points::vectors(10, 2, 16);
    let got = values(&machine, &new);
    for i in 0..10 {
        for c in 0..3 {
            let rows: Vec<usize> = (0..40).filter(|j| class[*j] == c).collect();
            let total: f64 = rows.iter().map(|j| weights[*j]).sum();
            let share = |j: usize| weights[j] / total;
            let near: f64 = rows.iter().map(|j| share(*j) * k(x.row(*j), new.row(i))).sum();
            let pair = |a: usize, b: usize| share(a) * share(b) * k(x.row(a), x.row(b));
            let square: f64 = rows.iter().flat_map(|a| rows.iter().map(move |b| pair(*a, *b))).sum();
            // ½(k(x, x) − ‖k(x, ·) − μ‖²)
            let expected = 0.5 * (1.0 - (1.0 - 2.0 * near + square));
            assert!((got[i * 3 + c] - expected).abs() < 1e-14, "{} {expected}", got[i * 3 + c]);
        }
    }
}

#[test]
fn what_has_no_meaning_is_refused() {
    let (x, y) = data(10, 17);
    let inputs: Inputs = x.into();
    let one = Targets::new(vec![1.0; 10], 1).expect("finite");
    let error = KernelBarycentre::default().fit(&inputs, &one, None, &Run::new()).expect_err("one class");
    assert!(error.to_string().contains("two classes"), "{error}");
    let logistic = KernelSgd { kernel: kernel(), loss: NamedLoss::of(&Logistic::SPEC), ..KernelSgd::default() };
    let error = logistic.fit(&inputs, &y, None, &Run::new()).expect_err("numbers");
    assert!(error.to_string().contains("−1 or 1"), "{error}");
    for bad in [
        KernelSgd { decay: 1.5, ..KernelSgd::default() },
        KernelSgd { batch_size: 0, ..KernelSgd::default() },
        KernelSgd { passes: 0, ..KernelSgd::default() },
        KernelSgd { step_size: Some(f64::NAN), ..KernelSgd::default() },
        KernelSgd { dictionary: Dictionary::Landmarks(0), ..KernelSgd::default() },
    ] {
        assert!(bad.fit(&inputs, &y, None, &Run::new()).is_err(), "{bad:?}");
    }
    let descent = KernelGradientDescent { kernel: kernel(), start: Some(vec![0.0; 3]), ..Default::default() };
    assert!(descent.fit(&inputs, &y, None, &Run::new()).is_err());
}
