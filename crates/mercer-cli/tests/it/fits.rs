//! `mercer fit`, `predict` and `inspect`: the main job from a terminal.

use super::Folder;

fn json(folder: &Folder, args: &[&str]) -> serde_json::Value {
    let done = folder.run(args);
    serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{args:?}: {e}: {}{}", done.out, done.err))
}

#[test]
fn a_file_becomes_a_model_that_predicts() {
    let folder = Folder::fresh();
    let fit = ["fit", "penguins", "--missing", "drop", "--target", "body_mass_g", "--cv", "3", "-o", "mass.mercer"];
    let done = folder.run(&fit);
    assert_eq!(done.code, 0, "{}", done.err);
    for words in ["regression of body_mass_g from 333 rows", "positive definite", "linear model", "relative residual"] {
        assert!(done.out.contains(words), "`{words}` is missing:\n{}", done.out);
    }
    folder.write(
        "new.csv",
        "species,island,bill_length_mm,bill_depth_mm,flipper_length_mm,sex,year\n\
         Adelie,Torgersen,39.1,18.7,181,male,2007\nGentoo,Biscoe,50,15,230,male,2008\n",
    );
    let rows = json(&folder, &["predict", "mass.mercer", "new.csv", "--interval", "0.9", "--json"]);
    assert_eq!(rows["columns"], serde_json::json!(["body_mass_g", "body_mass_g_low", "body_mass_g_high"]));
    let row = |i: usize, j: usize| rows["rows"][i][j].as_f64().expect("a number");
    for (i, plausible) in [(0, 3300.0..4400.0), (1, 5000.0..6200.0)] {
        assert!(plausible.contains(&row(i, 0)), "{rows}");
        assert!(row(i, 1) < row(i, 0) && row(i, 0) < row(i, 2), "{rows}");
    }
    let csv = folder.run(&["predict", "mass.mercer", "new.csv"]);
    assert_eq!(csv.out.lines().count(), 3, "{}", csv.out);
    assert!(csv.out.starts_with("body_mass_g\n"));
    let inspected = json(&folder, &["inspect", "mass.mercer", "--json"]);
    assert_eq!(inspected["targets"], serde_json::json!(["body_mass_g"]));
    assert_eq!(inspected["points"], 333);
}

#[test]
fn truths_are_numbers_and_unread_columns_are_named() {
    let folder = Folder::fresh();
    let mut file = String::from("member,size,city,note,y\n");
    for i in 0..60 {
        let (member, size) = (i % 3 == 0, f64::from(i * 7 % 13));
        let city = ["Rome", "Oslo"][i as usize % 2];
        file += &format!("{member},{size},{city},row number {i},{}\n", size + if member { 20.0 } else { 0.0 });
    }
    folder.write("members.csv", file);
    let fit = ["fit", "members.csv", "--target", "y", "-k", "rbf", "--cv", "3", "-o", "m.mercer"];
    let done = folder.run(&fit);
    assert_eq!(done.code, 0, "{}", done.err);
    let warning = "no part of the kernel reads the columns `city` (category), `note` (text): \
                   add `hamming(city)` and `ngram(note)`, or leave them out";
    assert_eq!(done.err.matches(warning).count(), 1, "once a fit: {}", done.err);
    let report = json(&folder, &[&fit[..], &["--json"]].concat());
    assert!(report["warnings"].to_string().contains("`city` (category)"), "{report}");
    assert!(report["estimate"]["model"]["regression"]["r2"].as_f64() > Some(0.95), "{report}");
    // One row does not tell what its columns are.
    folder.write("new.csv", "member,size,city,note\nTRUE,4,Rome,x\n");
    let rows = json(&folder, &["predict", "m.mercer", "new.csv", "--json"]);
    let predicted = rows["rows"][0][0].as_f64().expect("a number");
    assert!((predicted - 24.0).abs() < 1.5, "{rows}");
    let chosen = folder.run(&["fit", "members.csv", "--target", "y", "-k", "rbf(member, size)", "--no-estimate"]);
    assert!(!chosen.err.contains("no part"), "columns that are named were chosen: {}", chosen.err);
    let gram = folder.run(&["gram", "members.csv", "-k", "hamming"]);
    assert!(gram.err.contains("reads the columns `size` (number), `note` (text), `y` (number)"), "{}", gram.err);
}

#[test]
fn classes_are_named() {
    let folder = Folder::fresh();
    let report = json(&folder, &["fit", "iris", "--cv", "3", "--json"]);
    assert_eq!(report["task"], "classification");
    assert!(report["estimate"]["model"]["classification"]["accuracy"].as_f64() > Some(0.93), "{report}");
    let rows = json(&folder, &["predict", "iris.mercer", "iris", "--json"]);
    assert_eq!(rows["rows"][0][0], "setosa");
    assert_eq!(folder.files(), ["iris.mercer"]);
}

#[test]
fn an_early_stop_leaves_a_model_and_says_so() {
    let folder = Folder::fresh();
    let done = folder.run(&["fit", "wine", "--deadline", "10ms"]);
    assert_eq!(done.code, 5, "{}{}", done.out, done.err);
    assert!(done.err.contains("stopped early"), "{}", done.err);
    assert_eq!(folder.run(&["predict", "wine.mercer", "wine"]).code, 0);
}

#[test]
fn bad_requests_are_explained() {
    let folder = Folder::fresh();
    folder.write("same.csv", "x,y\n1,5\n2,5\n3,5\n");
    folder.write("few.csv", "x,y\n1,5\n");
    folder.write("broken.mercer", "not a model");
    folder.write("no_target.csv", "x,y\n1,2\n2,3\n");
    for args in [
        &["fit", "no_target.csv"][..],
        &["fit", "penguins", "--target", "body_mass_g"],
        &["fit", "iris", "--target", "petals"],
        &["fit", "iris", "--alpha", "-1"],
        &["fit", "iris", "--kernel", "rfb"],
        &["fit", "iris", "--cv", "1"],
        &["fit", "iris", "--cv", "3", "--hold-out", "0.2"],
        &["fit", "few.csv", "--target", "y"],
        &["fit", "same.csv", "--target", "y"],
        &["predict", "broken.mercer", "iris"],
        &["predict", "missing.mercer", "iris"],
        &["inspect", "broken.mercer"],
    ] {
        let done = folder.run(args);
        assert_eq!(done.code, 2, "{args:?}: {}{}", done.out, done.err);
        assert!(done.err.contains("error"), "{args:?}: {}", done.err);
    }
    assert!(folder.files().iter().all(|f| f != "iris.mercer"), "nothing is written by a refused fit");
}

#[test]
fn a_fit_is_drawn() {
    let folder = Folder::fresh();
    let fit = ["fit", "penguins", "--missing", "drop", "--target", "body_mass_g", "--cv", "3", "--plot"];
    let done = folder.run(&[&fit[..], &["mass.svg"]].concat());
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    assert!(done.out.contains("drawn to mass.svg"), "{}", done.out);
    let svg = std::fs::read_to_string(folder.path("mass.svg")).expect("the picture");
    for words in ["Predicted against true", "Choice of alpha", "body_mass_g from 333 rows"] {
        assert!(svg.contains(words), "{words}");
    }
    // A dot for each judged row at least; the path of alpha adds its own.
    assert!(svg.matches("<circle").count() > 333);
    let report = json(&folder, &["fit", "iris", "--cv", "3", "--json", "--plot", "iris.png"]);
    assert_eq!(report["plot"], "iris.png");
    assert!(std::fs::read(folder.path("iris.png")).expect("the picture").starts_with(b"\x89PNG"));
}

#[test]
fn a_fit_is_reported_on_one_page() {
    let folder = Folder::fresh();
    let fit = ["fit", "penguins", "--missing", "drop", "--no-tune", "--cv", "3", "--report", "fit.html"];
    let done = folder.run(&fit);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("reported to fit.html"), "{}", done.out);
    let page = std::fs::read_to_string(folder.path("fit.html")).expect("the page");
    for words in
        ["Importance of columns", "Calibration", "precision", "How predictions go with the columns", "±", "By "]
    {
        assert!(page.contains(words), "`{words}` is missing");
    }
    // The error and what columns are worth stand on the page as they are printed.
    let within = |cell: &&str| {
        cell.split_once(" ± ").is_some_and(|(value, error)| {
            value.parse::<f64>().is_ok() && error.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    let cells: Vec<&str> = done.out.lines().flat_map(|line| line.split("  ").map(str::trim)).filter(within).collect();
    assert!(cells.len() > 8 && cells.iter().any(|cell| cell.ends_with('%')), "{cells:?}");
    for cell in cells {
        assert!(page.contains(&format!("<td>{cell}</td>")), "`{cell}` is missing");
    }
    // Nothing is fetched from anywhere.
    for outside in ["<script", "<link", "src=\"http", "url(http", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(folder.run(&fit).code, 0, "a page of Mercer's own is replaced");
    folder.write("mine.html", "<!DOCTYPE html><p>mine</p>");
    let done = folder.run(&["fit", "iris", "--report", "mine.html"]);
    assert!(done.code == 2 && done.err.contains("is no page of Mercer"), "{}", done.err);
    assert_eq!(folder.run(&["fit", "iris", "--report", "fit.txt"]).code, 2);
}

/// What a person acts on comes first.
#[test]
fn the_report_begins_with_the_error() {
    let folder = Folder::fresh();
    let out = folder.run(&["fit", "iris", "--no-tune", "--cv", "3"]).out;
    let titles = [
        "error on rows that chose nothing",
        "what the columns are worth",
        "classes",
        "data",
        "kernel",
        "model",
        "certificate",
    ];
    let places: Vec<usize> =
        titles.iter().map(|t| out.find(&format!("\n{t}\n")).unwrap_or_else(|| panic!("{t}: {out}"))).collect();
    assert!(places.is_sorted(), "{out}");
    let chance: String = (0..40).map(|i| format!("{},{}\n", i * 7 % 13, i * 37 % 101 % 10)).collect();
    folder.write("chance.csv", format!("x,y\n{chance}"));
    let out = folder.run(&["fit", "chance.csv", "--target", "y"]).out;
    assert!(out.contains("nothing was learnt") || out.contains("not clear that anything was learnt"), "{out}");
}

#[test]
fn a_sheet_says_what_it_lacks() {
    let folder = Folder::fresh();
    let one = folder.run(&["fit", "iris", "--no-estimate", "--no-tune", "--plot", "one.svg"]);
    assert_eq!(one.code, 0, "{}", one.err);
    assert!(one.err.contains("the error was not estimated"), "{}", one.err);
    assert!(folder.files().contains(&"one.svg".to_owned()));
    let none = folder.run(&["fit", "iris", "--no-estimate", "--no-tune", "--alpha", "1", "--plot", "none.svg"]);
    assert_eq!(none.code, 0, "{}", none.err);
    assert!(none.err.contains("nothing to draw"), "{}", none.err);
    assert!(!folder.files().contains(&"none.svg".to_owned()));
}

#[test]
fn a_picture_that_cannot_be_written_is_refused_before_the_fit() {
    let folder = Folder::fresh();
    for file in ["fit.pdf", "fit", "absent/fit.svg"] {
        let done = folder.run(&["fit", "iris", "--plot", file]);
        assert_eq!(done.code, 2, "{file}: {}{}", done.out, done.err);
        assert!(done.err.contains("--plot"), "{file}: {}", done.err);
    }
    assert!(folder.files().is_empty(), "{:?}", folder.files());
}

/// Counts of words and the order of levels go into the model file with the formula, and come back from it.
#[test]
fn words_that_a_kernel_learns_are_kept() {
    let folder = Folder::fresh();
    let row = |i: usize| {
        let (tags, size) = (["red|old", "blue|old", "red|new"][i % 3], ["s", "m", "l"][i % 3]);
        let note = format!("word{} common word{}", i % 7, i % 5);
        format!("{tags},{note},{size},{}\n", (i % 3) as f64 + 0.1 * (i % 7) as f64)
    };
    folder.write("rows.csv", format!("tags,note,size,y\n{}", (0..42).map(row).collect::<String>()));
    let kernel = "jaccard(tags) + tfidf(note) + tfidf(note, n=2) + ordinal(size, levels=\"s<m<l\")";
    let fit = ["fit", "rows.csv", "--target", "y", "--kernel", kernel, "--no-estimate", "-o", "words.mercer"];
    let done = folder.run(&fit);
    assert_eq!(done.code, 0, "{}", done.err);
    for words in ["1 set", "in all", "levels=[\"s\", \"m\", \"l\"]"] {
        assert!(done.out.contains(words), "`{words}` is missing:\n{}", done.out);
    }
    folder.write("new.csv", "tags,note,size\nred|old,word0 common word0,s\nred|new,unknown words alone,l\n");
    let rows = json(&folder, &["predict", "words.mercer", "new.csv", "--json"]);
    let answer = |i: usize| rows["rows"][i][0].as_f64().expect("a number");
    assert!(answer(0) < 1.0 && answer(1) > answer(0) + 0.5, "{rows}");
    folder.write("odd.csv", "tags,note,size\nred|old,word0,xl\n");
    let refused = folder.run(&["predict", "words.mercer", "odd.csv"]);
    assert!(refused.code != 0 && refused.err.contains("`xl` in row 0 of `size`"), "{}", refused.err);
}
