//! `mercer tune`: grids, halving, journals.

use serde_json::Value;

use super::{Folder, json};

const GRID: [&str; 4] = ["--grid", "C=0.1,1,10", "--grid", "length_scale=0.5,2"];

fn search(folder: &Folder, more: &[&str]) -> Value {
    let args = [&["tune", "iris", "--json", "-o", "t.mercer"][..], &GRID, more].concat();
    let done = folder.run(&args);
    assert_eq!(done.code, 0, "{more:?}: {}{}", done.out, done.err);
    serde_json::from_str(&done.out).expect("JSON")
}

#[test]
fn a_grid_is_judged_and_the_best_is_saved() {
    let folder = Folder::fresh();
    let found = search(&folder, &[]);
    let candidates = found["candidates"].as_array().expect("a list");
    assert_eq!((candidates.len(), found["learner"].as_str()), (6, Some("svc")));
    let least = candidates.iter().filter_map(|c| c["loss"].as_f64()).fold(f64::INFINITY, f64::min);
    assert_eq!(found["best_loss"].as_f64(), Some(least));
    assert!(least < 0.1, "{least}");
    let best = candidates.iter().find(|c| c["settings"] == found["best"]).expect("one of them");
    assert_eq!(best["loss"], found["best_loss"]);
    let verified = folder.run(&["verify", "t.mercer", "iris"]);
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    let args =
        [&["tune", "iris", "-o", "u.mercer", "--model", "nu_svc", "--cv", "3"][..], &["--grid", "nu=0.1..0.5:3"]];
    let text = folder.run(&args.concat());
    assert!(text.code == 0 && text.out.contains("nu_svc with nu="), "{}{}", text.out, text.err);
}

#[test]
fn halving_judges_few_on_all_rows() {
    let folder = Folder::fresh();
    let found = search(&folder, &["--halving"]);
    let rows: Vec<u64> =
        found["candidates"].as_array().expect("a list").iter().filter_map(|c| c["rows"].as_u64()).collect();
    let most = rows.iter().max().expect("candidates");
    assert!(rows.iter().filter(|r| *r == most).count() < 6, "{rows:?}");
}

#[test]
fn a_journal_is_resumed_and_nothing_is_judged_again() {
    let folder = Folder::fresh();
    let first = search(&folder, &["--journal", "j.jsonl"]);
    assert_eq!(first["from_journal"], 0);
    let journal = std::fs::read_to_string(folder.path("j.jsonl")).expect("a text");
    assert_eq!(journal.lines().count(), 6);
    let again = search(&folder, &["--journal", "j.jsonl"]);
    assert_eq!(again["from_journal"], 6);
    assert_eq!((&again["best"], &again["best_loss"]), (&first["best"], &first["best_loss"]));
    assert_eq!(std::fs::read_to_string(folder.path("j.jsonl")).expect("a text"), journal);
    // A search that was killed in the middle of a line.
    let cut: String = journal.lines().take(3).map(|line| format!("{line}\n")).collect();
    folder.write("j.jsonl", format!("{cut}{}", &journal.lines().nth(3).expect("a line")[..9]));
    let resumed = search(&folder, &["--journal", "j.jsonl"]);
    assert_eq!((&resumed["from_journal"], &resumed["best"]), (&Value::from(3), &first["best"]));
    let whole = search(&folder, &["--journal", "j.jsonl"]);
    assert_eq!(whole["from_journal"], 6);
}

#[test]
fn bad_grids_are_named() {
    let folder = Folder::fresh();
    for (args, words) in [
        (&["tune", "iris"][..], "--grid"),
        (&["tune", "iris", "--grid", "C"], "C"),
        (&["tune", "iris", "--grid", "C="], "C="),
        (&["tune", "iris", "--grid", "cost=1,2"], "cost"),
        (&["tune", "iris", "--grid", "C=-1,1"], "C"),
        (&["tune", "iris", "--grid", "C=1..10:0"], "C"),
        (&["tune", "iris", "--grid", "length_scale=x,y"], "length_scale"),
        (&["tune", "iris", "--grid", "C=1", "--cv", "1"], "fold"),
        (&["tune", "none.csv", "--grid", "C=1"], "none.csv"),
    ] {
        let done = folder.run(args);
        assert!(done.code == 2 && done.err.contains(words), "{args:?}: {} {}{}", done.code, done.out, done.err);
        assert!(!done.err.contains("defect"), "{args:?}: {}", done.err);
    }
    for other in ["no journal\n", "no journal", "{\"a\": 1}\n"] {
        folder.write("not.jsonl", other);
        let done = folder.run(&["tune", "iris", "--grid", "C=1", "--journal", "not.jsonl"]);
        assert!(done.code == 2 && done.err.contains("not.jsonl, line 1"), "{}{}", done.out, done.err);
        assert_eq!(std::fs::read_to_string(folder.path("not.jsonl")).expect("a text"), other);
    }
    assert_eq!(folder.files(), ["not.jsonl"]);
}

#[test]
fn numbers_are_tuned_too() {
    let found =
        json(&["tune", "wine", "--target", "alcohol", "--model", "svr", "--cv", "3", "--grid", "C=1,10", "--json"]);
    assert_eq!(found["candidates"].as_array().map(Vec::len), Some(2));
}
