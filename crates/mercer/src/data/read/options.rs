//! What a caller may say about a file; all of it is found out by default.

use std::collections::BTreeMap;
use std::str::FromStr;

use crate::error::{Error, Result, nearest};
use crate::run::Run;

use super::super::{ColumnType, Inputs};
use super::dates::whole_of;

/// Cells that mean "missing" unless the caller says otherwise.
///
/// `-` is not among them: it is a label in many real files.
pub const MISSING_MARKERS: [&str; 12] =
    ["", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "None", "?"];

/// The file formats Mercer reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFormat {
    /// Delimited text.
    Csv,
    /// LIBSVM's sparse text.
    Libsvm,
    /// One NumPy array.
    Npy,
    /// Several named NumPy arrays.
    Npz,
    /// Parquet.
    Parquet,
    /// Arrow IPC, as a file or a stream.
    Arrow,
    /// Sequences under names, FASTA or FASTQ.
    Fasta,
}

impl FileFormat {
    const ALL: [(&'static str, FileFormat); 8] = [
        ("csv", FileFormat::Csv),
        ("libsvm", FileFormat::Libsvm),
        ("npy", FileFormat::Npy),
        ("npz", FileFormat::Npz),
        ("parquet", FileFormat::Parquet),
        ("arrow", FileFormat::Arrow),
        ("fasta", FileFormat::Fasta),
        ("fastq", FileFormat::Fasta),
    ];
}

impl FromStr for FileFormat {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|(name, _)| *name == word).map(|(_, format)| *format);
        let names = || Self::ALL.iter().map(|(name, _)| *name);
        found.ok_or_else(|| {
            let must = match nearest(word, names()) {
                Some(near) => format!("a known format; the nearest is `{near}`"),
                None => format!("one of {}", names().collect::<Vec<_>>().join(", ")),
            };
            Error::invalid("the reader", "format", format!("`{word}`"), must)
        })
    }
}

/// Which parts of dates become columns of their own, a sine and a cosine each: hour, weekday and day of the year.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DateParts {
    /// None.
    None,
    /// Those that come round at least twice within the column.
    #[default]
    Helpful,
    /// All: a model may need them of a single row.
    All,
}

impl FromStr for DateParts {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        match word {
            "none" => Ok(DateParts::None),
            "helpful" => Ok(DateParts::Helpful),
            "all" => Ok(DateParts::All),
            _ => Err(Error::invalid("the reader", "date_parts", format!("`{word}`"), "one of none, helpful, all")),
        }
    }
}

/// How to read a file. The default finds everything out from the content.
///
/// ```
/// use mercer::data::{ColumnType, ReadOptions};
/// let options = ReadOptions {
///     delimiter: Some(b';'),
///     types: [("postcode".into(), ColumnType::Category)].into(),
///     ..ReadOptions::default()
/// };
/// assert!(options.header.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The format; by default from the first bytes, then the extension, then the content.
    pub format: Option<FileFormat>,
    /// The byte between the cells of a CSV file; by default one of `,` `;` tab `|`.
    pub delimiter: Option<u8>,
    /// Whether the first line of a CSV file names the columns.
    pub header: Option<bool>,
    /// Types of columns, by name; the others are inferred.
    pub types: BTreeMap<String, ColumnType>,
    /// Cells that mean "missing", compared without surrounding blanks.
    pub missing: Vec<String>,
    /// What begins the decimals of a CSV file, `.` or `,`; by default found out for each column.
    pub decimal: Option<u8>,
    /// Whether a column of numbers that a few cells spoil is read as words, with a note. By default it is refused, with the
    /// lines of those cells.
    pub keep_spoiled: bool,
    /// The parts of dates that become columns.
    pub date_parts: DateParts,
    /// The columns to keep, in this order; the target is kept in any case.
    pub columns: Option<Vec<String>>,
    /// The columns to leave out.
    pub exclude: Vec<String>,
    /// The column to predict.
    pub target: Option<String>,
    /// Sparse rows get at least this many columns, so that a test file fits its training file.
    pub width: Option<usize>,
    /// The most bytes a packed file may unpack to; by default what the run may use.
    ///
    /// A few kilobytes of gzip can unpack to gigabytes, and so can a Parquet or Arrow file.
    pub max_bytes: Option<u64>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            format: None,
            delimiter: None,
            header: None,
            types: BTreeMap::new(),
            missing: MISSING_MARKERS.map(String::from).to_vec(),
            decimal: None,
            keep_spoiled: false,
            date_parts: DateParts::default(),
            columns: None,
            exclude: Vec::new(),
            target: None,
            width: None,
            max_bytes: None,
        }
    }
}

impl ReadOptions {
    /// Options that read a later file as `inputs` were read: the same columns, the same types.
    ///
    /// A file of few rows cannot be trusted to infer the types a model was fitted on.
    pub fn like(inputs: &Inputs) -> Self {
        match inputs {
            Inputs::Table(table) => {
                let types = table.iter().map(|(name, column)| (name.to_owned(), column.column_type())).collect();
                let date_parts = DateParts::All;
                ReadOptions { types, columns: Some(table.names().to_vec()), date_parts, ..Self::default() }
            }
            Inputs::Sparse(rows) => ReadOptions { width: Some(rows.ncols()), ..Self::default() },
            _ => Self::default(),
        }
    }

    /// The most bytes a packed file may unpack to.
    pub(super) fn unpacked_limit(&self, run: &Run) -> u64 {
        self.max_bytes.unwrap_or_else(|| run.memory_left())
    }

    /// Whether the cell, without surrounding blanks, means "missing".
    pub(super) fn is_missing(&self, cell: &str) -> bool {
        self.missing.iter().any(|marker| marker == cell)
    }

    /// Whether the column of this name is to be kept.
    pub(super) fn keeps(&self, name: &str) -> bool {
        let listed = |columns: &Vec<String>| columns.iter().any(|c| c == name || whole_of(c) == Some(name));
        let excluded = self.exclude.iter().any(|c| c == name);
        !excluded && (self.columns.as_ref().is_none_or(listed) || self.target.as_deref() == Some(name))
    }

    /// Whether the caller speaks of the column of this name, other than to leave it out.
    pub(super) fn names(&self, name: &str) -> bool {
        let listed = self.columns.iter().flatten().any(|c| c == name);
        listed || self.types.contains_key(name) || self.target.as_deref() == Some(name)
    }

    /// Fails if a column is both asked for and left out, or if nothing is left.
    pub(super) fn check(&self) -> Result<()> {
        let asked = self.columns.iter().flatten().chain(&self.target);
        match asked.into_iter().find(|name| self.exclude.contains(name)) {
            None => Ok(()),
            Some(name) => {
                let must = "columns that are not asked for";
                Err(Error::invalid("the reader", "exclude", format!("`{name}`"), must))
            }
        }
    }

    /// Fails if `columns`, `exclude`, `types` or `target` speak of a column that `names` do not have.
    pub(super) fn check_names(&self, names: &[String]) -> Result<()> {
        let asked = self.columns.iter().flatten().chain(&self.exclude).chain(self.types.keys()).chain(&self.target);
        let known = |name: &str| names.iter().any(|own| own == name);
        // A part of a date has the name of its column.
        match asked.into_iter().find(|name| !known(name) && !whole_of(name).is_some_and(known)) {
            None => Ok(()),
            Some(name) => Err(super::super::table::unknown_column(name, names.iter().map(String::as_str))),
        }
    }
}
