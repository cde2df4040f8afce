//! The seeds of the fuzzers and everything they have ever broken, without a fuzzer.

use std::fs;
use std::path::{Path, PathBuf};

use mercer::data::FileFormat;

use super::fuzz_checks::{formula, model, reader};

/// The files of one target under `fuzz/seeds` and `fuzz/crashes`; none outside the repository.
fn corpus(target: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let folders = ["seeds", "crashes"].map(|folder| root.join(folder).join(target));
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.sort();
    files
}

fn replay(target: &str, check: impl Fn(&[u8])) {
    for file in corpus(target) {
        // Shown when the test fails, and only then.
        println!("{}", file.display());
        check(&fs::read(&file).expect("a readable file"));
    }
}

#[test]
fn formulas_stay_fixed() {
    replay("formula", formula);
}

#[test]
fn readers_stay_fixed() {
    for target in ["csv", "fasta", "libsvm", "npy", "npz", "parquet", "arrow"] {
        let format: FileFormat = target.parse().expect("targets are named for formats");
        replay(target, |bytes| reader(format, bytes));
    }
}

#[test]
fn models_stay_fixed() {
    replay("model", |bytes| {
        model(bytes);
    });
}

/// A fuzzer that begins with files which are refused finds nothing behind the refusal.
#[test]
fn seeds_of_models_are_read() {
    let seeds = corpus("model").into_iter().filter(|file| file.components().any(|part| part.as_os_str() == "seeds"));
    for file in seeds {
        let bytes = fs::read(&file).expect("a readable file");
        assert!(model(&bytes), "{} is out of date; `write_fuzz_seeds` writes it", file.display());
    }
}
