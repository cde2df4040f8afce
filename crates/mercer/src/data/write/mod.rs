//! Writers: a matrix becomes a `.npy`, `.csv` or `.parquet` file, whole or not at all.

mod csv;
mod npy;
#[cfg(feature = "arrow")]
mod parquet;

use std::ops::Range;
use std::path::Path;

use crate::error::{Error, Result};

use super::atomic::write_atomically;
use super::default_name;

/// Numbers that are held at a time while a matrix is written: 8 MiB of them.
const BLOCK: usize = 1 << 20;

/// Sizes of a matrix, and names for its columns where the format keeps them.
#[derive(Clone, Copy, Debug)]
pub struct MatrixShape<'a> {
    /// Number of rows.
    pub nrows: usize,
    /// Number of columns.
    pub ncols: usize,
    /// Column names; `x0`, `x1`, … by default. A `.npy` file keeps none.
    pub names: Option<&'a [String]>,
}

impl MatrixShape<'_> {
    fn name(&self, j: usize) -> String {
        self.names.map_or_else(|| default_name(j), |names| names[j].clone())
    }

    fn rows_at_a_time(&self) -> usize {
        (BLOCK / self.ncols.max(1)).max(1)
    }

    fn validate(&self) -> Result<()> {
        match self.names {
            Some(names) if names.len() != self.ncols => Err(Error::shape("column names", self.ncols, names.len())),
            Some(names) => super::table::check_distinct(names),
            None => Ok(()),
        }
    }

    /// Ranges of rows that cover the matrix.
    fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
        let (step, nrows) = (self.rows_at_a_time(), self.nrows);
        (0..nrows).step_by(step).map(move |start| start..nrows.min(start + step))
    }
}

/// Fills row-major values of a range of rows.
pub type FillRows<'a> = dyn FnMut(Range<usize>, &mut [f64]) -> Result<()> + 'a;

/// Writes row-major `values`: nrows×ncols. The extension of `path` tells the format.
pub fn write_matrix(path: impl AsRef<Path>, values: &[f64], shape: &MatrixShape<'_>) -> Result<()> {
    let (nrows, ncols) = (shape.nrows, shape.ncols);
    if nrows.checked_mul(ncols) != Some(values.len()) {
        return Err(Error::shape("a matrix to write", format!("{nrows}×{ncols} values"), values.len()));
    }
    write_rows(path, shape, &mut |rows, out| {
        out.copy_from_slice(&values[rows.start * ncols..rows.end * ncols]);
        Ok(())
    })
}

/// Writes a matrix that is made block by block, so that it never stands in memory whole.
pub fn write_rows(path: impl AsRef<Path>, shape: &MatrixShape<'_>, fill: &mut FillRows<'_>) -> Result<()> {
    let path = path.as_ref();
    shape.validate()?;
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "npy" => write_atomically(path, |out| npy::write(out, path, shape, fill)),
        "csv" => write_atomically(path, |out| csv::write(out, path, shape, fill)),
        #[cfg(feature = "arrow")]
        "parquet" => write_atomically(path, |out| parquet::write(out, path, shape, fill)),
        other => Err(Error::Unsupported {
            what: format!("{}: writing a matrix as `.{other}`", path.display()),
            alternative: "use .npy, .csv or .parquet".into(),
        }),
    }
}

/// Makes the matrix block by block and hands each on.
fn each_block(
    shape: &MatrixShape<'_>,
    fill: &mut FillRows<'_>,
    mut write: impl FnMut(&[f64]) -> Result<()>,
) -> Result<()> {
    let mut block = vec![0.0; shape.rows_at_a_time().min(shape.nrows) * shape.ncols];
    for rows in shape.blocks() {
        let values = &mut block[..rows.len() * shape.ncols];
        fill(rows, values)?;
        write(values)?;
    }
    Ok(())
}
