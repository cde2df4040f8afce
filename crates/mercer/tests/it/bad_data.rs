//! The main job on data that are wrong or odd: a clear error, or a stated, sensible answer.

use mercer::data::{Column, Dataset, Inputs, MissingPolicy, Origin, Table, Texts};
use mercer::model::pipeline::Prepare;
use mercer::select::{Asked, Finished, Job};
use mercer::testkit::tol;
use mercer::{Error, Gaps, KernelExpr, Note, Result, Run};

use super::model_file::{numbers, words};

fn data(columns: Vec<(&str, Column)>, target: Column) -> Dataset {
    let table = Table::new(columns.into_iter().map(|(name, c)| (name.to_owned(), c)).collect()).expect("columns");
    Dataset {
        name: "odd".into(),
        inputs: table.into(),
        target: Some(("y".into(), target)),
        origin: Origin::File("odd.csv".into()),
        notes: Vec::new(),
    }
}

/// A line with a wave on it.
fn wave(n: usize) -> (Vec<f64>, Vec<f64>) {
    let x: Vec<f64> = (0..n).map(|i| i as f64 / 4.0).collect();
    let y = x.iter().map(|x| x + (2.0 * x).sin()).collect();
    (x, y)
}

fn quick() -> Job {
    Job { estimate: false, ..Job::default() }
}

fn fit(job: &Job, data: &Dataset) -> Finished {
    job.fit(data, &Run::new()).expect("a model")
}

fn refused(job: &Job, data: &Dataset) -> Error {
    job.fit(data, &Run::new()).map(|_| ()).expect_err("refused")
}

fn predict(done: &Finished, x: &Inputs) -> Vec<f64> {
    done.pipeline.predict(x, &Run::new()).expect("rows of the same kind").values
}

#[test]
fn targets_without_anything_to_learn() {
    let (x, _) = wave(12);
    let error = refused(&quick(), &data(vec![("x", numbers(x.clone()))], numbers([5.0; 12])));
    assert!(error.to_string().contains("`y`") && error.to_string().contains("5 in every row"), "{error}");
    let error = refused(&quick(), &data(vec![("x", numbers(x))], words(["only"; 12])));
    assert!(error.to_string().contains("at least two classes"), "{error}");
}

#[test]
fn one_row_and_no_rows() {
    for estimate in [false, true] {
        let job = Job { estimate, ..Job::default() };
        let error = refused(&job, &data(vec![("x", numbers([1.0]))], numbers([2.0])));
        assert!(matches!(error, Error::Shape { .. }), "{error}");
        assert!(error.to_string().contains("at least 2"), "{error}");
        let error = refused(&job, &data(vec![("x", numbers([]))], numbers([])));
        assert!(matches!(&error, Error::Column { name, .. } if name == "y"), "{error}");
    }
}

#[test]
fn no_columns() {
    let (x, y) = wave(12);
    let whole = data(vec![("x", numbers(x))], numbers(y));
    let Inputs::Table(table) = &whole.inputs else { panic!("a table") };
    let bare = Dataset { inputs: table.without("x").expect("a column").into(), ..whole.clone() };
    let error = refused(&quick(), &bare);
    assert!(error.to_string().contains("at least 1 column"), "{error}");
}

#[test]
fn numbers_that_are_missing_or_infinite() {
    let (x, y) = wave(12);
    for (bad, word) in [(f64::NAN, "missing"), (f64::INFINITY, "infinite")] {
        let mut holes = x.clone();
        holes[3] = bad;
        let error = refused(&quick(), &data(vec![("x", numbers(holes))], numbers(y.clone())));
        assert!(error.to_string().contains("`x`") && error.to_string().contains(word), "{error}");
    }
    let mut holes = y.clone();
    holes[3] = f64::INFINITY;
    let error = refused(&quick(), &data(vec![("x", numbers(x.clone()))], numbers(holes)));
    assert!(error.to_string().contains("`y`") && error.to_string().contains("row 3"), "{error}");
    let empty = data(vec![("x", numbers([f64::NAN; 12]))], numbers(y));
    let drop = Job { prepare: Prepare { missing: MissingPolicy::Drop, ..Prepare::default() }, ..quick() };
    assert!(matches!(refused(&drop, &empty), Error::Column { .. } | Error::Shape { .. }));
}

/// A row without a target is left out, whatever is done about other gaps; the model is that of the other rows, to the last bit.
#[test]
fn rows_without_a_target() {
    let (x, mut y) = wave(12);
    let others =
        |v: &[f64]| numbers(v.iter().enumerate().filter(|(i, _)| *i != 3).map(|(_, v)| *v).collect::<Vec<_>>());
    let without = data(vec![("x", others(&x))], others(&y));
    y[3] = f64::NAN;
    let with = data(vec![("x", numbers(x.clone()))], numbers(y));
    let points: Inputs = Table::new(vec![("x".into(), numbers([0.3, 1.7]))]).expect("a column").into();
    for missing in [MissingPolicy::Error, MissingPolicy::Drop, MissingPolicy::Impute] {
        let job = Job { prepare: Prepare { missing, ..Prepare::default() }, ..quick() };
        let done = fit(&job, &with);
        assert_eq!(predict(&done, &points), predict(&fit(&job, &without), &points), "{missing:?}");
        let note = Note::RowsWithoutTarget { left_out: 1, of: 12 };
        assert_eq!(done.pipeline.notes().first(), Some(&note), "{missing:?}");
    }
    let none = data(vec![("x", numbers(x))], numbers([f64::NAN; 12]));
    assert!(matches!(refused(&quick(), &none), Error::Column { .. }));
}

/// What is filled in training is counted.
#[test]
fn filled_values_are_counted() {
    let (mut x, y) = wave(12);
    (x[2], x[5]) = (f64::NAN, f64::NAN);
    let job = Job { prepare: Prepare { missing: MissingPolicy::Impute, ..Prepare::default() }, ..quick() };
    let notes = fit(&job, &data(vec![("x", numbers(x))], numbers(y))).pipeline.notes().to_vec();
    let filled = Note::Filled { columns: vec![Gaps { column: "x".into(), missing: 2 }] };
    assert!(notes.contains(&filled), "{notes:?}");
}

/// A class of one row is named, and so are its numbers where they are a column.
#[test]
fn classes_of_one_row_and_copies_of_classes() {
    let (x, _) = wave(12);
    let kinds: Vec<&str> = (0..12).map(|i| if i == 7 { "rare" } else { ["a", "b"][i % 2] }).collect();
    let columns = vec![("x", numbers(x)), ("kind", words(kinds.clone()))];
    let data = data(columns, words(kinds));
    // Folds must do without the class, which is said by its name.
    let error = refused(&quick(), &data).to_string();
    assert!(error.contains("one row of `rare`"), "{error}");
    let learner = Asked::named("ridge").expect("a learner");
    let done = fit(&Job { learner, alpha: Some(1.0), tune: false, ..quick() }, &data);
    let notes: Vec<String> = done.pipeline.notes().iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|n| n.starts_with("class `rare` of `y` has one row")), "{notes:?}");
    assert!(notes.iter().any(|n| n.starts_with("column `kind` equals the target `y`")), "{notes:?}");
}

/// Equal rows with different targets get the mean of them, or near it.
#[test]
fn contradictions() {
    let (x, y) = wave(20);
    let twice = |v: &[f64]| [v, v].concat();
    let targets = [y.iter().map(|y| y - 0.2).collect::<Vec<_>>(), y.iter().map(|y| y + 0.2).collect()].concat();
    let both = data(vec![("x", numbers(twice(&x)))], numbers(targets));
    for alpha in [None, Some(0.0)] {
        let done = fit(&Job { alpha, ..quick() }, &both);
        let certificate = &done.pipeline.model().certificate();
        assert!(certificate.residual() <= tol::GRAD, "{certificate:?}");
        let found = predict(&done, &both.inputs);
        assert_eq!(found[..20], found[20..], "equal rows have one prediction");
        let worst = found.iter().zip(twice(&y)).map(|(f, y)| (f - y).abs()).fold(0.0, f64::max);
        assert!(worst < 0.2, "alpha {alpha:?}: between the two targets, {worst}");
    }
}

/// The limit alpha = 0 of a singular K is a function all the same: the one of least norm.
#[test]
fn alpha_zero_with_a_singular_matrix() {
    let (x, _) = wave(10);
    let line = data(vec![("x", numbers(x.clone()))], numbers(x.iter().map(|x| 3.0 - 2.0 * x)));
    let job = Job { alpha: Some(0.0), kernel: KernelExpr::parse("linear").ok(), tune: false, ..quick() };
    let done = fit(&job, &line);
    let at = |v: f64| Inputs::from(Table::new(vec![("x".into(), numbers([v]))]).expect("a column"));
    assert!((predict(&done, &at(100.0))[0] + 197.0).abs() <= tol::GOLDEN * 197.0);
    assert_eq!(done.pipeline.model().certificate().rank(), Some(1));
}

#[test]
fn alphas_that_make_no_sense() {
    let (x, y) = wave(12);
    let line = data(vec![("x", numbers(x))], numbers(y));
    for alpha in [-1.0, f64::NAN, f64::INFINITY] {
        let error = refused(&Job { alpha: Some(alpha), ..quick() }, &line);
        assert!(error.to_string().starts_with("`alpha` of the model `ridge` must be"), "{error}");
    }
}

/// Columns and targets of any size are the same problem in other units.
#[test]
fn scales() {
    let (x, y) = wave(24);
    let at = |sx: f64, sy: f64| data(vec![("x", numbers(x.iter().map(|v| v * sx)))], numbers(y.iter().map(|v| v * sy)));
    let plain = predict(&fit(&quick(), &at(1.0, 1.0)), &at(1.0, 1.0).inputs);
    for (sx, sy) in [(1e150, 1.0), (1e-150, 1.0), (1.0, 1e150), (1.0, 1e-150), (1e150, 1e-150)] {
        let scaled = at(sx, sy);
        let done = fit(&Job::default(), &scaled);
        let found = predict(&done, &scaled.inputs);
        for (found, plain) in found.iter().zip(&plain) {
            // Tuning follows its own path of rounding, up to its own tolerance.
            assert!((found / sy - plain).abs() <= 1e-3 * plain.abs().max(1.0), "{sx:e} {sy:e}: {found:e} {plain}");
        }
        let estimate = done.estimate.expect("an estimate");
        assert!(format!("{:?}", estimate.model).contains("rmse"), "{estimate:?}");
        let verified = done.pipeline.verify(&scaled, None, &Run::new()).expect("the same data");
        assert!(verified.holds, "{sx:e} {sy:e}: {verified:?}");
    }
}

#[test]
fn a_target_that_is_also_a_column() {
    let (x, y) = wave(12);
    let copied = data(vec![("x", numbers(x)), ("again", numbers(y.clone()))], numbers(y));
    let done = fit(&quick(), &copied);
    let note = "column `again` equals the target `y` in every row";
    assert!(done.pipeline.notes().iter().any(|n| n.to_string().starts_with(note)), "{:?}", done.pipeline.notes());
}

#[test]
fn categories_unseen_and_columns_missing_at_prediction() {
    let (x, y) = wave(12);
    let kinds: Vec<&str> = (0..12).map(|i| ["a", "b"][i % 2]).collect();
    let done = fit(&quick(), &data(vec![("x", numbers(x)), ("kind", words(kinds))], numbers(y)));
    let new = |columns| Inputs::from(Table::new(columns).expect("columns"));
    let unseen = new(vec![("x".into(), numbers([1.0])), ("kind".into(), words(["zebra"]))]);
    let found = done.pipeline.predict(&unseen, &Run::new()).expect("a row");
    assert!(found.values[0].is_finite() && found.notes[0].to_string().contains("`zebra`"), "{found:?}");
    let error: Result<_> = done.pipeline.predict(&new(vec![("x".into(), numbers([1.0]))]), &Run::new());
    let error = error.expect_err("a column is missing");
    assert!(error.to_string().contains("`kind`") && error.hint().is_some(), "{error}");
}

/// Why there is no linear model beside the estimate is said, not left out.
#[test]
fn a_linear_model_needs_numbers() {
    let texts: Vec<String> = (0..30).map(|i| format!("{} number {i}", ["apples", "pears", "plums"][i % 3])).collect();
    let y = numbers((0..30).map(|i| f64::from(i % 3) + 0.01 * f64::from(i)));
    let text = Column::from(Texts::from_values(texts.iter().map(Some)));
    let done = fit(&Job::default(), &data(vec![("text", text)], y));
    let estimate = done.estimate.expect("an estimate");
    assert!(estimate.linear.is_none());
    assert!(estimate.no_linear.is_some_and(|why| why.contains("linear")));
    assert_eq!(done.learner, "ridge");
}
