//! Text of files where people look at it: terminals and spreadsheets.

use std::time::{Duration, Instant};

use crate::Folder;

/// Data whose class, column and file names tell a terminal to clear itself.
fn folder() -> Folder {
    let folder = Folder::fresh();
    let row = |i: u32| format!("{},\"{}\"\n", i % 9, ["=1+1\u{1b}[2J", "b\u{9b}31m", "-1"][i as usize % 3]);
    folder.write("d\u{1b}[2J.csv", format!("\"a\u{1b}]0;x\u{7}\",y\n{}", (0..60).map(row).collect::<String>()));
    folder
}

fn obeyed(text: &str) -> bool {
    text.chars().any(|c| c.is_control() && c != '\n' && c != '\t')
}

/// They were printed raw.
#[test]
fn escape_sequences_of_files_are_shown_and_not_sent() {
    let folder = folder();
    let fit = ["fit", "d\u{1b}[2J.csv", "--target", "y", "--no-tune", "--cv", "2", "-o", "m\u{1b}[1m.mercer"];
    for args in [
        &["data", "d\u{1b}[2J.csv"][..],
        &fit,
        &["inspect", "m\u{1b}[1m.mercer"],
        &["score", "m\u{1b}[1m.mercer", "d\u{1b}[2J.csv"],
        &["explain", "m\u{1b}[1m.mercer", "d\u{1b}[2J.csv"],
        &["gram", "d\u{1b}[2J.csv", "-k", "rbf(nothing)"],
        &["data", "absent\u{1b}[2J.csv"],
    ] {
        let done = folder.run(args);
        assert!(!obeyed(&done.out) && !obeyed(&done.err), "{args:?}: {done:?}");
    }
    assert!(folder.run(&["inspect", "m\u{1b}[1m.mercer"]).out.contains("\\u{1b}"), "shown by their number");
    let json = folder.run(&["inspect", "m\u{1b}[1m.mercer", "--json"]);
    assert!(!obeyed(&json.out), "{}", json.out);
    let told: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert!(
        told["classes"].as_array().is_some_and(|c| c.contains(&"b\u{9b}31m".into())),
        "JSON says the names as they are"
    );
}

#[test]
fn formulas_are_marked_on_request_and_named_else() {
    let folder = folder();
    let fit = ["fit", "d\u{1b}[2J.csv", "--target", "y", "--no-tune", "--no-estimate", "-q", "-o", "m.mercer"];
    assert_eq!(folder.run(&fit).code, 0);
    let plain = folder.run(&["predict", "m.mercer", "d\u{1b}[2J.csv"]);
    assert!(plain.err.contains("is a formula to a spreadsheet; `--spreadsheet` writes"), "{}", plain.err);
    assert!(plain.out.contains("\n=1+1") || plain.out.contains("\n\"=1+1"), "data stay as they are: {}", plain.out);
    let marked = folder.run(&["predict", "m.mercer", "d\u{1b}[2J.csv", "--spreadsheet"]);
    assert!(marked.out.contains("\n'=1+1") && !marked.out.contains("\n=1+1"), "{}", marked.out);
    assert!(!marked.err.contains("formula") && !marked.out.contains("'-1"), "a number is none: {marked:?}");
}

/// A header longer than the sample was cut, and taken for a row.
#[test]
fn long_headers_are_headers() {
    let folder = Folder::fresh();
    let names: Vec<String> = (0..20_000).map(|j| format!("a rather long name of column {j}")).collect();
    let row = vec!["1"; names.len()].join(",");
    folder.write("wide.csv", format!("{}\n{row}\n{row}\n", names.join(",")));
    let done = folder.run(&["data", "wide.csv", "--json"]);
    assert_eq!(done.code, 0, "{done:?}");
    let told: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    assert_eq!(told["rows"], 2, "the header is no row");
}

/// To find the columns that a formula reads took 83 seconds.
#[test]
fn wide_tables_are_looked_through_once() {
    let folder = Folder::fresh();
    let names: Vec<String> = (0..60_000).map(|j| format!("c{j}")).collect();
    let row = |i: usize| (0..names.len()).map(|j| ((i * j) % 7).to_string()).collect::<Vec<_>>().join(",");
    folder.write("wide.csv", format!("{}\n{}\n{}\n{}\n", names.join(","), row(1), row(2), row(3)));
    let begun = Instant::now();
    let done = folder.run(&["gram", "wide.csv", "-k", "linear", "--standardize"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}
