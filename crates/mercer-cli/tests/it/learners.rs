//! The learners and choices of `mercer fit` beyond the usual ones: processes, filters, quantiles, weights.

use serde_json::{Value, json};

use super::{Done, Folder};

/// sin(2x) with some noise, a category, and weights 0, 1, 2.
fn rows(n: usize) -> String {
    let row = |i: usize| {
        let x = 4.0 * ((i * 37) % n) as f64 / n as f64;
        let noise = ((i * 7919) % 101) as f64 / 101.0 - 0.5;
        let kind = if i.is_multiple_of(2) { "even" } else { "odd" };
        let third = ["a", "b", "c"][(x as usize).min(2)];
        format!("{x},{kind},{third},{},{}\n", i % 3, (2.0 * x).sin() + 0.4 * noise)
    };
    format!("x,kind,third,times,y\n{}", (0..n).map(row).collect::<String>())
}

fn folder() -> Folder {
    let folder = Folder::fresh();
    folder.write("data.csv", rows(60));
    folder
}

/// Fits `data.csv` to `m.mercer` without its helper columns.
fn fit(folder: &Folder, target: &str, more: &[&str]) -> Done {
    let others = if target == "y" { "x,y,times" } else { "x,third,times" };
    let base = ["fit", "data.csv", "--target", target, "--columns", others, "-o", "m.mercer"];
    let done = folder.run(&[&base[..], more].concat());
    assert_eq!(done.code, 0, "{more:?}: {}{}", done.out, done.err);
    done
}

fn parsed(done: &Done) -> Value {
    serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {}{}", done.out, done.err))
}

fn holds(folder: &Folder, words: &str) {
    let done = folder.run(&["verify", "m.mercer", "data.csv"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(done.out.contains(words), "`{words}` is missing:\n{}", done.out);
}

#[test]
fn a_process_reports_its_evidence_and_gives_bounds() {
    let folder = folder();
    let done = fit(&folder, "y", &["--model", "gp", "--cv", "3", "--weights", "times"]);
    let words =
        ["log evidence", "noise of standard deviation", "chosen by the evidence", "parameters found by", "evidences"];
    for words in words.into_iter().chain([".length_scale", "(K + alpha/w)", "rows weighted by times"]) {
        assert!(done.out.contains(words), "`{words}` is missing:\n{}", done.out);
    }
    assert!(done.out.contains("of the standardised target"), "{}", done.out);
    assert!(!done.out.contains("λ"), "alpha is a variance here:\n{}", done.out);
    holds(&folder, "log evidence");
    let bounds = folder.run(&["predict", "m.mercer", "data.csv", "--interval", "0.9"]);
    assert!(bounds.out.starts_with("y,y_low,y_high\n"), "{}", bounds.out);
    assert!(bounds.err.contains("√(posterior variance + noise)"), "{}", bounds.err);
    let report = parsed(&folder.run(&["predict", "m.mercer", "data.csv", "--interval", "0.9", "--json"]));
    assert!(report["notes"][0]["sentence"].as_str().is_some_and(|n| n.contains("90 %")), "{report}");
    let inspected = folder.run(&["inspect", "m.mercer"]).out;
    assert!(inspected.contains("gp") && inspected.contains("log evidence"), "{inspected}");
    let explained = folder.run(&["explain", "m.mercer", "data.csv", "--rows", "4"]);
    assert!(explained.code == 0 && explained.out.contains("most like it"), "{}{}", explained.out, explained.err);
}

#[test]
fn the_json_of_a_process_has_its_parameters() {
    let folder = folder();
    let done =
        fit(&folder, "y", &["--model", "gp", "--no-estimate", "-k", "1*rbf(length_scale=1 in [0.9, 1.1])", "--json"]);
    let report = parsed(&done);
    let process = &report["process"];
    assert_eq!(report["learner"], "gp");
    assert_eq!(process["parameters"][0]["name"], "scale");
    assert_eq!(report["tuned"]["starts"].as_array().map(Vec::len), Some(3));
    assert_eq!(report["at_bounds"], json!(["rbf.length_scale"]));
    assert!(report["warnings"][0].as_str().is_some_and(|w| w.contains("rbf.length_scale")), "{report}");
    assert!(process["noise"].as_f64() > Some(0.0) && process["log_evidence"].is_number(), "{report}");
    assert_eq!(report["certificates"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_process_of_classes_has_probabilities() {
    let folder = folder();
    let done = fit(&folder, "third", &["--model", "gp", "--no-tune", "--cv", "2", "-k", "4*rbf(length_scale=1)"]);
    assert!(done.out.contains("Laplace's approximation, summed over the classes"), "{}", done.out);
    assert!(done.out.contains("log-loss"), "{}", done.out);
    let rows = parsed(&folder.run(&["predict", "m.mercer", "data.csv", "--json"]));
    for (j, name) in ["p_a", "p_b", "p_c"].into_iter().enumerate() {
        assert_eq!(rows["columns"][4 + j], name);
    }
    for row in rows["rows"].as_array().expect("rows") {
        let p: f64 = (4..7).map(|j| row[j].as_f64().expect("a number")).sum();
        assert!((p - 1.0).abs() < 1e-12, "{row}");
    }
    holds(&folder, "log evidence");
    let refused = folder.run(&["predict", "m.mercer", "data.csv", "--interval", "0.9"]);
    assert!(refused.code == 2 && refused.err.contains("probabilities"), "{}", refused.err);
    let explained = parsed(&folder.run(&["explain", "m.mercer", "data.csv", "--rows", "0-59", "--json"]));
    assert_eq!(explained["rows"].as_array().map(Vec::len), Some(60));
}

#[test]
fn filters_are_chosen_by_name() {
    let folder = folder();
    for (name, words) in [
        ("tikhonov", "qualification 1"),
        ("cut_off", "no limit to its qualification"),
        ("landweber", "step_size = "),
        ("iterated_tikhonov", "qualification 2"),
        ("nu_method", "qualification 1"),
    ] {
        let done = fit(&folder, "y", &["--filter", name, "--no-estimate", "--no-tune"]);
        assert!(done.out.contains(&format!("filter, {name}")) && done.out.contains(words), "{}", done.out);
        holds(&folder, "the certificate holds");
        assert!(folder.run(&["inspect", "m.mercer"]).out.contains(name));
    }
    let done = fit(&folder, "y", &["--filter", "nu_method", "--filter-order", "1.5", "--no-estimate", "--no-tune"]);
    assert!(done.out.contains("qualification 1.5") && done.out.contains("iterations = "), "{}", done.out);
}

#[test]
fn quantiles_are_columns() {
    let folder = folder();
    let done = fit(&folder, "y", &["--loss", "pinball", "--quantiles", "0.1,0.5,0.9", "--cv", "2"]);
    for words in ["quantiles of y", "0.1, 0.5, 0.9", "pinball loss", "coverage, of 80 %", "quantiles of the target"] {
        assert!(done.out.contains(words), "`{words}` is missing:\n{}", done.out);
    }
    let rows = parsed(&folder.run(&["predict", "m.mercer", "data.csv", "--json"]));
    assert_eq!(rows["columns"], json!(["q0.1", "q0.5", "q0.9"]));
    for row in rows["rows"].as_array().expect("rows") {
        let q: Vec<f64> = (0..3).map(|k| row[k].as_f64().expect("a number")).collect();
        assert!(q[0] <= q[1] && q[1] <= q[2], "{row}");
    }
    holds(&folder, "the certificate holds");
    let model = parsed(&folder.run(&["inspect", "m.mercer", "--json"]));
    assert_eq!(model["learner"], "quantiles");
    assert_eq!(model["settings"]["quantiles"], json!([0.1, 0.5, 0.9]));
    assert_eq!(model["settings"]["non_crossing"], true);
    // Whether they are sorted is said in the same words by the flag and by the setting; either alone asks for quantiles.
    for flag in [&["--non-crossing=false"][..], &["--set", "non_crossing=false"]] {
        fit(&folder, "y", &[flag, &["--alpha", "1", "--no-tune", "--no-estimate"]].concat());
        let model = parsed(&folder.run(&["inspect", "m.mercer", "--json"]));
        assert_eq!((&model["learner"], &model["settings"]["non_crossing"]), (&json!("quantiles"), &json!(false)));
    }
}

#[test]
fn quantiles_are_calibrated() {
    let folder = folder();
    fit(&folder, "y", &["--quantiles", "0.1,0.9", "--alpha", "0.01", "--no-tune", "--no-estimate"]);
    let before = parsed(&folder.run(&["predict", "m.mercer", "data.csv", "--json"]));
    let chosen = ["--quantiles", "0.1,0.9", "--alpha", "0.01", "--no-tune", "--no-estimate", "--calibrate"];
    let done = fit(&folder, "y", &chosen);
    assert!(done.out.contains("calibrated by 5 folds"), "{}", done.out);
    let after = parsed(&folder.run(&["predict", "m.mercer", "data.csv", "--json"]));
    let width = |rows: &Value| {
        let rows = rows["rows"].as_array().expect("rows");
        rows.iter().map(|r| r[1].as_f64().expect("a number") - r[0].as_f64().expect("a number")).sum::<f64>()
    };
    assert!(width(&after) > width(&before), "{} {}", width(&after), width(&before));
    holds(&folder, "the certificate holds");
    assert!(folder.run(&["inspect", "m.mercer"]).out.contains("shifted by"));
    for flag in [&["--calibrate"][..], &["--set", "calibrate=true"]] {
        fit(&folder, "y", &[flag, &["--alpha", "1", "--no-tune", "--no-estimate"]].concat());
        let model = parsed(&folder.run(&["inspect", "m.mercer", "--json"]));
        assert_eq!((&model["learner"], &model["settings"]["calibrate"]), (&json!("quantiles"), &json!(true)));
    }
}

#[test]
fn weights_are_repetitions() {
    let folder = folder();
    fit(&folder, "y", &["--model", "ridge", "--alpha", "0.1", "--no-tune", "--no-estimate", "--weights", "times"]);
    let weighted = folder.run(&["predict", "m.mercer", "data.csv"]).out;
    holds(&folder, "40 rows");
    let repeated: Vec<String> = rows(60)
        .lines()
        .skip(1)
        .flat_map(|line| vec![line.to_owned(); line.split(',').nth(3).and_then(|t| t.parse().ok()).unwrap_or(0)])
        .collect();
    folder.write("many.csv", format!("x,kind,third,times,y\n{}\n", repeated.join("\n")));
    let many =
        ["fit", "many.csv", "--target", "y", "--columns", "x,y", "--model", "ridge", "--alpha", "0.1", "--no-tune"];
    assert_eq!(folder.run(&[&many[..], &["--no-estimate", "-o", "n.mercer"]].concat()).code, 0);
    let expected = folder.run(&["predict", "n.mercer", "data.csv"]).out;
    for (a, b) in weighted.lines().zip(expected.lines()).skip(1) {
        let (a, b): (f64, f64) = (a.parse().expect("a number"), b.parse().expect("a number"));
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
}

#[test]
fn a_stochastic_descent_is_verified_by_what_can_be_seen() {
    let folder = folder();
    fit(&folder, "y", &["--model", "sgd", "--no-estimate", "--no-tune"]);
    holds(&folder, "mean loss");
    let inspected = folder.run(&["inspect", "m.mercer"]).out;
    for words in ["passes", "mean loss", "norm", "rows seen"] {
        assert!(inspected.contains(words), "`{words}` is missing:\n{inspected}");
    }
    folder.write("moved.csv", rows(60).replacen("even", "odd", 1).replacen("\n0,", "\n0.25,", 1));
    let done = folder.run(&["verify", "m.mercer", "moved.csv"]);
    assert!(done.code == 1 && done.out.contains("not the training data"), "{}{}", done.out, done.err);
}

#[test]
fn what_does_not_fit_is_explained() {
    let folder = folder();
    folder.write("bad.csv", "x,w,u,v,y\n1,-1,0,a,1\n2,1,0,b,2\n3,1,0,a,3\n4,1,0,c,5\n");
    folder.write("gap.csv", "x,w,y\n1,,1\n2,1,2\n3,1,3\n4,1,5\n");
    folder.write("same.csv", "x,y,c\n1,5,a\n2,5,a\n3,5,a\n4,5,a\n");
    folder.write("one.csv", "x,y\n1,5\n");
    for (args, words) in [
        (&["fit", "bad.csv", "--target", "y", "--weights", "w"][..], "-1 at row 0"),
        (&["fit", "bad.csv", "--target", "y", "--weights", "u"], "only zeros"),
        (&["fit", "bad.csv", "--target", "y", "--weights", "v"], "numbers ≥ 0"),
        (&["fit", "bad.csv", "--target", "y", "--weights", "ww"], "`w`"),
        (&["fit", "bad.csv", "--target", "y", "--weights", "y"], "`y` is the target"),
        (&["fit", "gap.csv", "--target", "y", "--weights", "w"], "NaN at row 0"),
        (&["fit", "data.csv", "--target", "y", "--model", "sgd", "--weights", "times"], "`weights` of the model `sgd`"),
        (&["fit", "data.csv", "--target", "y", "--quantiles", "0.1,1.5"], "1.5"),
        (&["fit", "data.csv", "--target", "y", "--quantiles", "-0.1"], "-0.1"),
        (&["fit", "data.csv", "--target", "y", "--quantiles", "0.9,0.1"], "larger than the one before"),
        (&["fit", "data.csv", "--target", "y", "--quantiles", "0.9", "--loss", "huber"], "`huber` has no quantiles"),
        (&["fit", "data.csv", "--target", "y", "--quantiles", "0.9", "--model", "ridge"], "ridge"),
        (&["fit", "data.csv", "--target", "third", "--quantiles", "0.9"], "settings of one model"),
        (&["fit", "data.csv", "--target", "y", "--non-crossing=perhaps"], "perhaps"),
        (&["fit", "data.csv", "--target", "y", "--calibrate", "--model", "ridge"], "`calibrate`"),
        (&["fit", "data.csv", "--target", "y", "--model", "sgd", "--set", "passes=0"], "`passes` of the model `sgd`"),
        (&["fit", "data.csv", "--target", "y", "--model", "gp", "--set", "tuning=null"], "got null"),
        (&["fit", "data.csv", "--target", "y", "--filter", "landwebber"], "the nearest is `landweber`"),
        (&["fit", "data.csv", "--target", "y", "--filter", "tikhonov", "--filter-order", "2"], "left out"),
        (&["fit", "data.csv", "--target", "y", "--filter", "iterated_tikhonov", "--filter-order", "0"], "whole number"),
        (&["fit", "data.csv", "--target", "y", "--filter", "nu_method", "--filter-order", "-1"], "above 0"),
        (&["fit", "data.csv", "--target", "y", "--filter", "tikhonov", "--model", "gp"], "one of its settings"),
        (&["fit", "data.csv", "--target", "y", "--filter", "landweber", "--alpha", "1"], "it has none"),
        (&["fit", "data.csv", "--target", "y", "--model", "gp", "--alpha", "-1"], "alpha"),
        (&["fit", "data.csv", "--target", "third", "--model", "gp", "--alpha", "1"], "it has none"),
        (&["fit", "data.csv", "--target", "y", "--model", "gp", "--loss", "huber"], "one of its settings"),
        (&["fit", "same.csv", "--target", "y", "--model", "gp"], "5 in every row"),
        (&["fit", "same.csv", "--target", "c", "--model", "gp"], "`a` in every row"),
        (&["fit", "one.csv", "--target", "y", "--model", "gp"], "row"),
    ] {
        let done = folder.run(args);
        assert_eq!(done.code, 2, "{args:?}: {}{}", done.out, done.err);
        assert!(done.err.contains(words) && !done.err.contains("defect"), "{args:?}: {}", done.err);
    }
}
