//! The formula decides what a column is, and says which ones it does not read.

use mercer::data::{Categories, Column, ColumnType, Csr, Dataset, Inputs, ReadOptions, Rows, Table, Texts, read_from};
use mercer::gram::dense;
use mercer::model::pipeline::Schema;
use mercer::select::{Job, Scores};
use mercer::testkit::{points, tol};
use mercer::{KernelExpr, Run};

fn parse(formula: &str) -> KernelExpr {
    KernelExpr::parse(formula).unwrap_or_else(|e| panic!("{formula}: {e}"))
}

fn gram(formula: &str, x: &Inputs) -> Vec<f64> {
    let bound = parse(formula).bind(x, &Run::new()).unwrap_or_else(|e| panic!("{formula}: {e}"));
    dense::<f64>(&bound, &Run::new()).expect("fits").into_values()
}

fn hint(formula: &str, x: &Inputs) -> String {
    let error = parse(formula).bind(x, &Run::new()).map(|_| ()).expect_err(formula);
    error.hint().unwrap_or_default()
}

fn words(values: &[&str]) -> Column {
    Column::from(Texts::from_values(values.iter().map(Some)))
}

fn categories(values: &[&str]) -> Column {
    Column::Category(Categories::from_values(values.iter().map(Some)))
}

fn numbers(values: &[f64]) -> Column {
    Column::Number(values.into())
}

fn table(columns: Vec<(&str, Column)>) -> Inputs {
    Table::new(columns.into_iter().map(|(n, c)| (n.to_owned(), c)).collect()).expect("one length").into()
}

fn unread(formula: &str, x: &Inputs) -> Vec<String> {
    parse(formula).unread(x).into_iter().map(|(name, _)| name).collect()
}

/// Age, two truths, a category and words that repeat.
fn people() -> Inputs {
    table(vec![
        ("age", numbers(&[31.0, 47.0, 25.0, 60.0])),
        ("smoker", categories(&["True", "False", "True", "True"])),
        ("city", categories(&["Rome", "Oslo", "Rome", "Oslo"])),
        ("note", words(&["ill", "well", "well", "so so"])),
    ])
}

#[test]
fn truths_are_numbers_for_kernels_of_numbers() {
    let as_numbers = |truths: Column| table(vec![("age", numbers(&[31.0, 47.0, 25.0])), ("smoker", truths)]);
    let truths = as_numbers(categories(&["true", "FALSE", "true"]));
    let digits = as_numbers(numbers(&[1.0, 0.0, 1.0]));
    for formula in ["rbf(length_scale=1)", "linear(smoker, age)", "laplace_l1(length_scale=[3, 2])", "min(smoker)"] {
        assert_eq!(gram(formula, &truths), gram(formula, &digits), "{formula}");
    }
    // Between two sets, however each spells them.
    let cross = |x: &Inputs, y: &Inputs| {
        let bound = parse("rbf(length_scale=1)").bind_cross(x, y, &Run::new()).expect("columns that fit");
        dense::<f64>(&bound, &Run::new()).expect("fits").into_values()
    };
    assert_eq!(cross(&truths, &digits), gram("rbf(length_scale=1)", &digits));
    assert_eq!(cross(&digits, &truths), gram("rbf(length_scale=1)", &digits));
    // A part that reads all categories takes them for itself, as the kernels that `fit` tries do.
    assert_eq!(parse("rbf + hamming").typed(&truths).columns(), truths.columns());
    assert_eq!(parse("rbf").typed(&truths).columns(), digits.columns());
    assert_eq!(gram("linear*hamming", &truths)[0], 31.0 * 31.0);
}

#[test]
fn a_part_that_names_a_column_decides_its_type() {
    let x = table(vec![
        ("zip", numbers(&[10115.0, 20095.0, 10115.0])),
        ("state", words(&["Ohio", " Utah", "Ohio "])),
        ("kind", categories(&["ab", "ba", "ab"])),
    ]);
    let expected = vec![1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
    assert_eq!(gram("delta(zip)", &x), expected);
    assert_eq!(gram("delta(state)", &x), expected);
    assert_eq!(gram("ngram(kind, n=2)", &x), expected);
    // One column may be read as several types by name.
    assert_eq!(gram("delta(kind)*ngram(kind, n=2)", &x), expected);
    assert_eq!(gram("delta(zip)*rbf(zip, length_scale=1)", &x), expected);
    // Parts that read all of their type leave it to the part that names it.
    assert_eq!(gram("linear(zip) + hamming(zip) + 1", &x)[1], 10115.0 * 20095.0 + 1.0);
    let types = |formula: &str| parse(formula).typed(&x).columns().iter().map(|(_, t)| t).collect::<Vec<_>>();
    assert_eq!(types("delta(zip, state, kind)"), [ColumnType::Category; 3]);
    assert_eq!(types("ngram(state) + hamming"), [ColumnType::Number, ColumnType::TEXT, ColumnType::Category]);
    assert_eq!(types("hamming"), [ColumnType::Number, ColumnType::Category, ColumnType::Category]);
    assert_eq!(types("hamming + ngram"), [ColumnType::Number, ColumnType::TEXT, ColumnType::Category]);
}

#[test]
fn a_few_rows_are_read_as_the_other_set_is() {
    let many = table(vec![("s", words(&["u", "v", "u", "w", "v", "u"]))]);
    let few = table(vec![("s", words(&["u"]))]);
    let cross = |x: &Inputs, y: &Inputs| {
        let bound = parse("hamming").bind_cross(x, y, &Run::new()).expect("one type in both");
        dense::<f64>(&bound, &Run::new()).expect("fits").into_values()
    };
    let expected = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    assert_eq!(cross(&few, &many), expected);
    assert_eq!(cross(&many, &few), expected);
}

#[test]
fn the_hint_says_what_to_write() {
    let x = table(vec![
        ("price", numbers(&[1.5, 2.0, 3.0])),
        ("zip", words(&["01", "1", "01"])),
        ("my city", categories(&["Rome", "Oslo", "Rome"])),
    ]);
    assert_eq!(hint("delta(price)", &x), "`rbf(price)` reads numbers; categories are words or whole numbers");
    assert_eq!(hint("ngram(price)", &x), "`rbf(price)` reads numbers; categories are words or whole numbers");
    let zip = hint("rbf(zip, length_scale=1)", &x);
    assert_eq!(zip, "its values are numbers written as words: read `zip` as numbers, or write `delta(zip)`");
    let city = hint("rbf(\"my city\", length_scale=1)", &x);
    assert_eq!(city, "`delta(\"my city\")` reads it as a category, `ngram(\"my city\")` as text");
    let text = table(vec![("note", words(&["a", "b"]))]);
    assert!(hint("hamming", &text).ends_with("to read one of them all the same, write `hamming(note)`"));
}

#[test]
fn columns_that_no_part_reads_are_named() {
    let x = people();
    assert_eq!(unread("rbf", &x), ["city", "note"]);
    assert_eq!(unread("hamming", &x), ["age"]);
    assert_eq!(unread("rbf + delta(city)", &x), ["note"]);
    assert_eq!(unread("ngram", &x), ["age", "smoker", "city"]);
    for formula in ["rbf(age)", "rbf(age)*delta(city)", "rbf + hamming + ngram", "(rbf + 1)*(hamming + 1)", "2"] {
        assert!(unread(formula, &x).is_empty(), "{formula}");
    }
    let note = parse("rbf").unread_note(&x).expect("two are left");
    assert_eq!(
        note.to_string(),
        "no part of the kernel reads the columns `city` (category), `note` (text): \
         add `hamming(city)` and `ngram(note)`, or leave them out"
    );
    assert!(parse("rbf + hamming + ngram").unread_note(&x).is_none());
    assert!(parse("rbf").unread_note(&points::vectors(3, 2, 1).into()).is_none());
}

/// Rows of a file whose states are too many to be guessed to be categories from a part of it.
fn states() -> Dataset {
    let mut file = String::from("state,member,size,y\n");
    for i in 0..240 {
        let state = i % 48;
        let value = f64::from(state % 7) + f64::from(i % 2);
        file += &format!("state {state},{},{},{value}\n", i % 2 == 0, (i * 37 % 11) as f64 / 3.0);
    }
    let options = ReadOptions { target: Some("y".into()), ..ReadOptions::default() };
    read_from(file.as_bytes(), "states.csv", &options, &Run::new()).expect("a table")
}

#[test]
fn folds_read_columns_as_the_whole_does() {
    let data = states();
    assert_eq!(
        data.inputs.columns().find("state"),
        Some((0, ColumnType::TEXT)),
        "48 of 240 are too many to be guessed"
    );
    let job = Job { kernel: Some(parse("delta(state) + rbf")), ..Job::default() };
    let done = job.fit(&data, &Run::new()).expect("folds that fit");
    let scores = done.estimate.as_ref().map(|e| e.model);
    let explained = matches!(scores, Some(Scores::Regression { r2, .. }) if r2 > 0.9);
    assert!(explained, "states and membership explain all: {scores:?}");
    assert!(done.unread.is_none(), "{:?}", done.unread);
    let Schema::Table { columns } = done.pipeline.schema() else { panic!("a table") };
    let types: Vec<ColumnType> = columns.iter().map(|c| c.column_type).collect();
    assert_eq!(types, [ColumnType::Category, ColumnType::Number, ColumnType::Number]);
    // A file of one row cannot tell what its columns are; the model can.
    let one = read_from(&b"state,member,size\nstate 5,false,1\n"[..], "one.csv", &ReadOptions::default(), &Run::new())
        .expect("a row");
    let predicted = done.pipeline.predict(&one.inputs, &Run::new()).expect("columns that fit");
    assert!((predicted.values[0] - 6.0).abs() < 0.5, "{:?}", predicted.values);
    let left = Job { kernel: Some(parse("rbf")), estimate: false, tune: false, ..Job::default() };
    let note = left.fit(&data, &Run::new()).expect("a fit").unread.expect("the state is not read");
    assert!(note.to_string().contains("`state` (text)"), "{note}");
}

#[test]
fn numbers_that_stand_for_levels_are_those_levels() {
    let trained = table(vec![("smoker", categories(&["true", "false"])), ("kind", categories(&["1", "2"]))]);
    let schema = Schema::of(&trained);
    let new = table(vec![("kind", numbers(&[2.0, 1.0])), ("smoker", numbers(&[0.0, 1.0]))]);
    let (selected, _) = schema.select(&new).expect("levels of training");
    assert_eq!(gram("hamming", &selected)[0], 1.0);
    let Inputs::Table(selected) = selected else { panic!("a table") };
    let Some(Column::Category(smoker)) = selected.column("smoker") else { panic!("a category") };
    assert_eq!((smoker.get(0), smoker.get(1)), (Some("false"), Some("true")));
    let unseen = table(vec![("smoker", numbers(&[0.0])), ("kind", numbers(&[3.0]))]);
    assert!(schema.select(&unseen).is_ok(), "a whole number that was not seen is a category that was not seen");
    for (smoker, kind) in [(2.0, 1.0), (1.0, 0.5)] {
        let other = table(vec![("smoker", numbers(&[smoker])), ("kind", numbers(&[kind]))]);
        assert!(schema.select(&other).is_err(), "{smoker} and {kind} stand for nothing");
    }
    let words = Schema::of(&table(vec![("city", categories(&["Rome", "Oslo"]))]));
    assert!(words.select(&table(vec![("city", numbers(&[1.0]))])).is_err());
}

#[test]
fn sparse_and_dense_rows_meet_either_way() {
    let (x, y) = (points::vectors(7, 3, 5), points::vectors(5, 3, 6));
    let sparse = |rows: &Rows| -> Inputs {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..rows.nrows() {
            columns.extend(0..rows.ncols() as u32);
            values.extend_from_slice(rows.row(i));
            starts.push(columns.len());
        }
        Csr::new(starts, columns, values, rows.ncols()).expect("sorted").into()
    };
    for formula in ["rbf(length_scale=1.5)", "linear", "matern32(length_scale=2)", "laplace_l1(length_scale=1)"] {
        let cross = |a: &Inputs, b: &Inputs| {
            let bound = parse(formula).bind_cross(a, b, &Run::new()).unwrap_or_else(|e| panic!("{formula}: {e}"));
            dense::<f64>(&bound, &Run::new()).expect("fits").into_values()
        };
        let expected = cross(&x.clone().into(), &y.clone().into());
        for (a, b) in [(sparse(&x), y.clone().into()), (x.clone().into(), sparse(&y)), (sparse(&x), sparse(&y))] {
            for (got, wanted) in cross(&a, &b).iter().zip(&expected) {
                assert!((got - wanted).abs() <= tol::GRAM_R, "{formula}: {got} {wanted}");
            }
        }
    }
    let schema = Schema::of(&x.clone().into());
    assert!(matches!(schema.select(&sparse(&y)).expect("as many columns").0, Inputs::Dense(rows) if rows.nrows() == 5));
    let schema = Schema::of(&sparse(&x));
    assert!(matches!(schema.select(&y.into()).expect("as many columns").0, Inputs::Sparse(rows) if rows.nrows() == 5));
}
