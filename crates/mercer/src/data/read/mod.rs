//! Readers: CSV, LIBSVM, NumPy, Parquet, Arrow and FASTA files become a [`Dataset`].
//!
//! The format is told by the first bytes, then by the extension, then by the content; gzip is
//! undone on the way. Every error names the file and, where there are any, line and column.
//! Nothing is decided about missing values here: see [`MissingPolicy`](super::MissingPolicy).

mod comments;
mod csv;
mod csv_columns;
mod dates;
#[cfg(all(test, feature = "arrow"))]
mod drawn;
mod fasta;
mod format;
mod held_dates;
mod infer;
mod judge;
pub(crate) mod libsvm;
mod npy;
mod npy_header;
mod npz;
mod options;
mod place;
mod sniff;
mod source;
mod spelling;
mod watch;

#[cfg(feature = "arrow")]
mod arrow_column;
#[cfg(feature = "arrow")]
mod arrow_guard;
#[cfg(feature = "arrow")]
mod arrow_ipc;
#[cfg(feature = "arrow")]
mod arrow_moments;
#[cfg(feature = "arrow")]
mod arrow_values;
#[cfg(feature = "arrow")]
mod parquet;
mod parquet_pages;

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result, nearest};
use crate::run::Run;

use super::dataset::{Dataset, Origin};
use super::shipped;
use super::{Inputs, Table};

pub use dates::date_parts;
pub use held_dates::HeldDates;
pub use options::{DateParts, FileFormat, MISSING_MARKERS, ReadOptions};

use source::Source;
use watch::Watch;

/// Reads the file at `path`, or the shipped data set of that name if there is no such file.
///
/// ```
/// use mercer::Run;
/// use mercer::data::{ReadOptions, open};
/// let iris = open("iris", &ReadOptions::default(), &Run::new())?;
/// assert_eq!(iris.len(), 150);
/// let error = open("pengiuns", &ReadOptions::default(), &Run::new()).unwrap_err();
/// assert!(error.hint().unwrap().contains("`penguins`"));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn open(name_or_path: impl AsRef<Path>, options: &ReadOptions, run: &Run) -> Result<Dataset> {
    let path = name_or_path.as_ref();
    match path.to_str().and_then(shipped::find) {
        Some(set) if !path.exists() => set.load_with(options, run),
        _ => read(path, options, run),
    }
}

/// Reads the file at `path`. The run sees the task `reading`, stops it between blocks of the file, and limits
/// the memory that the file and its values take.
pub fn read(path: impl AsRef<Path>, options: &ReadOptions, run: &Run) -> Result<Dataset> {
    let path = path.as_ref();
    if !path.exists() && !path.is_symlink() {
        return Err(no_such_file(path));
    }
    dataset(Source::open(path, options.unpacked_limit(run))?, options, run)
}

/// Reads a stream; `name` stands for the file in messages and tells the extension.
pub fn read_from(reader: impl Read, name: impl Into<PathBuf>, options: &ReadOptions, run: &Run) -> Result<Dataset> {
    dataset(Source::new(reader, name.into(), options.unpacked_limit(run))?, options, run)
}

fn no_such_file(path: &Path) -> Error {
    let names = || shipped().iter().map(|s| s.name);
    let hint = path.to_str().and_then(|word| nearest(word, names())).map_or_else(
        || format!("give the path of a file, or one of the shipped sets: {}", names().collect::<Vec<_>>().join(", ")),
        |near| format!("the shipped data set nearest to this name is `{near}`"),
    );
    Error::Data { path: path.into(), line: None, column: None, problem: "no such file".into(), hint: Some(hint) }
}

fn dataset(source: Source<'_>, options: &ReadOptions, run: &Run) -> Result<Dataset> {
    let watch = Watch::new(run);
    if source.is_empty() {
        return Err(source.format_error("the file is empty"));
    }
    options.check()?;
    let path = source.path.clone();
    let mut notes = Vec::new();
    let (inputs, target) = match format::choose(&source, options)? {
        FileFormat::Csv => {
            let (table, found) = csv::read(source, options, &watch)?;
            notes = found;
            (finish(table, options)?, None)
        }
        FileFormat::Libsvm => libsvm::read(source, options, &watch)?,
        FileFormat::Fasta => (finish(fasta::read(source, options, &watch)?, options)?, None),
        FileFormat::Npy => (npy::read(source, &watch)?, None),
        FileFormat::Npz => npz::read(source, options, &watch)?,
        #[cfg(feature = "arrow")]
        FileFormat::Parquet => {
            let (table, found) = parquet::read(source, options, &watch)?;
            notes = found;
            (finish(table, options)?, None)
        }
        #[cfg(feature = "arrow")]
        FileFormat::Arrow => {
            let (table, found) = arrow_ipc::read(source, options, &watch)?;
            notes = found;
            (finish(table, options)?, None)
        }
        #[cfg(not(feature = "arrow"))]
        FileFormat::Parquet | FileFormat::Arrow => return Err(format::no_arrow()),
    };
    if inputs.is_empty() {
        return Err(Error::Format { path, problem: "there are no rows".into() });
    }
    // A header of a few bytes can promise any number of rows of nothing.
    if matches!(&inputs, Inputs::Dense(rows) if rows.ncols() == 0) {
        return Err(Error::Format { path, problem: "there are no columns".into() });
    }
    let inputs = chosen(inputs, options)?;
    let data = Dataset { name: format::stem(&path), inputs, target, origin: Origin::File(path), notes };
    match &options.target {
        Some(name) => data.with_target(name),
        None => Ok(data),
    }
}

/// Dense rows with the columns that were asked for; tables have them already, and sparse rows have no names to ask for.
fn chosen(inputs: Inputs, options: &ReadOptions) -> Result<Inputs> {
    if options.columns.is_none() && options.exclude.is_empty() {
        return Ok(inputs);
    }
    match &inputs {
        Inputs::Dense(rows) => {
            let names: Vec<String> = (0..rows.ncols()).map(|j| rows.name(j)).collect();
            let asked = ReadOptions { types: Default::default(), target: None, ..options.clone() };
            asked.check_names(&names)?;
            let columns = names.iter().enumerate().filter(|(_, name)| options.keeps(name));
            let table = Table::new(columns.map(|(j, name)| (name.clone(), rows.column(j))).collect())?;
            finish(table, options)
        }
        Inputs::Table(_) => Ok(inputs),
        other => Err(Error::Unsupported {
            what: format!("choosing columns of {}", other.describe()),
            alternative: "read all of them, or save the columns as a table".into(),
        }),
    }
}

/// Puts the columns into the order that was asked for, the target last.
fn finish(table: Table, options: &ReadOptions) -> Result<Inputs> {
    let Some(columns) = &options.columns else { return Ok(excluded(table, options)?.into()) };
    let mut order = columns.clone();
    order.extend(options.target.iter().filter(|t| !columns.contains(t)).cloned());
    Ok(table.select(&order)?.into())
}

/// A table without the columns that are to be left out; most readers have passed over them already.
fn excluded(table: Table, options: &ReadOptions) -> Result<Table> {
    let there: Vec<&String> = options.exclude.iter().filter(|name| table.column(name).is_some()).collect();
    let rest = there.into_iter().try_fold(table, |table, name| table.without(name))?;
    match rest.ncols() {
        0 => Err(Error::invalid("the reader", "exclude", "every column", "some columns, not all")),
        _ => Ok(rest),
    }
}
