//! Tables of typed columns: CSV with a header, or Parquet.

use std::io::Write;
use std::path::Path;

use crate::error::{Error, Result};

use super::super::atomic::write_atomically;
use super::super::{Column, Table};

/// Writes a table as `.csv` or `.parquet`, by the extension of `path`, whole or not at all.
///
/// Numbers are written so that they read back the same. What is missing is an empty cell in CSV and a
/// null in Parquet.
///
/// ```
/// use mercer::data::{Column, ReadOptions, Table, read, write_table};
/// let table = Table::new(vec![("y".into(), Column::Number([0.1, 2.0].into()))])?;
/// let path = std::env::temp_dir().join(format!("mercer-doc-{}.parquet", std::process::id()));
/// write_table(&path, &table)?;
/// assert_eq!(read(&path, &ReadOptions::default(), &mercer::Run::new())?.table()?.names(), ["y"]);
/// # std::fs::remove_file(path).ok();
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn write_table(path: impl AsRef<Path>, table: &Table) -> Result<()> {
    let path = path.as_ref();
    match TableFormat::of(path)? {
        TableFormat::Csv => write_atomically(path, |out| write_table_csv(out, path, table)),
        TableFormat::Parquet => write_atomically(path, |out| parquet(out, path, table)),
    }
}

/// The formats a table can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableFormat {
    /// Comma-separated text with a header.
    Csv,
    /// Parquet.
    Parquet,
}

impl TableFormat {
    /// The format that the extension of `path` tells.
    pub fn of(path: &Path) -> Result<Self> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        match extension.as_str() {
            "csv" => Ok(TableFormat::Csv),
            "parquet" => Ok(TableFormat::Parquet),
            other => Err(Error::Unsupported {
                what: match other.is_empty() {
                    true => format!("{}: writing a table to a name without extension", path.display()),
                    false => format!("{}: writing a table as `.{other}`", path.display()),
                },
                alternative: "use .csv or .parquet".into(),
            }),
        }
    }
}

/// Writes a table to a stream as CSV; `name` stands for the file in messages.
pub fn write_table_csv(out: impl Write, name: &Path, table: &Table) -> Result<()> {
    let failed = |e: csv::Error| Error::io(name, e.into());
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(table.names()).map_err(failed)?;
    for i in 0..table.nrows() {
        for (_, column) in table.iter() {
            writer.write_field(cell(column, i)).map_err(failed)?;
        }
        writer.write_record(None::<&[u8]>).map_err(failed)?;
    }
    writer.flush().map_err(|e| Error::io(name, e))
}

fn cell(column: &Column, i: usize) -> String {
    match column {
        _ if column.is_missing(i) => String::new(),
        // The debug form is the shortest that reads back, with an exponent where it is shorter.
        Column::Number(v) => format!("{:?}", v[i]),
        Column::Category(c) => c.get(i).unwrap_or_default().to_owned(),
        Column::Structured(v) => v.cell(i).into_owned(),
    }
}

#[cfg(not(feature = "arrow"))]
fn parquet(_: impl Write + Send, _: &Path, _: &Table) -> Result<()> {
    Err(Error::Unsupported {
        what: "writing Parquet files in this build".into(),
        alternative: "build with the feature `arrow`, or write .csv".into(),
    })
}

#[cfg(feature = "arrow")]
fn parquet(out: impl Write + Send, name: &Path, table: &Table) -> Result<()> {
    use std::sync::Arc;

    use ::parquet::arrow::ArrowWriter;
    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};

    let failed = |e: &dyn std::error::Error| Error::io(name, std::io::Error::other(e.to_string()));
    let array = |column: &Column| -> ArrayRef {
        let here = |i: &usize| !column.is_missing(*i);
        let rows = 0..column.len();
        match column {
            Column::Number(v) => Arc::new(rows.map(|i| Some(i).filter(here).map(|i| v[i])).collect::<Float64Array>()),
            Column::Category(c) => Arc::new(rows.map(|i| c.get(i)).collect::<StringArray>()),
            Column::Structured(v) => Arc::new(v.cells().collect::<StringArray>()),
        }
    };
    let columns = table.iter().map(|(name, column)| (name, array(column), true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(|e| failed(&e))?;
    let mut writer = ArrowWriter::try_new(out, batch.schema(), None).map_err(|e| failed(&e))?;
    writer.write(&batch).map_err(|e| failed(&e))?;
    writer.close().map(drop).map_err(|e| failed(&e))
}
