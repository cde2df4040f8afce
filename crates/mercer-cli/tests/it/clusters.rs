//! `mercer cluster`: clusters of rows, of new rows, and what cannot be clustered.

use serde_json::Value;

use super::{Folder, json, mercer};

#[test]
fn clusters_are_found_written_saved_and_predicted() {
    for model in ["kernel_k_means", "spectral"] {
        let folder = Folder::fresh();
        let args =
            ["cluster", "iris", "--clusters", "3", "--model", model, "-k", "rbf(length_scale=1)", "-o", "labels.csv"];
        let done = folder.run(&[&args[..], &["--save", "m.mercer"]].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(done.out.starts_with("iris: 3 clusters of 150 rows by"), "{}", done.out);
        assert!(done.out.contains("`mercer predict m.mercer FILE`"), "{}", done.out);
        let labels = std::fs::read_to_string(folder.path("labels.csv")).expect("a table");
        assert!(labels.starts_with("row,cluster\n0,0\n") && labels.lines().count() == 151, "{labels}");
        let predicted = folder.run(&["predict", "m.mercer", "iris"]).out;
        let cluster = |line: &str, place: usize| line.split(',').nth(place).map(str::to_owned);
        assert!(predicted.starts_with("cluster,"), "{predicted}");
        for (line, label) in predicted.lines().zip(labels.lines()).skip(1) {
            assert_eq!(cluster(line, 0), cluster(label, 1));
        }
        let verified = folder.run(&["verify", "m.mercer", "iris"]);
        assert!(
            verified.code == 0 && verified.out.contains("the certificate holds"),
            "{}{}",
            verified.out,
            verified.err
        );
    }
}

#[test]
fn json_has_labels_sizes_and_certificate() {
    let found = json(&["cluster", "iris", "--clusters", "3", "-k", "linear", "--set", "bound=true", "--json"]);
    assert_eq!((&found["schema"], &found["learner"]), (&"mercer.cluster/1".into(), &"kernel_k_means".into()));
    let sizes: u64 = found["sizes"].as_array().expect("sizes").iter().filter_map(Value::as_u64).sum();
    assert_eq!((sizes, found["labels"].as_array().map(Vec::len)), (150, Some(150)));
    let measure = |name: &str| found["certificate"][name].as_f64().expect("measured");
    // scikit-learn 1.9.1, StandardScaler and KMeans(3, n_init=50): 139.82049635974982.
    assert!((measure("inertia") - 139.82049635974982).abs() <= 1e-9 * 140.0, "{}", measure("inertia"));
    assert!(measure("inertia_bound") <= measure("inertia") && measure("misplaced") == 0.0);
}

#[test]
fn rows_with_gaps_are_left_out_and_counted() {
    let done = mercer(&["cluster", "penguins", "--clusters", "3", "--missing", "drop", "-o", "-"]);
    assert_eq!(done.code, 0, "{}", done.err);
    // Rows go by their place in the data; row 3 of the penguins has gaps.
    assert!(done.out.contains("\n2,") && !done.out.contains("\n3,") && done.out.contains("\n4,"), "{}", done.out);
}

#[test]
fn what_cannot_be_clustered_says_why() {
    for (args, says) in [
        (
            &["cluster", "iris", "--clusters", "0"][..],
            "`clusters` of the model `kernel_k_means` must be a whole number ≥ 1",
        ),
        (&["cluster", "iris", "--clusters", "2", "--model", "ridge"], "the model `ridge` gives no clusters"),
        (&["cluster", "iris", "--clusters", "2", "--model", "spectral", "-k", "linear"], "negative edge"),
        (&["cluster", "iris", "--clusters", "2", "--set", "restart=2"], "the nearest is `restarts`"),
        (&["cluster", "iris"], "--clusters"),
    ] {
        let done = mercer(args);
        assert!(done.code == 2 && done.err.contains(says), "{args:?}: {}", done.err);
    }
}
