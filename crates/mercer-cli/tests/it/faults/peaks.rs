//! The memory of every command and format is at most 1.1 times the limit plus what an idle process has.

use std::io::Write;

use super::hostile;
use super::peak::{IDLE, Measured, Peak};
use super::{SAID, with_model};
use crate::{Done, Folder};

const LIMIT: u64 = 30_000_000;

fn measured(folder: &Folder, args: &[&str]) -> Done {
    let limits = ["--memory", "30MB", "--deadline", "5s", "-q"];
    let Measured { done, peak } = Measured::run(folder, &[args, &limits].concat());
    peak.holds(LIMIT, args);
    let done = done.unwrap_or_else(|| panic!("{args:?} was ended by a signal"));
    assert!(SAID.contains(&done.code), "{args:?}: {done:?}");
    done
}

fn refused(done: &Done, what: &str) {
    assert_eq!(done.code, 2, "{what}: {done:?}");
    assert!(done.err.contains("MiB") && done.err.contains("hint: "), "{what}: {done:?}");
}

#[test]
fn an_idle_process_has_what_is_said() {
    let folder = with_model();
    for args in [&["models"][..], &["data", "d.csv"], &["inspect", "m.mercer"], &["predict", "m.mercer", "d.csv"]] {
        // Of a limit of nothing, what is left is the process itself.
        let Measured { done, peak } = Measured::run(&folder, args);
        assert_eq!(done.map(|done| done.code), Some(0), "{args:?}");
        peak.holds(0, args);
    }
    assert_eq!(IDLE, 32 << 20, "docs/guide/data.md says it");
    let _: Peak;
}

/// 394 bytes took 6 GB, a megabyte of npz 2 GB, two of Parquet 7.6 GB.
#[test]
fn small_files_that_unpack_to_much_are_refused_in_time() {
    let folder = Folder::fresh();
    hostile::nulls(&folder, "nulls.arrow", 3_000_000);
    hostile::packed_batch(&folder, "same.arrow", 2_000_000, 40);
    hostile::long_text(&folder, "text.arrow", 2_000, 4_000);
    hostile::archive(&folder, "zeros.npz", 40_000_000);
    hostile::packed_array(&folder, "zeros.npy.gz", 80_000_000);
    hostile::packed_text(&folder, "lines.csv.gz", 1_500_000);
    hostile::repeated_word(&folder, "word.parquet", 10_000, 1_000);
    for name in ["nulls.arrow", "same.arrow", "zeros.npz", "zeros.npy.gz", "lines.csv.gz"] {
        let size = std::fs::metadata(folder.path(name)).expect("made").len();
        assert!(size < 5_000_000, "{name} has {size} bytes");
        refused(&measured(&folder, &["data", name]), name);
        // The commands that read more than they say, too.
        measured(&folder, &["gram", name, "-k", "linear"]);
        measured(&folder, &["fit", name, "--target", "b", "-o", "x.mercer"]);
    }
    measured(&folder, &["data", "text.arrow"]);
    measured(&folder, &["data", "word.parquet"]);
}

#[test]
fn what_has_no_end_is_refused() {
    let folder = with_model();
    for args in [
        &["data", "/dev/zero"][..],
        &["fit", "/dev/zero", "--target", "y", "-o", "x.mercer"],
        &["inspect", "/dev/zero"],
        &["predict", "m.mercer", "/dev/zero"],
        &["import", "/dev/zero", "-o", "x.mercer"],
        &["tune", "d.csv", "--target", "y", "--grid", "alpha=1,2", "--journal", "/dev/zero", "-o", "x.mercer"],
    ] {
        assert_eq!(measured(&folder, args).code, 2, "{args:?}");
    }
}

/// A matrix that has to be streamed, in every format: Parquet took 2.7 GB under 10 MB.
#[test]
fn matrices_are_written_within_the_limit() {
    let folder = Folder::fresh();
    let mut file = std::fs::File::create(folder.path("x.csv")).expect("ours");
    writeln!(file, "a,b").expect("written");
    (0..3000).for_each(|i| writeln!(file, "{},{}", i % 97, i % 31).expect("written"));
    for (name, code) in [("K.npy", 0), ("K.csv", 0), ("K.parquet", 2)] {
        let done = measured(&folder, &["gram", "x.csv", "-k", "linear", "-o", name]);
        // Who has no time to write 9 million numbers as text is stopped, which is no matter of memory.
        assert!(done.code == code || done.code == 5, "{name}: {done:?}");
        assert!(code == 0 || done.err.contains("write .npy"), "{done:?}");
    }
    let tall = ["gram", "x.csv", "-k", "linear", "--against", "few.csv", "-o", "tall.parquet"];
    folder.write("few.csv", "a,b\n1,2\n3,4\n5,6\n");
    assert_eq!(measured(&folder, &tall).code, 0, "few columns fit");
}

#[test]
fn every_command_stays_within_the_limit() {
    let folder = with_model();
    let mut file = std::fs::File::create(folder.path("x.csv")).expect("ours");
    writeln!(file, "a,b,w,y").expect("written");
    let cell = |i: usize, k: usize| ((i * 7919 + k) % 10_007) as f64 / 10_007.0;
    (0..20_000).for_each(|i| {
        writeln!(file, "{},{},{},{}", cell(i, 0), cell(i, 5), ["a", "b", "c"][i % 3], cell(i, 9)).expect("ours")
    });
    let all: [&[&str]; 15] = [
        &["data", "x.csv"],
        &["kernel", "rbf", "x.csv"],
        &["check", "rbf(a, b)", "--data", "x.csv"],
        &["gram", "x.csv", "-k", "rbf", "--plot", "k.svg"],
        &["fit", "x.csv", "--target", "y", "-o", "x.mercer"],
        &["tune", "x.csv", "--target", "y", "-k", "rbf(a, b)", "--grid", "alpha=0.1,1", "-o", "t.mercer"],
        &["predict", "m.mercer", "x.csv", "-o", "p.csv"],
        &["score", "m.mercer", "x.csv"],
        &["explain", "m.mercer", "x.csv"],
        &["verify", "m.mercer", "d.csv"],
        &["embed", "x.csv", "-o", "e.csv"],
        &["cluster", "x.csv", "--clusters", "3", "-o", "c.csv"],
        &["compare", "x.csv", "x.csv"],
        &["depend", "x.csv", "--x", "a", "--y", "b"],
        &["segment", "x.csv"],
    ];
    for args in all {
        measured(&folder, args);
    }
}
