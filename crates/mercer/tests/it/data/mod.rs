//! Readers, missing values, scaling, shipped sets and writers.

mod arrow_types;
mod binary;
mod hostile;
mod odd_files;
mod prepare;
mod shipped;
mod spelt;
mod stopped;
mod text;
mod write;

use std::path::PathBuf;

use mercer::Run;
use mercer::data::{Column, Dataset, Inputs, ReadOptions, Table, read_from};

/// A file under `tests/fixtures`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Reads text as if it were the file `name`.
pub(crate) fn read_text(name: &str, text: impl AsRef<[u8]>, options: &ReadOptions) -> mercer::Result<Dataset> {
    read_from(text.as_ref(), name, options, &Run::new())
}

/// The table of a data set.
pub(crate) fn table(data: &Dataset) -> &Table {
    match &data.inputs {
        Inputs::Table(table) => table,
        other => panic!("expected a table, got {}", other.describe()),
    }
}

/// The numbers of a column.
pub(crate) fn numbers<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    match table.column(name) {
        Some(Column::Number(values)) => values,
        other => panic!("expected numbers in `{name}`, got {other:?}"),
    }
}

/// The words of a column of categories or text.
pub(crate) fn words(table: &Table, name: &str) -> Vec<Option<String>> {
    match table.column(name) {
        Some(Column::Category(c)) => (0..c.len()).map(|i| c.get(i).map(String::from)).collect(),
        Some(Column::Structured(v)) => v.cells().map(|v| v.map(String::from)).collect(),
        other => panic!("expected words in `{name}`, got {other:?}"),
    }
}
