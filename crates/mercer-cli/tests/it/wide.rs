//! A few bytes of sparse rows may have a hundred million columns; nothing is made for each of them.

use std::process::{Command, Stdio};

use crate::{Done, Folder};

/// In units of 1024 bytes: more than any of these commands needs, and less than two numbers a column.
const ADDRESS_SPACE: &str = "1048576";

/// Runs the binary with an address space too small for what is made for every column, and one thread,
/// whose stack and arena are all there are.
fn run(folder: &Folder, args: &[&str]) -> Done {
    let limited = format!("ulimit -v {ADDRESS_SPACE}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &limited, env!("CARGO_BIN_EXE_mercer")]).args(args).args(["--memory", "200MB", "--threads", "1"]);
    shell.current_dir(folder.path(".")).stdin(Stdio::null()).output().expect("the binary runs").into()
}

/// The most memory that the process had, which a fit reports.
fn peak(done: &Done) -> u64 {
    let report: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    report["peak_memory"].as_u64().unwrap_or(0)
}

fn wide() -> Folder {
    let folder = Folder::fresh();
    let row = |i: u32| format!("{} {}:{} 99999999:0.5 100000000:{}\n", i % 2, 1 + i % 5, i + 1, i % 4 + 1);
    folder.write("wide.svm", (0..24).map(row).collect::<String>());
    folder
}

#[test]
fn every_command_reads_a_hundred_million_columns() {
    let folder = wide();
    for kernel in ["linear", "rbf", "poly(degree=2)", "cosine", "matern52 + linear(x7)"] {
        for more in [&[][..], &["--no-standardize"]] {
            let fit = ["fit", "wide.svm", "-k", kernel, "-o", "w.mercer", "--json", "--model", "ridge"];
            let done = run(&folder, &[&fit[..], more].concat());
            assert_eq!(done.code, 0, "{kernel} {more:?} {done:?}");
            assert!(peak(&done) < 300 << 20, "{kernel} {more:?}: {} bytes", peak(&done));
        }
        for args in [
            &["predict", "w.mercer", "wide.svm"][..],
            &["inspect", "w.mercer"],
            &["explain", "w.mercer", "wide.svm"],
            &["verify", "w.mercer", "wide.svm"],
            &["gram", "wide.svm", "-k", kernel],
            &["gram", "wide.svm", "-k", kernel, "--standardize"],
            &["gram", "wide.svm", "-k", kernel, "--against", "wide.svm"],
            &["kernel", kernel, "wide.svm"],
            &["kernel", kernel, "wide.svm", "--json"],
            &["check", kernel, "--data", "wide.svm"],
            &["data", "wide.svm"],
            &["data", "wide.svm", "--json"],
        ] {
            let done = run(&folder, args);
            assert_eq!(done.code, 0, "{args:?} {done:?}");
        }
    }
}

#[test]
fn the_chosen_kernel_and_learners_do_too() {
    let folder = wide();
    for more in [&[][..], &["--model", "gp"], &["--model", "logistic", "--type", "y=category"], &["--model", "sgd"]] {
        let done = run(&folder, &[&["fit", "wide.svm", "-o", "w.mercer", "--json"][..], more].concat());
        assert!(done.code == 0 || done.code == 2, "{more:?} {done:?}");
    }
}

#[test]
fn what_needs_a_number_a_column_says_that_it_is_too_much() {
    let folder = wide();
    for kernel in
        ["laplace_l1", "anova(degree=2)", "additive(degree=1)", "min", "spline", "periodic", "rbf(length_scale=[1, 2])"]
    {
        for args in [&["gram", "wide.svm", "-k", kernel][..], &["fit", "wide.svm", "-k", kernel, "-o", "w.mercer"]] {
            let done = run(&folder, args);
            assert_eq!(done.code, 2, "{args:?} {done:?}");
            assert!(!done.err.contains("defect") && done.err.contains("hint"), "{args:?} {done:?}");
        }
    }
    let done = run(&folder, &["gram", "wide.svm", "-k", "linear(x100000000)"]);
    assert!(done.code == 2 && done.err.contains("the data has no column `x100000000`"), "{done:?}");
    let done = run(&folder, &["gram", "wide.svm", "-k", "expression(\"x*y\")"]);
    assert!(done.code == 2 && done.err.contains("and here are 100000000"), "{done:?}");
}

#[test]
fn mistakes_are_found_among_a_hundred_million_columns() {
    let folder = wide();
    let of_a_type = "and the data has none";
    let none = "`x100000000`";
    for (kernel, said) in [
        ("hamming", of_a_type),
        ("ngram", of_a_type),
        ("rbf + hamming", of_a_type),
        ("delta(x7)", "but `x7` is a number column"),
        ("rbf(x7, x100000000)", none),
        ("linear*delta(x100000000)", none),
    ] {
        for args in [&["gram", "wide.svm", "-k", kernel][..], &["fit", "wide.svm", "-k", kernel, "-o", "w.mercer"]] {
            let done = run(&folder, args);
            assert!(done.code == 2 && done.err.contains(said), "{args:?} {done:?}");
        }
    }
    let row =
        |i: u32| format!("{} {}:{} 100000000:1\n", i % 2, 1 + i % 5, if i == 3 { "nan".into() } else { i.to_string() });
    folder.write("gaps.svm", (0..24).map(row).collect::<String>());
    for kernel in ["rbf", "matern52 + linear(x7)"] {
        let done = run(&folder, &["gram", "gaps.svm", "-k", kernel]);
        assert!(done.code == 2 && done.err.contains("the sparse rows (first in column `x3`)"), "{kernel} {done:?}");
    }
}

#[test]
fn indices_beyond_belief_are_refused() {
    let folder = Folder::fresh();
    for index in ["100000001", "4294967295", "4294967296", "18446744073709551615", "18446744073709551616"] {
        folder.write("far.svm", format!("1 1:1\n0 {index}:1\n"));
        for command in ["data", "gram"] {
            let done = run(&folder, &[command, "far.svm"]);
            assert_eq!(done.code, 2, "{index} {done:?}");
            assert!(done.err.contains("line 2"), "{index} {done:?}");
        }
    }
}

/// The header of an array of numbers, without any.
fn npy(shape: &str) -> Vec<u8> {
    let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = (text.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", length.as_slice(), text.as_bytes()].concat()
}

#[test]
fn arrays_that_promise_much_and_hold_nothing_are_refused() {
    let folder = Folder::fresh();
    for shape in
        ["(0, 1000000000000)", "(1000000000000, 0)", "(1000000000000, 1000000000000)", "(0,)", "(3, 100000000)"]
    {
        folder.write("hollow.npy", npy(shape));
        for args in
            [&["data", "hollow.npy"][..], &["gram", "hollow.npy", "-k", "linear"], &["check", "--gram", "hollow.npy"]]
        {
            let done = run(&folder, args);
            assert_eq!(done.code, 2, "{shape} {args:?} {done:?}");
        }
    }
}

#[test]
fn a_line_of_commas_is_no_table() {
    let folder = Folder::fresh();
    for (line, code) in [(2_000_000, 2), (20_000, 0)] {
        folder.write("commas.csv", format!("{0}\n{0}\n", "1,".repeat(line)));
        let done = run(&folder, &["data", "commas.csv", "--no-header"]);
        assert_eq!(done.code, code, "{done:?}");
        assert!(code == 0 || done.err.contains("2000001 columns"), "{done:?}");
    }
}
