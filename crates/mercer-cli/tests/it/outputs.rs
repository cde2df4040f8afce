//! Files that are written: never over an input, never over what is not Mercer's own without `--force`.

use std::fs;
use std::path::Path;

use mercer::chance::Chance;

use crate::{Done, Folder};

/// A folder with data, a model, and things that outputs may meet.
fn folder() -> Folder {
    let folder = Folder::fresh();
    let rows = |i: u32| format!("{},{},{}\n", i, i * i % 17, 2 * i + i % 3);
    folder.write("d.csv", format!("a,b,y\n{}", (0..24).map(rows).collect::<String>()));
    folder.write("new.csv", "a,b\n1,2\n3,4\n");
    folder.write("note.txt", "irreplaceable\n");
    let done = fit(&folder, &["-o", "m.mercer"]);
    assert_eq!(done.code, 0, "{}", done.err);
    folder
}

fn fit(folder: &Folder, more: &[&str]) -> Done {
    let always = ["fit", "d.csv", "--target", "y", "-k", "linear", "--alpha", "1", "--no-estimate", "--no-tune", "-q"];
    folder.run(&[&always[..], more].concat())
}

fn refused(done: &Done, said: &str, hint: &str) {
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.err.contains(said) && done.err.contains(hint), "{done:?}");
}

#[test]
fn an_output_is_never_an_input_by_any_name() {
    let folder = folder();
    let before = fs::read(folder.path("d.csv")).expect("data");
    fs::hard_link(folder.path("d.csv"), folder.path("hard.csv")).expect("a hard link");
    std::os::unix::fs::symlink("d.csv", folder.path("soft.csv")).expect("a link");
    std::os::unix::fs::symlink("soft.csv", folder.path("softer.csv")).expect("a link");
    fs::create_dir(folder.path("sub")).expect("a folder");
    let whole = folder.path("d.csv").display().to_string();
    for name in ["d.csv", "./d.csv", "sub/../d.csv", "hard.csv", "soft.csv", "softer.csv", &whole] {
        for force in [&[][..], &["--force"]] {
            refused(&fit(&folder, &[&["-o", name], force].concat()), "never replaces an input", "--output");
            let predict = ["predict", "m.mercer", "d.csv", "-o", name];
            refused(&folder.run(&[&predict, force].concat()), "never replaces an input", "--output");
            let gram = ["gram", "d.csv", "-k", "linear", "-o", name];
            refused(&folder.run(&[&gram, force].concat()), "never replaces an input", "--output");
            let against = ["gram", "new.csv", "-k", "linear", "--against", "d.csv", "-o", name];
            refused(&folder.run(&[&against, force].concat()), "never replaces an input", "--output");
        }
        assert_eq!(fs::read(folder.path("d.csv")).expect("data"), before);
    }
    let mut stream = folder.command(&["fit", "-", "--target", "y", "-o", "d.csv"]);
    stream.stdin(fs::File::open(folder.path("d.csv")).expect("data"));
    refused(&stream.output().expect("runs").into(), "(as standard input)", "--output");
    let mut stream = folder.command(&["predict", "m.mercer", "d.csv", "-o", "/dev/stdout"]);
    // As with `>> d.csv`: the extension of `/dev/stdout` is none, which is said first.
    stream.stdout(fs::OpenOptions::new().append(true).open(folder.path("d.csv")).expect("data"));
    assert_eq!(Done::from(stream.output().expect("runs")).code, 2);
    let mut stream = folder.command(&["gram", "d.csv", "-k", "linear", "-o", "/dev/stdout", "--output-format", "csv"]);
    stream.stdout(fs::OpenOptions::new().append(true).open(folder.path("d.csv")).expect("data"));
    refused(&stream.output().expect("runs").into(), "never replaces an input", "--output");
    assert_eq!(fs::read(folder.path("d.csv")).expect("data"), before);
}

#[test]
fn models_replace_models_and_pictures_pictures_of_their_own() {
    let folder = folder();
    let draw = ["fit", "d.csv", "--target", "y", "-k", "linear", "--cv", "2", "--no-tune", "-q", "--plot"];
    for name in ["p.svg", "p.svg", "p.png", "p.png"] {
        let done = folder.run(&[&draw[..], &[name]].concat());
        assert_eq!(done.code, 0, "over its own picture, and over its own model of the default name: {done:?}");
        assert!(folder.path(name).exists() && folder.path("d.mercer").exists());
    }
    refused(&fit(&folder, &["-o", "note.txt"]), "is no model of Mercer", "--force");
    refused(&fit(&folder, &["-o", "p.svg"]), "is no model of Mercer", "--force");
    folder.write("drawing.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>\n");
    refused(&fit(&folder, &["--plot", "drawing.svg"]), "is no picture of Mercer", "--force");
    refused(&fit(&folder, &["-o", "same.svg", "--plot", "same.svg"]), "both want `same.svg`", "of its own");
    refused(&fit(&folder, &["-o", "-"]), "not to standard output", "--output");
    folder.write("empty.mercer", "");
    assert_eq!(fit(&folder, &["-o", "empty.mercer"]).code, 0, "an empty file holds nothing");
    let study = ["study", "gd-sgd", "--n", "20", "-q", "--out"];
    refused(&folder.run(&[&study[..], &["drawing.svg"]].concat()), "is no picture of Mercer", "--force");
    assert_eq!(fs::read_to_string(folder.path("note.txt")).expect("there"), "irreplaceable\n");
    assert_eq!(fit(&folder, &["-o", "note.txt", "--force"]).code, 0);
    assert_eq!(folder.run(&["inspect", "note.txt"]).code, 0, "replaced on request");
}

#[test]
fn tables_are_replaced_on_request_only() {
    let folder = folder();
    let predict = ["predict", "m.mercer", "new.csv", "-o"];
    let gram = ["gram", "new.csv", "-k", "linear", "-o"];
    for (command, name) in
        [(&predict[..], "p.csv"), (&predict, "p.parquet"), (&gram, "k.npy"), (&gram, "k.csv"), (&gram, "k.parquet")]
    {
        assert_eq!(folder.run(&[command, &[name]].concat()).code, 0, "{name}");
        let first = fs::read(folder.path(name)).expect("written");
        refused(&folder.run(&[command, &[name]].concat()), "is there already", "`--force`");
        assert_eq!(fs::read(folder.path(name)).expect("there"), first);
        assert_eq!(folder.run(&[command, &[name, "--force"]].concat()).code, 0, "{name}");
    }
    refused(&folder.run(&[&predict[..], &["p.xyz"]].concat()), "as `.xyz`", ".csv or .parquet");
}

#[test]
fn it_is_said_before_anything_is_read() {
    let folder = folder();
    folder.write("taken.csv", "1\n");
    // None of these inputs can be read; were they looked at first, the message would be about them.
    folder.write("broken.csv", "a,y\n\"1,2\n\"\"3");
    for args in [
        &["fit", "broken.csv", "--target", "y", "-o", "taken.csv"][..],
        &["fit", "broken.csv", "--target", "y", "-o", "absent/m.mercer"],
        &["predict", "broken.csv", "broken.csv", "-o", "taken.csv"],
        &["predict", "broken.csv", "broken.csv", "-o", "absent/p.csv"],
        &["gram", "broken.csv", "-o", "taken.csv"],
        &["gram", "broken.csv", "-o", "absent/k.npy"],
    ] {
        let done = folder.run(args);
        assert_eq!(done.code, 2, "{args:?} {done:?}");
        let told = done.err.contains("is there already") || done.err.contains("there is no folder");
        assert!(told && !done.err.contains("broken"), "{args:?} {done:?}");
    }
}

#[test]
fn permissions_stay_and_long_names_are_written() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let mode = |name: &str| fs::metadata(folder.path(name)).expect("there").permissions().mode() & 0o777;
    fs::set_permissions(folder.path("m.mercer"), fs::Permissions::from_mode(0o600)).expect("ours");
    assert_eq!(fit(&folder, &["-o", "m.mercer"]).code, 0);
    assert_eq!(mode("m.mercer"), 0o600, "a private model stays private");
    fs::set_permissions(folder.path("m.mercer"), fs::Permissions::from_mode(0o400)).expect("ours");
    refused(&fit(&folder, &["-o", "m.mercer"]), "may not be written to", "--force");
    assert_eq!(fit(&folder, &["-o", "m.mercer", "--force"]).code, 0);
    let long = format!("{}.mercer", "x".repeat(240));
    assert_eq!(fit(&folder, &["-o", &long]).code, 0, "a name of {} bytes", long.len());
    let wide = format!("{}.mercer", "é".repeat(120));
    assert_eq!(fit(&folder, &["-o", &wide]).code, 0, "a name of {} bytes", wide.len());
}

/// Odd places for an output: whatever happens, what was read is as it was, byte for byte, and the process
/// ends with a code of its own and a sentence.
#[test]
fn odd_outputs_leave_every_other_file_as_it_was() {
    let folder = folder();
    std::os::unix::fs::symlink("loop_b.csv", folder.path("loop_a.csv")).expect("a link");
    std::os::unix::fs::symlink("loop_a.csv", folder.path("loop_b.csv")).expect("a link");
    std::os::unix::fs::symlink("d.csv", folder.path("to_data.npy")).expect("a link");
    std::os::unix::fs::symlink("m.mercer", folder.path("to_model.csv")).expect("a link");
    std::os::unix::fs::symlink("nowhere.csv", folder.path("dangling.csv")).expect("a link");
    fs::create_dir(folder.path("dir.csv")).expect("a folder");
    folder.write("own.png", "\x7fELF");
    let kept = ["d.csv", "new.csv", "m.mercer", "note.txt", "own.png"];
    let bytes = |name: &str| fs::read(folder.path(name)).expect("kept");
    let before: Vec<Vec<u8>> = kept.iter().map(|name| bytes(name)).collect();
    let places = [
        "d.csv",
        "./new.csv",
        "m.mercer",
        "loop_a.csv",
        "to_data.npy",
        "to_model.csv",
        "dangling.csv",
        "dir.csv",
        "dir.csv/",
        "note.txt/x.csv",
        "note.txt",
        "/dev/null",
        "/dev/full",
        "absent/x.csv",
        "line\nbreak.csv",
        " .csv",
        ".csv",
        "own.png",
        "fresh.csv",
        "fresh.npy",
        "fresh.parquet",
        "fresh.mercer",
        "",
        ".",
        "..",
        "/",
        "/dev/stdin",
        "-",
        "--",
        "d.csv\u{0301}",
    ];
    let mut chance = Chance::new(7);
    for round in 0..60 {
        let place = places[if round < places.len() { round } else { chance.below(places.len()) }];
        let data = kept[chance.below(2)];
        let mut args = match chance.below(4) {
            0 => vec!["fit", data, "-k", "linear", "--alpha", "1", "--no-estimate", "--no-tune", "--target", "b"],
            1 => vec!["predict", "m.mercer", data],
            2 => vec!["gram", data, "-k", "linear"],
            _ => vec!["gram", data, "-k", "linear", "--output-format", "csv"],
        };
        args.extend(["-o", place]);
        let done = folder.run(&args);
        assert!([0, 2, 4].contains(&done.code), "{args:?} {done:?}");
        assert!(done.code != 4 || !done.err.contains("defect"), "{args:?} {done:?}");
        assert!(done.code == 0 || !done.err.is_empty(), "{args:?} {done:?}");
        for (name, before) in kept.iter().zip(&before) {
            let overwritten = bytes(name) != *before;
            // A fit may replace a model of Mercer's, by its own name or through a link.
            let meant = *name == "m.mercer" && args[0] == "fit" && ["m.mercer", "to_model.csv"].contains(&place);
            assert!(!overwritten || meant, "{args:?} changed {name}");
        }
        assert!(!folder.files().iter().any(|f| f.ends_with(".tmp")), "{args:?} left a temporary file");
        fs::write(folder.path("m.mercer"), &before[2]).expect("put back");
        for fresh in ["fresh.csv", "fresh.npy", "fresh.parquet", "fresh.mercer", "nowhere.csv"] {
            let _ = fs::remove_file(folder.path(fresh));
        }
    }
    assert!(Path::new("/dev/null").exists());
}

/// Some commands found out when they were done.
#[test]
fn every_command_looks_at_its_outputs_before_the_work() {
    let folder = folder();
    // Were it read first, the message would be about it.
    folder.write("broken.csv", "a,y\n\"1,2\n\"\"3");
    let long = |end: &str| format!("{}.{end}", "x".repeat(300));
    let (csv, svg, model, onnx) = (long("csv"), long("svg"), long("mercer"), long("onnx"));
    let commands: [&[&str]; 15] = [
        &["fit", "broken.csv", "--target", "y", "-o", &model],
        &["fit", "broken.csv", "--target", "y", "--plot", &svg],
        &["tune", "broken.csv", "--target", "y", "--grid", "alpha=1", "-o", &model],
        &["predict", "m.mercer", "broken.csv", "-o", &csv],
        &["score", "m.mercer", "broken.csv", "--plot", &svg],
        &["explain", "m.mercer", "broken.csv", "--plot", &svg],
        &["gram", "broken.csv", "-o", &csv],
        &["embed", "broken.csv", "-o", &csv],
        &["embed", "broken.csv", "--save", &model],
        &["cluster", "broken.csv", "--clusters", "2", "-o", &csv],
        &["compare", "broken.csv", "broken.csv", "--plot", &svg],
        &["depend", "broken.csv", "--x", "a", "--y", "y", "--plot", &svg],
        &["segment", "broken.csv", "--plot", &svg],
        &["import", "broken.csv", "-o", &model],
        &["export", "broken.csv", "-o", &onnx],
    ];
    for args in commands {
        let done = folder.run(args);
        refused(&done, "xxx", "hint: choose a shorter name");
        assert!(!done.err.contains("broken"), "{args:?} {done:?}");
    }
    let before = fs::read(folder.path("new.csv")).expect("data");
    let force = ["compare", "d.csv", "new.csv", "--plot", "second.svg", "--force"];
    std::os::unix::fs::symlink("new.csv", folder.path("second.svg")).expect("a link");
    refused(&folder.run(&force), "never replaces an input", "--plot");
    assert_eq!(fs::read(folder.path("new.csv")).expect("data"), before);
}
