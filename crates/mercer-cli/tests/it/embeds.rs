//! `mercer embed`: coordinates, files, models and errors.

use super::{Folder, json, mercer};

/// The numbers of a CSV with a heading.
fn numbers(csv: &str) -> Vec<Vec<f64>> {
    csv.lines().skip(1).map(|l| l.split(',').map(|c| c.parse().expect("a number")).collect()).collect()
}

#[test]
fn every_row_has_its_coordinates_and_a_saved_model_gives_them_again() {
    let folder = Folder::fresh();
    let done = folder.run(&["embed", "iris", "--components", "3", "--save", "iris.mercer"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.starts_with("component_1,component_2,component_3\n"), "{}", &done.out[..60]);
    assert!(done.err.contains("the kernel is `"), "{}", done.err);
    let (rows, again) = (numbers(&done.out), folder.run(&["predict", "iris.mercer", "iris"]));
    assert_eq!((rows.len(), again.code), (150, 0), "{}", again.err);
    assert_eq!(rows, numbers(&again.out));
    // Centred, and of falling variance.
    let variance = |l: usize| rows.iter().map(|r| r[l] * r[l]).sum::<f64>() / 150.0;
    assert!(variance(0) > variance(1) && variance(1) > variance(2));
    assert!((0..3).all(|l| rows.iter().map(|r| r[l]).sum::<f64>().abs() < 1e-9));
    let verified = folder.run(&["verify", "iris.mercer", "iris"]);
    assert_eq!(verified.code, 0, "{} {}", verified.out, verified.err);
    let inspected = folder.run(&["inspect", "iris.mercer"]);
    assert!(inspected.code == 0 && inspected.out.contains("kernel_pca"), "{}", inspected.out);
}

#[test]
fn files_scores_and_json_say_the_same() {
    let folder = Folder::fresh();
    let done = folder.run(&["embed", "wine", "--scores", "-o", "wine.csv", "--set", "center=false", "--kernel", "rbf"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("variance explained") && done.out.contains("relative residual"), "{}", done.out);
    let written = std::fs::read_to_string(folder.path("wine.csv")).expect("the file");
    assert!(written.starts_with("component_1,component_2,distance\n"));
    assert!(numbers(&written).iter().all(|row| row[2] >= 0.0));
    let report = json(&["embed", "wine", "--scores", "--set", "center=false", "--kernel", "rbf", "--json"]);
    assert_eq!((&report["schema"], &report["learner"]), (&"mercer.embed/1".into(), &"kernel_pca".into()));
    assert_eq!(report["rows"].as_array().map(Vec::len), Some(178));
    assert_eq!(report["rows"][0][0].as_f64(), Some(numbers(&written)[0][0]));
    assert_eq!(report["explained"].as_array().map(Vec::len), Some(2));
}

#[test]
fn rows_with_gaps_texts_and_weights_are_embedded() {
    let folder = Folder::fresh();
    let dropped = folder.run(&["embed", "penguins", "--missing", "drop"]);
    assert_eq!((dropped.code, numbers(&dropped.out).len()), (0, 333), "{}", dropped.err);
    folder.write("notes.csv", "note,w\nab ab,1\nab cd,2\ncd cd,1\nef ab,0\ngh cd,1\n");
    let words = folder.run(&["embed", "notes.csv", "--type", "note=text", "--weights", "w", "--kernel", "ngram(note)"]);
    assert_eq!((words.code, numbers(&words.out).len()), (0, 5), "{}", words.err);
}

#[test]
fn what_cannot_be_embedded_is_said() {
    let folder = Folder::fresh();
    folder.write("same.csv", "a,b\n1,2\n1,2\n1,2\n");
    for (args, says) in [
        (&["embed", "iris", "--model", "ridge"][..], "gives no coordinates"),
        (&["embed", "iris", "--model", "kernel_pac"], "the nearest is `kernel_pca`"),
        (&["embed", "iris", "--components", "0"], "a whole number ≥ 1"),
        (&["embed", "iris", "--set", "centre=true"], "the nearest is `center`"),
        (&["embed", "iris", "--kernel", "rbf("], "column"),
        (&["embed", "same.csv", "--kernel", "rbf(length_scale=1)"], "the same point of the feature space"),
        (&["embed", "penguins"], "missing"),
        (&["embed", "iris", "-o", "iris.xyz"], "xyz"),
    ] {
        let done = folder.run(args);
        assert_eq!(done.code, 2, "{args:?}: {} {}", done.out, done.err);
        assert!(done.err.contains(says), "{args:?}: {}", done.err);
    }
    assert!(mercer(&["embed", "iris", "--deadline", "0s"]).code != 0);
}

#[test]
fn coordinates_are_drawn_with_the_classes() {
    let folder = Folder::fresh();
    let done = folder.run(&["embed", "iris", "--plot", "iris.svg", "--json"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let report: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    assert_eq!(report["plot"], "iris.svg");
    let svg = std::fs::read_to_string(folder.path("iris.svg")).expect("a text");
    assert!(svg.contains("virginica"), "the classes are in the legend");
    let refused = folder.run(&["embed", "iris", "--plot", "iris.gif"]);
    assert!(refused.code == 2 && refused.err.contains(".svg"), "{}", refused.err);
    let one = folder.run(&["embed", "iris", "--components", "1", "--plot", "one.svg"]);
    assert!(one.code == 0 && one.err.contains("no two coordinates"), "{}", one.err);
    assert!(!folder.path("one.svg").exists());
}
