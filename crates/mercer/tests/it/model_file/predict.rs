//! New data: found by name, checked, filled, scaled, and answered as the definitions say.

use mercer::data::{Column, Inputs, MissingPolicy, Rows, Table, Texts};
use mercer::model::pipeline::{Pipeline, Prepare, Schema};
use mercer::testkit::tol;
use mercer::{Error, Run};
use mercer::{Gaps, Note};

use super::*;

fn told(pipeline: &Pipeline, x: impl Into<Inputs>) -> (String, String) {
    let error = pipeline.predict(&x.into(), &Run::new()).expect_err("refused");
    (error.to_string(), error.hint().unwrap_or_default())
}

fn values(pipeline: &Pipeline, x: impl Into<Inputs>) -> Vec<f64> {
    pipeline.predict(&x.into(), &Run::new()).expect("rows of the schema").values
}

/// Mean and standard deviation, by their definitions.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt())
}

#[test]
fn a_prediction_is_what_the_definition_says() {
    let (x, new) = (dense(20, 2, 1), dense(5, 2, 2));
    let pipeline = fit("rbf(length_scale=1.5)", x.clone(), &[target(20)], None);
    let column = |j: usize| (0..20).map(|i| x.row(i)[j]).collect::<Vec<f64>>();
    let scales = [moments(&column(0)), moments(&column(1))];
    let scaled = |row: &[f64]| [0, 1].map(|j| (row[j] - scales[j].0) / scales[j].1);
    let Column::Number(y) = target(20).1 else { panic!("numbers") };
    let (mean, deviation) = moments(&y);
    let model = pipeline.model();
    let expected = |row: &[f64]| {
        let z = scaled(row);
        let k = |i: usize| {
            let r2: f64 = scaled(x.row(i)).iter().zip(&z).map(|(a, b)| (a - b).powi(2)).sum();
            (-r2 / (2.0 * 1.5 * 1.5)).exp()
        };
        let f: f64 = (0..20).map(|i| model.coefficients()[i] * k(i)).sum();
        mean + deviation * (f + model.intercept()[0])
    };
    for (i, got) in values(&pipeline, new.clone()).into_iter().enumerate() {
        let want = expected(new.row(i));
        assert!((got - want).abs() <= tol::GRAM_R2 * 1e3 * want.abs(), "{got} {want}");
    }
}

#[test]
fn columns_go_by_name_and_extra_ones_are_ignored() {
    let pipeline = fit(MIXED, mixed(30, 3, false), &[target(30)], None);
    let new = mixed(6, 4, false);
    let shuffled: Vec<(String, Column)> = ["note", "city", "age", "income"]
        .iter()
        .map(|n| ((*n).to_owned(), new.column(n).expect("there").clone()))
        .chain([target(6), ("more".into(), words(["?"; 6]))])
        .collect();
    let expected = bits(&values(&pipeline, new));
    assert_eq!(bits(&values(&pipeline, Table::new(shuffled).expect("distinct"))), expected);
}

#[test]
fn missing_columns_and_wrong_types_are_named_with_a_way_out() {
    let pipeline = fit(MIXED, mixed(30, 3, false), &[target(30)], None);
    let new = mixed(6, 4, false);
    let renamed = |from: &str, to: &str| {
        let name = |n: &str| if n == from { to.to_owned() } else { n.to_owned() };
        Table::new(new.iter().map(|(n, c)| (name(n), c.clone())).collect()).expect("distinct")
    };
    let (message, hint) = told(&pipeline, renamed("income", "incme"));
    assert_eq!(message, "column `income`: expected a number column, as in training, got no column of this name");
    assert_eq!(hint, "rename `incme` to `income`, or add the column `income`");
    assert!(told(&pipeline, new.without("city").expect("there")).1.contains("add the column `city`"));
    let with = |name: &str, column: Column| {
        let pick = |n: &str, c: &Column| (n.to_owned(), if n == name { column.clone() } else { c.clone() });
        Table::new(new.iter().map(|(n, c)| pick(n, c)).collect()).expect("one length")
    };
    let (message, hint) = told(&pipeline, with("city", numbers([1.0; 6])));
    assert_eq!(message, "column `city`: expected a category column, as in training, got a number column");
    assert_eq!(hint, "read the column `city` as category, as in training");
    assert!(told(&pipeline, with("age", words(["a"; 6]))).0.contains("expected a number column"));
    // Words are words: a short file may read a category as text or a text as a category.
    let Some(Column::Category(city)) = new.column("city") else { panic!("categories") };
    let text = Column::from(Texts::from_values((0..6).map(|i| city.get(i))));
    assert_eq!(bits(&values(&pipeline, with("city", text))), bits(&values(&pipeline, new.clone())));
    assert!(told(&pipeline, dense(2, 4, 1)).0.contains("column `city`"));
    assert!(told(&pipeline, sparse(2, 4, 1)).0.contains("expected a table with 4 columns, got sparse rows"));
}

#[test]
fn dense_rows_go_by_name_or_by_position() {
    let named = |n: usize, seed, names: [&str; 2]| {
        dense(n, 2, seed).with_names(names.map(String::from).to_vec()).expect("distinct")
    };
    let x = dense(4, 2, 6);
    let flipped = Rows::new((0..4).flat_map(|i| [x.row(i)[1], x.row(i)[0]]).collect::<Vec<_>>(), 4, 2).expect("4×2");
    let flipped = flipped.with_names(vec!["b".into(), "a".into()]).expect("distinct");
    let pipeline = fit("rbf(a) + linear(b)", named(20, 5, ["a", "b"]), &[target(20)], None);
    let expected = bits(&values(&pipeline, named(4, 6, ["a", "b"])));
    assert_eq!(bits(&values(&pipeline, flipped.clone())), expected, "by name");
    assert_eq!(bits(&values(&pipeline, x.clone())), expected, "by position");
    let column = |j: usize| numbers((0..4).map(|i| flipped.row(i)[j]));
    let table = Table::new(vec![("b".into(), column(0)), ("a".into(), column(1))]).expect("two columns");
    assert_eq!(bits(&values(&pipeline, table)), expected, "from a table");
    assert!(told(&pipeline, named(4, 6, ["a", "c"])).0.contains("column `b`"));
    let plain = fit("rbf", dense(20, 2, 5), &[target(20)], None);
    assert!(told(&plain, dense(4, 3, 6)).0.contains("expected 2 columns, as in training, got 3"));
}

#[test]
fn sparse_rows_may_be_narrower_or_wider() {
    let pipeline = fit("linear + rbf(length_scale=2)", sparse(25, 6, 7), &[target(25)], None);
    let csr = |columns: Vec<u32>, width| {
        let values = vec![1.5; columns.len()];
        Csr::new(vec![0, columns.len()], columns, values, width).expect("one row")
    };
    let expected = bits(&values(&pipeline, csr(vec![1, 3], 6)));
    assert_eq!(bits(&values(&pipeline, csr(vec![1, 3], 4))), expected);
    let wide = pipeline.predict(&csr(vec![1, 3, 8], 9).into(), &Run::new()).expect("a row");
    assert_eq!(bits(&wide.values), expected);
    assert_eq!(wide.notes, [Note::EntriesIgnored { entries: 1, last_column: "x5".into() }]);
}

#[test]
fn unseen_categories_are_like_no_training_row_and_counted() {
    // Level `Bern` is known to the column and stands in no row.
    let levels = vec!["Bern".to_owned(), "Rome".into(), "Oslo".into()];
    let column = |codes: Vec<u32>| Column::Category(Categories::from_codes(codes, levels.clone()));
    let x = Table::new(vec![("city".into(), column((0..12).map(|i| 1 + i % 2).collect()))]).expect("a column");
    let pipeline = fit("delta(city)", x, &[target(12)], None);
    let new = |word: &str| Table::new(vec![("city".into(), words([word, "Rome"]))]).expect("a column");
    let ask = |p: &Pipeline, word: &str| p.predict(&new(word).into(), &Run::new()).expect("two rows");
    for pipeline in [&pipeline, &reload(&pipeline)] {
        for word in ["Bern", "Wien"] {
            let prediction = ask(pipeline, word);
            // All kernel values are 0: what is left is the intercept, in the units of the target.
            let mut intercept = pipeline.model().intercept().to_vec();
            pipeline.target_scaling().expect("scaled").undo(&mut intercept);
            assert_eq!(prediction.values[0].to_bits(), intercept[0].to_bits());
            let categories = vec![word.to_owned()];
            assert_eq!(prediction.notes, [Note::UnseenCategories { column: "city".into(), rows: 1, categories }]);
        }
        assert!(ask(pipeline, "Oslo").notes.is_empty());
    }
}

#[test]
fn missing_values_follow_the_fit_and_no_row_is_lost() {
    let y = [target(40)];
    let full = mixed(40, 8, false);
    let strict = fit(MIXED, full.clone(), &y, None);
    let gaps = mixed(10, 9, true);
    let (message, hint) = told(&strict, gaps.clone());
    assert!(message.starts_with("2 of 10 values in column `income` are missing, first at row 2"), "{message}");
    assert!(hint.contains("`impute`"), "{hint}");
    let drop = Prepare { missing: MissingPolicy::Drop, ..Prepare::default() };
    let dropping = fit_with(drop, RidgeSolver::Eigen, MIXED, (mixed(40, 8, true).into(), &y, None));
    assert_eq!(
        (dropping.model().points().len(), &dropping.notes()[0]),
        (32, &Note::RowsLeftOut { left_out: 8, of: 40 })
    );
    assert!(told(&dropping, gaps.clone()).0.contains("column `income` are missing"));
    let filling = fit_with(imputing(), RidgeSolver::Eigen, MIXED, (mixed(40, 8, true).into(), &y, None));
    let prediction = filling.predict(&gaps.into(), &Run::new()).expect("filled");
    assert_eq!(
        (prediction.values.len(), prediction.notes),
        (10, vec![Note::Filled { columns: vec![Gaps { column: "income".into(), missing: 2 }] }])
    );
    let dense = Rows::new(vec![f64::NAN, 1.0], 1, 2).expect("1×2");
    let plain = fit("rbf", super::dense(9, 2, 1), &[target(9)], None);
    assert!(matches!(plain.predict(&dense.into(), &Run::new()), Err(Error::NonFinite { .. })));
}

#[test]
fn filling_is_with_the_mean_of_training() {
    let y = [target(6)];
    let x = |v: Vec<f64>| Table::new(vec![("a".into(), numbers(v))]).expect("a column");
    let train = x(vec![1.0, 2.0, f64::NAN, 6.0, 3.0, 8.0]);
    let pipeline = fit_with(imputing(), RidgeSolver::Eigen, "linear(a)", (train.into(), &y, None));
    let got = values(&pipeline, x(vec![f64::NAN, 4.0]));
    assert_eq!(got[0].to_bits(), got[1].to_bits(), "the mean of 1, 2, 6, 3, 8 is 4");
}

#[test]
fn a_column_without_values_has_any_type() {
    let y = [target(40)];
    let filling = fit_with(imputing(), RidgeSolver::Eigen, MIXED, (mixed(40, 8, true).into(), &y, None));
    let new = mixed(2, 9, false);
    let empty = |n: &str, c: &Column| (n.to_owned(), if n == "city" { numbers([f64::NAN; 2]) } else { c.clone() });
    let table = Table::new(new.iter().map(|(n, c)| empty(n, c)).collect()).expect("one length");
    assert_eq!(values(&filling, table).len(), 2);
}

#[test]
fn intervals_are_in_the_units_of_the_target() {
    let (x, new) = (dense(25, 2, 20), Inputs::from(dense(3, 2, 21)));
    let plain = Prepare { scale_target: false, ..Prepare::default() };
    let scaled = fit("rbf(length_scale=1)", x.clone(), &[target(25)], None);
    let plain = fit_with(plain, RidgeSolver::Eigen, "rbf(length_scale=1)", (x.into(), &[target(25)], None));
    let ask = |p: &Pipeline| p.predict_interval(&new, 0.8, &Run::new()).expect("all rows kept");
    // With an intercept, scaling the target changes the fit in nothing but its units.
    let (a, b) = (ask(&scaled), ask(&plain));
    for (a, b) in a.lower.iter().chain(&a.upper).zip(b.lower.iter().chain(&b.upper)) {
        assert!((a - b).abs() <= tol::GOLDEN * b.abs(), "{a} {b}");
    }
    let classes = fit("rbf", dense(9, 2, 1), &[class_target(9, &["a", "b"])], None);
    assert!(matches!(classes.predict_interval(&new, 0.8, &Run::new()), Err(Error::Unsupported { .. })));
}

#[test]
fn a_shipped_set_with_its_own_target_is_read_whole() {
    let data = mercer::data::load("penguins").expect("shipped").with_target("body_mass_g").expect("a column");
    let drop = Prepare { missing: MissingPolicy::Drop, ..Prepare::default() };
    let prepared = drop.fit(&data, None).expect("numbers");
    assert!(prepared.preparation.schema.names().contains(&"species"));
    assert_eq!(prepared.kept.len(), 333);
    let kernel = KernelExpr::parse("rbf + delta(species)").expect("a kernel");
    let ridge = KernelRidge { kernel, ..Default::default() };
    let model = ridge.fit(&prepared.inputs, &prepared.target, None, &Run::new()).expect("a fit").model;
    let pipeline = prepared.clone().pipeline(model).expect("valid");
    let other = mercer::data::load("penguins").expect("shipped").take(&prepared.kept);
    assert_eq!(other.target.as_ref().map(|t| t.0.as_str()), Some("species"));
    let a = pipeline.predict_data(&other, &Run::new()).expect("the target is a column again");
    let b = pipeline.predict(&data.take(&prepared.kept).inputs, &Run::new()).expect("rows");
    assert_eq!(bits(&a.values), bits(&b.values));
}

#[test]
fn a_copy_of_the_target_is_pointed_out() {
    let (name, column) = target(9);
    let x = Table::new(vec![("copy".into(), column.clone()), ("k".into(), numbers([3.0; 9]))]).expect("two columns");
    let prepared = Prepare::default().fit_to(&x.into(), &[(name, column)], None).expect("valid");
    assert!(prepared.notes[0].to_string().starts_with("column `copy` equals the target `y`"), "{:?}", prepared.notes);
    assert_eq!(prepared.notes[1].to_string(), "constant column: `k`");
    assert!(matches!(prepared.preparation.schema, Schema::Table { .. }));
}
