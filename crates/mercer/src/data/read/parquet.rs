//! Parquet.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::RowGroupMetaData;

use crate::error::{Error, Result};

use super::super::Table;
use super::arrow_column::Columns;
use super::options::ReadOptions;
use super::parquet_pages;
use super::source::Source;
use super::watch::Watch;

/// Rows decoded at a time.
const BATCH: usize = 1 << 16;

/// Reads a whole file.
pub(super) fn read(source: Source<'_>, options: &ReadOptions, watch: &Watch<'_>) -> Result<Table> {
    let path = source.path.clone();
    let bytes = Bytes::from(source.bytes(watch)?);
    // Both ends carry the mark; a truncated file has the first only.
    if bytes.len() < 12 || !bytes.starts_with(b"PAR1") || !bytes.ends_with(b"PAR1") {
        return Err(damaged(&path, "the mark at its start or end is missing"));
    }
    // The reader trusts sizes and offsets of the file in places and panics when they lie.
    catch_unwind(AssertUnwindSafe(|| table(&path, bytes, options, watch)))
        .unwrap_or_else(|_| Err(damaged(&path, "its pages make no sense")))
}

fn damaged(path: &Path, why: &str) -> Error {
    Error::Format { path: path.into(), problem: format!("not a whole Parquet file: {why}") }
}

fn table(path: &Path, bytes: Bytes, options: &ReadOptions, watch: &Watch<'_>) -> Result<Table> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes.clone()).map_err(|e| damaged(path, &e.to_string()))?;
    for column in builder.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns) {
        let (start, len) = column.byte_range();
        if parquet_pages::overclaims(&bytes, start as usize..start.saturating_add(len) as usize) {
            return Err(damaged(path, "a page claims to unpack to far more than it can hold"));
        }
    }
    let mut columns = Columns::new(path, builder.schema(), options, watch)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), columns.positions());
    let reader =
        builder.with_projection(mask).with_batch_size(BATCH).build().map_err(|e| damaged(path, &e.to_string()))?;
    for batch in reader {
        columns.push(&batch.map_err(|e| damaged(path, &e.to_string()))?)?;
    }
    columns.table()
}
