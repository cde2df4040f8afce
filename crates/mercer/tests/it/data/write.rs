//! Written matrices read back the same, and failures leave nothing behind.

use std::path::{Path, PathBuf};

use mercer::Run;
use mercer::data::{
    Categories, Column, Inputs, MatrixShape, ReadOptions, Table, Texts, read, write_matrix, write_rows, write_table,
};

use super::{numbers, table};

/// A folder of this test's own, removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mercer-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    fn files(&self) -> usize {
        std::fs::read_dir(&self.0).expect("the folder").count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const VALUES: [f64; 6] = [0.1, -1e300, 5e-324, 1.0 / 3.0, f64::INFINITY, -0.0];

fn columns(path: &Path) -> Vec<Vec<f64>> {
    let data = read(path, &ReadOptions::default(), &Run::new()).expect("readable");
    match &data.inputs {
        Inputs::Dense(x) => (0..x.ncols()).map(|j| (0..x.nrows()).map(|i| x.row(i)[j]).collect()).collect(),
        _ => table(&data).names().iter().map(|n| numbers(table(&data), n).to_vec()).collect(),
    }
}

#[test]
fn every_format_reads_back_bit_for_bit() {
    let folder = Folder::new("round-trip");
    for extension in ["npy", "csv", "parquet"] {
        let path = folder.0.join(format!("a.{extension}"));
        write_matrix(&path, &VALUES, &MatrixShape { nrows: 2, ncols: 3, names: None }).expect("written");
        let bits: Vec<Vec<u64>> = columns(&path).iter().map(|c| c.iter().map(|v| v.to_bits()).collect()).collect();
        let want: Vec<Vec<u64>> = (0..3).map(|j| vec![VALUES[j].to_bits(), VALUES[3 + j].to_bits()]).collect();
        assert_eq!(bits, want, "{extension}");
    }
    assert_eq!(folder.files(), 3);
}

#[test]
fn names_are_kept_and_many_blocks_fit_together() {
    let folder = Folder::new("blocks");
    let names: Vec<String> = (0..500).map(|j| format!("c,{j}")).collect();
    let shape = MatrixShape { nrows: 5000, ncols: 500, names: Some(&names) };
    let value = |i: usize, j: usize| (i * 1000 + j) as f64;
    for extension in ["npy", "parquet", "csv"] {
        let path = folder.0.join(format!("b.{extension}"));
        write_rows(&path, &shape, &mut |rows, out| {
            for (k, i) in rows.enumerate() {
                out[k * 500..(k + 1) * 500].iter_mut().enumerate().for_each(|(j, v)| *v = value(i, j));
            }
            Ok(())
        })
        .expect("written");
        let data = read(&path, &ReadOptions::default(), &Run::new()).expect("readable");
        assert_eq!(data.len(), 5000);
        if extension != "npy" {
            assert_eq!(table(&data).names(), names);
        }
        let columns = columns(&path);
        assert!((0..5000).step_by(611).all(|i| columns[499][i] == value(i, 499)), "{extension}");
    }
}

#[test]
fn failures_leave_what_was_there() {
    let folder = Folder::new("failure");
    let path = folder.0.join("a.npy");
    let shape = MatrixShape { nrows: 2, ncols: 3, names: None };
    write_matrix(&path, &VALUES, &shape).expect("written");
    let failed = write_rows(&path, &shape, &mut |_, _| Err(mercer::Error::shape("a test", 1, 2)));
    assert!(failed.is_err());
    assert_eq!(folder.files(), 1);
    assert_eq!(columns(&path)[0], [VALUES[0], VALUES[3]]);
    assert!(write_matrix(&path, &VALUES[..5], &shape).is_err());
    assert!(write_matrix(folder.0.join("a.xlsx"), &VALUES, &shape).is_err());
    assert!(write_matrix(folder.0.join("no/such/folder.npy"), &VALUES, &shape).is_err());
    assert!(write_matrix(folder.0.join("."), &VALUES, &shape).is_err());
    assert_eq!(folder.files(), 1);
}

#[test]
fn tables_read_back_the_same() {
    let folder = Folder::new("tables");
    let words = [Some("plain"), Some("with, comma"), None, Some("a \"quote\""), Some("plain"), Some("two\nlines")];
    let written = Table::new(vec![
        ("n".into(), Column::Number(VALUES.into())),
        ("gaps".into(), Column::Number([1.5, f64::NAN, 3.0, 4.0, 5.0, 6.0].into())),
        ("kind".into(), Column::Category(Categories::from_values(words))),
        ("a \"name\", odd".into(), Column::from(Texts::from_values(words))),
    ])
    .expect("columns");
    for name in ["t.csv", "t.parquet"] {
        let path = folder.0.join(name);
        write_table(&path, &written).expect("written");
        let data = read(&path, &ReadOptions::default(), &Run::new()).expect("readable");
        let back = table(&data);
        assert_eq!(back.names(), written.names());
        assert_eq!(numbers(back, "n"), VALUES);
        let gaps = numbers(back, "gaps");
        assert!(gaps[1].is_nan() && gaps[2..] == [3.0, 4.0, 5.0, 6.0]);
        for column in ["kind", "a \"name\", odd"] {
            let cell = |i: usize| match back.column(column) {
                Some(Column::Category(c)) => c.get(i),
                Some(other) => other.values_of::<Texts>().filter(|t| !t.is_missing(i)).map(|t| t.get(i)),
                _ => panic!("words"),
            };
            assert_eq!((0..6).map(cell).collect::<Vec<_>>(), words, "{name}");
        }
    }
    let error = write_table(folder.0.join("t.xlsx"), &written).expect_err("no such format");
    assert!(error.to_string().contains("`.xlsx`"), "{error}");
    assert_eq!(folder.files(), 2, "nothing else is left");
}
