//! Faults from outside: kills, limits on files, full disks, containers, damaged models and data, and memory.
//!
//! A share of each with a fixed seed is run with all other tests. `fuzz/faults --seconds N` runs all for longer with
//! a new seed: `MERCER_FAULT_SECONDS` is the time of each kind, `MERCER_FAULT_SEED` the seed.

mod damage;
mod hostile;
mod kills;
mod peak;
mod peaks;
mod places;

use std::time::{Duration, Instant};

use mercer::chance::Chance;

use crate::Folder;

/// Exit codes that a fault from outside may lead to: all but 4, a defect of Mercer.
const SAID: [i32; 6] = [0, 1, 2, 3, 5, 130];

/// Runs `round` for the time of one kind of fault, with numbers by chance; at least `least` times.
fn rounds(least: usize, mut round: impl FnMut(&mut Chance)) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (seconds, seed) = (number("MERCER_FAULT_SECONDS").unwrap_or(2), number("MERCER_FAULT_SEED").unwrap_or(1));
    let (mut chance, start, mut done) = (Chance::new(seed), Instant::now(), 0);
    while done < least || start.elapsed() < Duration::from_secs(seconds) {
        round(&mut chance);
        done += 1;
    }
}

/// A table of numbers with a target and words, and a model of it.
fn with_model() -> Folder {
    let folder = Folder::fresh();
    let row = |i: u32| format!("{},{},{},{}\n", i % 23, i * i % 17, ["a", "b", "c"][i as usize % 3], 2 * i + i % 3);
    folder.write("d.csv", format!("a,b,w,y\n{}", (0..60).map(row).collect::<String>()));
    let fit = ["fit", "d.csv", "--target", "y", "-k", "rbf + delta(w)", "--alpha", "1", "--no-tune", "--cv", "2", "-q"];
    let done = folder.run(&[&fit[..], &["-o", "m.mercer"]].concat());
    assert_eq!(done.code, 0, "{done:?}");
    folder
}

/// Names of files that a writer left without their final name.
fn left_over(folder: &Folder) -> Vec<String> {
    folder.files().into_iter().filter(|name| name.ends_with(".tmp")).collect()
}
