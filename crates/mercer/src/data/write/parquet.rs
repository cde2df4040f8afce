//! Parquet, a column of doubles for each column of the matrix.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;

use crate::error::{Error, Result};

use super::{FillRows, MatrixShape, each_block};

pub(super) fn write(
    out: &mut (impl Write + Send),
    path: &Path,
    shape: &MatrixShape<'_>,
    fill: &mut FillRows<'_>,
) -> Result<()> {
    let failed = |e: &dyn std::error::Error| Error::io(path, std::io::Error::other(e.to_string()));
    let fields: Vec<Field> = (0..shape.ncols).map(|j| Field::new(shape.name(j), DataType::Float64, false)).collect();
    let schema = Arc::new(Schema::new(fields));
    let mut writer = ArrowWriter::try_new(out, Arc::clone(&schema), None).map_err(|e| failed(&e))?;
    each_block(shape, fill, |values| {
        let column = |j: usize| Float64Array::from_iter_values(values.iter().skip(j).step_by(shape.ncols).copied());
        let columns: Vec<ArrayRef> = (0..shape.ncols).map(|j| Arc::new(column(j)) as ArrayRef).collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(|e| failed(&e))?;
        writer.write(&batch).map_err(|e| failed(&e))
    })?;
    writer.close().map(drop).map_err(|e| failed(&e))
}
