//! The matrix as it is computed, stored and written.

use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mercer::data::{FillRows, MatrixFormat, MatrixShape, MatrixWriter, Precision};
use mercer::gram::{Bound, DenseGram, KernelMatrix, TileMut, dense, dense_into};
use mercer::run::{Reservation, Silent, Work};
use mercer::{Result, Run};

use crate::load::STREAM;

/// Numbers that are computed at a time when the matrix is not stored.
const BAND: usize = 1 << 20;

/// A matrix whose rows can be had in order: stored, or made when they are asked for.
pub enum Matrix<'a> {
    /// Stored in double precision.
    Double(DenseGram<f64>),
    /// Stored in single precision.
    Single(DenseGram<f32>),
    /// Not stored: it is larger than the memory limit.
    Streamed(&'a Bound),
}

impl<'a> Matrix<'a> {
    /// Computes and stores the matrix, or leaves it to be made band by band if it does not fit.
    pub fn compute(bound: &'a Bound, precision: Precision, run: &Run) -> Result<Self> {
        let bytes = match precision {
            Precision::Double => 8,
            Precision::Single => 4,
        };
        let needed = bound.nrows() as u128 * bound.ncols() as u128 * bytes;
        if needed > u128::from(run.memory_left()) && bound.nrows() > 1 {
            return Ok(Matrix::Streamed(bound));
        }
        Ok(match precision {
            Precision::Double => Matrix::Double(dense(bound, run)?),
            Precision::Single => Matrix::Single(dense(bound, run)?),
        })
    }

    /// Whether the rows are made when they are asked for.
    pub fn is_streamed(&self) -> bool {
        matches!(self, Matrix::Streamed(_))
    }

    /// Number of rows and columns.
    pub fn size(&self) -> (usize, usize) {
        match self {
            Matrix::Double(k) => (k.nrows(), k.ncols()),
            Matrix::Single(k) => (k.nrows(), k.ncols()),
            Matrix::Streamed(k) => (k.nrows(), k.ncols()),
        }
    }

    /// Hands on all rows in bands, in order.
    pub fn each_band(&self, run: &Run, mut act: impl FnMut(usize, &[f64])) -> Result<()> {
        let (nrows, ncols) = self.size();
        let most = (run.memory_left() / 16).min(BAND as u64) as usize;
        let step = (most / ncols.max(1)).clamp(1, nrows.max(1));
        let _reserved = run.reserve(8 * (step * ncols) as u128, "a band of the kernel matrix", "")?;
        let mut values = vec![0.0; step * ncols];
        let pass = Pass::new(self, run);
        for start in (0..nrows).step_by(step) {
            let rows = start..(start + step).min(nrows);
            let part = &mut values[..rows.len() * ncols];
            pass.rows(rows, part)?;
            act(start, part);
        }
        Ok(())
    }
}

/// One pass over a matrix, with progress where rows have to be made.
pub struct Pass<'a> {
    matrix: &'a Matrix<'a>,
    run: &'a Run,
    silent: Run,
    task: Option<Work<'a>>,
}

impl<'a> Pass<'a> {
    /// A pass over `matrix`.
    pub fn new(matrix: &'a Matrix<'a>, run: &'a Run) -> Self {
        let task = matrix.is_streamed().then(|| run.task("gram", Some(matrix.size().0 as u64)));
        Pass { matrix, run, silent: run.clone().with_observer(Arc::new(Silent)), task }
    }

    /// Writes these rows to `out`.
    pub fn rows(&self, rows: Range<usize>, out: &mut [f64]) -> Result<()> {
        let at = |ncols: usize| rows.start * ncols..rows.end * ncols;
        match self.matrix {
            Matrix::Double(k) => out.copy_from_slice(&k.values()[at(k.ncols())]),
            Matrix::Single(k) => {
                out.iter_mut().zip(&k.values()[at(k.ncols())]).for_each(|(slot, v)| *slot = f64::from(*v));
            }
            Matrix::Streamed(bound) => dense_into(&Band { bound, rows: rows.clone() }, out, &self.silent)?,
        }
        match &self.task {
            Some(task) => rows.into_iter().try_for_each(|_| task.step_or_cancel()),
            None => self.run.stop_reason().map_or(Ok(()), |why| Err(self.run.task("writing", None).cancelled(why))),
        }
    }
}

/// Some rows of a matrix, as a matrix.
struct Band<'a> {
    bound: &'a Bound,
    rows: Range<usize>,
}

impl KernelMatrix for Band<'_> {
    fn nrows(&self) -> usize {
        self.rows.len()
    }

    fn ncols(&self) -> usize {
        self.bound.ncols()
    }

    fn is_symmetric(&self) -> bool {
        false
    }

    fn block(&self, rows: Range<usize>, cols: Range<usize>, out: TileMut<'_>) {
        let first = self.rows.start;
        self.bound.block(first + rows.start..first + rows.end, cols, out);
    }

    fn diag(&self, out: &mut [f64]) {
        let mut all = vec![0.0; self.bound.nrows()];
        self.bound.diag(&mut all);
        out.copy_from_slice(&all[self.rows.clone()]);
    }
}

/// Where a matrix goes, and how.
#[derive(Clone, Debug)]
pub struct Destination {
    path: PathBuf,
    writer: MatrixWriter,
}

impl Destination {
    /// The file `path`, or standard output for `-`; the format is the extension's unless given.
    pub fn new(path: &Path, format: Option<MatrixFormat>, precision: Precision) -> Result<Self> {
        let format = match format {
            Some(format) => format,
            None if path == Path::new(STREAM) => MatrixFormat::Csv,
            None => MatrixWriter::for_path(path)?.format,
        };
        Ok(Destination { path: path.into(), writer: MatrixWriter::new(format, precision) })
    }

    /// Whether it is standard output.
    pub fn is_stream(&self) -> bool {
        self.path == Path::new(STREAM)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The destination with memory of the run to write a matrix of this size, reserved.
    pub fn reserved(&self, (nrows, ncols): (usize, usize), run: &Run) -> Result<(Self, Reservation)> {
        let (writer, reserved) = self.writer.reserved(&MatrixShape { nrows, ncols, names: None }, run)?;
        Ok((Destination { writer, ..self.clone() }, reserved))
    }

    /// Writes a matrix, whole or not at all.
    pub fn write(&self, (nrows, ncols): (usize, usize), fill: &mut FillRows<'_>) -> Result<()> {
        let shape = MatrixShape { nrows, ncols, names: None };
        if !self.is_stream() {
            return self.writer.write(&self.path, &shape, fill);
        }
        let name = Path::new("standard output");
        let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout());
        self.writer.write_to(&mut out, name, &shape, fill)?;
        out.flush().map_err(|e| mercer::Error::io(name, e))
    }
}
