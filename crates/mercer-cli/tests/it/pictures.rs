//! `--plot` of the commands, and `mercer gallery`.

use super::Folder;

fn picture(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).expect("the picture")
}

#[test]
fn a_matrix_and_its_spectrum_are_drawn() {
    let folder = Folder::fresh();
    let done = folder.run(&["gram", "iris", "-k", "rbf(length_scale=1)", "--spectrum", "--plot", "iris.svg"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("drawn to iris.svg"), "{}", done.err);
    let svg = picture(&folder, "iris.svg");
    for words in ["Kernel matrix", "Eigenvalues of K/n", "Effective dimension", "data:image/png;base64,"] {
        assert!(svg.contains(words), "{words}");
    }
    let done = folder.run(&["gram", "iris", "-k", "rbf(length_scale=1)", "--plot", "only.png", "-o", "K.npy"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(std::fs::read(folder.path("only.png")).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG")));
    let report = folder.run(&["gram", "iris", "-k", "linear", "--plot", "again.svg", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&report.out).expect("JSON");
    assert_eq!(report["plot"], "again.svg");
    let cross = folder.run(&[
        "gram",
        "iris",
        "--no-target",
        "-k",
        "linear(petal_width_cm)",
        "--against",
        "iris",
        "--plot",
        "cross.svg",
    ]);
    assert_eq!(cross.code, 0, "{}", cross.err);
}

#[test]
fn a_search_is_drawn() {
    let folder = Folder::fresh();
    let done =
        folder.run(&["tune", "iris", "--grid", "C=0.1,1,10", "--grid", "length_scale=0.5,2", "--plot", "two.svg"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(picture(&folder, "two.svg").contains("Loss by C and length_scale"));
    let done = folder.run(&["tune", "iris", "--grid", "C=0.1,1,10", "--plot", "one.svg", "--json"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(picture(&folder, "one.svg").contains("Loss by C"));
    let report: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    assert_eq!(report["plot"], "one.svg");
    let done = folder.run(&["tune", "iris", "--grid", "C=1", "--plot", "none.svg"]);
    assert!(done.code == 0 && done.err.contains("nothing to draw"), "{}", done.err);
    assert!(!folder.path("none.svg").exists());
}

#[test]
fn predictions_are_drawn_beside_the_truth() {
    let folder = Folder::fresh();
    let fit = |args: &[&str]| {
        let done = folder.run(&[args, &["-k", "rbf", "--no-tune", "--no-estimate"]].concat());
        assert_eq!(done.code, 0, "{}", done.err);
    };
    fit(&["fit", "iris", "-o", "class.mercer"]);
    fit(&["fit", "wine", "--target", "alcohol", "--model", "ridge", "-o", "number.mercer"]);
    folder.write("new.csv", "sepal_length_cm,sepal_width_cm,petal_length_cm,petal_width_cm\n5,3.4,1.4,0.2\n6,3,5,2\n");
    for (args, words, rows) in [
        (&["predict", "class.mercer", "iris", "--plot", "a.svg"][..], "True and predicted classes", 151),
        (&["predict", "class.mercer", "new.csv", "--plot", "b.svg"], "Predicted classes", 3),
        (&["predict", "number.mercer", "wine", "--interval", "0.9", "--plot", "c.svg"], "within their bounds", 179),
    ] {
        let done = folder.run(args);
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(picture(&folder, args[args.len() - 1]).contains(words), "{args:?}: {}", done.err);
        assert_eq!(done.out.lines().count(), rows, "the table is written as before");
    }
    let done = folder.run(&["predict", "class.mercer", "iris", "--plot", "d.png", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    assert_eq!(report["plot"], "d.png");
    std::fs::write(folder.path("own.svg"), "<svg>mine</svg>").expect("a file");
    let done = folder.run(&["predict", "class.mercer", "iris", "--plot", "own.svg"]);
    assert!(done.code == 2 && done.out.is_empty(), "{}", done.err);
}

#[test]
fn pictures_are_refused_before_any_work() {
    let folder = Folder::fresh();
    std::fs::write(folder.path("own.svg"), "<svg>mine</svg>").expect("a file");
    for args in [
        &["gram", "iris", "--plot", "a.pdf"][..],
        &["gram", "iris", "--plot", "absent/a.svg"],
        &["gram", "iris", "--plot", "own.svg"],
        &["tune", "iris", "--grid", "C=1,2", "--plot", "a.jpg"],
        &["tune", "iris", "--grid", "C=1,2", "--plot", "own.svg"],
        &["gram", "iris", "--plot", "same.svg", "-o", "same.svg"],
    ] {
        let done = folder.run(args);
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{args:?}: {}", done.err);
    }
    assert_eq!(picture(&folder, "own.svg"), "<svg>mine</svg>");
}

#[test]
fn the_gallery_goes_into_a_folder_of_its_own() {
    let folder = Folder::fresh();
    let done = folder.run(&["gallery", "pictures"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    assert!(done.out.contains("pictures/index.html"), "{}", done.out);
    let page = picture(&folder, "pictures/index.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("Kernel ridge regression from"));
    let again = folder.run(&["gallery", "pictures"]);
    assert!(again.code == 2 && again.err.contains("not empty") && again.err.contains("--force"), "{}", again.err);
    std::fs::write(folder.path("file"), "x").expect("a file");
    for bad in ["file", "absent/pictures"] {
        let done = folder.run(&["gallery", bad]);
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{}", done.err);
    }
    let late = folder.run(&["gallery", "late", "--deadline", "1ms"]);
    assert_eq!(late.code, 5, "{}", late.err);
    assert!(!folder.path("late").exists());
    let report = folder.run(&["gallery", "pictures", "--force", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&report.out).expect("JSON");
    assert_eq!(report["files"].as_array().map(Vec::len), report["pictures"].as_array().map(|p| 2 * p.len() + 1));
}
