//! Probabilities of least squares, held to fits that really leave a row out.

use mercer::data::{Dataset, Inputs, Labels, Rows, Weights, load};
use mercer::error::Error;
use mercer::kernel::Registry;
use mercer::model::pipeline::{Pipeline, Prepare};
use mercer::model::{Extra, LeastSquaresSvm, Model, ModelParts};
use mercer::select::{Asked, Job};
use mercer::testkit::points::Chance;
use mercer::testkit::tol;
use mercer::{KernelExpr, Note, Run};

use crate::weigh;

fn learner(probability: bool) -> LeastSquaresSvm {
    let kernel = KernelExpr::parse("rbf(length_scale=1.5)").expect("a formula");
    LeastSquaresSvm { kernel, gamma: 20.0, probability, ..Default::default() }
}

/// Classes around points of a circle.
fn classes(n: usize, k: usize, noise: f64) -> (Inputs, Labels) {
    let mut chance = Chance::new(7);
    let codes: Vec<usize> = (0..n).map(|i| i % k).collect();
    let at = |c: usize| (c as f64 / k as f64 * std::f64::consts::TAU).sin_cos();
    let x: Vec<f64> =
        codes.iter().flat_map(|c| [at(*c).0 + noise * chance.normal(), at(*c).1 + noise * chance.normal()]).collect();
    (Rows::new(x, n, 2).expect("rows").into(), Labels::new(codes, k).expect("codes"))
}

/// −Σ wᵢΣ_c t_ic·ln P(c | xᵢ) as the guide says it.
fn objective(values: &[f64], labels: &Labels, weights: &[f64], slope: f64) -> f64 {
    let (k, wrong) = (labels.count(), 1.0 / (weights.iter().sum::<f64>() + 2.0));
    let outputs = values.len() / labels.codes().len();
    let of_row = |(i, code): (usize, &usize)| {
        let row = &values[i * outputs..(i + 1) * outputs];
        let f: Vec<f64> = if outputs == 1 { vec![0.0, row[0]] } else { row.to_vec() };
        let total: f64 = f.iter().map(|v| (slope * v).exp()).sum();
        let part = |c: usize| {
            let target = if c == *code { 1.0 - wrong } else { wrong / (k - 1) as f64 };
            target * ((slope * f[c]).exp() / total).ln()
        };
        -weights[i] * (0..k).map(part).sum::<f64>()
    };
    labels.codes().iter().enumerate().map(of_row).sum()
}

/// The values at every row of weight > 0 of the fit without it.
fn refitted(x: &Inputs, labels: &Labels, weights: &[f64]) -> Vec<f64> {
    let run = Run::new();
    let without = |i: usize| {
        let mut others = weights.to_vec();
        others[i] = 0.0;
        let model = learner(false).fit(x, labels, Some(&weigh(&others)), &run).expect("a fit").model;
        model.functions(&x.take(&[i]), &run).expect("values")
    };
    (0..x.len()).flat_map(without).collect()
}

#[test]
fn the_slope_is_the_best_for_rows_that_are_really_left_out() {
    for (k, noise) in [(2, 0.6), (3, 0.5), (5, 0.05)] {
        let (x, labels) = classes(30, k, noise);
        for weights in [vec![1.0; 30], (0..30).map(|i| f64::from(1 + i % 3)).collect()] {
            let own: Weights = weigh(&weights);
            let fitted = learner(true).fit(&x, &labels, Some(&own), &Run::new()).expect("a fit");
            let slope = fitted.model.slope().expect("probabilities");
            let values = refitted(&x, &labels, &weights);
            let at = |s: f64| objective(&values, &labels, &weights, s);
            for factor in [0.5, 0.99, 1.01, 2.0] {
                assert!(at(factor * slope) > at(slope), "{k} classes: {slope}, times {factor}");
            }
            let said = fitted.report.notes.iter().find_map(|note| match note {
                Note::ProbabilitiesLeftOut { slope, log_loss } => Some((*slope, *log_loss)),
                _ => None,
            });
            assert_eq!(said.map(|said| said.0), Some(slope));
        }
    }
}

#[test]
fn a_weight_is_a_repetition_of_the_functions() {
    let (x, labels) = classes(24, 3, 0.4);
    let rows: Vec<usize> = (0..24).flat_map(|i| vec![i; 1 + i % 3]).collect();
    let weights: Vec<f64> = (0..24).map(|i| f64::from(1 + i % 3)).collect();
    let run = Run::new();
    let function = |model: &Model| model.functions(&x, &run).expect("values");
    let one = learner(true).fit(&x, &labels, Some(&weigh(&weights)), &run).expect("a fit").model;
    let codes = rows.iter().map(|i| labels.codes()[*i]).collect();
    let all =
        learner(true).fit(&x.take(&rows), Labels::new(codes, 3).expect("codes"), None, &run).expect("a fit").model;
    // A row of weight w is left out as a whole, a copy alone, so that the slopes differ; the functions do not.
    let off = function(&one).iter().zip(function(&all)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < tol::SOLVED, "{off}");
}

#[test]
fn the_class_that_is_predicted_is_the_most_probable_one() {
    let (new, run) = (classes(200, 4, 3.0).0, Run::new());
    for k in [2, 4] {
        let (x, labels) = classes(40, k, 1.0);
        let model = learner(true).fit(&x, &labels, None, &run).expect("a fit").model;
        let (values, shares) =
            (model.predict(&new, &run).expect("values"), model.probabilities(&new, &run).expect("shares"));
        for (row, shares) in values.chunks(model.outputs()).zip(shares.chunks(k)) {
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < tol::SOLVED);
            let own = if k == 2 { usize::from(row[0] > 0.0) } else { model.largest(row)[0] };
            assert!(shares.iter().all(|p| *p <= shares[own]), "{shares:?} for {row:?}");
        }
    }
}

#[test]
fn verify_computes_the_slope_again() {
    let data = load("iris").expect("a set");
    let asked = Asked::named("lssvm").expect("a learner").with("probability", true.into()).with("gamma", 50.0.into());
    let job = Job { learner: asked, tune: false, estimate: false, ..Job::default() };
    let run = Run::new();
    let pipeline = job.fit(&data, &run).expect("a model").pipeline;
    let bytes = pipeline.to_bytes().expect("a file");
    let read = Pipeline::from_bytes(&bytes, &Registry::default()).expect("a model");
    assert_eq!(read.model().slope(), pipeline.model().slope());
    let (x, y) = points(&data);
    let broken = |model: &Model| model.certify(&x, &y, None, &run).expect("certifies").broken;
    assert_eq!(broken(read.model()), None);
    let altered = |extra: Extra| Model::from_parts(ModelParts { extra, ..read.model().parts().clone() });
    let slope = read.model().slope().expect("probabilities");
    let steeper = altered(Extra::Slope(1.001 * slope)).expect("a model");
    assert!(broken(&steeper).is_some_and(|said| said.contains("slope")));
    assert!(broken(&altered(Extra::None).expect("a model")).is_some_and(|said| said.contains("no probabilities")));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(altered(Extra::Slope(bad)), Err(Error::InvalidParameter { .. })), "{bad}");
    }
}

/// As the job prepares them.
fn points(data: &Dataset) -> (Inputs, Labels) {
    let prepared = Prepare::default().fit(data, None).expect("prepares");
    (prepared.inputs, prepared.target.labels().expect("classes"))
}

#[test]
fn numbers_have_no_probabilities_and_a_singular_matrix_says_what_to_do() {
    let x: Inputs = Rows::new(vec![0.0, 1.0, 1.0, 2.0], 4, 1).expect("rows").into();
    let y = mercer::data::Targets::new(vec![0.0, 1.0, 1.0, 3.0], 1).expect("numbers");
    let error = learner(true).fit(&x, &y, None, &Run::new()).expect_err("numbers");
    assert!(error.to_string().contains("only classes have probabilities"), "{error}");
    let labels = Labels::new(vec![0, 1, 0, 1], 2).expect("codes");
    let steep = LeastSquaresSvm { gamma: 1e30, ..learner(true) };
    let error = steep.fit(&x, &labels, None, &Run::new()).expect_err("singular");
    assert!(error.hint().is_some_and(|hint| hint.contains("alpha")), "{error}");
}

/// Several classes that are well apart are the case for least squares; a sharp border between two is not.
#[test]
fn the_job_takes_the_learner_with_the_lower_log_loss() {
    for name in ["iris", "wine"] {
        let data = load(name).expect("a set");
        let job = Job { tune: false, estimate: false, ..Job::default() };
        let done = job.fit(&data, &Run::new()).expect("a model");
        let compared = done.report.fit.notes.iter().find_map(|note| match note {
            Note::LearnersCompared { taken, loss, left, other } => Some((taken.clone(), *loss, left.clone(), *other)),
            _ => None,
        });
        let (taken, loss, left, other) = compared.expect("two learners");
        assert!(loss <= other, "{name}: {loss} {other}");
        assert_eq!(done.learner, taken, "{name}");
        assert_eq!(done.pipeline.model().learner().spec().name, taken, "{name}");
        // What was left has the loss that is said, when it is asked for by name.
        let asked = Asked::named(&left).expect("a learner");
        let asked = if left == "lssvm" { asked.with("probability", true.into()) } else { asked };
        let alone = Job { learner: asked, ..job.clone() }.fit(&data, &Run::new()).expect("a model");
        let least = alone.report.path.iter().map(|tried| tried.score).fold(f64::INFINITY, f64::min);
        // Searches begin at other values of alpha.
        assert!((least / other - 1.0).abs() < 0.1, "{name}: {least} {other}");
        // Who is asked for is taken.
        assert_eq!(alone.learner, left);
        assert!(!alone.report.fit.notes.iter().any(|note| matches!(note, Note::LearnersCompared { .. })));
    }
}
