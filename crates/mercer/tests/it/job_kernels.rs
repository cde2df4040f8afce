//! Which kernel the main job takes, on tables whose answer is known; and what it leaves when it is stopped.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mercer::data::{Categories, Column, Dataset, Inputs, Origin, Rows, Standardizer, Table};
use mercer::learn_kernel::{TuneParams, tune};
use mercer::select::{Asked, Job, KernelChoice};
use mercer::testkit::points::Chance;
use mercer::{KernelExpr, Note, Run};

fn table(n: usize, d: usize, seed: u64, y: impl Fn(&[f64]) -> f64) -> Dataset {
    let mut chance = Chance::new(seed);
    let x: Vec<f64> = (0..n * d).map(|_| chance.normal()).collect();
    let y: Vec<f64> = x.chunks(d).map(y).collect();
    let inputs: Inputs = Rows::new(x, n, d).expect("rows").into();
    let target = Some(("y".into(), Column::Number(y.into())));
    Dataset { name: "table".into(), inputs, target, origin: Origin::File("table.csv".into()), notes: Vec::new() }
}

/// RMSE over the standard deviation, on rows that were not fitted.
fn error(job: &Job, train: &Dataset, test: &Dataset) -> (f64, mercer::select::Finished) {
    let done = job.fit(train, &Run::new()).expect("a model");
    let found = done.pipeline.predict(&test.inputs, &Run::new()).expect("predictions").values;
    let Some((_, Column::Number(truth))) = &test.target else { panic!("numbers") };
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    let square = |f: &dyn Fn(usize) -> f64| (0..truth.len()).map(|i| f(i).powi(2)).sum::<f64>();
    ((square(&|i| truth[i] - found[i]) / square(&|i| truth[i] - mean)).sqrt(), done)
}

/// One length scale for all columns is no use here: its search ends at a bound, and the model was the mean.
#[test]
fn few_columns_that_matter_are_found_among_many() {
    let wave = |p: &[f64]| (2.0 * p[0]).sin() + p[1] * p[2];
    let (train, test) = (table(320, 16, 1, wave), table(200, 16, 2, wave));
    let (off, done) = error(&Job { estimate: false, ..Job::default() }, &train, &test);
    assert!(off < 0.45, "{off} with {}", done.pipeline.model().kernel());
    assert!(done.candidates[0].per_column && done.decided == KernelChoice::LeaveOneOut);
    assert_eq!(done.candidates.len(), 4, "three families, and one that nobody tuned");
}

/// Targets with steps along a column want a kernel with kinks, which the evidence alone did not prefer.
#[test]
fn steps_get_a_kernel_with_kinks() {
    let steps = |p: &[f64]| p[0].signum() + 0.5 * (2.0 * p[1]).floor();
    let (train, test) = (table(260, 3, 3, steps), table(200, 3, 4, steps));
    let (off, done) = error(&Job { estimate: false, ..Job::default() }, &train, &test);
    assert!(done.pipeline.model().kernel().to_string().starts_with("laplace_l1"), "{}", done.pipeline.model().kernel());
    assert!(off < 0.4, "{off}");
    let least = done.candidates.iter().filter_map(|c| c.leave_one_out).fold(f64::INFINITY, f64::min);
    assert_eq!(done.candidates[0].leave_one_out, Some(least), "the chosen one misses least");
}

/// What a thousand rows cannot tell apart is fitted to all of them, and the best is kept.
#[test]
fn landmarks_have_families_compared_on_all_rows() {
    let table = table(900, 3, 5, |p| (2.0 * p[0]).sin() * p[1] + 1.5 * (p[2] * 3.7e4).sin());
    let few =
        || Asked::named("ridge").expect("a learner").with("solver", serde_json::json!({"nystrom": {"landmarks": 60}}));
    let job = Job { estimate: false, learner: few(), tune_rows: Some(200), ..Job::default() };
    let done = job.fit(&table, &Run::new()).expect("a model");
    assert_eq!(done.decided, KernelChoice::AllRows);
    let fitted: Vec<_> = done.candidates.iter().filter(|c| c.loss.is_some()).collect();
    assert!(fitted.len() >= 2, "{:?}", done.candidates);
    assert_eq!(done.pipeline.model().kernel(), &done.candidates[0].kernel);
    for one in &fitted {
        assert!(done.candidates[0].loss <= one.loss, "{} is better than {}", one.kernel, done.candidates[0].kernel);
        // The loss is the least generalised cross-validation of a fit of this kernel alone.
        let alphas: Vec<f64> = (-12..=12).map(|i| one.alpha.expect("alpha") * 10f64.powf(f64::from(i) / 4.0)).collect();
        let alone = few().with("alpha", serde_json::json!({ "gcv": alphas }));
        let alone = Job { kernel: Some(one.kernel.clone()), tune: false, learner: alone, ..job.clone() };
        let report = alone.fit(&table, &Run::new()).expect("a model").report;
        let least = report.path.iter().map(|tried| tried.score).fold(f64::INFINITY, f64::min);
        assert!((least / one.loss.expect("fitted") - 1.0).abs() < 1e-9, "{}: {least} {:?}", one.kernel, one.loss);
    }
}

/// Categories of some columns, with a number beside them where it is asked for, and what follows from them with some noise.
fn crossed(n: usize, seed: u64, with_number: bool, y: impl Fn(&[usize], f64) -> f64) -> Dataset {
    let mut chance = Chance::new(seed);
    let codes: Vec<Vec<usize>> = (0..n).map(|_| [2, 3, 4].map(|levels| chance.below(levels)).to_vec()).collect();
    let numbers: Vec<f64> = (0..n).map(|_| chance.normal()).collect();
    let target: Vec<f64> = codes.iter().zip(&numbers).map(|(c, x)| y(c, *x) + 0.05 * chance.normal()).collect();
    let column = |j: usize| {
        let words = codes.iter().map(|c| Some(format!("level {}", c[j])));
        (format!("c{j}"), Column::Category(Categories::from_values(words)))
    };
    let numbers = with_number.then(|| ("x".to_owned(), Column::Number(numbers.into())));
    let inputs = Table::new((0..3).map(column).chain(numbers).collect()).expect("a table").into();
    let target = Some(("y".into(), Column::Number(target.into())));
    Dataset { name: "table".into(), inputs, target, origin: Origin::File("table.csv".into()), notes: Vec::new() }
}

/// What two categories say together is no sum of what each says: a share of agreements predicted the mean.
#[test]
fn categories_that_act_together_are_learnt() {
    let together = |c: &[usize], x: f64| if (c[0] + c[1]).is_multiple_of(2) { 1.0 + x } else { -1.0 };
    let one_by_one = |c: &[usize], x: f64| c[0] as f64 - 0.5 * c[2] as f64 + x;
    for with_number in [false, true] {
        let number = f64::from(u8::from(with_number));
        for (what, y) in [("together", &together as &dyn Fn(&[usize], f64) -> f64), ("one by one", &one_by_one)] {
            let make = |n: usize, seed: u64| crossed(n, seed, with_number, |c, x| y(c, number * x));
            let (off, done) = error(&Job { estimate: false, ..Job::default() }, &make(240, 1), &make(200, 2));
            assert!(off < 0.2, "{what}, {with_number}: {off} with {}", done.pipeline.model().kernel());
        }
    }
}

/// A slope that two categories decide together, and effects that multiply: before anything is tuned the term hardly gains.
#[test]
fn a_term_is_looked_at_after_a_few_steps() {
    let slope = |c: &[usize], x: f64| if (c[1] + c[2]).is_multiple_of(2) { 2.0 * x } else { -x };
    let multiplied =
        |c: &[usize], x: f64| (0.6 * x).exp() * [1.0, 2.5][c[0]] * [1.0, 1.5, 3.0][c[1]] * (1.0 + c[2] as f64);
    for (what, y) in [("slope", &slope as &dyn Fn(&[usize], f64) -> f64), ("multiplied", &multiplied)] {
        let make = |n: usize, seed: u64| crossed(n, seed, true, y);
        let (off, done) = error(&Job { estimate: false, ..Job::default() }, &make(240, 1), &make(200, 2));
        let kernel = done.pipeline.model().kernel().to_string();
        assert!(off < 0.2 && kernel.contains("exp("), "{what}: {off} with {kernel}");
    }
}

/// What is judged by leave-one-out while it is tuned is what ridge regression itself leaves out.
#[test]
fn leave_one_out_of_tuning_is_that_of_ridge() {
    use mercer::model::regress::{Alpha, KernelRidge};
    // A fast wave is noise to this kernel, so that alpha is not at its end.
    let data = table(60, 2, 5, |p| p[0].sin() + 0.3 * p[1] + 0.2 * (91.0 * p[0]).sin());
    let kernel = KernelExpr::parse("rbf(length_scale=1.5!)").expect("a formula");
    let Some((_, Column::Number(y))) = &data.target else { panic!("numbers") };
    let mean = y.iter().sum::<f64>() / 60.0;
    let centred = mercer::data::Targets::new(y.iter().map(|y| y - mean).collect::<Vec<_>>(), 1).expect("targets");
    let tuned = tune(&kernel, &data.inputs, &centred, None, &TuneParams::default(), &Run::new()).expect("tuned");
    let variance = y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / 60.0;
    let least = [0.1, 1.0, 10.0].map(|by| {
        let ridge = KernelRidge { kernel: kernel.clone(), alpha: Alpha::Value(by * tuned.alpha), ..Default::default() };
        let model = ridge.fit(&data.inputs, &centred, None, &Run::new()).expect("a model").model;
        let residuals = model.leave_one_out(&Run::new()).expect("residuals").residuals;
        residuals.iter().map(|r| r * r).sum::<f64>() / 60.0 / variance
    });
    let least = least.into_iter().fold(f64::INFINITY, f64::min);
    assert!((tuned.leave_one_out - least).abs() < 1e-8 * least, "{} {least}", tuned.leave_one_out);
}

/// A stop before anything was learnt leaves a model that says so.
#[test]
fn a_stop_leaves_a_model_of_some_rows() {
    let data = table(700, 3, 6, |p| p[0] + p[1]);
    for name in ["auto", "gp", "regressor", "sgd", "descent", "filter", "quantiles", "svr"] {
        let run = Run::new().with_cancel(Arc::new(AtomicBool::new(true)));
        let job = Job { learner: Asked::named(name).expect("a learner"), ..Job::default() };
        let done = job.fit(&data, &run).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(done.stopped.is_some() && done.estimate.is_none(), "{name}");
        done.pipeline.predict(&data.inputs, &Run::new()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let hasty = done.report.fit.notes.iter().any(|note| matches!(note, Note::InHaste { .. }));
        let whole = done.report.fit.rows == 700;
        assert!(hasty || whole, "{name} says that it knows all rows, or that it does not");
    }
}

/// A column that is nearly always 0 says the same whether one row in ten or one in a thousand has a 1.
#[test]
fn nearly_constant_columns_are_not_blown_up() {
    for (n, ones) in [(1000, 1), (1000, 100), (1000, 499)] {
        let x: Vec<f64> = (0..n).map(|i| if i < ones { 4.0 } else { 0.0 }).collect();
        let inputs: Inputs = Rows::new(x, n, 1).expect("a column").into();
        let scaled = Standardizer::fit(&inputs, None).expect("scales");
        let (_, _, scale) = scaled.columns().next().expect("a column");
        let share = ones as f64 / n as f64;
        let deviation = 4.0 * (share * (1.0 - share)).sqrt();
        assert!((scale - deviation.max(4.0 / 3.0)).abs() < 1e-12, "{ones}: {scale}");
    }
}

fn categories(words: impl IntoIterator<Item = &'static str>) -> Column {
    Column::Category(Categories::from_values(words.into_iter().map(Some)))
}

fn mixed(number: Vec<f64>, letters: Column, target: Column) -> Dataset {
    let columns = vec![("x".to_owned(), Column::Number(number.into())), ("k".to_owned(), letters)];
    let inputs = Inputs::Table(Table::new(columns).expect("a table"));
    let target = Some(("y".into(), target));
    Dataset { name: "table".into(), inputs, target, origin: Origin::File("table.csv".into()), notes: Vec::new() }
}

/// Without the rows of a fold such a column is constant, and a constant column has no length scale.
#[test]
fn columns_that_are_constant_in_a_fold_are_fitted() {
    for seed in 0..12 {
        let mut chance = Chance::new(seed);
        let n = 40;
        let mut rare = vec![0.0; n];
        (0..2).for_each(|_| rare[(chance.unit() * n as f64) as usize] = 1.0);
        let letters = categories((0..n).map(|_| ["a", "b", "c"][(3.0 * chance.unit()) as usize]));
        let classes = categories((0..n).map(|_| ["u", "v"][(2.0 * chance.unit()) as usize]));
        let data = mixed(rare, letters, classes);
        let done = Job { seed, ..Job::default() }.fit(&data, &Run::new());
        assert!(done.is_ok(), "seed {seed}: {}", done.err().map_or_else(String::new, |e| e.to_string()));
    }
}

/// A column that tells no rows apart is no reason to refuse those beside it that do.
#[test]
fn a_constant_column_beside_categories_is_left_alone() {
    let mut chance = Chance::new(3);
    let n = 60;
    let words: Vec<&str> = (0..n).map(|_| ["a", "b", "c"][(3.0 * chance.unit()) as usize]).collect();
    let y: Vec<f64> = words.iter().map(|w| f64::from(w.as_bytes()[0]) + 0.01 * chance.normal()).collect();
    let data = mixed(vec![3.0; n], categories(words), Column::Number(y.into()));
    let (off, done) = error(&Job::default(), &data, &data);
    assert!(off < 0.1, "{off} with {}", done.pipeline.model().kernel());
}

/// Columns in one unit, of which those that hardly vary say nothing; and the same in units of their own.
#[test]
fn columns_in_one_unit_share_a_scale() {
    let n = 160;
    let build = |unit: &dyn Fn(usize) -> f64| {
        let mut chance = Chance::new(21);
        let mut x = Vec::new();
        let mut y = Vec::new();
        for _ in 0..n {
            let row: Vec<f64> = (0..12).map(|j| chance.normal() * if j < 4 { 5.0 } else { 0.3 }).collect();
            y.push((row[0] / 5.0).sin() + row[1] * row[2] / 25.0 + row[3] / 5.0);
            x.extend(row.iter().enumerate().map(|(j, v)| v * unit(j)));
        }
        let inputs: Inputs = Rows::new(x, n, 12).expect("rows").into();
        let target = Some(("y".into(), Column::Number(y.into())));
        Dataset { name: "table".into(), inputs, target, origin: Origin::File("table.csv".into()), notes: Vec::new() }
    };
    let shares = |data: &Dataset| {
        let done = Job { estimate: false, ..Job::default() }.fit(data, &Run::new()).expect("a model");
        done.pipeline.notes().iter().any(|note| matches!(note, Note::OneScale { .. }))
    };
    assert!(shares(&build(&|_| 1.0)), "the first four columns vary most, and matter");
    assert!(!shares(&build(&|j| if j < 4 { 1e-3 } else { 1.0 })), "what varies most does not matter");
}
