//! What descents and filters say of themselves, against loops written out.

use super::*;
use mercer::certificate::{Certificate, Measure};
use mercer::data::{Column, Table};
use mercer::model::pipeline::Prepare;
use mercer::testkit::tol;

use crate::weigh;

/// ½·Σ p·(y − f)² and √(Σ p·(y − f)²/Σ p·y²).
fn risk(f: &[f64], y: &[f64], weights: &[f64]) -> (f64, f64) {
    let total: f64 = weights.iter().sum();
    let mean = |v: &dyn Fn(usize) -> f64| (0..y.len()).map(|i| weights[i] / total * v(i) * v(i)).sum::<f64>();
    let (left, all) = (mean(&|i| y[i] - f[i]), mean(&|i| y[i]));
    (0.5 * left, (left / all).sqrt())
}

#[track_caller]
fn solves_nothing(certificate: &Certificate) {
    assert!(certificate.get(Measure::RelativeResidual).is_none() && certificate.system.is_none(), "{certificate:?}");
    assert!(certificate.residual().is_nan() && certificate.gap().is_none(), "{certificate:?}");
}

#[test]
fn descents_and_filters_say_what_they_leave_of_the_targets() {
    let (x, y) = data(40, 21);
    let weights: Vec<f64> = (0..40).map(|i| 0.5 + f64::from(i % 3)).collect();
    let inputs: Inputs = x.clone().into();
    let descent = KernelGradientDescent { kernel: kernel(), ..KernelGradientDescent::default() };
    let start: Vec<f64> = (0..40).map(|i| (f64::from(i) * 0.3).cos()).collect();
    let jump = KernelGradientDescent { closed_form: true, start: Some(start), ..descent.clone() };
    let varying = KernelGradientDescent { step_size: StepSize::Varying(vec![1.0, 0.5, 0.2]), ..jump.clone() };
    let filters = [
        Filter::Tikhonov { lambda: 0.01 },
        Filter::CutOff { lambda: 0.01 },
        Filter::Landweber { step_size: Some(1.0), iterations: 20 },
        Filter::IteratedTikhonov { lambda: 0.1, order: 3 },
        Filter::NuMethod { nu: 1.0, iterations: 8, scale: None },
    ];
    let filtered = filters.map(|filter| SpectralFilter { kernel: kernel(), filter });
    let w = Some(weights.as_slice());
    let mut machines: Vec<Model> =
        filtered.iter().map(|f| f.fit(&inputs, &y, Some(&weigh(&weights)), &Run::new()).expect("fits").model).collect();
    machines.extend([&descent, &jump, &varying].map(|d| descend(d, &x, &y, w)));
    for (at, machine) in machines.iter().enumerate() {
        let certificate = &machine.certificate();
        let (risk, discrepancy) = risk(&values(machine, &x), y.values(), &weights);
        assert!(
            (certificate.get(Measure::EmpiricalRisk).expect("a risk") - risk).abs() <= tol::round(40),
            "{at} {certificate:?}"
        );
        let off = (certificate.get(Measure::Discrepancy).expect("a discrepancy") - discrepancy).abs();
        assert!(off <= tol::round(40), "{at} {certificate:?}");
        let iterated = at == filtered.len();
        assert_eq!(certificate.get(Measure::FilterError).is_none(), iterated, "{at} {certificate:?}");
        assert!(certificate.get(Measure::FilterError).is_none_or(|e| e <= tol::round(40)), "{at} {certificate:?}");
        solves_nothing(certificate);
    }
}

#[test]
fn an_indefinite_kernel_shows_in_the_filter_error() {
    // The eigenvalues of [[0, 1], [1, 0]]/2 are ±½, and a filter takes −½ for 0.
    let matrix: Inputs = Precomputed::new(vec![0.0, 1.0, 1.0, 0.0], 2, 2).expect("2×2").into();
    let y = Targets::new(vec![1.0, 0.0], 1).expect("finite");
    let kernel = KernelExpr::parse("precomputed").expect("a formula");
    let filter = SpectralFilter { kernel, filter: Filter::Tikhonov { lambda: 0.5 } };
    let certificate = filter.fit(&matrix, &y, None, &Run::new()).expect("fits").model.certificate().clone();
    // y = (u + v)/√2 with T·v = −½·v: g(0) = 2 gives f = −v, so that y − f keeps 2·v where r(0) = 1 keeps v.
    let expected = 0.5f64.sqrt();
    assert!((certificate.get(Measure::FilterError).expect("measured") - expected).abs() < 1e-15, "{certificate:?}");
}

#[test]
fn a_stochastic_descent_says_the_loss_before_learning() {
    let (x, y) = data(30, 22);
    let step = 0.7;
    let sgd = KernelSgd { kernel: kernel(), step_size: Some(step), ..KernelSgd::default() };
    let inputs: Inputs = x.clone().into();
    let mut learner = sgd.begin(&inputs, 1, &Run::new()).expect("begins");
    assert_eq!(learner.model().expect("zero").certificate().get(Measure::RunningLoss), None);
    learner.learn(&inputs, &y, &Run::new()).expect("learns");
    let mut a = [0.0; 30];
    let mut loss = 0.0;
    for i in 0..30 {
        let f: f64 = (0..i).map(|j| a[j] * k(x.row(j), x.row(i))).sum();
        let r = y.row(i)[0] - f;
        loss += 0.5 * r * r / 30.0;
        a[i] = step * r;
    }
    let certificate = learner.model().expect("a machine").certificate().clone();
    assert!((certificate.get(Measure::RunningLoss).expect("a loss") - loss).abs() <= 1e-6, "{certificate:?} {loss}");
    assert_eq!(certificate.iterations(), Some(30));
    solves_nothing(&certificate);
}

#[test]
fn the_running_loss_forgets_and_one_row_does_not_decide_it() {
    let (x, y) = data(1025, 23);
    let sgd = KernelSgd { kernel: kernel(), dictionary: Dictionary::All, ..KernelSgd::default() };
    let mut learner = sgd.begin(&x.clone().into(), 1, &Run::new()).expect("begins");
    learner.learn(&x.into(), &y, &Run::new()).expect("learns");
    let history = learner.report().history;
    let running = learner.model().expect("a machine").certificate().get(Measure::RunningLoss).expect("a loss");
    let expected = history[0] + (history[1] - history[0]) / 1024.0;
    assert!((running - expected).abs() <= tol::round(2) * expected, "{running} {history:?}");
}

#[test]
fn a_model_of_a_filter_is_held_to_its_discrepancy() {
    let (x, y) = data(25, 24);
    let column = |values: Vec<f64>| [("y".to_owned(), Column::Number(values.into()))];
    let table: Inputs =
        Table::new(vec![("x".into(), Column::Number((0..25).map(|i| x.row(i)[0]).collect()))]).expect("a table").into();
    let prepared = Prepare::default().fit_to(&table, &column(y.values().to_vec()), None).expect("prepared");
    let filter = SpectralFilter { kernel: KernelExpr::parse("rbf").expect("a formula"), ..SpectralFilter::default() };
    let model = filter.fit(&prepared.inputs, &prepared.target, None, &Run::new()).expect("fits").model;
    let pipeline = prepared.pipeline(model).expect("fits together");
    let same = pipeline.verify_on(&table, column(y.values().to_vec()).into(), None, &Run::new()).expect("verifies");
    assert!(same.holds && same.verdict.contains("discrepancy"), "{}", same.verdict);
    let mut other = y.values().to_vec();
    other[3] += 0.1;
    let other = pipeline.verify_on(&table, column(other).into(), None, &Run::new()).expect("verifies");
    assert!(!other.holds && other.verdict.contains("discrepancy"), "{}", other.verdict);
}
