//! Writers: a matrix becomes a `.npy`, `.csv` or `.parquet` file, a table a `.csv` or `.parquet` file,
//! whole or not at all.

mod csv;
mod npy;
#[cfg(feature = "arrow")]
mod parquet;
mod table;

use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;

use crate::error::{Error, Result, nearest};
use crate::run::{Reservation, Run};

use super::atomic::write_atomically;
use super::default_name;

pub use table::{TableFormat, write_table, write_table_csv};

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

    fn rows_at_a_time(&self, memory: u64) -> usize {
        // The block, its bytes or its text, and what the format makes of it.
        let numbers = usize::try_from(memory / 64).unwrap_or(usize::MAX).min(BLOCK);
        (numbers / self.ncols.max(1)).max(1)
    }

    fn validate(&self) -> Result<()> {
        match self.names {
            Some(names) if names.len() != self.ncols => Err(Error::shape("column names", self.ncols, names.len())),
            Some(names) => super::table::check_distinct(names),
            None => Ok(()),
        }
    }

    /// Ranges of rows that cover the matrix.
    fn blocks(&self, step: usize) -> impl Iterator<Item = Range<usize>> {
        let nrows = self.nrows;
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
    MatrixWriter::for_path(path.as_ref())?.write(path, shape, fill)
}

/// The formats a matrix can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatrixFormat {
    /// One NumPy array.
    Npy,
    /// Comma-separated text with a header.
    Csv,
    /// Parquet, a column for each column.
    Parquet,
}

impl FromStr for MatrixFormat {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        const NAMES: [&str; 3] = ["npy", "csv", "parquet"];
        match word {
            "npy" => Ok(MatrixFormat::Npy),
            "csv" => Ok(MatrixFormat::Csv),
            "parquet" => Ok(MatrixFormat::Parquet),
            _ => {
                let near = nearest(word, NAMES).map(|near| format!("; the nearest is `{near}`")).unwrap_or_default();
                let must = format!("one of {}{near}", NAMES.join(", "));
                Err(Error::invalid("the writer", "format", format!("`{word}`"), must))
            }
        }
    }
}

/// How a number is stored in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 64 bits, as computed.
    #[default]
    Double,
    /// 32 bits: half the space, seven digits.
    Single,
}

/// Writes matrices in one format.
#[derive(Clone, Copy, Debug)]
pub struct MatrixWriter {
    /// The format.
    pub format: MatrixFormat,
    /// How its numbers are stored.
    pub precision: Precision,
    memory: u64,
}

impl MatrixWriter {
    /// A writer that uses as much memory as is fast.
    pub fn new(format: MatrixFormat, precision: Precision) -> Self {
        MatrixWriter { format, precision, memory: u64::MAX }
    }

    /// The writer with at most so many bytes of memory for what it writes at a time.
    pub fn within(self, memory: u64) -> Self {
        MatrixWriter { memory, ..self }
    }

    /// The writer with memory of this run to write a matrix of this shape, reserved; fails if there is too little: better
    /// said before the matrix is computed.
    pub fn reserved(self, shape: &MatrixShape<'_>, run: &Run) -> Result<(Self, Reservation)> {
        let needed = match self.format {
            #[cfg(feature = "arrow")]
            MatrixFormat::Parquet => parquet::needed(shape),
            // As much as is fast, or what there is.
            _ => u128::from((run.memory_left() / 4).min(64 * BLOCK as u64)),
        };
        let purpose = format!("writing a matrix of {} columns", shape.ncols);
        let reserved = run.reserve(needed, &purpose, "write .npy, which needs little memory")?;
        Ok((self.within(u64::try_from(needed).unwrap_or(u64::MAX)), reserved))
    }

    /// The format that the extension of `path` tells, in double precision.
    pub fn for_path(path: &Path) -> Result<Self> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let format = extension.parse().map_err(|_| Error::Unsupported {
            what: match extension.is_empty() {
                true => format!("{}: writing a matrix to a name without extension", path.display()),
                false => format!("{}: writing a matrix as `.{extension}`", path.display()),
            },
            alternative: "use .npy, .csv or .parquet".into(),
        })?;
        Ok(MatrixWriter::new(format, Precision::Double))
    }

    /// Writes the file at `path`, whole or not at all.
    pub fn write(self, path: impl AsRef<Path>, shape: &MatrixShape<'_>, fill: &mut FillRows<'_>) -> Result<()> {
        let path = path.as_ref();
        shape.validate()?;
        write_atomically(path, |out| self.write_to(out, path, shape, fill))
    }

    /// Writes to a stream; `name` stands for the file in messages.
    pub fn write_to(
        self,
        out: &mut (impl Write + Send),
        name: &Path,
        shape: &MatrixShape<'_>,
        fill: &mut FillRows<'_>,
    ) -> Result<()> {
        shape.validate()?;
        let part = Part { name, shape, precision: self.precision, memory: self.memory };
        match self.format {
            MatrixFormat::Npy => npy::write(out, part, fill),
            MatrixFormat::Csv => csv::write(out, part, fill),
            #[cfg(feature = "arrow")]
            MatrixFormat::Parquet => parquet::write(out, part, fill),
            #[cfg(not(feature = "arrow"))]
            MatrixFormat::Parquet => Err(Error::Unsupported {
                what: "writing Parquet files in this build".into(),
                alternative: "build with the feature `arrow`, or write .npy or .csv".into(),
            }),
        }
    }
}

/// What every format is told.
#[derive(Clone, Copy)]
struct Part<'a> {
    name: &'a Path,
    shape: &'a MatrixShape<'a>,
    precision: Precision,
    memory: u64,
}

/// Makes the matrix block by block and hands each on.
fn each_block(part: Part<'_>, fill: &mut FillRows<'_>, mut write: impl FnMut(&[f64]) -> Result<()>) -> Result<()> {
    let shape = part.shape;
    let step = shape.rows_at_a_time(part.memory);
    let mut block = vec![0.0; step.min(shape.nrows) * shape.ncols];
    for rows in shape.blocks(step) {
        let values = &mut block[..rows.len() * shape.ncols];
        fill(rows, values)?;
        write(values)?;
    }
    Ok(())
}
