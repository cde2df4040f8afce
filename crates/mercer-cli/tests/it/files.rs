//! Files as strangers bring them: targets of 0 and 1, spoilt numbers, gaps, names of rows, columns to leave out and to keep.

use super::Folder;

/// A file of 40 rows with a size, a flag, and a target made of them.
fn people() -> String {
    let mut file = String::from("id,size,flag,won\n");
    for i in 0..40 {
        let (size, flag) = (i * 7 % 13, i % 3);
        file += &format!("p{i:03},{size}.5,{flag},{}\n", u8::from(size > 6));
    }
    file
}

fn folder() -> Folder {
    let folder = Folder::fresh();
    folder.write("people.csv", people());
    folder
}

fn json(folder: &Folder, args: &[&str]) -> serde_json::Value {
    let done = folder.run(args);
    serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{args:?}: {e}: {}{}", done.out, done.err))
}

const FIT: [&str; 8] = ["fit", "people.csv", "--target", "won", "--exclude", "id", "--no-tune", "--no-estimate"];

#[test]
fn a_target_of_0_and_1_is_classes_and_said_so() {
    let folder = folder();
    let done = folder.run(&FIT);
    assert_eq!(done.code, 0, "{}", done.err);
    let first = done.out.lines().next().unwrap_or_default();
    assert_eq!(
        first,
        "people: classification of won from 40 rows, as 0, 1 are taken for classes; `--type won=number` predicts numbers"
    );
    let number = folder.run(&[&FIT[..], &["--type", "won=number"]].concat());
    assert!(number.out.starts_with("people: regression of won from 40 rows\n"), "{}", number.out);
    let report = json(&folder, &[&FIT[..], &["--json"]].concat());
    assert_eq!(report["classes"], serde_json::json!(["0", "1"]));
    let kinds: Vec<&str> =
        report["notes"].as_array().expect("notes").iter().filter_map(|n| n["kind"].as_str()).collect();
    assert!(kinds.contains(&"classes_guessed"), "{kinds:?}");
    // What was asked for decides.
    for asked in [&["--model", "svr"][..], &["--loss", "absolute"], &["--quantiles", "0.1,0.9"]] {
        let done = folder.run(&[&FIT[..], asked].concat());
        assert!(done.code == 0 && !done.out.contains("classif"), "{asked:?}: {}{}", done.out, done.err);
    }
    let predicted = folder.run(&["predict", "people.mercer", "people.csv"]);
    assert_eq!(predicted.code, 0, "{}", predicted.err);
}

#[test]
fn a_model_of_classes_names_the_switch() {
    let folder = folder();
    let fit = ["fit", "people.csv", "--target", "size", "--exclude", "id", "--no-estimate"];
    let done = folder.run(&[&fit[..], &["--model", "logistic"]].concat());
    assert!(done.code == 2 && done.err.contains("`--type size=category`"), "{}", done.err);
    let tune = ["tune", "people.csv", "--target", "won", "--type", "won=number", "--exclude", "id", "--grid", "C=1,10"];
    let done = folder.run(&[&tune[..], &["--model", "svc"]].concat());
    assert!(done.code == 2 && done.err.contains("`--type won=category`"), "{}", done.err);
    let guessed = folder.run(&["tune", "people.csv", "--target", "won", "--exclude", "id", "--grid", "C=1,10"]);
    assert!(guessed.code == 0 && guessed.out.contains("svc"), "{}{}", guessed.out, guessed.err);
}

#[test]
fn columns_that_identify_rows_are_pointed_out() {
    let folder = folder();
    let done = folder.run(&["fit", "people.csv", "--target", "won", "--no-tune", "--no-estimate"]);
    assert!(done.err.contains("column `id`: rows can be told apart by it alone"), "{}", done.err);
    assert!(!folder.run(&FIT).err.contains("told apart"));
    let only = folder.run(&["data", "people.csv", "--only", "size,won"]);
    assert!(only.out.starts_with("people: 40 rows, 2 columns"), "{}", only.out);
}

#[test]
fn spoilt_numbers_are_refused_by_a_fit_and_shown_by_data() {
    let folder = Folder::fresh();
    folder.write("spoilt.csv", people().replace("\np005,9.5,", "\np005,oops,"));
    let fit = ["fit", "spoilt.csv", "--target", "won", "--exclude", "id", "--no-tune", "--no-estimate"];
    let done = folder.run(&fit);
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(done.err.contains("spoilt.csv, line 7, column `size`: 1 of 40 cells is no number"), "{}", done.err);
    assert!(done.err.contains("hint: correct it, count it as missing with `--na oops`"), "{}", done.err);
    let shown = folder.run(&["data", "spoilt.csv"]);
    assert!(shown.code == 0 && shown.err.contains("though 39 of 40 cells are numbers"), "{}", shown.err);
    let filled = folder.run(&[&fit[..], &["--na", "oops", "--missing", "impute"]].concat());
    assert!(
        filled.code == 0 && filled.out.contains("missing values filled: 1 in `size`"),
        "{}{}",
        filled.out,
        filled.err
    );
    // A model minds the columns that it reads.
    folder.write("new.csv", "size,flag,other\n1.5,0,1\n2.5,1,2\n3.5,1,3\n4.5,2,oops\n");
    let done = folder.run(&["predict", "spoilt.mercer", "new.csv"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    folder.write("new.csv", "size,flag\n1.5,0\n2.5,1\n3.5,1\noops,2\n");
    let done = folder.run(&["predict", "spoilt.mercer", "new.csv"]);
    assert!(done.code == 2 && done.err.contains("new.csv, line 5, column `size`"), "{}", done.err);
    folder.write("lines.jsonl", "{\"a\": 1}\n{\"a\": 2}\n");
    let done = folder.run(&["data", "lines.jsonl"]);
    assert!(done.code == 2 && done.err.contains("reading JSON is not supported"), "{}", done.err);
}

#[test]
fn rows_without_a_target_are_left_out_and_new_rows_with_gaps_have_no_answer() {
    let folder = Folder::fresh();
    folder.write("people.csv", people().replace("p004,2.5,1,0", "p004,2.5,1,"));
    let done = folder.run(&FIT);
    assert!(done.out.contains("left out 1 of 40 rows: the target is missing there"), "{}{}", done.out, done.err);
    folder.write("new.csv", "size,flag\n1.5,0\n,1\n9.5,2\n");
    let done = folder.run(&["predict", "people.mercer", "new.csv"]);
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!((done.code, lines.len(), lines[2].trim_matches(',')), (0, 4, ""), "{}{}", done.out, done.err);
    assert!(
        done.err.contains("no answer for 1 of 3 rows (row 1, counted from 0): missing 1 in `size`"),
        "{}",
        done.err
    );
    // The others are answered as if they stood alone.
    folder.write("some.csv", "size,flag\n1.5,0\n9.5,2\n");
    let some = folder.run(&["predict", "people.mercer", "some.csv"]);
    assert_eq!([lines[0], lines[1], lines[3]].join("\n") + "\n", some.out);
    let report = json(&folder, &["predict", "people.mercer", "new.csv", "--json"]);
    assert!(report["rows"][1].as_array().expect("a row").iter().all(|v| v.is_null()), "{report}");
    assert_eq!(report["notes"][0]["kind"], "rows_not_answered");
    let plot = folder.run(&["predict", "people.mercer", "new.csv", "--plot", "p.svg"]);
    assert_eq!(plot.code, 0, "{}", plot.err);
}

#[test]
fn predictions_carry_columns_through() {
    let folder = folder();
    assert_eq!(folder.run(&FIT).code, 0);
    folder.write("new.csv", "code,size,flag,won\n007,1.5,0,1\n1e2,9.5,2,0\n");
    let keep = ["predict", "people.mercer", "new.csv", "--keep", "code", "--keep", "won", "--keep", "size"];
    let done = folder.run(&keep);
    assert_eq!(done.code, 0, "{}", done.err);
    let lines: Vec<&str> = done.out.lines().collect();
    assert!(lines[0].starts_with("code,won_kept,size,won,decision_1"), "{}", done.out);
    assert!(lines[1].starts_with("007,1,1.5,0,") && lines[2].starts_with("1e2,0,9.5,1,"), "{}", done.out);
    let report = json(&folder, &[&keep[..], &["--json"]].concat());
    assert_eq!(report["rows"][0][0], "007");
    // A stream is read once: columns come as they are understood.
    let mut stream = folder.command(&["predict", "people.mercer", "-", "--keep", "code"]);
    stream.stdin(std::fs::File::open(folder.path("new.csv")).expect("a file"));
    let done = crate::Done::from(stream.output().expect("the binary runs"));
    assert!(done.code == 0 && done.out.starts_with("code,won,"), "{}{}", done.out, done.err);
    let unknown = folder.run(&["predict", "people.mercer", "new.csv", "--keep", "cod"]);
    assert!(unknown.code == 2 && unknown.err.contains("`code`"), "{}", unknown.err);
    let parquet = folder.run(&[&keep[..], &["-o", "kept.parquet"]].concat());
    assert_eq!(parquet.code, 0, "{}", parquet.err);
}

#[test]
fn a_class_of_one_row_is_named() {
    let folder = Folder::fresh();
    folder.write("people.csv", people().replace("p039,0.5,0,0", "p039,0.5,0,2").replace(",1\n", ",yes\n"));
    let fit = ["fit", "people.csv", "--target", "won", "--type", "won=category", "--exclude", "id", "--no-tune"];
    let done = folder.run(&fit);
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(done.err.contains("column `won`: expected at least two rows of every class"), "{}", done.err);
    assert!(done.err.contains("one row of `2`") && done.err.contains("hint: add rows of such a class"), "{}", done.err);
    // With nothing left to choose, the model is there, and the estimate says why there is none.
    let done = folder.run(&[&fit[..], &["--alpha", "1", "--model", "ridge"]].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("class `2` of `won` has one row"), "{}", done.err);
    let tune = ["tune", "people.csv", "--target", "won", "--exclude", "id", "--grid", "C=1,10"];
    let done = folder.run(&tune);
    assert!(done.code == 2 && done.err.contains("one row of `2`"), "{}", done.err);
    let done = folder.run(&[&tune[..], &["--journal", "no/where"]].concat());
    assert!(done.code == 2 && done.err.contains("no/where"), "{}", done.err);
}
