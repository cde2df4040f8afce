//! Every help page, word for word.

use super::{mercer, snapshot};

#[test]
fn help_pages_are_as_stored() {
    for (name, args) in [
        ("help", &["--help"][..]),
        ("help_data", &["data", "--help"]),
        ("help_kernel", &["kernel", "--help"]),
        ("help_check", &["check", "--help"]),
        ("help_fit", &["fit", "--help"]),
        ("help_tune", &["tune", "--help"]),
        ("help_predict", &["predict", "--help"]),
        ("help_score", &["score", "--help"]),
        ("help_cluster", &["cluster", "--help"]),
        ("help_compare", &["compare", "--help"]),
        ("help_depend", &["depend", "--help"]),
        ("help_segment", &["segment", "--help"]),
        ("help_embed", &["embed", "--help"]),
        ("help_explain", &["explain", "--help"]),
        ("help_verify", &["verify", "--help"]),
        ("help_inspect", &["inspect", "--help"]),
        ("help_export", &["export", "--help"]),
        ("help_import", &["import", "--help"]),
        ("help_models", &["models", "--help"]),
        ("help_gram", &["gram", "--help"]),
        ("help_study", &["study", "--help"]),
        ("help_study_gd_sgd", &["study", "gd-sgd", "--help"]),
        ("help_gallery", &["gallery", "--help"]),
        ("help_completions", &["completions", "--help"]),
    ] {
        let done = mercer(args);
        assert_eq!((done.code, done.err.as_str()), (0, ""));
        snapshot(name, &done.out);
    }
}

#[test]
fn no_arguments_print_the_help() {
    let done = mercer(&[]);
    assert_eq!(done.code, 0);
    assert_eq!(done.out, mercer(&["--help"]).out);
}

#[test]
fn examples_of_the_help_run() {
    let folder = super::Folder::fresh();
    write_few_penguins(&folder.path("few.csv"));
    let mut count = 0;
    for args in [
        &["--help"][..],
        &["data", "--help"],
        &["kernel", "--help"],
        &["gram", "--help"],
        &["check", "--help"],
        &["fit", "--help"],
        &["cluster", "--help"],
        &["verify", "--help"],
        &["depend", "--help"],
        &["embed", "--help"],
        &["tune", "--help"],
        &["export", "--help"],
        &["study", "--help"],
        &["study", "gd-sgd", "--help"],
        &["gallery", "--help"],
    ] {
        let help = mercer(args).out;
        let examples = help.lines().filter_map(|line| line.strip_prefix("  mercer "));
        for line in examples.filter(|l| !l.contains(".csv") && !l.contains('|')) {
            // Two blanks separate a command from what is said of it.
            let words = split(line.split("  ").next().unwrap_or(line));
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let words = if args[0] == "fit" || args[0] == "verify" { on_few_rows(&words) } else { words };
            let done = folder.run(&words);
            let expected = i32::from(line.contains("refuted"));
            assert_eq!(done.code, expected, "mercer {line}: {}", done.err);
            count += 1;
        }
    }
    assert!(count >= 20, "only {count} examples were found");
}

/// Writes every eighth row of the shipped set: a fit of these takes few seconds, one of all takes many.
fn write_few_penguins(path: &std::path::Path) {
    let all = mercer::data::load("penguins").expect("a shipped set");
    let few = all.take(&(0..all.len()).step_by(8).collect::<Vec<_>>());
    mercer::data::write_table(path, &few.table().expect("a table")).expect("written");
}

/// The command with few rows of `penguins` in place of all, and its target, which a file does not know.
fn on_few_rows<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let few = words.iter().map(|w| if *w == "penguins" { "few.csv" } else { *w });
    let knows = words[0] != "fit" || !words.contains(&"penguins") || words.contains(&"--target");
    few.chain(["--target", "species"].into_iter().filter(|_| !knows)).collect()
}

/// Words of a shell line with single quotes.
fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in line.split('\'').enumerate() {
        match i % 2 {
            1 => words.push(part.to_owned()),
            _ => words.extend(part.split_whitespace().map(String::from)),
        }
    }
    words
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let done = mercer(&["completions", shell]);
        assert_eq!((done.code, done.err.as_str()), (0, ""));
        assert!(done.out.contains("gram") && done.out.contains("standardize"), "{shell}");
    }
}

#[test]
fn the_version_is_printed() {
    assert!(mercer(&["--version"]).out.starts_with("mercer 0."));
}
