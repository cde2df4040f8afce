//! `mercer compare`: p-values, pictures, exit codes, and samples that cannot be compared.

use super::Folder;

fn table(shift: f64, rows: usize) -> String {
    let line = |i: usize| {
        let x = (7.3 * i as f64).sin() + shift;
        format!("{x},{},{}\n", (2.1 * i as f64).cos(), ["red", "blue"][i % 2])
    };
    format!("length,width,colour\n{}", (0..rows).map(line).collect::<String>())
}

fn samples() -> Folder {
    let folder = Folder::fresh();
    for (name, text) in [
        ("a.csv", table(0.0, 60)),
        ("b.csv", table(0.9, 50)),
        ("same.csv", table(0.0, 61)),
        ("other.csv", table(0.0, 9).replace("width", "depth")),
        ("one.csv", table(0.0, 1)),
    ] {
        std::fs::write(folder.path(name), text).expect("a file");
    }
    folder
}

#[test]
fn samples_that_differ_are_told_with_their_rows() {
    let folder = samples();
    let done = folder.run(&["compare", "a.csv", "b.csv", "--plot", "ab.svg"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.starts_with("a and b: fused MMD² = "), "{}", done.out);
    assert!(done.out.contains("60 and 50 rows") && done.out.contains("0 of 999 permutations reach it"), "{}", done.out);
    assert!(done.out.contains("the smallest p this could show is 0.001"), "{}", done.out);
    assert!(done.out.contains("denser") && done.out.lines().count() >= 10, "{}", done.out);
    let picture = std::fs::read_to_string(folder.path("ab.svg")).expect("a picture");
    assert!(picture.contains("Null distribution") && picture.contains("Witness function"));
}

#[test]
fn the_level_decides_the_exit_code() {
    let folder = samples();
    let code = |second: &str| folder.run(&["compare", "a.csv", second, "--level", "0.05"]).code;
    assert_eq!((code("b.csv"), code("same.csv")), (1, 0));
    assert_eq!(folder.run(&["compare", "a.csv", "b.csv", "--level", "1.5"]).code, 2);
}

#[test]
fn kernels_estimates_and_stops_are_options() {
    let folder = samples();
    let json = |args: &[&str]| {
        let done = folder.run(&[&["compare", "a.csv", "same.csv", "--json"], args].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        serde_json::from_str::<serde_json::Value>(&done.out).expect("JSON")
    };
    let one = json(&["-k", "rbf", "--estimate", "biased", "--permutations", "199", "--seed", "3"]);
    assert_eq!(
        (&one["n_permutations"], &one["estimate"]["name"], &one["seed"]),
        (&199.into(), &"biased".into(), &3.into())
    );
    assert_eq!(one["kernels"].as_array().map(Vec::len), Some(1));
    let two = json(&["-k", "rbf", "-k", "laplace", "--enough", "5"]);
    assert_eq!((&two["aggregation"], &two["stop"]), (&"fuse".into(), &"sequential".into()));
    assert_eq!(json(&["--estimate", "linear"])["null"], "normal");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = samples();
    let fails = |args: &[&str]| {
        let done = folder.run(&[&["compare"], args].concat());
        assert_eq!(done.code, 2, "{}", done.out);
        done.err
    };
    let other = fails(&["a.csv", "other.csv"]);
    assert!(other.contains("width") && other.contains("hint:"), "{other}");
    assert!(fails(&["a.csv", "one.csv"]).contains("at least 2 rows"));
    assert!(fails(&["a.csv", "b.csv", "--estimate", "best"]).contains("estimate"));
    assert!(fails(&["a.csv", "b.csv", "--dependence", "5"]).contains("times"));
    assert!(fails(&["-", "-"]).contains("standard input"));
    assert!(fails(&["a.csv", "none.csv"]).contains("none.csv"));
}
