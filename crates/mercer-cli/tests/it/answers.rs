//! What the commands answer, and that it is what the library answers.

use mercer::data::{Imputer, Inputs, ReadOptions, Standardizer, drop_missing, load, read};
use mercer::gram::dense;
use mercer::{KernelExpr, Run};

use super::{Folder, json, mercer, snapshot};

/// The kernel of a table of numbers and categories, where nobody gives another.
const DEFAULT: &str = "(rbf + 1)*(hamming + 1)";

/// The Gram matrix by the library alone.
fn library(formula: &str, x: &Inputs) -> Vec<f64> {
    let run = Run::new();
    let (expr, _) = KernelExpr::parse(formula).expect("a formula").resolve(x, &run).expect("resolved");
    dense(&expr.bind(x, &run).expect("bound"), &run).expect("computed").into_values()
}

/// All numbers of a file that holds a matrix.
fn matrix(folder: &Folder, name: &str) -> Vec<f64> {
    let data = read(folder.path(name), &ReadOptions::default(), &Run::new()).expect("a readable matrix");
    match &data.inputs {
        Inputs::Dense(x) => x.values().to_vec(),
        Inputs::Table(table) => {
            let columns: Vec<_> = table.iter().map(|(_, c)| c.clone()).collect();
            let value = |i: usize, c: &mercer::data::Column| match c {
                mercer::data::Column::Number(v) => v[i],
                _ => panic!("a matrix of numbers"),
            };
            (0..table.nrows()).flat_map(|i| columns.iter().map(move |c| value(i, c)).collect::<Vec<_>>()).collect()
        }
        other => panic!("{}", other.describe()),
    }
}

#[test]
fn lists_and_descriptions_are_as_stored() {
    snapshot("data_list", &mercer(&["data"]).out);
    snapshot("data_penguins", &mercer(&["data", "penguins"]).out);
    snapshot("data_heart_scale", &mercer(&["data", "heart_scale"]).out);
    snapshot("data_sms_spam", &mercer(&["data", "sms_spam"]).out);
    snapshot("kernel_list", &mercer(&["kernel", "--list"]).out);
    snapshot("kernel_formula", &mercer(&["kernel", "2*rbf(age)*delta(sex) + poly(degree=2, coef0=0!)"]).out);
    let on_data = mercer(&["kernel", "rbf + hamming", "penguins", "--missing", "drop"]);
    snapshot("kernel_penguins", &format!("{}--- standard error\n{}", on_data.out, on_data.err));
}

#[test]
fn the_report_is_as_stored_but_for_the_time() {
    let done = mercer(&["gram", "wine", "--standardize"]);
    assert_eq!(done.code, 0);
    let (first, rest) = done.out.split_once('\n').expect("lines");
    assert!(first.starts_with("wine: 178×178 Gram matrix, computed in "), "{first}");
    snapshot("gram_wine", &format!("{rest}--- standard error\n{}", done.err));
}

#[test]
fn exported_matrices_are_the_library_s_to_the_last_bit() {
    let x = load("iris").expect("iris").inputs;
    let expected = library("rbf + 0.5*linear", &x);
    let folder = Folder::fresh();
    for file in ["K.npy", "K.csv", "K.parquet"] {
        let done = folder.run(&["gram", "iris", "-k", "rbf + 0.5*linear", "-o", file]);
        assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
        assert!(done.err.contains(&format!("wrote {file} (150×150 values")), "{}", done.err);
        assert_eq!(matrix(&folder, file), expected, "{file}");
    }
    assert_eq!(folder.files(), ["K.csv", "K.npy", "K.parquet"]);
}

#[test]
fn single_precision_rounds_once() {
    let expected: Vec<f64> =
        library("rbf", &load("iris").expect("iris").inputs).into_iter().map(|v| f64::from(v as f32)).collect();
    let folder = Folder::fresh();
    for file in ["K.npy", "K.parquet"] {
        assert_eq!(folder.run(&["gram", "iris", "-k", "rbf", "--f32", "-o", file]).code, 0);
        assert_eq!(matrix(&folder, file), expected, "{file}");
    }
    assert!(std::fs::metadata(folder.path("K.npy")).expect("written").len() < 150 * 150 * 4 + 256);
}

#[test]
fn a_small_memory_limit_changes_no_value() {
    let folder = Folder::fresh();
    let args = |limit, file| ["gram", "breast_cancer", "--memory", limit, "-q", "-o", file];
    assert_eq!(folder.run(&args("1GB", "whole.npy")).code, 0);
    assert_eq!(folder.run(&args("2MB", "parts.npy")).code, 0);
    assert_eq!(matrix(&folder, "whole.npy"), matrix(&folder, "parts.npy"));
}

#[test]
fn threads_change_no_value() {
    let folder = Folder::fresh();
    for (threads, file) in [("1", "one.npy"), ("3", "three.npy")] {
        assert_eq!(folder.run(&["gram", "digits", "--threads", threads, "-q", "-o", file]).code, 0);
    }
    let read = |name| std::fs::read(folder.path(name)).expect("written");
    assert!(read("one.npy") == read("three.npy"));
}

#[test]
fn preparation_is_the_library_s() {
    let penguins = load("penguins").expect("penguins");
    let Inputs::Table(table) = &penguins.inputs else { panic!("a table") };
    let standardized = |x: &Inputs| Standardizer::fit(x, None).and_then(|s| s.apply(x)).expect("standardised");
    let filled = Imputer::fit(table, None).and_then(|i| i.apply(table)).expect("filled");
    let folder = Folder::fresh();
    for (policy, inputs) in [("drop", drop_missing(table).0.into()), ("impute", Inputs::from(filled))] {
        let args = ["gram", "penguins", "--missing", policy, "--standardize", "-q", "-o", "K.npy", "--force"];
        assert_eq!(folder.run(&args).code, 0);
        assert_eq!(matrix(&folder, "K.npy"), library(DEFAULT, &standardized(&inputs)), "{policy}");
    }
}

#[test]
fn cross_matrices_use_what_was_learnt_from_the_first_set() {
    let folder = Folder::fresh();
    folder.write("train.csv", "a,b,kind\n1,2,x\n3,5,y\n4,1,x\n0,0,y\n");
    folder.write("test.csv", "kind,b,a\ny,1,1\nz,7,2\n");
    let done = folder.run(&["gram", "train.csv", "--against", "test.csv", "--standardize", "-q", "-o", "K.npy"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let read = |name, options: &ReadOptions| read(folder.path(name), options, &Run::new()).expect("readable").inputs;
    let x = read("train.csv", &ReadOptions::default());
    let y = read("test.csv", &ReadOptions::like(&x));
    let scale = Standardizer::fit(&x, None).expect("fitted");
    let (x, y) = (scale.apply(&x).expect("train"), scale.apply(&y).expect("test"));
    let run = Run::new();
    let (expr, _) = KernelExpr::parse(DEFAULT).expect("a formula").resolve(&x, &run).expect("resolved");
    let expected = dense::<f64>(&expr.bind_cross(&x, &y, &run).expect("bound"), &run).expect("computed");
    assert_eq!(matrix(&folder, "K.npy"), expected.values());
}

#[test]
fn json_of_a_matrix_has_the_library_s_numbers() {
    let report = json(&["gram", "iris", "-k", "rbf", "--json"]);
    assert_eq!(report["schema"], "mercer.gram/1");
    assert_eq!((report["rows"].as_u64(), report["columns"].as_u64()), (Some(150), Some(150)));
    let x = load("iris").expect("iris").inputs;
    let (_, found) = KernelExpr::parse("rbf").expect("rbf").resolve(&x, &Run::new()).expect("resolved");
    assert_eq!(report["resolutions"][0]["value"].as_f64(), Some(found[0].value));
    let k = library("rbf", &x);
    let smallest = k.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(report["pairs"]["min"].as_f64(), Some(smallest));
    assert_eq!(report["verdict"], serde_json::Value::Null);
    let parsed = KernelExpr::parse(report["resolved"].as_str().expect("a formula")).expect("a formula that parses");
    assert!(parsed.is_resolved());
}

#[test]
fn json_of_data_and_kernels_is_versioned() {
    let data = json(&["data", "penguins", "--json"]);
    assert_eq!((data["schema"].as_str(), data["rows"].as_u64()), (Some("mercer.data/1"), Some(344)));
    let sex = &data["summaries"][5];
    assert_eq!((sex["type"].as_str(), sex["missing"].as_u64()), (Some("category"), Some(11)));
    let sets = json(&["data", "--json"]);
    assert_eq!(sets["sets"].as_array().map(Vec::len), Some(mercer::data::shipped().len()));
    let list = json(&["kernel", "--list", "--json"]);
    assert_eq!(list["kernels"].as_array().map(Vec::len), Some(mercer::kernel::Kind::ALL.len()));
    let kernel = json(&["kernel", "rbf(gamma=0.5!)", "--json"]);
    assert_eq!(
        (kernel["parameters"][0]["value"].as_f64(), kernel["parameters"][0]["free"].as_bool()),
        (Some(1.0), Some(false))
    );
    assert_eq!(json(&["kernel", "rbf", "wine", "--json"])["kernels"][0]["columns"].as_array().map(Vec::len), Some(13));
}

#[test]
fn the_target_is_left_out_and_said_so() {
    let note = "note: `species`, the target of `iris`, is left out; keep it with `--no-target`";
    assert!(mercer(&["gram", "iris"]).err.contains(note));
    let kept = json(&["kernel", "delta", "iris", "--no-target", "--json"]);
    assert_eq!(kept["kernels"][0]["columns"][0], "species");
}

#[test]
fn standard_input_and_reader_flags_are_understood() {
    let folder = Folder::fresh();
    let done = with_stdin(&folder, &["data", "-", "--json"], "a;b\n1;x\n2;y\n");
    let report: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    assert_eq!((report["rows"].as_u64(), report["summaries"][1]["name"].as_str()), (Some(2), Some("b")));
    folder.write("odd.txt", "1:2:7\n3:4:-99\n5:6:9\n");
    let args = ["data", "odd.txt", "--delimiter", ":", "--no-header", "--type", "x0=category", "--na", "-99", "--json"];
    let report: serde_json::Value = serde_json::from_str(&folder.run(&args).out).expect("JSON");
    assert_eq!((report["rows"].as_u64(), report["columns"].as_u64()), (Some(3), Some(3)));
    assert_eq!(report["summaries"][0]["type"], "category");
    assert_eq!(report["summaries"][2]["missing"], 1);
}

fn with_stdin(folder: &Folder, args: &[&str], text: &str) -> super::Done {
    use std::io::Write;
    let mut command = folder.command(args);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("written");
    super::Done::from(child.wait_with_output().expect("an answer"))
}

#[test]
fn the_spectrum_is_as_stored_and_the_library_s() {
    let done = mercer(&["gram", "wine", "--standardize", "--spectrum", "-q"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let (_, spectrum) = done.out.split_once("eigenvalues").expect("a spectrum");
    snapshot("gram_spectrum", &format!("eigenvalues{spectrum}"));
    let report = json(&["gram", "iris", "-k", "rbf", "--spectrum", "--json"]);
    let k = library("rbf", &load("iris").expect("iris").inputs);
    let expected = mercer::rkhs::Spectrum::of_values(&k, 150, &Run::new()).expect("decomposes");
    let values: Vec<f64> = report["spectrum"]["eigenvalues"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|v| v.as_f64().expect("a number"))
        .collect();
    assert_eq!(values, expected.values());
    assert_eq!(report["spectrum"]["decay"]["kind"], "exponential");
    let first = &report["spectrum"]["effective_dimension"][0];
    let lambda = first["lambda"].as_f64().expect("a number");
    assert_eq!(first["dimension"].as_f64(), expected.effective_dimension(lambda).ok());
    assert_eq!(json(&["gram", "iris", "--json"])["spectrum"], serde_json::Value::Null);
}

#[test]
fn the_spectrum_and_an_export_go_together() {
    let folder = Folder::fresh();
    let done = folder.run(&["gram", "iris", "-k", "rbf", "--spectrum", "--f32", "-o", "K.npy"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.starts_with("eigenvalues λ̂ = eig(K)/n") && done.err.contains("wrote K.npy"), "{}", done.out);
    assert_eq!(folder.files(), ["K.npy"]);
    let both = folder.run(&["gram", "iris", "--against", "iris", "--spectrum"]);
    assert_eq!(both.code, 2, "a cross matrix has no spectrum");
    let small = folder.run(&["gram", "breast_cancer", "--spectrum", "--memory", "2MB"]);
    assert_eq!(small.code, 2);
    assert!(small.err.contains("needs") && small.err.contains("limit"), "{}", small.err);
}
