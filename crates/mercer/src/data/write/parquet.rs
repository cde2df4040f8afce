//! Parquet, a column of doubles for each column of the matrix.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use crate::error::{Error, Result};

use super::{FillRows, MatrixShape, Part, Precision, each_block};

pub(super) fn write(out: &mut (impl Write + Send), part: Part<'_>, fill: &mut FillRows<'_>) -> Result<()> {
    let shape = part.shape;
    let failed = |e: &dyn std::error::Error| Error::io(part.name, std::io::Error::other(e.to_string()));
    let kind = match part.precision {
        Precision::Double => DataType::Float64,
        Precision::Single => DataType::Float32,
    };
    let fields: Vec<Field> = (0..shape.ncols).map(|j| Field::new(shape.name(j), kind.clone(), false)).collect();
    let schema = Arc::new(Schema::new(fields));
    let mut writer = ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties())).map_err(|e| failed(&e))?;
    let rows = group_rows(shape);
    let mut waiting = 0;
    each_block(part, fill, |values| {
        let column = |j: usize| array(values.iter().skip(j).step_by(shape.ncols).copied(), part.precision);
        let batch = RecordBatch::try_new(Arc::clone(&schema), (0..shape.ncols).map(column).collect());
        let batch = batch.map_err(|e| failed(&e))?;
        waiting += batch.num_rows();
        writer.write(&batch).map_err(|e| failed(&e))?;
        if waiting >= rows {
            waiting = 0;
            writer.flush().map_err(|e| failed(&e))?;
        }
        Ok(())
    })?;
    writer.close().map(drop).map_err(|e| failed(&e))
}

/// Numbers that a group of rows holds at least; groups stand in memory until they are written.
const GROUP: usize = 1 << 20;
/// Bytes that a column takes while it is written, and in the footer for every group.
const COLUMN: u128 = 16 << 10;
const IN_FOOTER: u128 = 256;

/// Matrices repeat no numbers and are never searched: no dictionaries, no statistics, which are most of what a wide file
/// would need in memory.
fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .build()
}

/// Rows of a group. A wide matrix of n rows has groups of about 6√n, where a group and the footer take the same memory.
fn group_rows(shape: &MatrixShape<'_>) -> usize {
    let balanced = (6.0 * (shape.nrows as f64).sqrt()) as usize;
    (GROUP / shape.ncols.max(1)).max(balanced).clamp(1, shape.nrows.max(1))
}

/// Bytes that groups, columns and footer take.
pub(super) fn needed(shape: &MatrixShape<'_>) -> u128 {
    let (columns, rows) = (shape.ncols as u128, group_rows(shape) as u128);
    let groups = (shape.nrows as u128).div_ceil(rows.max(1));
    columns * (COLUMN + 16 * rows + IN_FOOTER * groups)
}

fn array(values: impl Iterator<Item = f64>, precision: Precision) -> ArrayRef {
    match precision {
        Precision::Double => Arc::new(Float64Array::from_iter_values(values)),
        Precision::Single => Arc::new(Float32Array::from_iter_values(values.map(|v| v as f32))),
    }
}
