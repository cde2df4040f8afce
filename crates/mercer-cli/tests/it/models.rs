//! What is done with a saved model: predictions in files, explanations, verification.

use mercer::Run;
use mercer::data::{Column, ReadOptions, read};
use serde_json::{Value, json};

use super::{Done, Folder};

/// A small data set with a number, a category and text.
fn rows(n: usize) -> String {
    let row = |i: usize| {
        let x = i as f64 / 5.0;
        let kind = ["a, with comma", "b \"quoted\"", "c"][i % 3];
        let y = x.sin() + (i % 3) as f64;
        let words = ["long", "short", "good", "bad", "odd"];
        let text = format!("{} note {i} about {} things", words[i % 5], words[i * i % 4]);
        format!("{x},\"{}\",{text},{y}\n", kind.replace('"', "\"\""))
    };
    format!("x,kind,words,y\n{}", (0..n).map(row).collect::<String>())
}

/// A folder with `data.csv` and a model `m.mercer` of the target.
fn fitted(target: &str, more: &[&str]) -> Folder {
    let folder = Folder::fresh();
    folder.write("data.csv", rows(30));
    let fit = ["fit", "data.csv", "--target", target, "--no-tune", "--no-estimate", "-o", "m.mercer"];
    let done = folder.run(&[&fit[..], more].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    folder
}

fn parsed(done: &Done) -> Value {
    serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {}{}", done.out, done.err))
}

#[test]
fn a_model_is_verified_on_its_training_data() {
    let folder = fitted("y", &[]);
    let done = folder.run(&["verify", "m.mercer", "data.csv"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    for words in ["the certificate holds", "relative residual", "dual objective", "gap", "30 rows"] {
        assert!(done.out.contains(words), "`{words}` is missing:\n{}", done.out);
    }
    let report = parsed(&folder.run(&["verify", "m.mercer", "data.csv", "--json"]));
    assert_eq!((&report["holds"], &report["rows"]), (&json!(true), &json!(30)));
    assert_eq!(report["claimed"]["algorithm"], report["found"]["algorithm"]);
}

#[test]
fn a_shipped_set_with_gaps_and_another_target_is_verified() {
    let folder = Folder::fresh();
    let fit = ["fit", "penguins", "--missing", "drop", "--target", "body_mass_g", "--no-tune", "--no-estimate"];
    assert_eq!(folder.run(&fit).code, 0);
    let done = folder.run(&["verify", "penguins.mercer", "penguins"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(done.out.contains("333 rows"), "{}", done.out);
}

#[test]
fn other_data_and_changed_models_do_not_verify() {
    let folder = fitted("y", &[]);
    folder.write("fewer.csv", rows(29));
    folder.write("moved.csv", rows(30).replacen("\n1,", "\n1.5,", 1));
    for (data, words) in [("fewer.csv", "29 rows count"), ("moved.csv", "row 5 differs")] {
        let done = folder.run(&["verify", "m.mercer", data]);
        assert_eq!(done.code, 1, "{}{}", done.out, done.err);
        assert!(done.out.contains("not the training data") && done.out.contains(words), "{}", done.out);
    }
    let coefficients = changed_coefficient(&std::fs::read(folder.path("m.mercer")).expect("a model"));
    // Damage is seen before anything is computed.
    folder.write("damaged.mercer", &coefficients);
    let done = folder.run(&["verify", "damaged.mercer", "data.csv"]);
    assert!(done.code == 2 && done.err.contains("the file is damaged"), "{}{}", done.out, done.err);
    folder.write("changed.mercer", mercer::save::resealed(&coefficients));
    let done = folder.run(&["verify", "changed.mercer", "data.csv"]);
    assert_eq!(done.code, 1, "{}{}", done.out, done.err);
    assert!(done.out.contains("the claim does not hold"), "{}", done.out);
    folder.write("no_target.csv", "x,kind,words\n1,c,a note\n");
    assert_eq!(folder.run(&["verify", "m.mercer", "no_target.csv"]).code, 2);
}

/// A model file whose first coefficient is larger by a thousandth.
fn changed_coefficient(file: &[u8]) -> Vec<u8> {
    let length = u64::from_le_bytes(file[..8].try_into().expect("8 bytes")) as usize;
    let header: Value = serde_json::from_slice(&file[8..8 + length]).expect("a header");
    let at = 8 + length + header["coefficients"]["data_offsets"][0].as_u64().expect("a place") as usize;
    let old = f64::from_le_bytes(file[at..at + 8].try_into().expect("8 bytes"));
    let mut changed = file.to_vec();
    changed[at..at + 8].copy_from_slice(&(1.001 * old).to_le_bytes());
    changed
}

#[test]
fn the_parts_of_an_explanation_add_up() {
    for target in ["y", "kind"] {
        let folder = fitted(target, &[]);
        let args = ["explain", "m.mercer", "data.csv", "--rows", "2,7-8", "--top", "4", "--json"];
        let report = parsed(&folder.run(&args));
        assert_eq!(report["data_rows"], json!([2, 7, 8]));
        for row in report["rows"].as_array().expect("rows") {
            for (o, parts) in row["parts"].as_array().expect("outputs").iter().enumerate() {
                let shares = parts["points"].as_array().expect("points");
                assert_eq!(shares.len(), 4);
                let number = |v: &Value| v.as_f64().expect("a number");
                let sum = shares.iter().map(|p| number(&p["share"])).sum::<f64>()
                    + number(&parts["others"])
                    + number(&parts["intercept"]);
                assert!((sum - number(&row["values"][o])).abs() < 1e-9, "{row}");
            }
        }
    }
}

#[test]
fn what_columns_add_leads_from_the_mean_to_the_prediction() {
    for target in ["y", "kind"] {
        let folder = fitted(target, &[]);
        let report = parsed(&folder.run(&["explain", "m.mercer", "data.csv", "--rows", "0-4", "--json"]));
        let number = |v: &Value| v.as_f64().expect("a number");
        for row in report["rows"].as_array().expect("rows") {
            let answers = row["answers"].as_array().expect("answers");
            for (o, answer) in answers.iter().enumerate() {
                let effects = row["effects"].as_array().expect("effects");
                assert_eq!(effects.len(), 3);
                let added: f64 = effects.iter().map(|e| number(&e["values"][o])).sum();
                assert!((number(&report["mean"][o]) + added - number(answer)).abs() < 1e-9, "{row}");
            }
            // The rows are those of training, so that each is most like itself.
            assert!((number(&row["nearest"][0]["similarity"]) - 1.0).abs() < 1e-9, "{row}");
        }
    }
}

#[test]
fn predictions_go_with_columns() {
    let folder = fitted("y", &[]);
    let done = folder.run(&["explain", "m.mercer", "data.csv", "--global", "--plot", "columns.svg"]);
    assert_eq!(done.code, 0, "{}", done.err);
    for words in ["how predictions go with the columns", "largest", "drawn to columns.svg"] {
        assert!(done.out.contains(words), "`{words}` is missing:\n{}", done.out);
    }
    let svg = std::fs::read_to_string(folder.path("columns.svg")).expect("the picture");
    assert!(svg.contains("By x") && svg.contains("By kind"));
    let report = parsed(&folder.run(&["explain", "m.mercer", "data.csv", "--global", "--json"]));
    assert_eq!(report["dependence"].as_array().map(Vec::len), Some(2), "text has no places");
}

#[test]
fn a_model_is_scored_on_new_rows() {
    let folder = Folder::fresh();
    folder.write("data.csv", rows(40));
    let fit = ["fit", "data.csv", "--no-tune", "--cv", "3", "-o", "m.mercer", "--target"];
    for (target, words) in [
        ("y", &["RMSE", "mean of predicted − true", "the fit expected RMSE"][..]),
        ("kind", &["accuracy", "Brier score", "precision", "the fit expected accuracy"]),
    ] {
        let done = folder.run(&[&fit[..], &[target]].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        let done = folder.run(&["score", "m.mercer", "data.csv", "--plot", "s.svg"]);
        assert_eq!(done.code, 0, "{}", done.err);
        for words in words.iter().chain(&["±", "drawn to s.svg"]) {
            assert!(done.out.contains(words), "`{words}` is missing:\n{}", done.out);
        }
        let shown = folder.run(&["inspect", "m.mercer"]).out;
        for words in ["error on rows that chose nothing", "linear model", "what the columns are worth", "±"] {
            assert!(shown.contains(words), "`{words}` is missing:\n{shown}");
        }
    }
    let report = parsed(&folder.run(&["score", "m.mercer", "data.csv", "--json"]));
    let (rows, predicted) = (40, parsed(&folder.run(&["predict", "m.mercer", "data.csv", "--json"])));
    let truth = |i: usize| ["a, with comma", "b \"quoted\"", "c"][i % 3];
    let right = (0..rows).filter(|i| predicted["rows"][*i][0] == truth(*i)).count();
    assert_eq!(report["scores"]["classification"]["accuracy"], json!(right as f64 / rows as f64));
    folder.write("bare.csv", "x,words\n1,a note\n");
    let done = folder.run(&["score", "m.mercer", "bare.csv"]);
    assert!(done.code == 2 && done.err.contains("`kind`"), "{}", done.err);
}

#[test]
fn a_kernel_that_needs_a_repair_is_told_so_and_repaired() {
    let folder = Folder::fresh();
    folder.write("data.csv", rows(40));
    let fit = [
        "fit",
        "data.csv",
        "--target",
        "y",
        "--kernel",
        "sigmoid(x, gamma=0.5, coef0=-1)",
        "--model",
        "ridge",
        "--no-tune",
        "-o",
        "m.mercer",
    ];
    let done = folder.run(&fit);
    assert!(done.code != 0 && done.err.contains("repair"), "{} {}", done.code, done.err);
    let done = folder.run(&[&fit[..9], &["--repair", "clip", "-o", "m.mercer"]].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("kernel values were repaired by clip"), "{}", done.out);
    assert!(folder.run(&["inspect", "m.mercer"]).out.contains("repaired by clip"));
    assert_eq!(folder.run(&["verify", "m.mercer", "data.csv"]).code, 0);
    assert_eq!(folder.run(&["predict", "m.mercer", "data.csv", "-o", "p.csv"]).code, 0);
    let done = folder.run(&["fit", "data.csv", "--target", "y", "--repair", "clip"]);
    assert!(done.code == 2 && done.err.contains("--kernel"), "{}", done.err);
}

#[test]
fn an_explanation_reads_well() {
    let folder = fitted("y", &[]);
    let done = folder.run(&["explain", "m.mercer", "data.csv"]);
    assert_eq!(done.code, 0, "{}", done.err);
    for words in
        ["row 0: y = ", "the mean prediction", "adds", "similarity", "a standard deviation", "without the text"]
    {
        assert!(done.out.contains(words), "`{words}` is missing:\n{}", done.out);
    }
    assert!(done.err.contains("the first 3 of 30 rows"), "{}", done.err);
    for rows in ["30", "x", "3-1"] {
        let done = folder.run(&["explain", "m.mercer", "data.csv", "--rows", rows]);
        assert_eq!(done.code, 2, "{rows}: {}", done.err);
    }
}

#[test]
fn predictions_are_written_to_files() {
    let folder = fitted("kind", &[]);
    let rows = parsed(&folder.run(&["predict", "m.mercer", "data.csv", "--json"]));
    let stdout = folder.run(&["predict", "m.mercer", "data.csv"]).out;
    for file in ["p.csv", "p.parquet"] {
        let done = folder.run(&["predict", "m.mercer", "data.csv", "--out", file]);
        assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
        let table =
            read(folder.path(file), &ReadOptions::default(), &Run::new()).and_then(|d| d.table()).expect("a table");
        assert_eq!(json!(table.names()), rows["columns"]);
        for i in 0..30 {
            for (j, (_, column)) in table.iter().enumerate() {
                let cell: Value = match column {
                    Column::Number(v) => v[i].into(),
                    Column::Category(c) => c.get(i).into(),
                    _ => panic!("numbers and classes"),
                };
                assert_eq!(cell, rows["rows"][i][j], "{file}");
            }
        }
    }
    assert_eq!(std::fs::read_to_string(folder.path("p.csv")).expect("text"), stdout);
    assert!(stdout.contains("\"a, with comma\"") && stdout.contains("\"b \"\"quoted\"\"\""), "{stdout}");
    folder.write("p.xlsx", "old");
    assert_eq!(folder.run(&["predict", "m.mercer", "data.csv", "--out", "p.xlsx"]).code, 2);
    assert_eq!(std::fs::read(folder.path("p.xlsx")).expect("still there"), b"old");
    assert_eq!(folder.files(), ["data.csv", "m.mercer", "p.csv", "p.parquet", "p.xlsx"], "nothing else is left");
}

/// Two rows do not tell what a column is; the model does.
#[test]
fn columns_are_read_as_in_training() {
    let folder = Folder::fresh();
    let codes: String = (0..20).map(|i| format!("{},{}\n", ["1", "2", "x"][i % 3], i)).collect();
    folder.write("codes.csv", format!("code,y\n{codes}"));
    assert_eq!(folder.run(&["fit", "codes.csv", "--target", "y", "--no-estimate"]).code, 0);
    folder.write("new.csv", "code\n1\n2\n");
    let done = folder.run(&["predict", "codes.mercer", "new.csv"]);
    assert_eq!((done.code, done.out.lines().count()), (0, 3), "{}", done.err);
}

#[test]
fn the_kind_of_model_is_chosen_and_recorded() {
    for (asked, more) in [("auto", &[][..]), ("ridge", &["--model", "ridge"])] {
        let folder = fitted("y", more);
        let model = parsed(&folder.run(&["inspect", "m.mercer", "--json"]));
        assert_eq!((&model["learner"], &model["about"]["learner_asked_for"]), (&json!("ridge"), &json!(asked)));
    }
    let done = Folder::fresh().run(&["fit", "iris", "--model", "rigde"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("the nearest is `ridge`"), "{}", done.err);
    let done = Folder::fresh().run(&["fit", "iris", "--model", "oracle"]);
    assert!(done.err.contains("one of auto, ridge"), "{}", done.err);
    assert!(done.err.contains("`mercer embed` has kernel_pca"), "{}", done.err);
}

#[test]
fn models_without_a_target_are_sent_to_their_commands() {
    for (model, words) in [
        ("kernel_pca", "see `mercer embed`"),
        ("kernel_k_means", "see `mercer cluster`"),
        ("spectral", "see `mercer cluster`"),
        ("kernel_cca", "two inputs"),
    ] {
        for command in [&["fit", "iris"][..], &["tune", "iris", "--grid", "C=1,2"]] {
            let done = Folder::fresh().run(&[command, &["--model", model]].concat());
            assert_eq!(done.code, 2, "{}", done.err);
            assert!(done.err.contains(words), "{}", done.err);
        }
    }
    let help = Folder::fresh().run(&["fit", "--help"]).out;
    let list = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(list.contains("svc (") && list.contains("one_class ("), "{list}");
    assert!(!list.contains("kernel_pca") && !list.contains("spectral (") && list.contains("`mercer embed`"), "{list}");
}

#[test]
fn odd_data_are_explained() {
    let folder = Folder::fresh();
    folder.write("same.csv", "x,y\n1,5\n2,5\n3,5\n");
    folder.write("one.csv", "x,y\n1,5\n");
    folder.write("bare.csv", "y\n1\n2\n3\n4\n");
    folder.write("infinite.csv", "x,y\n1,5\ninf,6\n3,7\n4,8\n");
    folder.write("gaps.csv", "x,y\n1,5\n,6\n3,7\n4,8\n");
    for (file, words) in [
        ("same.csv", "5 in every row"),
        ("one.csv", "row"),
        ("bare.csv", "at least 1 column"),
        ("infinite.csv", "infinite"),
        ("gaps.csv", "missing"),
    ] {
        let done = folder.run(&["fit", file, "--target", "y", "--no-estimate"]);
        assert_eq!(done.code, 2, "{file}: {}{}", done.out, done.err);
        assert!(done.err.contains(words) && !done.err.contains("defect"), "{file}: {}", done.err);
    }
    let line: String = (0..12).map(|i| format!("{0},{0},k{1},{2}\n", i / 2, i % 2, i)).collect();
    folder.write("twice.csv", format!("x,copy,kind,y\n{line}"));
    for alpha in ["0", "1"] {
        let done = folder.run(&["fit", "twice.csv", "--target", "y", "--alpha", alpha, "--cv", "2"]);
        assert_eq!(done.code, 0, "{}", done.err);
    }
    let copied: String = (0..12).map(|i| format!("{i},{i},{i}\n")).collect();
    folder.write("copied.csv", format!("x,copy,y\n{copied}"));
    let done = folder.run(&["fit", "copied.csv", "--target", "y", "--no-estimate"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("`copy` equals the target"), "{}", done.err);
    folder.write("new.csv", "x,copy,kind\n1,1,zebra\n");
    let done = folder.run(&["predict", "twice.mercer", "new.csv"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("unseen in training (`zebra`)"), "{}", done.err);
    folder.write("gap.csv", "x,copy,kind\n1,,k0\n");
    let done = folder.run(&["predict", "twice.mercer", "gap.csv"]);
    assert_eq!((done.code, done.out.as_str()), (0, "y\n\"\"\n"), "{}", done.err);
    assert!(done.err.contains("no answer for 1 of 1 row (row 0, counted from 0): missing 1 in `copy`"), "{}", done.err);
    let done = folder.run(&["explain", "twice.mercer", "gap.csv"]);
    assert!(
        done.code == 2 && done.err.contains("fill the values") && !done.err.contains("--missing drop"),
        "{}",
        done.err
    );
    folder.write("new.csv", "x,kind\n1,k0\n");
    let done = folder.run(&["predict", "twice.mercer", "new.csv"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("`copy`"), "{}", done.err);
}

#[test]
fn classes_have_probabilities_that_add_up() {
    let folder = fitted("kind", &["--model", "logistic"]);
    let rows = parsed(&folder.run(&["predict", "m.mercer", "data.csv", "--json"]));
    let columns: Vec<&str> = rows["columns"].as_array().expect("names").iter().filter_map(Value::as_str).collect();
    let shares: Vec<usize> = (0..columns.len()).filter(|j| columns[*j].starts_with("p_")).collect();
    assert_eq!(shares.iter().map(|j| columns[*j]).collect::<Vec<_>>(), ["p_a, with comma", "p_b \"quoted\"", "p_c"]);
    for row in rows["rows"].as_array().expect("rows") {
        let p: Vec<f64> = shares.iter().map(|j| row[j].as_f64().expect("a number")).collect();
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12 && p.iter().all(|p| *p > 0.0), "{row}");
        let most = (0..3).fold(0, |m, j| if p[j] > p[m] { j } else { m });
        assert_eq!(row[0].as_str().map(|class| format!("p_{class}")).as_deref(), Some(columns[shares[most]]));
    }
    let inspected = folder.run(&["inspect", "m.mercer"]).out;
    assert!(inspected.contains("logistic") && inspected.contains("newton"), "{inspected}");
    let verified = folder.run(&["verify", "m.mercer", "data.csv"]);
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    assert!(verified.out.contains("dual objective") && verified.out.contains("gap"), "{}", verified.out);
    let explained = folder.run(&["explain", "m.mercer", "data.csv", "--rows", "4"]);
    assert!(
        explained.code == 0 && explained.out.contains("P(b \"quoted\") = 0."),
        "{}{}",
        explained.out,
        explained.err
    );
}

#[test]
fn losses_are_chosen_by_name() {
    let with = ["--loss", "pinball", "--loss-parameter", "0.9"];
    let folder = fitted("y", &with);
    let done = folder.run(&["verify", "m.mercer", "data.csv"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let model = parsed(&folder.run(&["inspect", "m.mercer", "--json"]));
    assert_eq!(
        (&model["learner"], &model["settings"]["loss"]),
        (&json!("regressor"), &json!({"name": "pinball", "quantile": 0.9}))
    );
    // Nine in ten of the training rows lie below the quantile of 0.9, but for those on the curve.
    let rows = parsed(&folder.run(&["predict", "m.mercer", "data.csv", "--json"]));
    let truth = |i: usize| (i as f64 / 5.0).sin() + (i % 3) as f64;
    let predicted = |i: usize| rows["rows"][i][0].as_f64().expect("a number");
    let below = (0..30).filter(|i| truth(*i) <= predicted(*i) + 1e-6).count();
    assert!((26..=30).contains(&below), "{below} of 30");
    let folder = Folder::fresh();
    for (args, words) in [
        (&["--loss", "hubber"][..], "the nearest is `huber`"),
        (&["--loss", "hinge", "--loss-parameter", "1"], "it has none"),
        (&["--loss", "pinball"], "a loss of classes"),
        (&["--model", "ridge", "--loss", "hinge"], "one of its settings"),
        (&["--model", "regressor"], "ridge, logistic, classifier"),
        (&["--loss-parameter", "1"], "--loss"),
    ] {
        let done = folder.run(&[&["fit", "iris", "--no-estimate", "--no-tune"], args].concat());
        assert_eq!(done.code, 2, "{args:?}: {}{}", done.out, done.err);
        assert!(done.err.contains(words), "{args:?}: {}", done.err);
    }
}
