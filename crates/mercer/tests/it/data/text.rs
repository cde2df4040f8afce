//! CSV and LIBSVM: what is found out, and what every bad file says.

use mercer::Note;
use mercer::data::{Column, ColumnType, Inputs, ReadOptions};

use super::{numbers, read_text, table, words};

fn csv(text: &str) -> mercer::Result<mercer::data::Dataset> {
    read_text("prices.csv", text, &ReadOptions::default())
}

fn refused(text: impl AsRef<[u8]>) -> (String, String) {
    let error = read_text("prices.csv", text, &ReadOptions::default()).expect_err("bad input");
    (error.to_string(), error.hint().unwrap_or_default())
}

#[test]
fn types_are_inferred() {
    let data = csv("age,city,note\n31,Rome,a fine day\n,Oslo,rain\n47.5,Rome,\n1e3,Oslo,\"snow, \"\"wet\"\"\"\n")
        .expect("valid");
    let t = table(&data);
    assert_eq!(t.names(), ["age", "city", "note"]);
    let age = numbers(t, "age");
    assert!(age[1].is_nan());
    assert_eq!((age[0], age[2], age[3]), (31.0, 47.5, 1000.0));
    assert_eq!(t.column("city").map(Column::column_type), Some(ColumnType::Category));
    assert_eq!(t.column("note").map(Column::column_type), Some(ColumnType::TEXT));
    assert_eq!(words(t, "note")[2..], [None, Some("snow, \"wet\"".to_owned())]);
    assert_eq!(data.name, "prices");
}

#[test]
fn marks_line_ends_and_delimiters_are_seen_through() {
    let text = "\u{feff}a;b\r\n1;x\r\n2;y\r\n3;x\r\n";
    let data = csv(text).expect("valid");
    let t = table(&data);
    assert_eq!(numbers(t, "a"), [1.0, 2.0, 3.0]);
    assert_eq!(t.column("b").map(Column::column_type), Some(ColumnType::Category));
    let data = csv("1|2\n3|4").expect("valid");
    assert_eq!(table(&data).names(), ["x0", "x1"]);
    let data = read_text("a.tsv", "a\tb,c\n1\t2\n", &ReadOptions::default()).expect("valid");
    assert_eq!(table(&data).names(), ["a", "b,c"]);
    let data = csv(",a\n0,1\n1,2\n").expect("a nameless index column");
    assert_eq!(table(&data).names(), ["a"]);
    assert_eq!(data.notes, [Note::RowNames { column: "x0".into() }]);
}

#[test]
fn all_markers_are_missing() {
    let data = csv("a,b\n1,x\nNA,?\nnan,null\nN/A,None\n-,x\n").expect("valid");
    let t = table(&data);
    assert_eq!(t.column("a").and_then(Column::missing), Some((1, 3)));
    assert_eq!(words(t, "a")[4].as_deref(), Some("-"));
    assert_eq!(t.column("b").and_then(Column::missing), Some((1, 3)));
    let options = ReadOptions { missing: vec!["-".into()], ..ReadOptions::default() };
    let data = read_text("a.csv", "a\n1\n-\n", &options).expect("valid");
    assert!(numbers(table(&data), "a")[1].is_nan());
    let data = csv("a,b\nNA,1\nNA,2\n").expect("a column of nothing");
    assert!(numbers(table(&data), "a").iter().all(|v| v.is_nan()));
}

#[test]
fn types_can_be_forced() {
    let types = [("zip".to_owned(), ColumnType::Category), ("b".to_owned(), ColumnType::TEXT)].into();
    let options = ReadOptions { types, ..ReadOptions::default() };
    let data = read_text("a.csv", "zip,b\n007,1\n007,2\n", &options).expect("valid");
    assert_eq!(words(table(&data), "zip"), [Some("007".to_owned()), Some("007".to_owned())]);
    assert_eq!(table(&data).column("b").map(Column::column_type), Some(ColumnType::TEXT));
}

#[test]
fn a_forced_number_says_where_it_fails() {
    let options = ReadOptions { types: [("age".to_owned(), ColumnType::Number)].into(), ..ReadOptions::default() };
    let error = read_text("prices.csv", "id,age\n1,31\n\n2,young\n", &options).expect_err("a word");
    assert_eq!(error.to_string(), "prices.csv, line 4, column `age`: expected a number, got `young`");
    let data = read_text("prices.csv", "id;age\n1;3,5\n", &options).expect("a decimal comma");
    assert_eq!(numbers(table(&data), "age"), [3.5]);
}

#[test]
fn unknown_columns_are_refused_with_the_nearest() {
    let options = ReadOptions { types: [("agee".to_owned(), ColumnType::Number)].into(), ..ReadOptions::default() };
    let error = read_text("prices.csv", "id,age\n1,31\n", &options).expect_err("unknown").to_string();
    assert!(error.contains("`age`"), "{error}");
}

#[test]
fn ragged_rows_name_their_line() {
    let (message, hint) = refused("a,b\n1,2\n3\n");
    assert_eq!(message, "prices.csv, line 3: expected 2 cells, got 1");
    assert!(hint.contains("`,`"), "{hint}");
    let (message, _) = refused("a,b\n\"x\ny\",2\n3,4,5\n");
    assert_eq!(message, "prices.csv, line 4: expected 2 cells, got 3");
}

#[test]
fn bad_files_say_what_is_wrong() {
    assert_eq!(refused("").0, "prices.csv: the file is empty");
    assert_eq!(refused(" \n\n").0, "prices.csv: the file has no content");
    assert_eq!(refused("a,b\n").0, "prices.csv: there are no rows");
    assert_eq!(refused("a,b,a\n1,2,3\n").0, "prices.csv, line 1, column `a`: two columns have this name");
    assert_eq!(refused(b"a,b\n1,2\n3,caf\xe9\n").0, "prices.csv, line 3: the text is not UTF-8");
    assert_eq!(refused(b"\xff\xfea\x00").0, "prices.csv: the text is UTF-16; save it as UTF-8");
    assert_eq!(refused(b"a,b\n1,\x00\n").0, "prices.csv, line 2: there is a zero byte: this is not a text file");
    let (message, _) = refused("a,b\n1,x\n2,\"y\n3,z\n");
    assert!(message.contains("line 3") && message.contains("never closed"), "{message}");
}

#[test]
fn infinite_cells_are_numbers_until_someone_checks() {
    let data = csv("a\n1\ninf\n-Infinity\n").expect("valid");
    assert_eq!(numbers(table(&data), "a"), [1.0, f64::INFINITY, f64::NEG_INFINITY]);
}

fn svm(text: &str) -> mercer::Result<mercer::data::Dataset> {
    read_text("train.svm", text, &ReadOptions::default())
}

#[test]
fn sparse_text_is_read() {
    let data = svm("# made by hand\n+1 1:0.5 3:-2 # end\n\n-1 qid:7 2:1e-3\n0\n").expect("valid");
    let Inputs::Sparse(x) = &data.inputs else { panic!("sparse rows") };
    assert_eq!((x.nrows(), x.ncols()), (3, 3));
    assert_eq!(x.row(0), (&[0, 2][..], &[0.5, -2.0][..]));
    assert_eq!(x.row(1), (&[1][..], &[1e-3][..]));
    assert_eq!(x.row(2).0, [0; 0]);
    let Some((name, Column::Number(y))) = &data.target else { panic!("labels") };
    assert_eq!((name.as_str(), &y[..]), ("y", &[1.0, -1.0, 0.0][..]));
    let wide = ReadOptions { width: Some(123), ..ReadOptions::default() };
    let data = read_text("a9a.t", "1 3:1\n", &wide).expect("told by its content");
    let Inputs::Sparse(x) = &data.inputs else { panic!("sparse rows") };
    assert_eq!(x.ncols(), 123);
}

#[test]
fn bad_sparse_text_names_line_and_token() {
    let refused = |text: &str| svm(text).expect_err("bad input").to_string();
    assert_eq!(refused("1 1:1\n1 3:1 2:5\n"), "train.svm, line 2: index 2 in `2:5` after index 3");
    assert_eq!(refused("1 2:1 2:5\n"), "train.svm, line 1: index 2 in `2:5` after index 2");
    assert_eq!(refused("1 0:1\n"), "train.svm, line 1: index 0 in `0:1`: indices count from 1");
    assert_eq!(refused("1,2 1:1\n"), "train.svm, line 1: several labels `1,2`");
    assert_eq!(refused("1:1 2:1\n"), "train.svm, line 1: the line begins with `1:1`, without a label");
    assert_eq!(refused("yes 1:1\n"), "train.svm, line 1: expected a number as label, got `yes`");
    assert_eq!(refused("1 1:x\n"), "train.svm, line 1: expected `index:value`, got `1:x`");
    assert_eq!(refused("1 1 2\n"), "train.svm, line 1: expected `index:value`, got `1`");
    let huge = refused("1 4000000000:1\n");
    assert!(huge.contains("above the limit"), "{huge}");
    assert_eq!(refused("# nothing\n"), "train.svm: there are no rows");
}
