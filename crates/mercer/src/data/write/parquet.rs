//! Parquet, a column of doubles for each column of the matrix.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;

use crate::error::{Error, Result};

use super::{FillRows, Part, Precision, each_block};

pub(super) fn write(out: &mut (impl Write + Send), part: Part<'_>, fill: &mut FillRows<'_>) -> Result<()> {
    let shape = part.shape;
    let failed = |e: &dyn std::error::Error| Error::io(part.name, std::io::Error::other(e.to_string()));
    let kind = match part.precision {
        Precision::Double => DataType::Float64,
        Precision::Single => DataType::Float32,
    };
    let fields: Vec<Field> = (0..shape.ncols).map(|j| Field::new(shape.name(j), kind.clone(), false)).collect();
    let schema = Arc::new(Schema::new(fields));
    let mut writer = ArrowWriter::try_new(out, Arc::clone(&schema), None).map_err(|e| failed(&e))?;
    each_block(shape, fill, |values| {
        let column = |j: usize| array(values.iter().skip(j).step_by(shape.ncols).copied(), part.precision);
        let batch = RecordBatch::try_new(Arc::clone(&schema), (0..shape.ncols).map(column).collect());
        writer.write(&batch.map_err(|e| failed(&e))?).map_err(|e| failed(&e))
    })?;
    writer.close().map(drop).map_err(|e| failed(&e))
}

fn array(values: impl Iterator<Item = f64>, precision: Precision) -> ArrayRef {
    match precision {
        Precision::Double => Arc::new(Float64Array::from_iter_values(values)),
        Precision::Single => Arc::new(Float32Array::from_iter_values(values.map(|v| v as f32))),
    }
}
