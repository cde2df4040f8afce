//! `mercer depend`: independence of columns, given others or not, and what cannot be tested.

use super::{Folder, json, mercer};

#[test]
fn dependence_is_found_drawn_and_said() {
    let folder = Folder::fresh();
    let done = folder.run(&["depend", "wine", "--x", "alcohol", "--y", "color_intensity,hue", "--plot", "null.svg"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let first = "wine: are `alcohol` and `color_intensity`, `hue` independent?\nHSIC = ";
    assert!(done.out.starts_with(first) && done.out.contains("p = 0.001, about "), "{}", done.out);
    assert!(done.out.contains("kernel of X: rbf(") && done.out.contains("picture in null.svg"), "{}", done.out);
    let picture = std::fs::read_to_string(folder.path("null.svg")).expect("a picture");
    assert!(picture.contains("fitted gamma") && picture.contains("999 draws of the null"));
}

#[test]
fn json_has_the_fields_of_the_result() {
    let found = json(&["depend", "penguins", "--x", "island", "--y", "bill_depth_mm", "--missing", "drop", "--json"]);
    assert_eq!(
        (&found["schema"], &found["test"], &found["pvalue"]),
        (&"mercer.depend/1".into(), &"hsic".into(), &0.001.into())
    );
    assert_eq!(found["null_distribution"].as_array().map(Vec::len), Some(999));
    assert!(found["left_out"].as_u64() > Some(0) && found["kernels"][0]["kernel"].as_str().is_some());
    let given = json(&["depend", "wine", "--x", "alcohol", "--y", "color_intensity", "--given", "proline", "--json"]);
    assert_eq!((&given["test"], &given["null"], &given["resolution"]), (&"kci".into(), &"gamma".into(), &0.0.into()));
    assert_eq!(given["given"][0], "proline");
    let seed = |seed| json(&["depend", "wine", "--x", "alcohol", "--y", "ash", "--seed", seed, "--json"]);
    assert_eq!(seed("1")["null_distribution"], seed("1")["null_distribution"]);
    assert_ne!(seed("1")["null_distribution"], seed("2")["null_distribution"]);
}

#[test]
fn the_target_of_a_shipped_set_is_a_column_like_others() {
    let done = mercer(&["depend", "iris", "--x", "species", "--y", "petal_length_cm", "--null", "gamma"]);
    assert!(done.code == 0 && done.out.contains("by a gamma distribution"), "{}{}", done.out, done.err);
}

#[test]
fn what_cannot_be_tested_says_why() {
    for (args, says) in [
        (&["depend", "wine", "--x", "alcohol"][..], "--y"),
        (&["depend", "wine", "--x", "alcohol", "--y", "alcohol"], "the column `alcohol` is in both `--x` and `--y`"),
        (&["depend", "wine", "--x", "ash", "--y", "hue", "--given", "hue"], "in both `--y` and `--given`"),
        (&["depend", "wine", "--x", "ash,ash", "--y", "hue"], "the column `ash` is twice in `--x`"),
        (&["depend", "wine", "--x", "alcohl", "--y", "hue"], "alcohl"),
        (&["depend", "wine", "--x", "ash", "--y", "hue", "--permutations", "0"], "`n_permutations`"),
        (&["depend", "wine", "--x", "ash", "--y", "hue", "--null", "spectrum"], "needs conditions"),
        (&["depend", "wine", "--x", "ash", "--y", "hue", "--kernel-z", "rbf"], "needs conditions"),
        (
            &["depend", "wine", "--x", "ash", "--y", "hue", "--given", "alcohol", "--null", "permutation"],
            "not for conditions",
        ),
        (&["depend", "penguins", "--x", "island", "--y", "sex"], "missing"),
        (&["depend", "wine", "--x", "ash", "--y", "hue", "--kernel-x", "rbf("], "the formula ends"),
        (&["depend", "wine", "--x", "ash", "--y", "hue", "--plot", "null.gif"], "gif"),
    ] {
        let done = mercer(args);
        assert!(done.code == 2 && done.err.contains(says), "{args:?}: {} {}", done.code, done.err);
    }
}
