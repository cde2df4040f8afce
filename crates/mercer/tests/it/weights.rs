//! A weight is a number of repetitions wherever rows are judged: measures of error, baselines, estimates.

use mercer::data::{Categories, Column, Dataset, Inputs, Rows, TargetKind, Targets, Weights, load};
use mercer::metric::{Confusion, accuracy, coverage, log_loss, mae, mean_pinball, r2, rmse};
use mercer::model::catalogue;
use mercer::model::regress::{Alpha, KernelRidge, RidgeSolver};
use mercer::select::{Asked, Estimate, Job, Scores, Split};
use mercer::testkit::points::Chance;
use mercer::testkit::tol;
use mercer::{KernelExpr, Note, Run};

use crate::weigh;

/// Truths and predictions of numbers, of two quantiles, of classes, and probabilities of the truth.
struct Answers {
    y: Vec<f64>,
    f: Vec<f64>,
    q: Vec<f64>,
    c: Vec<usize>,
    d: Vec<usize>,
    p: Vec<f64>,
}

impl Answers {
    fn by_chance(n: usize, seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let y: Vec<f64> = (0..n).map(|_| 3.0 * chance.normal() + 1.0).collect();
        let f: Vec<f64> = y.iter().map(|y| y + chance.normal()).collect();
        let q = f.iter().flat_map(|f| [f - 0.8, f + 1.1]).collect();
        let [c, d] = [(), ()].map(|()| (0..n).map(|_| chance.below(3)).collect());
        Answers { y, f, q, c, d, p: (0..n).map(|_| chance.unit()).collect() }
    }

    fn take(&self, rows: &[usize]) -> Self {
        let numbers = |v: &[f64]| rows.iter().map(|i| v[*i]).collect::<Vec<_>>();
        let codes = |v: &[usize]| rows.iter().map(|i| v[*i]).collect::<Vec<_>>();
        let q = rows.iter().flat_map(|i| [self.q[2 * i], self.q[2 * i + 1]]).collect();
        let (y, f, p) = (numbers(&self.y), numbers(&self.f), numbers(&self.p));
        Answers { y, f, q, c: codes(&self.c), d: codes(&self.d), p }
    }

    fn measures(&self, weights: Option<&Weights>) -> [f64; 7] {
        [
            rmse(&self.y, &self.f, weights),
            mae(&self.y, &self.f, weights),
            r2(&self.y, &self.f, weights),
            accuracy(&self.c, &self.d, weights),
            log_loss(&self.p, weights),
            mean_pinball(&[0.1, 0.8], &self.y, &self.q, weights),
            coverage(2, &self.y, &self.q, weights),
        ]
    }

    fn counts(&self, weights: Option<&Weights>) -> Vec<f64> {
        let names = ["0", "1", "2"].map(String::from);
        let words = |codes: &[usize]| codes.iter().map(|c| names[*c].clone()).collect::<Vec<_>>();
        let (truth, answers) = (words(&self.c), words(&self.d));
        Confusion::count(truth.iter().map(String::as_str), answers.iter().map(String::as_str), &names, weights).counts
    }
}

fn repeated(weights: &[f64]) -> Vec<usize> {
    weights.iter().enumerate().flat_map(|(i, w)| vec![i; *w as usize]).collect()
}

#[test]
fn measures_with_whole_weights_are_those_of_repeated_rows() {
    for seed in 0..20 {
        let (n, mut chance) = (7 + 5 * seed as usize, Chance::new(100 + seed));
        let answers = Answers::by_chance(n, seed);
        let mut weights: Vec<f64> = (0..n).map(|_| chance.below(5) as f64).collect();
        weights[0] = 1.0;
        let all = answers.take(&repeated(&weights));
        let (one, other) = (answers.measures(Some(&weigh(&weights))), all.measures(None));
        for (a, b) in one.iter().zip(&other) {
            assert!((a - b).abs() <= tol::round(n) * b.abs().max(1.0), "seed {seed}: {one:?} {other:?}");
        }
        assert_eq!(answers.counts(Some(&weigh(&weights))), all.counts(None), "seed {seed}");
    }
}

#[test]
fn equal_weights_of_any_size_give_the_digits_of_none() {
    let answers = Answers::by_chance(61, 3);
    for size in [5e-324, 1e-310, 1e-200, 0.1, 1.0, 3.0, 1e200, 1e308, f64::MAX] {
        assert_eq!(answers.measures(Some(&weigh(&[size; 61]))), answers.measures(None), "{size:e}");
    }
}

#[test]
fn only_the_ratios_of_weights_matter() {
    let (answers, mut chance) = (Answers::by_chance(40, 4), Chance::new(5));
    let weights: Vec<f64> = (0..40).map(|_| chance.below(6) as f64).collect();
    let usual = answers.measures(Some(&weigh(&weights)));
    for power in [-1074, -1030, -300, 300, 1020] {
        let unit = 2f64.powi(power / 2) * 2f64.powi(power - power / 2);
        let scaled: Vec<f64> = weights.iter().map(|w| w * unit).collect();
        assert_eq!(answers.measures(Some(&weigh(&scaled))), usual, "2^{power}");
    }
}

/// One row that counts is all there is, however the others look.
#[test]
fn rows_of_weight_zero_are_judged_by_nobody() {
    let mut answers = Answers::by_chance(9, 6);
    let alone = answers.take(&[4]).measures(None);
    let (only, light) = (|w: f64| (0..9).map(|i| if i == 4 { w } else { 0.0 }).collect::<Vec<_>>(), 1e-300);
    for at in [0, 8] {
        (answers.y[at], answers.f[at], answers.q[2 * at], answers.p[at]) =
            (f64::NAN, f64::INFINITY, f64::NAN, f64::NAN);
    }
    for size in [5e-324, 1.0, f64::MAX] {
        assert_eq!(answers.measures(Some(&weigh(&only(size)))), alone, "{size:e}");
    }
    let answers = Answers::by_chance(9, 6);
    let mut apart: Vec<f64> = vec![light; 9];
    apart[4] = 1e300;
    let near = answers.measures(Some(&weigh(&apart)));
    // A variance is left of rows that hardly count, so that r² is one of a quotient of nothings.
    for (at, (a, b)) in near.iter().zip(&alone).enumerate().filter(|(at, _)| *at != 2) {
        assert!((a - b).abs() <= tol::round(9) * b.abs().max(1.0), "measure {at}: {a} {b}");
    }
    assert!(answers.measures(Some(&weigh(&[1.0; 8]))).iter().all(|m| m.is_nan()), "a weight is missing");
}

#[test]
fn a_constant_truth_has_nothing_to_explain() {
    let weights = weigh(&[0.3, 0.1, 0.7, 0.1, 0.4, 0.9, 0.2, 0.6, 0.5, 0.8]);
    for weights in [None, Some(&weights)] {
        assert_eq!(r2(&[0.1; 10], &[0.2; 10], weights), 0.0);
    }
    let half = weigh(&[1.0, 1.0, 0.0]);
    assert_eq!(r2(&[0.1, 0.1, 5.0], &[0.2; 3], Some(&half)), 0.0, "what varies does not count");
}

/// Rows in three groups, each a fold of its own, with whole weights, some of them 0.
struct Table {
    data: Dataset,
    groups: Vec<usize>,
    weights: Vec<f64>,
}

impl Table {
    fn new(data: Dataset, seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let n = data.len();
        let weights = (0..n).map(|i| if i % 11 == 5 { 0.0 } else { (1 + chance.below(4)) as f64 }).collect();
        Table { groups: (0..n).map(|i| i / 2 % 3).collect(), data, weights }
    }

    fn estimate(&self, job: &Job, weights: Option<Weights>) -> Estimate {
        let job = Job { weights, split: Some(Split::Groups(3)), groups: Some(self.groups.clone()), ..job.clone() };
        let done = job.fit(&self.data, &Run::new()).unwrap_or_else(|e| panic!("{:?}: {e}", job.learner));
        done.estimate.expect("an estimate")
    }

    /// Every row as often as its weight says, in the same groups.
    fn repeated(&self) -> Table {
        let rows = repeated(&self.weights);
        let groups = rows.iter().map(|i| self.groups[*i]).collect();
        Table { data: self.data.take(&rows), groups, weights: vec![1.0; rows.len()] }
    }

    /// The estimate with weights and the one of repeated rows.
    fn both(&self, job: &Job) -> [Estimate; 2] {
        [self.estimate(job, Some(weigh(&self.weights))), self.repeated().estimate(job, None)]
    }
}

fn numbers(n: usize) -> Dataset {
    let mut chance = Chance::new(21);
    let x: Vec<f64> = (0..2 * n).map(|_| 4.0 * chance.unit()).collect();
    let y: Vec<f64> = x.chunks(2).map(|p| (2.0 * p[0]).sin() + 0.1 * p[1] + 0.2 * chance.normal()).collect();
    let inputs: Inputs = Rows::new(x, n, 2).expect("two columns").into();
    Dataset { inputs, target: Some(("y".into(), Column::Number(y.into()))), ..load("iris").expect("a set") }
}

fn classes() -> Dataset {
    load("iris").expect("iris").take(&(0..150).step_by(4).collect::<Vec<_>>())
}

fn parts(scores: Scores) -> Vec<f64> {
    match scores {
        Scores::Regression { rmse, mae, r2 } => vec![rmse, mae, r2],
        Scores::Quantiles { pinball, coverage, nominal } => vec![pinball, coverage, nominal],
        Scores::Classification { accuracy, log_loss } => std::iter::once(accuracy).chain(log_loss).collect(),
        _ => panic!("another kind of scores"),
    }
}

fn alike(what: &str, a: Scores, b: Scores, tolerance: f64) {
    let (a, b) = (parts(a), parts(b));
    assert_eq!(a.len(), b.len(), "{what}");
    let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f64::max);
    assert!(off <= tolerance, "{what}: {a:?} with weights, {b:?} with repetitions");
}

/// The linear model is left out: its alpha is chosen by leaving out rows, and a row that is left out of its repetitions leaves the
/// others behind.
fn obeys(what: &str, table: &Table, job: &Job, tolerance: f64) {
    let [one, all] = table.both(job);
    alike(&format!("{what}, constant"), one.constant, all.constant, tol::round(table.data.len()));
    alike(what, one.model, all.model, tolerance);
    let counting = table.weights.iter().filter(|w| **w > 0.0).count();
    assert_eq!((one.rows, all.rows), (counting, table.weights.iter().sum::<f64>() as usize), "{what}");
    if let (Some(a), Some(b)) = (one.confusion, all.confusion) {
        assert_eq!(a, b, "{what}");
    }
}

#[test]
fn an_estimate_with_whole_weights_is_that_of_repeated_rows() {
    let kernel = KernelExpr::parse("rbf(length_scale=0.8)").ok();
    let (few, some) = (Table::new(numbers(36), 7), Table::new(classes(), 8));
    for known in catalogue::all().iter().filter(|l| l.spec().weights) {
        let name = known.spec().name;
        // The early end of a descent is found on rows held out, which are not the same rows.
        if name == "descent" {
            continue;
        }
        let alpha = known.complexity().filter(|c| c.name == "alpha").map(|_| 0.4);
        let learner = Asked::named(name).expect("a learner");
        let job = Job { learner, alpha, kernel: kernel.clone(), tune: false, ..Job::default() };
        if known.spec().takes(TargetKind::Numbers) {
            obeys(&format!("{name} of numbers"), &few, &job, tol::SOLVED);
        }
        if known.spec().takes(TargetKind::Classes) {
            obeys(&format!("{name} of classes"), &some, &job, tol::SOLVED);
        }
    }
}

/// sin with noise of 0.3; the rows of the second half of the line lie, and weigh a hundredth.
fn noisy(n: usize) -> (Dataset, Vec<f64>) {
    let mut chance = Chance::new(5);
    let x: Vec<f64> = (0..n).map(|i| 6.0 * i as f64 / n as f64).collect();
    let lies = |i: usize| i % 2 == 1;
    let y = x
        .iter()
        .enumerate()
        .map(|(i, x)| if lies(i) { 4.0 * chance.normal() } else { x.sin() + 0.3 * chance.normal() });
    let target = Some(("y".into(), y.collect()));
    let inputs = Rows::new(x.clone(), n, 1).expect("a column").into();
    let weights = (0..n).map(|i| if lies(i) { 0.01 } else { 1.0 }).collect();
    (Dataset { inputs, target, ..load("iris").expect("a set") }, weights)
}

/// The evidence takes copies for data without noise, so kernels are tuned with weights of mean 1: their unit is nothing to it.
#[test]
fn tuning_counts_weights_and_not_their_unit() {
    let (data, weights) = noisy(120);
    let truth = |i: usize| (6.0 * i as f64 / 120.0).sin();
    for name in ["ridge", "gp"] {
        let job = Job { learner: Asked::named(name).expect("a learner"), estimate: false, ..Job::default() };
        let error = |unit: Option<f64>| {
            let weights = unit.map(|unit| weigh(&weights.iter().map(|w| unit * w).collect::<Vec<_>>()));
            let mean = weights.as_ref().map(|w| w.total() / 120.0);
            let done = Job { weights, ..job.clone() }.fit(&data, &Run::new()).expect("a model");
            let told = done.report.fit.notes.iter().find_map(|note| match note {
                Note::WeightsOverMean { mean } => Some(*mean),
                _ => None,
            });
            match told.zip(mean) {
                Some((told, mean)) => assert!((told - mean).abs() <= tol::round(120) * mean, "{name}: {told} {mean}"),
                None => assert_eq!(told, mean, "{name}"),
            }
            let found = done.pipeline.predict(&data.inputs, &Run::new()).expect("values").values;
            (0..120).map(|i| (found[i] - truth(i)).powi(2) / 120.0).sum::<f64>().sqrt()
        };
        let (plain, [one, many, few]) = (error(None), [1.0, 50.0, 1e-3].map(|unit| error(Some(unit))));
        assert!(one < 0.2 && one < 0.5 * plain, "{name}: {one} with weights, {plain} without");
        for other in [many, few] {
            assert!((other - one).abs() < 1e-3 * one, "{name}: {other} and {one} with weights that differ by a factor");
        }
    }
}

/// Baselines by hand: a heavy class is the most frequent one though few rows have it.
#[test]
fn baselines_count_weights() {
    let n = 24;
    let words = (0..n).map(|i| Some(if i % 4 == 0 { "heavy" } else { "light" }));
    let inputs: Inputs = Rows::new((0..n).map(|i| i as f64).collect::<Vec<_>>(), n, 1).expect("a column").into();
    let target = Some(("c".into(), Column::Category(Categories::from_values(words))));
    let data = Dataset { inputs, target, ..load("iris").expect("a set") };
    let weights: Vec<f64> = (0..n).map(|i| if i % 4 == 0 { 9.0 } else { 1.0 }).collect();
    // Groups of eight rows, two of them heavy: 18 of 24 in every fold.
    let table = Table { groups: (0..n).map(|i| i / 8).collect(), data, weights };
    let kernel = KernelExpr::parse("rbf(length_scale=1)").ok();
    let job = Job { learner: Asked::named("logistic").expect("there"), alpha: Some(1.0), kernel, ..Job::default() };
    let job = Job { tune: false, ..job };
    let found = table.estimate(&job, Some(weigh(&table.weights)));
    let Scores::Classification { accuracy, log_loss: Some(loss) } = found.constant else { panic!("classes") };
    let expected = -(0.75 * 0.75f64.ln() + 0.25 * 0.25f64.ln());
    assert!((accuracy - 0.75).abs() < 1e-15 && (loss - expected).abs() < 1e-14, "{accuracy} {loss}");
    let confusion = found.confusion.expect("classes");
    assert_eq!(confusion.counts.iter().sum::<f64>(), 72.0);
    let unweighted = table.estimate(&job, None);
    assert!(matches!(unweighted.constant, Scores::Classification { accuracy, .. } if accuracy == 0.75), "light ones");
}

/// Sums of weights that are no numbers any more, and weights that are hardly any.
#[test]
fn estimates_are_numbers_for_weights_of_any_size() {
    let kernel = KernelExpr::parse("rbf(length_scale=0.8)").ok();
    for (name, data) in [("ridge", numbers(24)), ("quantiles", numbers(24)), ("logistic", classes())] {
        let n = data.len();
        let mut table = Table::new(data, 10);
        for size in [1e-300, 1e300, 1.7e308] {
            table.weights = vec![size; n];
            let job = Job {
                learner: Asked::named(name).expect("a learner"),
                alpha: Some(0.1 * size.min(1e300)),
                kernel: kernel.clone(),
                tune: false,
                ..Job::default()
            };
            let found = table.estimate(&job, Some(weigh(&table.weights)));
            for scores in [found.model, found.constant].into_iter().chain(found.linear) {
                assert!(parts(scores).iter().all(|s| s.is_finite()), "{name}, {size:e}: {scores:?}");
            }
            let plain = table.estimate(&Job { alpha: Some(0.1), ..job }, None);
            assert_eq!(found.constant, plain.constant, "{name}, {size:e}");
        }
    }
}

/// Weights that are all 2 change alpha, also for what is asked of a model afterwards.
#[test]
fn a_model_remembers_weights_that_are_all_equal() {
    let Dataset { inputs: x, target, .. } = numbers(20);
    let Some((_, Column::Number(y))) = target else { panic!("numbers") };
    let y = Targets::new(y.to_vec(), 1).expect("finite");
    let kernel = KernelExpr::parse("rbf(length_scale=1)").expect("a kernel");
    let ridge = |alpha: f64| KernelRidge {
        kernel: kernel.clone(),
        alpha: Alpha::Value(alpha),
        fit_intercept: true,
        solver: RidgeSolver::Cholesky,
        ..KernelRidge::default()
    };
    let run = Run::new();
    let weighted = ridge(0.6).fit(&x, &y, Some(&weigh(&[2.0; 20])), &run).expect("fits").model;
    let plain = ridge(0.3).fit(&x, &y, None, &run).expect("fits").model;
    let [a, b] = [&weighted, &plain].map(|model| model.leave_one_out(&run).expect("from a factor").residuals);
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < tol::GOLDEN), "{a:?} {b:?}");
    let again = weighted.certify(&x, &y, None, &run).expect("the rows").certificate;
    assert!(again.residual() < tol::GOLDEN, "{}", again.residual());
}
