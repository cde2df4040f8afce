//! Kernel values that fits share, counted by the kernel itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mercer::certificate::Measure;
use mercer::data::{Column, Inputs, Labels, Precomputed, Rows, Table, Target, Targets, Texts};
use mercer::gram::dense;
use mercer::kernel::{CustomForm, CustomKernel, Kernel, Registry};
use mercer::model::classify::Svc;
use mercer::model::pipeline::{Prepare, Prepared};
use mercer::model::regress::Svr;
use mercer::model::{Cost, Fitted, Learner};
use mercer::select::{Axis, GridSearch, Judged, NoJournal, Split};
use mercer::testkit::points::Chance;
use mercer::{KernelExpr, Run, data};

/// exp(−‖x − y‖²/2), which counts how often it is asked for two points.
struct Counting(Arc<AtomicU64>);

impl Kernel<[f64]> for Counting {
    fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        let square: f64 = x.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum();
        (-0.5 * square).exp()
    }

    fn diag(&self, _: &[f64]) -> f64 {
        1.0
    }
}

fn counting() -> (KernelExpr, Arc<AtomicU64>) {
    let (count, mut registry) = (Arc::new(AtomicU64::new(0)), Registry::new());
    let own = Arc::clone(&count);
    let form =
        CustomForm::Vector(Arc::new(move |_: &[f64]| Box::new(Counting(Arc::clone(&own))) as Box<dyn Kernel<[f64]>>));
    registry.add("counting", CustomKernel { params: Vec::new(), form }).expect("a new name");
    (KernelExpr::parse_with("counting", &registry).expect("a formula"), count)
}

fn pairs(n: usize) -> u64 {
    (n * (n + 1) / 2) as u64
}

fn iris() -> Prepared {
    Prepare::default().fit(&data::load("iris").expect("shipped"), None).expect("prepared")
}

fn exact(kernel: KernelExpr) -> Svc {
    Svc { kernel, tolerance: 1e-6, gap: 1e-8, ..Svc::default() }
}

const COSTS: [f64; 4] = [0.3, 1.0, 3.0, 10.0];

fn search(learner: impl Into<Learner>, prepared: &Prepared, split: Split, run: &Run) -> Vec<Judged> {
    let axes = vec![Axis { name: "C".into(), values: COSTS.map(Into::into).to_vec() }];
    let search = GridSearch { learner: learner.into(), axes, split, halving: false, seed: 5 };
    search.search(prepared, &mut NoJournal, run).unwrap_or_else(|e| panic!("{e}")).judged
}

/// Fits each cost to each fold by itself; the share of errors, or the mean loss, of each.
fn one_by_one(
    learner: impl Fn(f64) -> Learner,
    prepared: &Prepared,
    split: &Split,
    loss: impl Fn(&Fitted, &Inputs, &Target) -> f64,
    run: &Run,
) -> Vec<Vec<f64>> {
    let codes = match &prepared.target {
        Target::Classes(labels) => Some(labels.codes().to_vec()),
        _ => None,
    };
    let folds = split.folds(prepared.inputs.len(), codes.as_deref(), None, 5).expect("folds");
    let of = |c: f64| {
        let one = |fold: &mercer::select::Fold| {
            let (x, y) = (prepared.inputs.take(&fold.train), prepared.target.take(&fold.train).expect("rows"));
            let fitted = learner(c).fit(&x, y, None, run).unwrap_or_else(|e| panic!("{e}"));
            loss(&fitted, &prepared.inputs.take(&fold.test), &prepared.target.take(&fold.test).expect("rows"))
        };
        folds.iter().map(one).collect()
    };
    COSTS.iter().map(|c| of(*c)).collect()
}

/// The largest difference; infinite where there are not as many numbers.
fn far(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let (a, b) = (a.concat(), b.concat());
    if a.len() != b.len() { f64::INFINITY } else { a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) }
}

fn errors(fitted: &Fitted, x: &Inputs, y: &Target) -> f64 {
    let answers = fitted.model.predict(x, &Run::new()).expect("answers");
    let codes = y.labels().expect("classes");
    let wrong = fitted.model.largest(&answers).iter().zip(codes.codes()).filter(|(a, b)| a != b).count();
    wrong as f64 / x.len() as f64
}

#[test]
fn a_search_asks_for_each_pair_of_points_once() {
    let (prepared, n) = (iris(), 150);
    let (kernel, count) = counting();
    let with_cost = |c| Svc { c: Cost(c), ..exact(kernel.clone()) }.into();
    let apart = one_by_one(with_cost, &prepared, &Split::Folds(5), errors, &Run::new());
    let separate = count.swap(0, Ordering::Relaxed);
    // Two threads may compute the same value at once; one does not.
    let alone = Run::new().with_threads(1).expect("a thread");
    let judged = search(exact(kernel.clone()), &prepared, Split::Folds(5), &alone);
    let together = count.swap(0, Ordering::Relaxed);
    // The search, and the fit of the best to all rows; predictions are among them.
    assert!(together <= 2 * pairs(n), "{together} values for {} pairs", pairs(n));
    assert!(3 * together < separate, "{together} together, {separate} apart");
    let losses: Vec<Vec<f64>> = judged.iter().map(|j| j.losses.clone()).collect();
    assert!(far(&losses, &apart) < 1e-12, "{losses:?} together, {apart:?} apart");
    let two = Run::new().with_threads(2).expect("threads");
    let again = search(exact(kernel), &prepared, Split::Folds(5), &two);
    assert_eq!(again.into_iter().map(|j| j.losses).collect::<Vec<_>>(), losses);
}

/// Where there is no room to keep values in double precision, rows are shared in single precision.
#[test]
fn folds_share_rows_in_little_memory() {
    let (prepared, (kernel, count)) = (iris(), counting());
    // Values of a fold in both precisions take 173 kB, and three fifths of the memory may be used; rows of all take 90 kB.
    let little = Run::new().with_memory_limit(200_000);
    let with_cost = |c| Svc { c: Cost(c), ..exact(kernel.clone()) }.into();
    let apart = one_by_one(with_cost, &prepared, &Split::Folds(5), errors, &little);
    let separate = count.swap(0, Ordering::Relaxed);
    let folds: Vec<Vec<f64>> =
        search(exact(kernel.clone()), &prepared, Split::Folds(5), &little).into_iter().map(|j| j.losses).collect();
    let together = count.swap(0, Ordering::Relaxed);
    assert!(far(&folds, &apart) < 1e-12, "{folds:?} together, {apart:?} apart");
    // Both compute the rows of support vectors again for each certificate and for the rows left out, which is most of it: measured
    // were 351,443 together and 551,751 apart.
    assert!(together > 2 * pairs(150) && 4 * together < 3 * separate, "{together} together, {separate} apart");
}

/// Rows of numbers, and splits of which some rows are never learnt from.
#[test]
fn searches_of_numbers_find_what_separate_fits_find() {
    let mut chance = Chance::new(3);
    let x: Vec<f64> = (0..120).map(|_| 3.0 * chance.normal()).collect();
    let y: Vec<f64> = x.iter().map(|x| x.sin() + 0.1 * chance.normal()).collect();
    let inputs: Inputs = Rows::new(x, 120, 1).expect("rows").into();
    let prepared = Prepared { inputs, target: Targets::new(y, 1).expect("numbers").into(), ..iris() };
    let svr = |kernel: &str, c: f64| Svr {
        kernel: KernelExpr::parse(kernel).expect("a formula"),
        c: Cost(c),
        tolerance: 1e-7,
        gap: 1e-9,
        ..Svr::default()
    };
    let loss = |fitted: &Fitted, x: &Inputs, y: &Target| {
        let f = fitted.model.predict(x, &Run::new()).expect("answers");
        let y = y.numbers().expect("numbers");
        f.iter().enumerate().map(|(i, f)| ((y.row(i)[0] - f).abs() - 0.1).max(0.0)).sum::<f64>() / f.len() as f64
    };
    for kernel in ["rbf(length_scale=1)", "rbf"] {
        for split in [Split::Folds(4), Split::TimeOrdered(3), Split::HoldOut(0.3)] {
            let judged = search(svr(kernel, 1.0), &prepared, split.clone(), &Run::new());
            let apart = one_by_one(|c| svr(kernel, c).into(), &prepared, &split, loss, &Run::new());
            let together: Vec<Vec<f64>> = judged.into_iter().map(|j| j.losses).collect();
            assert!(far(&together, &apart) < 1e-6, "{kernel}, {split:?}: {together:?} together, {apart:?} apart");
        }
    }
}

#[test]
fn a_fit_asks_for_each_pair_of_points_once() {
    let (prepared, n) = (iris(), 150);
    let (kernel, count) = counting();
    for probability in [false, true] {
        let svc = Svc { probability, ..exact(kernel.clone()) };
        let fitted =
            Learner::from(svc).fit(&prepared.inputs, prepared.target.clone(), None, &Run::new()).expect("fits");
        let (asked, certificate) = (count.swap(0, Ordering::Relaxed), fitted.model.certificate());
        assert!(certificate.reason.contains("computed once"), "{}", certificate.reason);
        // Two threads may compute the same value; one does not.
        let said = certificate.get(Measure::KernelEvaluations).expect("a count") as u64;
        assert!(said <= asked && said <= pairs(n), "{said} said, {asked} asked of {} pairs", pairs(n));
        let alone = Run::new().with_threads(1).expect("a thread");
        let svc = Svc { probability, ..exact(kernel.clone()) };
        let again = Learner::from(svc).fit(&prepared.inputs, prepared.target.clone(), None, &alone).expect("fits");
        assert_eq!(count.swap(0, Ordering::Relaxed), said);
        assert_eq!(again.model.coefficients(), fitted.model.coefficients());
    }
}

/// A kernel of sequences beside the matrix that it gives, which is another way through the code.
#[test]
fn sequences_and_their_matrix_have_one_machine() {
    let mut chance = Chance::new(8);
    let mut letters = |class: usize| -> String {
        let letter =
            |at: usize, u: f64| if at % 9 < 5 && class == 1 { b"ACCGA"[at % 9] } else { b"ACGT"[(4.0 * u) as usize] };
        (0..60).map(|at| letter(at, chance.unit()) as char).collect()
    };
    let codes: Vec<usize> = (0..80).map(|i| i % 2).collect();
    let texts: Vec<String> = codes.iter().map(|c| letters(*c)).collect();
    let column = Column::from(Texts::from_values(texts.iter().map(|text| Some(text.as_str()))));
    let x: Inputs = Table::new(vec![("dna".to_owned(), column)]).expect("a table").into();
    let labels = Labels::new(codes, 2).expect("codes");
    let formula = "normalize(gapped_kmer(l=8, k=5, filter=full))";
    let kernel = KernelExpr::parse(formula).expect("a formula");
    let gram = dense::<f64>(&kernel.bind(&x, &Run::new()).expect("bound"), &Run::new()).expect("values").into_values();
    let matrix = Precomputed::new(gram, 80, 80).expect("a matrix");
    let own = exact(kernel).fit(&x, &labels, None, &Run::new()).expect("fits");
    let known = exact(KernelExpr::parse("precomputed").expect("a formula"));
    let known = known.fit(&matrix.clone().into(), &labels, None, &Run::new()).expect("fits");
    let (f, g) =
        (own.model.predict(&x, &Run::new()).expect("f"), known.model.predict(&matrix.into(), &Run::new()).expect("g"));
    assert!(f.iter().zip(&g).all(|(f, g)| (f - g).abs() < 1e-4));
    let evaluations = own.model.certificate().get(Measure::KernelEvaluations).expect("a count") as u64;
    assert!(evaluations <= pairs(80), "{evaluations}");
}
