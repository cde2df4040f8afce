//! Models and data with bytes changed by chance.

use std::fs;

use mercer::chance::Chance;
use mercer::data::{ReadOptions, read, write_matrix, write_table};
use mercer::save::resealed;
use mercer::{Run, data::MatrixShape};

use super::peak::Measured;
use super::{SAID, rounds, with_model};
use crate::Folder;

/// The bytes with one to four changes: a bit, a byte, a number of eight bytes, a piece cut out or doubled.
fn damaged(bytes: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=chance.below(4) {
        if bytes.len() < 16 {
            break;
        }
        let at = chance.below(bytes.len() - 8);
        match chance.below(6) {
            0 => bytes[at] ^= 1 << chance.below(8),
            1 => bytes[at] = chance.below(256) as u8,
            2 => bytes[at..at + 8].fill([0, 0xff, 0x7f, b'9', b'-', b'"'][chance.below(6)]),
            3 => drop(bytes.drain(at..(at + 1 + chance.below(64)).min(at + 8))),
            4 => {
                let piece = bytes[at..at + 8].to_vec();
                bytes.splice(at..at, piece);
            }
            // A digit of a size or an offset in a text.
            _ => {
                let digits: Vec<usize> = (0..bytes.len()).filter(|i| bytes[*i].is_ascii_digit()).collect();
                if let Some(place) = digits.get(chance.below(digits.len().max(1))) {
                    bytes[*place] = b'0' + chance.below(10) as u8;
                }
            }
        }
    }
    bytes
}

const LIMITS: [&str; 4] = ["--memory", "60MB", "--deadline", "20s"];

fn said(folder: &Folder, args: &[&str]) {
    let Measured { done, peak } = Measured::run(folder, &[args, &LIMITS].concat());
    let keep = || fs::copy(folder.path(args[1]), std::env::temp_dir().join(format!("mercer-fault-{}", args[1])));
    let fine = done.as_ref().is_some_and(|done| SAID.contains(&done.code));
    assert!(fine, "{args:?} ended with {done:?}; the file is kept as {:?}", keep().map(|_| std::env::temp_dir()));
    peak.holds(60_000_000, args);
}

/// The checksum is made again: else nothing but itself would be tested.
#[test]
fn damaged_models_are_refused_or_read() {
    let folder = with_model();
    let model = fs::read(folder.path("m.mercer")).expect("a model");
    rounds(20, |chance| {
        folder.write("bad.mercer", resealed(&damaged(&model, chance)));
        said(&folder, &["inspect", "bad.mercer", "-q"]);
        said(&folder, &["predict", "bad.mercer", "d.csv", "-q"]);
    });
}

#[test]
fn damaged_data_are_refused_or_read() {
    let folder = with_model();
    let table = read(folder.path("d.csv"), &ReadOptions::default(), &Run::new()).expect("a table");
    let table = table.table().expect("a table").clone();
    write_table(folder.path("d.parquet"), &table).expect("written");
    let values: Vec<f64> = (0..300).map(f64::from).collect();
    let shape = MatrixShape { nrows: 30, ncols: 10, names: None };
    write_matrix(folder.path("d.npy"), &values, &shape).expect("written");
    folder.write("d.svm", "1 1:2 7:3.5\n-1 2:1 3:4\n".repeat(9));
    super::hostile::archive(&folder, "d.npz", 300);
    super::hostile::packed_batch(&folder, "d.arrow", 300, 3);
    let names = ["d.csv", "d.parquet", "d.npy", "d.svm", "d.npz", "d.arrow"];
    let whole = names.map(|name| (name, fs::read(folder.path(name)).expect("written")));
    rounds(30, |chance| {
        let (name, bytes) = &whole[chance.below(whole.len())];
        let bad = format!("bad.{}", name.rsplit('.').next().unwrap_or_default());
        folder.write(&bad, damaged(bytes, chance));
        said(&folder, &["data", &bad, "-q"]);
    });
}
