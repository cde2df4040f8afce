//! NumPy's `.npz`: named arrays.
//!
//! Arrays of one dimension become the columns of a table. One array of two dimensions becomes
//! dense rows, with an array `y` of one dimension, if there is one, as target.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use zip::ZipArchive;

use crate::error::{Error, Result};

use super::super::{Column, Inputs, Rows, Table};
use super::npy::{self, Array};
use super::options::ReadOptions;
use super::source::Source;
use super::watch::Watch;

/// Reads a whole archive.
pub(super) fn read(
    source: Source<'_>,
    options: &ReadOptions,
    watch: &Watch<'_>,
) -> Result<(Inputs, Option<(String, Column)>)> {
    let path = source.path.clone();
    let bytes = source.bytes(watch)?;
    // Should the archive's own offsets lead the zip crate astray, the file is damaged.
    let arrays = catch_unwind(AssertUnwindSafe(|| arrays(&path, &bytes, options.unpacked_limit(watch.run()), watch)))
        .unwrap_or_else(|_| Err(damaged(&path, "its directory makes no sense")))?;
    // What is shared by clones is a copy, one array at a time.
    let largest = arrays.iter().map(|(_, array)| array.values.len()).max().unwrap_or(0);
    let _shared = watch.lend(8 * largest as u64)?;
    assemble(&path, arrays, options)
}

fn damaged(path: &Path, why: &str) -> Error {
    Error::Format { path: path.into(), problem: format!("not a whole NumPy archive: {why}") }
}

/// All arrays, by name, in the order they stand in the file.
fn arrays(path: &Path, bytes: &[u8], limit: u64, watch: &Watch<'_>) -> Result<Vec<(String, Array)>> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(|e| damaged(path, &e.to_string()))?;
    let mut found = Vec::new();
    for i in 0..zip.len() {
        let member = zip.by_index(i).map_err(|e| damaged(path, &e.to_string()))?;
        let name = member.name().map_err(|e| damaged(path, &e.to_string()))?.into_owned();
        let Some(name) = name.strip_suffix(".npy").map(str::to_owned) else { continue };
        let place = format!("{}, array `{name}`", path.display());
        found.push((name, npy::array(Source::member(member, place.into(), limit)?, watch)?));
    }
    match found.is_empty() {
        true => Err(damaged(path, "it holds no arrays; a spreadsheet must be saved as CSV")),
        false => Ok(found),
    }
}

fn assemble(
    path: &Path,
    arrays: Vec<(String, Array)>,
    options: &ReadOptions,
) -> Result<(Inputs, Option<(String, Column)>)> {
    let (mut matrices, vectors): (Vec<_>, Vec<_>) = arrays.into_iter().partition(|(_, a)| a.shape.len() == 2);
    match (matrices.len(), vectors.len()) {
        (0, _) => {
            let columns = vectors.into_iter().map(|(name, a)| (name, a.values.into()));
            let table = Table::new(columns.collect())?;
            options.check_names(table.names())?;
            Ok((super::finish(table, options)?, None))
        }
        (1, 0 | 1) => rows(matrices.remove(0), vectors.into_iter().next()),
        _ => Err(Error::Unsupported {
            what: format!("{}: reading several two-dimensional arrays", path.display()),
            alternative: "save one array `X` and, if there is a target, one array `y`".into(),
        }),
    }
}

fn rows(matrix: (String, Array), target: Option<(String, Array)>) -> Result<(Inputs, Option<(String, Column)>)> {
    let (_, Array { shape, values }) = matrix;
    let x = Rows::new(values, shape[0], shape[1])?;
    let target = target.map(|(name, y)| match y.values.len() == shape[0] {
        true => Ok((name, y.values.into())),
        false => Err(Error::shape(format!("array `{name}`"), format!("{} values", shape[0]), y.values.len())),
    });
    Ok((x.into(), target.transpose()?))
}
