//! What `--json` prints has the fields that the guide lists, and no others.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Done, Folder};

const GUIDE: &str = include_str!("../../../../docs/guide/json.md");

/// The fields of a schema by the table under its heading.
fn listed(schema: &str) -> BTreeSet<String> {
    let heading = format!("\n## {schema}\n");
    let section = GUIDE.split(&heading).nth(1).unwrap_or_else(|| panic!("{schema} is not in the guide"));
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let first = rows.map(|row| row.split('|').nth(1).unwrap_or_default());
    first.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

fn check(done: &Done, schema: &str) {
    let report: Value = serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {}{}", done.out, done.err));
    assert_eq!(report["schema"], schema);
    let fields = report.as_object().expect("an object").keys().filter(|name| *name != "schema").cloned();
    assert_eq!(fields.collect::<BTreeSet<_>>(), listed(schema), "{schema}");
    for note in report["notes"].as_array().into_iter().flatten() {
        let (kind, sentence) = (note["kind"].as_str(), note["sentence"].as_str());
        assert!(kind.is_some_and(|k| GUIDE.contains(&format!("`{k}`"))) && sentence.is_some(), "{note}");
    }
}

#[test]
fn reports_have_the_fields_of_the_guide() {
    let folder = Folder::fresh();
    let fit = ["fit", "iris", "--no-tune", "-k", "rbf", "--hold-out", "0.3", "-o", "m.mercer", "--json"];
    check(&folder.run(&fit), "mercer.fit/1");
    check(&folder.run(&["predict", "m.mercer", "iris", "--json"]), "mercer.predict/1");
    check(&folder.run(&["score", "m.mercer", "iris", "--json"]), "mercer.score/1");
    check(&folder.run(&["explain", "m.mercer", "iris", "--json"]), "mercer.explain/1");
    check(&folder.run(&["verify", "m.mercer", "iris", "--json"]), "mercer.verify/1");
    check(&folder.run(&["inspect", "m.mercer", "--json"]), "mercer.inspect/1");
    let tune =
        ["tune", "iris", "--grid", "C=1,10", "--cv", "3", "--set", "probability=true", "-o", "t.mercer", "--json"];
    check(&folder.run(&[&tune[..], &["--no-standardize"]].concat()), "mercer.tune/1");
    check(&folder.run(&["export", "t.mercer", "-o", "t.model", "--json"]), "mercer.export/1");
    check(&folder.run(&["import", "t.model", "-o", "u.mercer", "--json"]), "mercer.inspect/1");
    check(&folder.run(&["gram", "penguins", "--missing", "drop", "--spectrum", "--json"]), "mercer.gram/1");
    check(&folder.run(&["segment", "nile", "--time", "year", "--json"]), "mercer.segment/1");
    check(&folder.run(&["study", "gd-sgd", "--n", "30", "--json"]), "mercer.study/1");
    check(&folder.run(&["gallery", "pictures", "--json"]), "mercer.gallery/1");
    check(&folder.run(&["compare", "iris", "iris", "--json"]), "mercer.compare/1");
    for question in ["x*y", "max(x, y)", "2*rbf(length_scale=3) - rbf"] {
        check(&folder.run(&["check", question, "--json"]), "mercer.check/1");
    }
}
