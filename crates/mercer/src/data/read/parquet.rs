//! Parquet.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use arrow_schema::{DataType, FieldRef, Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;

use crate::error::{Error, Result};
use crate::note::Note;

use super::super::Table;
use super::arrow_column::Columns;
use super::options::ReadOptions;
use super::parquet_pages;
use super::source::Source;
use super::watch::Watch;

/// Rows decoded at a time, and values: a wide table is decoded in fewer rows.
const BATCH: usize = 1 << 16;
const BATCH_VALUES: usize = 1 << 20;

/// Bytes that a decoded value takes at most: a view of a text, or a decimal of 128 bits.
const LARGEST_VALUE: u64 = 16;

/// Reads a whole file.
pub(super) fn read(source: Source<'_>, options: &ReadOptions, watch: &Watch<'_>) -> Result<(Table, Vec<Note>)> {
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

/// The schema with text as views of what it was unpacked to: as arrays, a word that a dictionary repeats would be copied for every row
/// before anybody could count it.
fn viewed(schema: &Schema) -> SchemaRef {
    let field = |field: &FieldRef| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View)),
        _ => Arc::clone(field),
    };
    let fields: Vec<FieldRef> = schema.fields().iter().map(field).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Bytes of the largest pages of the columns of a group that are read, together; fails for one that claims more than it can hold.
fn pages(path: &Path, bytes: &Bytes, group: &RowGroupMetaData, mask: &ProjectionMask) -> Result<u64> {
    let mut sum: u64 = 0;
    let read = group.columns().iter().enumerate().filter(|(j, _)| mask.leaf_included(*j));
    for (_, column) in read {
        let (start, len) = column.byte_range();
        let place = start as usize..start.saturating_add(len) as usize;
        let largest = parquet_pages::largest(bytes, place);
        let largest = largest.ok_or_else(|| damaged(path, "a page claims to unpack to far more than it can hold"))?;
        sum = sum.saturating_add(largest);
    }
    Ok(sum)
}

fn damaged(path: &Path, why: &str) -> Error {
    Error::Format { path: path.into(), problem: format!("not a whole Parquet file: {why}") }
}

fn table(path: &Path, bytes: Bytes, options: &ReadOptions, watch: &Watch<'_>) -> Result<(Table, Vec<Note>)> {
    let broken = |e: ParquetError| damaged(path, &e.to_string());
    let schema = Arc::clone(ParquetRecordBatchReaderBuilder::try_new(bytes.clone()).map_err(broken)?.schema());
    let mut columns = Columns::new(path, &schema, options, watch)?;
    let viewed = ArrowReaderOptions::new().with_schema(viewed(&schema));
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes.clone(), viewed).map_err(broken)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), columns.positions());
    let mut largest = 0;
    for group in builder.metadata().row_groups() {
        largest = largest.max(pages(path, &bytes, group, &mask)?);
    }
    // A page of each column stands unpacked while rows are decoded.
    let _pages = watch.lend(largest)?;
    let batch = (BATCH_VALUES / columns.len().max(1)).clamp(1, BATCH);
    let _batch = watch.lend(batch as u64 * columns.len() as u64 * LARGEST_VALUE)?;
    let reader = builder.with_projection(mask).with_batch_size(batch).build().map_err(broken)?;
    for batch in reader {
        columns.push(&batch.map_err(|e| damaged(path, &e.to_string()))?)?;
    }
    columns.table()
}
