//! Files that unpack to more than they should.

use std::io::Write;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use mercer::data::{ReadOptions, read, read_from};
use mercer::{Error, Run};

use super::fixture;

fn at_most(bytes: u64) -> ReadOptions {
    ReadOptions { max_bytes: Some(bytes), ..ReadOptions::default() }
}

/// What a refused file is told.
fn told(result: mercer::Result<mercer::data::Dataset>) -> String {
    match result {
        Err(e @ (Error::Data { .. } | Error::Format { .. })) => format!("{e} | {}", e.hint().unwrap_or_default()),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[test]
fn gzip_may_not_unpack_without_end() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all("1,2\n".repeat(250_000).as_bytes()).expect("memory");
    let packed = packed.finish().expect("memory");
    assert!(packed.len() < 10_000);
    let read = |limit| read_from(packed.as_slice(), "ones.csv.gz", &at_most(limit), &Run::new());
    assert_eq!(read(1_000_000).expect("just enough").len(), 250_000);
    let message = told(read(999_999));
    assert!(message.contains("ones.csv.gz: the file unpacks to more than 977 KiB"), "{message}");
    assert!(message.contains("raise `max_bytes`"), "{message}");
    // The limit holds where the first bytes are looked at, too.
    assert!(told(read(100)).contains("unpacks to more than 100 B"));
}

#[test]
fn plain_files_have_no_limit() {
    assert_eq!(read_from("1,2\n3,4\n".as_bytes(), "a.csv", &at_most(1), &Run::new()).expect("not packed").len(), 2);
}

#[test]
fn members_of_an_archive_may_not_unpack_without_end() {
    let path = fixture("numpy-2.4.6/columns.npz");
    assert!(read(&path, &at_most(10_000), &Run::new()).is_ok());
    let message = told(read(&path, &at_most(100), &Run::new()));
    assert!(message.contains("array `") && message.contains("unpacks to more than 100 B"), "{message}");
}

#[test]
fn tables_may_not_unpack_without_end() {
    for name in ["mixed.parquet", "mixed.feather", "mixed.arrows"] {
        let path = fixture(&format!("pyarrow-26.0.1/{name}"));
        assert!(read(&path, &at_most(10_000), &Run::new()).is_ok(), "{name}");
        assert!(told(read(&path, &at_most(100), &Run::new())).contains("unpacks to more than 100 B"), "{name}");
    }
}

/// A column of nulls has no buffer, so its length may say anything.
#[test]
fn nulls_without_end_are_refused_before_they_are_made() {
    use arrow_array::{ArrayRef, NullArray, RecordBatch};
    let nulls: ArrayRef = Arc::new(NullArray::new(1 << 50));
    let batch = RecordBatch::try_from_iter([("x", nulls)]).expect("one column");
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).expect("memory");
    writer.write(&batch).expect("memory");
    let bytes = writer.into_inner().expect("finished");
    let message = told(read_from(bytes.as_slice(), "nulls.arrows", &ReadOptions::default(), &Run::new()));
    assert!(message.contains("more rows than there is memory for"), "{message}");
}
