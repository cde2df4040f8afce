//! `mercer segment`: changes of a sequence, and what cannot be cut.

use super::{Folder, json, mercer};

#[test]
fn the_nile_changes_once() {
    let folder = Folder::fresh();
    let done = folder.run(&["segment", "nile", "--time", "year", "--plot", "nile.svg"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.starts_with("nile: 1 change in 100 rows"), "{}", done.out);
    assert!(done.out.contains("1899") && done.out.contains("drawn to nile.svg"), "{}", done.out);
    let picture = std::fs::read_to_string(folder.path("nile.svg")).expect("a picture");
    assert!(picture.contains("volume") && picture.contains("year"));
}

#[test]
fn json_has_changes_costs_and_tests() {
    let found = json(&["segment", "nile", "--time", "year", "--changes", "2", "--json"]);
    assert_eq!(found["schema"], "mercer.segment/1");
    assert_eq!(found["breakpoints"].as_array().map(Vec::len), Some(3));
    assert_eq!(found["breakpoints"][2], 100);
    assert_eq!(found["costs"].as_array().map(Vec::len), Some(3));
    assert_eq!(found["tests"].as_array().map(Vec::len), Some(2));
    let none = json(&["segment", "nile", "--time", "year", "--changes", "0", "--json"]);
    assert_eq!((&none["changes"], &none["breakpoints"]), (&serde_json::json!([]), &serde_json::json!([100])));
    let landmarks = json(&["segment", "nile", "--time", "year", "--landmarks", "50", "--json"]);
    assert_eq!((&landmarks["method"], &landmarks["changes"]), (&"landmarks".into(), &serde_json::json!([28])));
}

#[test]
fn what_grows_and_turns_is_cut_into_lines() {
    let folder = Folder::fresh();
    let value = |t: usize| t.min(160 - t) as f64 + (t * t % 7) as f64 / 3.0 + if t == 30 { 90.0 } else { 0.0 };
    let text: String = (0..140).map(|t| format!("{t},{}\n", value(t))).collect();
    std::fs::write(folder.path("turns.csv"), format!("day,level\n{text}")).expect("a file");
    let args = ["segment", "turns.csv", "--time", "day", "--plot", "turns.svg"];
    let done = folder.run(&args);
    assert!(done.out.contains("segments are lines, kernel linear"), "{}", done.out);
    assert!(done.out.contains("what one line leaves") && done.err.contains("limited"), "{} {}", done.out, done.err);
    let picture = std::fs::read_to_string(folder.path("turns.svg")).expect("a picture");
    assert!(picture.contains("lines of segments"));
    let found = folder.run(&["segment", "turns.csv", "--time", "day", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&found.out).expect("JSON");
    assert_eq!((&found["segments"], &found["min_size"]), (&"lines".into(), &5.into()));
    assert_eq!(found["automatic"]["compared"]["limited"], 1);
    assert!(found["changes"][0].as_u64().is_some_and(|at| at.abs_diff(80) <= 2), "{found}");
    let given =
        folder.run(&["segment", "turns.csv", "--time", "day", "--segments", "lines", "--changes", "1", "--json"]);
    let given: serde_json::Value = serde_json::from_str(&given.out).expect("JSON");
    assert_eq!((&given["changes"], &given["cost"]), (&found["changes"], &found["cost"]));
    let levels = folder.run(&["segment", "turns.csv", "--time", "day", "--segments", "levels"]);
    assert!(levels.out.contains("segments are levels, kernel rbf"), "{}", levels.out);
}

#[test]
fn rows_that_were_left_out_are_counted_in_the_data() {
    let folder = Folder::fresh();
    let cell = |i: usize| match i {
        5 => "NA".to_owned(),
        _ => format!("{}", (i / 15) as f64 * 10.0 + (i % 3) as f64),
    };
    let text: String = (0..30).map(|i| format!("{i},{}\n", cell(i))).collect();
    std::fs::write(folder.path("gap.csv"), format!("t,v\n{text}")).expect("a file");
    let refused = folder.run(&["segment", "gap.csv", "--time", "t"]);
    assert!(refused.code == 2 && refused.err.contains("missing"), "{} {}", refused.code, refused.err);
    let done = folder.run(&["segment", "gap.csv", "--time", "t", "--missing", "drop", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    assert_eq!((&found["changes"], &found["data_rows"]), (&serde_json::json!([14]), &serde_json::json!([15])));
    assert_eq!(found["times"], serde_json::json!(["15"]));
}

#[test]
fn what_cannot_be_cut_is_said() {
    for (args, code, said) in [
        (&["segment", "nile", "--changes", "200"][..], 2, "`changes` of KernelChangePoint must be at most"),
        (&["segment", "nile", "--penalty", "-1"], 2, "`penalty` of KernelChangePoint must be a number ≥ 0, got -1"),
        (&["segment", "nile", "--min-size", "0"], 2, "`min_size` of KernelChangePoint must be"),
        (&["segment", "nile", "--time", "month"], 2, "month"),
        (&["segment", "nile", "--time", "volume"], 2, "times that do not fall"),
        (&["segment", "nile", "--changes", "1", "--penalty", "1"], 2, "cannot be used with"),
    ] {
        let done = mercer(args);
        assert!(done.code == code && done.err.contains(said), "{args:?}: {} {}", done.code, done.err);
    }
}
