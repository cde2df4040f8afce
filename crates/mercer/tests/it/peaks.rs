//! The largest memory of the library under a limit, without the wall of the command line.
//!
//! Each case runs in a process of its own, which is this binary with the name of one ignored test.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray, RecordBatch, UInt8Array};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use mercer::data::{Column, Labels, ReadOptions, Table, Target, TargetKind, Targets, read, write_table};
use mercer::model::catalogue;
use mercer::testkit::points::vectors;
use mercer::{Error, Run};
use zip::write::{SimpleFileOptions, ZipWriter};

/// What says to the child what to do, and how much it may take.
const CASE: &str = "MERCER_PEAK_CASE";
const LIMIT: &str = "MERCER_PEAK_LIMIT";
/// Rows whose kernel matrix takes 18 MB.
const ROWS: usize = 1_500;

fn own_peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    1024 * line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()).unwrap_or(0)
}

/// What the child does.
#[test]
#[ignore = "a process of the test below"]
fn the_child() {
    let Ok(case) = std::env::var(CASE) else { return };
    let limit = std::env::var(LIMIT).expect("given").parse().expect("a number");
    // As in Python, where a pool has as many threads as there are cores.
    let run = Run::new().with_memory_limit(limit).with_threads(2).expect("threads");
    let done = match case.split_once(' ') {
        Some(("read", path)) => read(Path::new(path), &ReadOptions::default(), &run).map(drop),
        Some(("fit", name)) => fit(name, &run),
        _ => Ok(()),
    };
    let said = match done {
        Ok(()) => "done",
        Err(Error::Memory { .. }) => "refused",
        Err(error) => panic!("{case}: {error}"),
    };
    println!("PEAK {said} {}", own_peak());
}

/// Fits a learner of the catalogue as it is.
fn fit(name: &str, run: &Run) -> mercer::Result<()> {
    let learner = catalogue::all().into_iter().find(|l| l.spec().name == name).expect("in the catalogue");
    let (x, y) = (vectors(ROWS, 3, 5), vectors(ROWS, 1, 6));
    let target: Target = match learner.spec().targets[0] {
        TargetKind::Numbers => Targets::new(y.values().to_vec(), 1)?.into(),
        TargetKind::Classes => Labels::new(y.values().iter().map(|v| usize::from(*v > 0.5)).collect(), 2)?.into(),
        TargetKind::Second => Target::from(mercer::data::Inputs::from(y)),
        _ => Target::None,
    };
    learner.fit(&x.into(), target, None, run).map(drop)
}

/// How a case ended, and its largest memory.
fn measured(case: &str, limit: u64) -> (String, u64) {
    let this = std::env::current_exe().expect("this binary");
    let args = ["peaks::the_child", "--exact", "--ignored", "--nocapture", "--test-threads", "1"];
    let out = Command::new(this).args(args).env(CASE, case).env(LIMIT, limit.to_string()).output().expect("runs");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let line = text.lines().find_map(|l| l.split_once("PEAK ")).map(|(_, rest)| rest.to_owned());
    let line = line.unwrap_or_else(|| panic!("{case}: {text}{}", String::from_utf8_lossy(&out.stderr)));
    let (said, peak) = line.split_once(' ').expect("two words");
    (said.to_owned(), peak.trim().parse().expect("a number"))
}

/// What cases take beyond 1.1 times the limit and an idle process.
fn over(cases: &[String], limit: u64, refused: bool) -> Vec<String> {
    let idle = measured("idle", limit).1;
    let mut found = Vec::new();
    for case in cases {
        let (said, peak) = measured(case, limit);
        let most = limit + limit / 10 + idle + (8 << 20);
        println!("{case}: {said}, {} MB beside {} MB idle", (peak - idle.min(peak)) >> 20, idle >> 20);
        if peak > most || refused && said != "refused" {
            found.push(format!("{case}: {said}, {} MB of {} MB", peak >> 20, most >> 20));
        }
    }
    found
}

fn arrow(path: &Path, columns: Vec<(String, ArrayRef, bool)>, packing: Option<CompressionType>) {
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("columns");
    let options = IpcWriteOptions::default().try_with_compression(packing).expect("known");
    let schema = batch.schema();
    let mut writer =
        FileWriter::try_new_with_options(File::create(path).expect("ours"), &schema, options).expect("begun");
    writer.write(&batch).expect("written");
    writer.finish().expect("written");
}

/// An archive of an array of zeros, a byte each.
fn archive(path: &Path, numbers: usize) {
    let text = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({numbers},), }}\n");
    let header = [b"\x93NUMPY\x01\x00", (text.len() as u16).to_le_bytes().as_slice(), text.as_bytes()].concat();
    let mut zip = ZipWriter::new(File::create(path).expect("ours"));
    zip.start_file("a.npy", SimpleFileOptions::default()).expect("begun");
    zip.write_all(&header).expect("written");
    (0..numbers / 1000).for_each(|_| zip.write_all(&[0; 1000]).expect("written"));
    zip.finish().expect("written");
}

/// Small files that unpack to 400 MB and more are refused by the account of the run alone.
#[test]
fn readers_hold_the_limit_without_a_wall() {
    let folder = std::env::temp_dir().join(format!("mercer-peaks-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("ours");
    let rows = 50_000_000;
    let null: ArrayRef = Arc::new(NullArray::new(rows));
    arrow(&folder.join("nulls.arrow"), vec![("x".into(), null, true)], None);
    let same: ArrayRef = Arc::new(UInt8Array::from(vec![7; rows]));
    arrow(&folder.join("same.arrow"), vec![("x".into(), same, true)], Some(CompressionType::ZSTD));
    archive(&folder.join("zeros.npz"), rows);
    let column = Column::Number(vec![7.0; rows / 5].into());
    write_table(folder.join("same.parquet"), &Table::new(vec![("x".into(), column)]).expect("a table"))
        .expect("written");
    let names = ["nulls.arrow", "same.arrow", "zeros.npz", "same.parquet"];
    let cases: Vec<String> = names.iter().map(|name| format!("read {}", folder.join(name).display())).collect();
    let found = over(&cases, 60 << 20, true);
    fs::remove_dir_all(&folder).expect("ours");
    assert!(found.is_empty(), "{found:#?}");
}

/// Every learner stays within the limit, or says that it is too small.
#[test]
fn learners_hold_the_limit_without_a_wall() {
    let cases: Vec<String> = catalogue::all().iter().map(|l| format!("fit {}", l.spec().name)).collect();
    let found = over(&cases, 64 << 20, false);
    assert!(found.is_empty(), "{found:#?}");
}
