//! Support vector machines: fitted, predicted, verified, inspected; and in files of other programs.

use serde_json::Value;

use super::{Done, Folder};

fn good(folder: &Folder, args: &[&str]) -> Done {
    let done = folder.run(args);
    assert_eq!(done.code, 0, "{args:?}: {}{}", done.out, done.err);
    done
}

fn report(folder: &Folder, args: &[&str]) -> Value {
    serde_json::from_str(&good(folder, args).out).expect("JSON")
}

fn fit(folder: &Folder, data: &str, model: &str, more: &[&str]) -> Done {
    let base = ["fit", data, "--model", model, "-k", "rbf", "--no-tune", "--hold-out", "0.3", "-o", "m.mercer"];
    good(folder, &[&base[..], more].concat())
}

#[test]
fn every_machine_is_fitted_predicted_verified_and_inspected() {
    for (data, model) in [("iris", "svc"), ("iris", "nu_svc"), ("wine", "svr"), ("iris", "one_class")] {
        let folder = Folder::fresh();
        let target = if model == "svr" { &["--target", "alcohol"][..] } else { &[] };
        let fitted = fit(&folder, data, model, target);
        assert!(fitted.out.contains(model) && fitted.out.contains("working_sets"), "{}", fitted.out);
        assert!(!fitted.out.contains(" of  "), "{}", fitted.out);
        let predicted = good(&folder, &["predict", "m.mercer", data]);
        assert!(predicted.out.lines().count() > 100, "{}", predicted.out);
        let verified = good(&folder, &["verify", "m.mercer", data]);
        assert!(verified.out.contains("the certificate holds"), "{}", verified.out);
        let inspected = good(&folder, &["inspect", "m.mercer"]).out;
        assert!(inspected.contains("support vectors") && inspected.contains(model), "{inspected}");
        assert_eq!(inspected.contains("without a target"), model == "one_class", "{inspected}");
    }
}

#[test]
fn machines_are_written_for_libsvm_and_read_back() {
    let folder = Folder::fresh();
    let heart = "heart_scale";
    fit(&folder, heart, "svc", &["--no-standardize", "--set", "probability=true"]);
    let exported = good(&folder, &["export", "m.mercer", "-o", "heart.model"]);
    assert!(exported.out.contains("13 columns") && exported.err.is_empty(), "{}{}", exported.out, exported.err);
    let text = std::fs::read_to_string(folder.path("heart.model")).expect("a text");
    assert!(text.starts_with("svm_type c_svc\nkernel_type rbf\n") && text.contains("label -1 1\n"), "{text}");
    good(&folder, &["import", "heart.model", "-o", "again.mercer"]);
    let [was, is] = ["m.mercer", "again.mercer"].map(|model| report(&folder, &["predict", model, heart, "--json"]));
    assert_eq!(was["columns"], is["columns"]);
    for (was, is) in was["rows"].as_array().expect("rows").iter().zip(is["rows"].as_array().expect("rows")) {
        assert_eq!(was[0], is[0]);
        for j in 1..4 {
            let (was, is) = (was[j].as_f64().expect("a number"), is[j].as_f64().expect("a number"));
            assert!((was - is).abs() < 1e-9, "{was} {is}");
        }
    }
    let verified = folder.run(&["verify", "again.mercer", heart]);
    assert!(verified.code == 1 && verified.out.contains("no claim"), "{}{}", verified.out, verified.err);
    assert!(good(&folder, &["inspect", "again.mercer"]).out.contains("sparse rows of 13 columns"));
}

#[test]
fn words_are_numbered_for_libsvm_and_kept_for_onnx() {
    let folder = Folder::fresh();
    fit(&folder, "iris", "svc", &["--no-standardize"]);
    let exported = good(&folder, &["export", "m.mercer", "-o", "iris.libsvm"]);
    assert!(exported.err.contains("0 is `setosa`, 1 is `versicolor`, 2 is `virginica`"), "{}", exported.err);
    let onnx = report(&folder, &["export", "m.mercer", "-o", "iris.onnx", "--json"]);
    assert_eq!((onnx["labels"].is_null(), onnx["notes"].as_array().map(Vec::len)), (true, Some(0)));
    assert!(onnx["columns"].as_array().is_some_and(|c| c.len() == 4), "{onnx}");
    let bytes = std::fs::read(folder.path("iris.onnx")).expect("bytes");
    assert!(bytes.windows(9).any(|part| part == b"virginica"));
    // Rows without names go by the places of their columns.
    good(&folder, &["import", "iris.libsvm"]);
    folder.write("new.csv", "5.1,3.5,1.4,0.2\n6.7,3.0,5.2,2.3\n");
    let answers = report(&folder, &["predict", "iris.mercer", "new.csv", "--no-header", "--json"]);
    assert_eq!((&answers["rows"][0][0], &answers["rows"][1][0]), (&Value::from("0"), &Value::from("2")));
}

#[test]
fn exports_that_would_say_something_else_are_refused() {
    let folder = Folder::fresh();
    let refused = |args: &[&str], words: &str| {
        let done = folder.run(args);
        assert!(done.code == 2 && done.err.contains(words), "{args:?}: {}{}", done.out, done.err);
    };
    fit(&folder, "iris", "svc", &[]);
    refused(&["export", "m.mercer", "-o", "m.onnx"], "standardising");
    refused(&["export", "m.mercer", "-o", "m.txt"], ".onnx");
    refused(&["export", "m.mercer", "-o", "-"], ".onnx");
    refused(&["export", "m.mercer", "-o", "none/m.onnx"], "folder");
    assert!(!folder.path("m.onnx").exists());
    folder.write("there.onnx", "mine");
    refused(&["export", "m.mercer", "-o", "there.onnx"], "--force");
    good(&folder, &["fit", "iris", "-k", "rbf", "--no-tune", "--no-estimate", "--model", "ridge", "-o", "r.mercer"]);
    refused(&["export", "r.mercer", "-o", "r.onnx"], "--no-standardize");
    refused(&["import", "m.mercer", "-o", "other.mercer"], "m.mercer");
    folder.write("bad.model", "svm_type c_svc\n");
    refused(&["import", "bad.model"], "bad.model");
    assert!(!folder.path("bad.mercer").exists());
}
