//! Wrong input: the message, the hint and the exit code, word for word.

use super::{Folder, mercer, shipped_file, snapshot};

/// The folder that the documented errors are made in.
fn folder() -> Folder {
    let folder = Folder::fresh();
    folder.write("gaps.csv", "age,size\n31,2\n,5\n47,NA\n");
    folder.write("word.csv", "age,size\n31,2\nold,5\n");
    folder.write("ragged.csv", "a,b\n1,2\n1,2,3\n");
    folder.write("empty.csv", "");
    folder.write("infinite.csv", "a,b\n1,inf\n2,3\n");
    let whole = std::fs::read(shipped_file("iris.csv.gz")).expect("shipped");
    folder.write("cut.csv.gz", &whole[..whole.len() / 2]);
    folder
}

#[test]
fn documented_errors_are_as_stored() {
    let folder = folder();
    let mut text = String::new();
    for line in CASES {
        let args: Vec<&str> = line.split(' ').map(|w| if w == "SPACE" { " " } else { w }).collect();
        let done = folder.run(&args);
        assert_eq!(done.out, "", "{line}: nothing was found, so nothing is printed");
        text += &format!("$ mercer {line}\n{}exit code {}\n\n", done.err, done.code);
        assert_eq!(done.code, 2, "{line}: {}", done.err);
    }
    snapshot("errors", &text);
}

const CASES: [&str; 26] = [
    "data pengiuns",
    "data nowhere/at_all.csv",
    "data empty.csv",
    "data cut.csv.gz",
    "data ragged.csv",
    "data word.csv --type age=number",
    "data iris --type petal=number",
    "data iris --target flower",
    "gram gaps.csv",
    "gram infinite.csv",
    "gram penguins",
    "gram iris -k mattern32",
    "gram iris -k rbf(petal_lenght)",
    "gram penguins -k rbf(island)",
    "gram iris -k rbf(length_scale=-1)",
    "gram iris -k rbf+",
    "gram iris -k rbf-linear",
    "gram iris -k ngram",
    "gram iris -o K.xyz",
    "gram iris -o nowhere/K.npy",
    "gram iris -o - --json",
    "gram - --against -",
    "gram iris --memory 10B",
    "gram iris --memory lots",
    "gram iris --threads 0",
    "frobnicate",
];

#[test]
fn errors_under_json_are_json() {
    let done = mercer(&["gram", "penguins", "--json"]);
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    let report: serde_json::Value = serde_json::from_str(&done.err).expect("JSON");
    assert_eq!((report["schema"].as_str(), report["kind"].as_str()), (Some("mercer.error/1"), Some("data")));
    assert!(report["hint"].as_str().expect("a hint").contains("--missing drop"));
}

#[test]
fn warnings_fail_only_when_strict() {
    let args = ["gram", "iris", "-k", "rbf(length_scale=1e-4)"];
    let done = mercer(&args);
    assert_eq!(done.code, 0);
    assert!(done.err.contains("warning: the matrix is close to diagonal"), "{}", done.err);
    assert_eq!(mercer(&[&args[..], &["--strict"]].concat()).code, 1);
    let wide = mercer(&["gram", "iris", "-k", "rbf(length_scale=1e4)"]);
    assert!(wide.err.contains("warning: all points look the same"), "{}", wide.err);
    assert_eq!(mercer(&["gram", "iris", "--strict"]).code, 0);
}

#[test]
fn constant_columns_and_scales_are_warned_of() {
    let folder = Folder::fresh();
    folder.write("a.csv", "one,small,large\n7,0.001,10000\n7,0.002,90000\n7,0.004,20000\n");
    let done = folder.run(&["data", "a.csv"]);
    assert_eq!(done.code, 0);
    snapshot("data_warnings", &done.err);
}

#[test]
fn quiet_says_nothing_but_results() {
    let done = mercer(&["gram", "iris", "-q"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    assert!(done.out.starts_with("iris: "));
}

#[test]
fn a_failed_export_leaves_the_old_file() {
    let folder = Folder::fresh();
    folder.write("K.npy", "old");
    let done = folder.run(&["gram", "penguins", "-o", "K.npy"]);
    assert_eq!(done.code, 2);
    assert_eq!(folder.files(), ["K.npy"]);
    assert_eq!(std::fs::read(folder.path("K.npy")).expect("still there"), b"old");
    std::fs::create_dir(folder.path("folder.npy")).expect("a folder");
    let done = folder.run(&["gram", "iris", "-o", "folder.npy"]);
    assert_eq!(done.code, 2, "{}", done.err);
    assert_eq!(folder.files(), ["K.npy", "folder.npy"]);
}
