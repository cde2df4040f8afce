//! Arrow IPC, as a file (Feather version 2) or a stream.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::ArrowError;

use crate::error::{Error, Result, human_bytes};
use crate::note::Note;

use super::super::Table;
use super::arrow_column::{Columns, NUMBER};
use super::arrow_guard::{self, Most};
use super::options::ReadOptions;
use super::source::{Source, too_large};
use super::watch::Watch;

/// Reads a whole file or stream.
pub(super) fn read(source: Source<'_>, options: &ReadOptions, watch: &Watch<'_>) -> Result<(Table, Vec<Note>)> {
    let path = source.path.clone();
    let bytes = source.bytes(watch)?;
    let is_file = bytes.starts_with(b"ARROW1");
    let limit = options.unpacked_limit(watch.run());
    let most = Most { rows: limit / NUMBER, bytes: limit };
    let sizes = || match is_file {
        true => arrow_guard::file(&bytes, most),
        false => arrow_guard::stream(&bytes, most),
    };
    catch_unwind(sizes).unwrap_or(Err("its offsets make no sense")).map_err(|why| match why {
        arrow_guard::BYTES => too_large(&path, limit),
        arrow_guard::ROWS => Error::Data {
            path: path.clone(),
            line: None,
            column: None,
            problem: format!("{why}, {}", human_bytes(limit.into())),
            hint: Some("read a part of it, or use a larger memory limit".into()),
        },
        why => damaged(&path, why),
    })?;
    let table = || match is_file {
        true => file(&path, &bytes, options, watch),
        false => stream(&path, &bytes, options, watch),
    };
    // The reader slices by offsets the file gives and panics when they lie.
    catch_unwind(AssertUnwindSafe(table)).unwrap_or_else(|_| Err(damaged(&path, "its offsets make no sense")))
}

fn damaged(path: &Path, why: &str) -> Error {
    Error::Format { path: path.into(), problem: format!("not a whole Arrow file: {why}") }
}

fn file(path: &Path, bytes: &[u8], options: &ReadOptions, watch: &Watch<'_>) -> Result<(Table, Vec<Note>)> {
    let broken = |e: ArrowError| damaged(path, &e.to_string());
    let schema = FileReader::try_new(Cursor::new(bytes), None).map_err(broken)?.schema();
    let columns = Columns::new(path, &schema, options, watch)?;
    let reader = FileReader::try_new(Cursor::new(bytes), Some(columns.positions())).map_err(broken)?;
    collect(path, columns, reader)
}

fn stream(path: &Path, bytes: &[u8], options: &ReadOptions, watch: &Watch<'_>) -> Result<(Table, Vec<Note>)> {
    let broken = |e: ArrowError| damaged(path, &e.to_string());
    let schema = StreamReader::try_new(Cursor::new(bytes), None).map_err(broken)?.schema();
    let columns = Columns::new(path, &schema, options, watch)?;
    let reader = StreamReader::try_new(Cursor::new(bytes), Some(columns.positions())).map_err(broken)?;
    collect(path, columns, reader)
}

fn collect(
    path: &Path,
    mut columns: Columns<'_>,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
) -> Result<(Table, Vec<Note>)> {
    for batch in batches {
        columns.push(&batch.map_err(|e| damaged(path, &e.to_string()))?)?;
    }
    columns.table()
}
