//! Sets that come with the library are what their entries say.

use mercer::Run;
use mercer::data::{Column, ColumnType, Inputs, Purpose, ReadOptions, load, open, shipped};

#[test]
fn every_set_has_the_rows_columns_and_target_it_claims() {
    for set in shipped() {
        let data = load(set.name).unwrap_or_else(|e| panic!("{}: {e}", set.name));
        assert_eq!(data.len(), set.rows, "{}", set.name);
        assert_eq!(data.inputs.columns().len() + 1, set.columns, "{}", set.name);
        let (name, target) = data.target.as_ref().expect("a target");
        assert_eq!(name, set.target);
        let expected = match set.task {
            Purpose::Classification => ColumnType::Category,
            _ => ColumnType::Number,
        };
        assert_eq!(target.column_type(), expected, "{}", set.name);
        assert_eq!(target.len(), set.rows);
    }
}

#[test]
fn the_readme_lists_every_set() {
    let readme = include_str!("../../../data/README.md");
    for set in shipped() {
        let row = format!("| {} | {}×{} |", set.name, set.rows, set.columns);
        assert!(readme.contains(&row), "{row}");
        assert!(readme.contains(set.licence) && readme.contains(set.source), "{}", set.name);
    }
}

#[test]
fn penguins_keep_their_types_and_missing_values() {
    let data = load("penguins").expect("shipped");
    let columns = data.inputs.columns();
    let names: Vec<_> = columns.iter().collect();
    let kinds: Vec<(&str, ColumnType)> = names.iter().map(|(n, t)| (n.as_ref(), *t)).collect();
    use ColumnType::{Category, Number};
    assert_eq!(
        kinds,
        [
            ("island", Category),
            ("bill_length_mm", Number),
            ("bill_depth_mm", Number),
            ("flipper_length_mm", Number),
            ("body_mass_g", Number),
            ("sex", Category),
            ("year", Number)
        ]
    );
    let Inputs::Table(table) = &data.inputs else { panic!("a table") };
    assert_eq!(table.column("sex").and_then(Column::missing), Some((3, 11)));
    assert_eq!(table.column("body_mass_g").and_then(Column::missing), Some((3, 2)));
}

#[test]
fn sums_are_those_of_other_libraries() {
    // numpy: load_iris().data.sum(axis=0), load_digits().data.sum(), sum of the Nile's flow.
    let sum = |name: &str, column: &str| {
        let table = load(name).and_then(|d| d.table()).expect("a table");
        match table.column(column) {
            Some(Column::Number(v)) => v.iter().sum::<f64>(),
            _ => panic!("{column} is no number"),
        }
    };
    assert!((sum("iris", "sepal_length_cm") - 876.5).abs() < 1e-9);
    assert!((sum("iris", "petal_width_cm") - 179.9).abs() < 1e-9);
    assert_eq!(sum("nile", "volume"), 91935.0);
    assert_eq!(sum("abalone", "rings"), 41493.0);
    assert_eq!(sum("diabetes", "progression"), 67243.0);
}

#[test]
fn sparse_text_and_dna_are_what_they_should_be() {
    let heart = load("heart_scale").expect("shipped");
    let Inputs::Sparse(x) = &heart.inputs else { panic!("sparse rows") };
    assert_eq!((x.nrows(), x.ncols(), x.nnz()), (270, 13, 3378));
    let splice = load("splice").expect("shipped");
    assert_eq!(splice.inputs.columns().iter().collect::<Vec<_>>(), [("sequence".into(), ColumnType::TEXT)]);
    let sms = load("sms_spam").expect("shipped");
    assert_eq!(sms.inputs.columns().iter().collect::<Vec<_>>(), [("text".into(), ColumnType::TEXT)]);
}

#[test]
fn names_resolve_and_slips_are_pointed_out() {
    let options = ReadOptions::default();
    assert_eq!(open("wine", &options, &Run::new()).expect("shipped").name, "wine");
    let error = open("pengiuns", &options, &Run::new()).expect_err("no such name");
    assert_eq!(error.to_string(), "pengiuns: no such file");
    assert_eq!(error.hint().as_deref(), Some("the shipped data set nearest to this name is `penguins`"));
    let error = load("irs").expect_err("no such set").to_string();
    assert!(error.contains("`iris`"), "{error}");
    let error = open("/nowhere/at/all.csv", &options, &Run::new()).expect_err("no such file");
    assert!(error.hint().is_some_and(|h| h.contains("iris")), "{error}");
}

#[test]
fn options_apply_to_shipped_sets() {
    let options = ReadOptions { target: Some("sex".into()), ..ReadOptions::default() };
    let data = open("penguins", &options, &Run::new()).expect("shipped");
    assert_eq!(data.target.as_ref().map(|t| t.0.as_str()), Some("sex"));
    assert_eq!(data.inputs.columns().len(), 7);
    let columns = Some(vec!["year".to_owned(), "island".to_owned()]);
    let data = open("penguins", &ReadOptions { columns, ..ReadOptions::default() }, &Run::new()).expect("shipped");
    let names: Vec<String> = data.inputs.columns().iter().map(|c| c.0.into_owned()).collect();
    assert_eq!(names, ["year", "island"]);
    assert_eq!(data.target.map(|t| t.0).as_deref(), Some("species"));
    let again = load("penguins").and_then(|d| d.with_target("year")).expect("a column");
    assert_eq!(again.table().expect("a table").ncols(), 8);
}
