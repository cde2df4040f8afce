//! Missing values, scaling and summaries against pandas and NumPy.

use mercer::Run;
use mercer::data::{
    Categories, Column, Csr, Detail, Imputer, Inputs, MissingPolicy, ReadOptions, Rows, Standardizer, Table, Texts,
    check_complete, check_finite, describe, drop_missing, load, read,
};
use serde_json::Value;

use super::{fixture, numbers, table, words};
use crate::weigh;

/// Other libraries' sums differ in their order only.
const ROUND: f64 = 1e-13;

fn expected() -> Value {
    let text = std::fs::read_to_string(fixture("pandas-3.1.1/penguins.json")).expect("a fixture");
    serde_json::from_str(&text).expect("JSON")
}

fn penguins() -> Table {
    load("penguins").and_then(|d| d.table()).expect("shipped")
}

fn list(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().filter_map(Value::as_f64).collect()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= ROUND * b.abs(), "{a} is not {b}");
}

#[test]
fn csv_of_pandas_is_read_back() {
    for (name, width) in [("quoted.csv", 3), ("quoted_semicolon.csv.gz", 3)] {
        let data = read(fixture("pandas-3.1.1").join(name), &ReadOptions::default(), &Run::new()).expect("valid");
        let t = table(&data);
        // The first has an index, which names rows.
        assert_eq!((t.ncols(), data.notes.is_empty()), (width, name != "quoted.csv"), "{:?}", data.notes);
        let text = words(t, "text");
        assert_eq!(text[0].as_deref(), Some("a \"quoted\" word"));
        assert_eq!(text[1].as_deref(), Some("line\nbreak"));
        assert_eq!(text[2..], [Some("semi;colon, comma".to_owned()), None]);
        assert_eq!(numbers(t, "x")[..3], [0.1, 1e-300, f64::MIN]);
    }
}

#[test]
fn summaries_are_those_of_pandas() {
    let want = expected();
    let summary = describe(&load("penguins").expect("shipped"));
    for (k, name) in want["columns"].as_array().expect("names").iter().enumerate() {
        let column = summary.summaries.iter().find(|s| Some(s.name.as_str()) == name.as_str()).expect("described");
        let Detail::Number { min, mean, std, max, .. } = column.detail else { panic!("a number") };
        close(mean, list(&want["mean"])[k]);
        close(std, list(&want["std"])[k]);
        assert_eq!((min, max), (list(&want["min"])[k], list(&want["max"])[k]));
        assert_eq!(column.distinct as f64, list(&want["distinct"])[k]);
    }
    assert!(serde_json::to_string(&summary).expect("JSON").contains("\"type\":\"category\""));
}

#[test]
fn missing_values_are_counted_and_located() {
    let error = check_complete(&penguins()).expect_err("19 are missing");
    assert_eq!(
        error.to_string(),
        "19 of 2752 values in the table (2 in `bill_length_mm`, 2 in `bill_depth_mm`, 2 in `flipper_length_mm`, \
         2 in `body_mass_g`, 11 in `sex`) are missing, first at row 3 (rows count from 0)"
    );
    let one = penguins().select(&["sex"]).expect("a column");
    let error = check_complete(&one).expect_err("11 are missing").to_string();
    assert!(error.starts_with("11 of 344 values in column `sex` are missing, first at row 3"), "{error}");
    let (complete, kept) = drop_missing(&penguins());
    assert_eq!(complete.nrows() as f64, expected()["complete_rows"].as_f64().expect("a count"));
    assert_eq!((kept.len(), kept[3]), (complete.nrows(), 4));
    assert!(check_complete(&complete).is_ok());
}

#[test]
fn filling_takes_the_mean_and_the_mode() {
    let want = expected();
    let imputer = Imputer::fit(&penguins(), None).expect("fitted");
    let filled = imputer.apply(&penguins()).expect("filled");
    assert!(check_complete(&filled).is_ok());
    assert_eq!(filled.ncols(), 8 + 5);
    assert_eq!(numbers(&filled, "sex_missing").iter().sum::<f64>(), 11.0);
    close(numbers(&filled, "bill_length_mm")[3], list(&want["mean"])[0]);
    assert_eq!(words(&filled, "sex")[3].as_deref(), want["mode_of_sex"].as_str());
    let saved: Imputer = serde_json::from_str(&serde_json::to_string(&imputer).expect("JSON")).expect("JSON");
    assert_eq!(saved, imputer);
    assert_eq!(saved.indicators().last(), Some("sex"));
}

#[test]
fn filling_edges() {
    let t = Table::new(vec![
        ("n".into(), Column::Number([1.0, f64::NAN, 5.0].into())),
        ("c".into(), Column::Category(Categories::from_values([Some("b"), Some("a"), None]))),
        ("t".into(), Column::from(Texts::from_values([Some("x"), None, Some("z")]))),
    ])
    .expect("valid");
    let filled = Imputer::fit(&t, Some(&weigh(&[3.0, 1.0, 1.0]))).and_then(|i| i.apply(&t)).expect("filled");
    assert_eq!(numbers(&filled, "n"), [1.0, 2.0, 5.0]);
    assert_eq!(words(&filled, "c")[2].as_deref(), Some("b"));
    assert_eq!(words(&filled, "t")[1].as_deref(), Some(""));
    let empty = Table::new(vec![("n".into(), Column::Number([f64::NAN; 2].into()))]).expect("valid");
    let error = Imputer::fit(&empty, None).expect_err("nothing to learn").to_string();
    assert!(error.contains("column `n`, whose 2 values are all missing"), "{error}");
    let taken = Table::new(vec![
        ("a".into(), Column::Number([f64::NAN, 1.0].into())),
        ("a_missing".into(), Column::Number([0.0, 1.0].into())),
    ]);
    assert!(Imputer::fit(&taken.expect("valid"), None).is_err());
    let fitted = Imputer::fit(&t, None).expect("fitted");
    assert!(fitted.apply(&t.without("c").expect("there")).is_err());
    assert!("dorp".parse::<MissingPolicy>().expect_err("a slip").to_string().contains("`drop`"));
    assert_eq!("impute".parse::<MissingPolicy>().ok(), Some(MissingPolicy::Impute));
}

#[test]
fn scales_are_those_of_numpy() {
    let want = expected();
    let filled = Imputer::fit(&penguins(), None).and_then(|i| i.apply(&penguins())).expect("filled");
    let names: Vec<String> =
        want["columns"].as_array().expect("names").iter().filter_map(|n| n.as_str().map(String::from)).collect();
    let x = Inputs::from(filled.select(&names).expect("columns"));
    let weights = weigh(&(0..344).map(|i| 1.0 + f64::from(i % 3)).collect::<Vec<_>>());
    let standardizer = Standardizer::fit(&x, Some(&weights)).expect("fitted");
    for (k, (name, mean, scale)) in standardizer.columns().enumerate() {
        assert_eq!(name, names[k]);
        close(mean, list(&want["weighted_mean"])[k]);
        close(scale, list(&want["weighted_std"])[k]);
    }
    let z = standardizer.apply(&x).expect("same columns");
    let again = Standardizer::fit(&z, Some(&weights)).expect("fitted");
    assert!(again.columns().all(|(_, mean, scale)| mean.abs() < 1e-12 && (scale - 1.0).abs() < 1e-12));
    let json = serde_json::to_string(&standardizer).expect("JSON");
    assert_eq!(serde_json::from_str::<Standardizer>(&json).expect("JSON"), standardizer);
}

#[test]
fn sparse_rows_are_scaled_as_if_dense() {
    let dense = [1.0, 0.0, 3.0, 0.0, 0.0, 3.0, 4.0, 2.0, 3.0];
    let csr = Csr::new(vec![0, 2, 3, 6], vec![0, 2, 2, 0, 1, 2], vec![1.0, 3.0, 3.0, 4.0, 2.0, 3.0], 3).expect("valid");
    let weights = weigh(&[1.0, 2.0, 0.5]);
    let rows = Inputs::from(Rows::new(dense.to_vec(), 3, 3).expect("3×3"));
    let want = Standardizer::fit(&rows, Some(&weights)).expect("fitted");
    let got = Standardizer::fit(&csr.clone().into(), Some(&weights)).expect("fitted");
    assert_eq!(got.constant_columns(), ["x2"]);
    want.columns().zip(got.columns()).for_each(|(a, b)| close(a.2, b.2));
    let Inputs::Sparse(z) = got.apply(&csr.into()).expect("same columns") else { panic!("sparse") };
    assert_eq!(z.nnz(), 6);
    assert!(got.apply(&rows).is_err());
}

#[test]
fn wide_sparse_rows_are_standardised_by_what_they_hold() {
    let width = 100_000_000;
    let csr = |columns| Inputs::from(Csr::new(vec![0, 1, 2], columns, vec![4.0, 6.0], width).expect("valid"));
    let fitted = Standardizer::fit(&csr(vec![7, 99_999_999]), None).expect("fitted");
    assert_eq!(
        fitted.columns().map(|(name, _, scale)| (name, scale)).collect::<Vec<_>>(),
        [("x7", 2.0), ("x99999999", 3.0)]
    );
    let Inputs::Sparse(z) = fitted.apply(&csr(vec![7, 8])).expect("same width") else { panic!("sparse") };
    // A column the fit saw nothing in keeps its scale.
    assert_eq!(z.values(), [2.0, 6.0]);
    let json = serde_json::to_string(&fitted).expect("JSON");
    assert_eq!(serde_json::from_str::<Standardizer>(&json).expect("JSON"), fitted);
}

#[test]
fn bad_points_and_weights_are_refused() {
    let x = |v: Vec<f64>| Inputs::from(Rows::new(v, 2, 2).expect("2×2"));
    let good = x(vec![1.0, 2.0, 3.0, 4.0]);
    let error = Standardizer::fit(&x(vec![1.0, 2.0, f64::INFINITY, 4.0]), None).expect_err("infinite").to_string();
    assert!(error.contains("infinite, first at row 1"), "{error}");
    assert!(check_finite(&x(vec![1.0, f64::NAN, 3.0, 4.0])).is_err());
    assert!(Standardizer::fit(&good, Some(&weigh(&[1.0]))).is_err());
    assert!(Imputer::fit(&penguins(), Some(&weigh(&[1.0]))).is_err());
    let fitted = Standardizer::fit(&good, None).expect("fitted");
    let narrow = Inputs::from(Rows::new(vec![1.0, 2.0], 2, 1).expect("2×1"));
    assert!(fitted.apply(&narrow).expect_err("narrow").to_string().contains("2 columns"));
    let zero_weight = Standardizer::fit(&good, Some(&weigh(&[1.0, 0.0]))).expect("fitted");
    assert_eq!(zero_weight.constant_columns(), ["x0", "x1"]);
}

#[test]
fn one_scale_keeps_what_columns_differ_by() {
    let x: Inputs = Rows::new(vec![0.0, 5.0, 10.0, 4.0, 5.0, 30.0, 8.0, 5.0, 50.0], 3, 3).expect("rows").into();
    let scaled = Standardizer::fit(&x, None).expect("scales").with_one_scale().apply(&x).expect("rows");
    let Inputs::Dense(rows) = &scaled else { panic!("dense rows") };
    // The second column is constant; differences of the others keep their ratio, the larger of standard deviation 1.
    let spread = |j: usize| (0..3).map(|i| rows.row(i)[j].powi(2)).sum::<f64>() / 3.0;
    close(spread(2), 1.0);
    close((rows.row(2)[2] - rows.row(0)[2]) / (rows.row(2)[0] - rows.row(0)[0]), 40.0 / 8.0);
    assert!((0..3).all(|i| rows.row(i)[1] == 0.0));
}
