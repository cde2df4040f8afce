//! Files written by pyarrow and NumPy, whole and broken.

use mercer::Run;
use mercer::data::{Categories, Column, ColumnType, Dataset, Inputs, ReadOptions, read, read_from};

use super::{fixture, numbers, table, words};

fn open(name: &str) -> mercer::Result<Dataset> {
    read(fixture(name), &ReadOptions::default(), &Run::new())
}

fn refused(name: &str) -> String {
    let error = open(name).expect_err("bad input");
    format!("{error} | {}", error.hint().unwrap_or_default())
}

#[test]
fn arrow_files_are_read_as_pyarrow_wrote_them() {
    for name in ["mixed.parquet", "mixed_snappy.parquet", "mixed.feather", "mixed.arrows"] {
        let data = open(&format!("pyarrow-26.0.1/{name}")).unwrap_or_else(|e| panic!("{name}: {e}"));
        let t = table(&data);
        assert_eq!(t.nrows(), 6, "{name}");
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(numbers(t, "i8")), bits(&[1.0, -2.0, f64::NAN, 4.0, 5.0, 6.0]), "{name}");
        assert_eq!(numbers(t, "u64"), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(bits(numbers(t, "f32")), bits(&[0.5, 1.5, f64::NAN, -2.5, f64::INFINITY, 0.0]));
        assert_eq!(numbers(t, "money"), [0.25, 1.25, 2.25, 3.25, 4.25, 5.25]);
        let some = |w: &[&str]| w.iter().map(|s| (*s != "-").then(|| s.to_string())).collect::<Vec<_>>();
        assert_eq!(words(t, "flag"), some(&["true", "false", "-", "true", "true", "false"]));
        assert_eq!(words(t, "kind"), some(&["a", "b", "a", "-", "b", "a"]));
        assert_eq!(words(t, "view"), some(&["r", "s", "r", "s", "r", "s"]));
        assert_eq!(words(t, "level"), some(&["high", "low", "-", "low", "high", "mid"]));
        let kind = |c: &str| t.column(c).map(Column::column_type);
        assert_eq!(kind("kind"), Some(ColumnType::Category));
        assert_eq!(kind("note"), Some(ColumnType::TEXT));
        let Some(Column::Category(level)) = t.column("level") else { panic!("a category") };
        // Parquet has no order of levels: each row group brings its own dictionary.
        if !name.ends_with(".parquet") {
            assert_eq!(level.levels(), ["low", "mid", "high"], "{name}");
        }
        assert_eq!(level.codes()[2], Categories::MISSING);
    }
}

#[test]
fn arrow_columns_can_be_chosen_and_forced() {
    let columns = Some(vec!["view".to_owned(), "i8".to_owned()]);
    let types = [("i8".to_owned(), ColumnType::Category)].into();
    let options = ReadOptions { columns, types, target: Some("flag".into()), ..ReadOptions::default() };
    let data = read(fixture("pyarrow-26.0.1/mixed.parquet"), &options, &Run::new()).expect("valid");
    assert_eq!(table(&data).names(), ["view", "i8"]);
    assert_eq!(words(table(&data), "i8")[1].as_deref(), Some("-2"));
    assert_eq!(data.target.map(|t| t.0).as_deref(), Some("flag"));
    let options = ReadOptions { types: [("kind".to_owned(), ColumnType::Number)].into(), ..ReadOptions::default() };
    let error = read(fixture("pyarrow-26.0.1/mixed.feather"), &options, &Run::new()).expect_err("words").to_string();
    assert!(error.contains("column `kind`: expected numbers"), "{error}");
}

#[test]
fn dates_are_seconds_since_1970() {
    let data = open("pyarrow-26.0.1/dates.parquet").expect("dates");
    // `date -u -d 2020-01-01 +%s`, and a day later.
    assert_eq!(numbers(table(&data), "day"), [1_577_836_800.0, 1_577_923_200.0]);
}

#[test]
fn lists_of_numbers_are_bags() {
    let data = open("pyarrow-26.0.1/lists.parquet").expect("lists");
    let kinds: Vec<&str> = table(&data).iter().map(|(_, column)| column.column_type().name()).collect();
    assert_eq!(kinds, ["bag"]);
}

#[test]
fn arrays_are_read_as_numpy_wrote_them() {
    let dense = |name: &str| match open(&format!("numpy-2.4.6/{name}")).map(|d| d.inputs) {
        Ok(Inputs::Dense(x)) => (x.nrows(), x.ncols(), x.values().to_vec()),
        other => panic!("{name}: {other:?}"),
    };
    let grid = (3, 2, vec![-1.5, -0.5, 0.5, 1.5, 2.5, 3.5]);
    assert_eq!(dense("f8.npy"), grid);
    assert_eq!(dense("f4_fortran.npy"), grid);
    assert_eq!(dense("big_endian.npy"), grid);
    assert_eq!(dense("i2.npy"), (2, 2, vec![-1.0, 2.0, 300.0, -400.0]));
    assert_eq!(dense("u8.npy"), (2, 1, vec![1.0, 1_099_511_627_776.0]));
    assert_eq!(dense("bool.npy"), (2, 1, vec![1.0, 0.0]));
}

#[test]
fn archives_become_tables_or_rows_with_a_target() {
    let data = open("numpy-2.4.6/columns.npz").expect("valid");
    assert_eq!(numbers(table(&data), "a"), [0.0, 1.0, 2.0]);
    assert_eq!(numbers(table(&data), "b"), [0.5, 1.5, 2.5]);
    let data = open("numpy-2.4.6/xy.npz").expect("valid");
    assert_eq!(data.inputs.columns().len(), 2);
    let Some((name, Column::Number(y))) = &data.target else { panic!("a target") };
    assert_eq!((name.as_str(), &y[..]), ("y", &[1.0, 0.0, 1.0][..]));
    assert!(refused("numpy-2.4.6/two.npz").contains("several two-dimensional arrays"));
}

#[test]
fn arrays_without_meaning_are_refused_with_advice() {
    let has = |name: &str, what: &str| {
        let message = refused(&format!("numpy-2.4.6/{name}"));
        assert!(message.contains(what), "{message}");
    };
    has("object.npy", "Python objects");
    has("structured.npy", "a structured array");
    has("cube.npy", "3 dimensions");
    has("scalar.npy", "a single number");
    has("strings.npy", "an array of strings");
    has("f2.npy", "astype('float64')");
}

#[test]
fn a_header_that_lies_allocates_nothing() {
    let lie =
        |bytes: &[u8]| read_from(bytes, "a.npy", &ReadOptions::default(), &Run::new()).expect_err("a lie").to_string();
    for rows in ["1152921504606846976", "1000000000000", "99999999999999999999999"] {
        let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, 4), }}\n");
        let length = (text.len() as u16).to_le_bytes();
        let message = lie(&[b"\x93NUMPY\x01\x00", length.as_slice(), text.as_bytes()].concat());
        assert!(message.contains("truncated") || message.contains("not a whole NumPy file"), "{message}");
    }
    let mut long = b"\x93NUMPY\x02\x00".to_vec();
    long.extend(u32::MAX.to_le_bytes());
    assert!(lie(&long).contains("impossible length"));
}

/// Every prefix and many single-byte changes of a file must give an answer, never a panic.
fn survives(name: &str) {
    let bytes = std::fs::read(fixture(name)).expect("a fixture");
    let read = |bytes: &[u8]| read_from(bytes, name, &ReadOptions::default(), &Run::new());
    assert!(read(&bytes).is_ok(), "{name}");
    let step = (bytes.len() / 150).max(1);
    for end in (0..bytes.len()).step_by(step) {
        let _ = read(&bytes[..end]);
    }
    for at in (0..bytes.len()).step_by(step) {
        for flip in [0x01, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            let _ = read(&changed);
        }
    }
}

#[test]
fn broken_files_never_panic() {
    for name in [
        "pyarrow-26.0.1/mixed.parquet",
        "pyarrow-26.0.1/mixed_snappy.parquet",
        "pyarrow-26.0.1/mixed.feather",
        "pyarrow-26.0.1/mixed.arrows",
        "numpy-2.4.6/f8.npy",
        "numpy-2.4.6/xy.npz",
        "numpy-2.4.6/columns.npz",
        "pandas-3.1.1/quoted_semicolon.csv.gz",
    ] {
        survives(name);
    }
}

#[test]
fn truncated_files_say_so() {
    let cut = |name: &str| {
        let bytes = std::fs::read(fixture(name)).expect("a fixture");
        let error =
            read_from(&bytes[..bytes.len() - 9], name, &ReadOptions::default(), &Run::new()).expect_err("truncated");
        error.to_string()
    };
    assert!(cut("pyarrow-26.0.1/mixed.parquet").contains("not a whole Parquet file"));
    assert!(cut("pyarrow-26.0.1/mixed.feather").contains("not a whole Arrow file"));
    assert!(cut("numpy-2.4.6/f8.npy").contains("truncated"));
    assert!(cut("numpy-2.4.6/xy.npz").contains("not a whole NumPy archive"));
    assert!(cut("pandas-3.1.1/quoted_semicolon.csv.gz").contains("truncated"));
}

#[test]
fn foreign_formats_get_advice() {
    let hint = |name: &str, bytes: &[u8]| {
        let error = read_from(bytes, name, &ReadOptions::default(), &Run::new()).expect_err("foreign");
        error.hint().unwrap_or_default()
    };
    assert!(hint("a.csv.zst", b"\x28\xb5\x2f\xfd\x00").contains("gzip"));
    assert!(hint("a.h5", b"\x89HDF\r\n").contains("Parquet"));
    assert!(hint("a.xlsx", b"PK\x03\x04").contains("CSV"));
}
