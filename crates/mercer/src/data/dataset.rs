//! What a reader gives: points, and a target where the file or the caller names one.

use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::note::Note;

use super::{Column, Inputs, Rows, Table, shipped::Shipped};

/// Where a data set came from.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Origin {
    /// A file, or the name that was given to a stream.
    File(PathBuf),
    /// One of the sets that come with Mercer.
    Shipped(&'static Shipped),
}

/// Points with a name, and a target where there is one.
///
/// The target is not among the inputs: [`with_target`](Self::with_target) takes it out of them and
/// puts an earlier one back.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// A short name: the file's without its extension, or the shipped set's.
    pub name: String,
    /// The points.
    pub inputs: Inputs,
    /// Name and values of what is to be predicted.
    pub target: Option<(String, Column)>,
    /// Where it came from.
    pub origin: Origin,
    /// What its reader found worth knowing.
    pub notes: Vec<Note>,
}

impl Dataset {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// The points of the given indices, in that order.
    pub fn take(&self, indices: &[usize]) -> Self {
        let target = self.target.as_ref().map(|(name, column)| (name.clone(), column.take(indices)));
        Dataset { inputs: self.inputs.take(indices), target, ..self.clone() }
    }

    /// The table of all columns, the target last; an error where the points are no table.
    pub fn table(&self) -> Result<Table> {
        match &self.without_target()?.inputs {
            Inputs::Table(table) => Ok(table.clone()),
            other => Err(Error::Unsupported {
                what: format!("reading named columns from {}", other.describe()),
                alternative: "give a CSV, Parquet or Arrow file".into(),
            }),
        }
    }

    /// Makes the column `name` the target; an earlier target becomes a column again.
    ///
    /// ```
    /// use mercer::data::{ReadOptions, open};
    /// let penguins = open("penguins", &ReadOptions::default(), &mercer::Run::new())?.with_target("island")?;
    /// assert_eq!(penguins.target.as_ref().map(|t| t.0.as_str()), Some("island"));
    /// assert_eq!(penguins.table()?.ncols(), 8);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn with_target(&self, name: &str) -> Result<Self> {
        if self.target.as_ref().is_some_and(|(current, _)| current == name) {
            return Ok(self.clone());
        }
        let whole = self.without_target()?;
        let (inputs, column) = match &whole.inputs {
            Inputs::Table(table) => split_table(table, name)?,
            Inputs::Dense(rows) => split_rows(rows, name)?,
            other => {
                return Err(Error::Unsupported {
                    what: format!("taking a target column out of {}", other.describe()),
                    alternative: "give the target as a file of its own".into(),
                });
            }
        };
        Ok(Dataset { inputs, target: Some((name.to_owned(), column)), ..whole })
    }

    /// Puts the target back among the columns, where the points have columns; sparse rows and
    /// precomputed matrices just lose it.
    pub fn without_target(&self) -> Result<Self> {
        let inputs = match (&self.inputs, &self.target) {
            (Inputs::Table(table), Some(target)) => join_table(table, target)?.into(),
            (Inputs::Dense(rows), Some((name, Column::Number(y)))) => join_rows(rows, name, y)?.into(),
            (inputs, _) => inputs.clone(),
        };
        Ok(Dataset { inputs, target: None, ..self.clone() })
    }
}

fn join_table(table: &Table, target: &(String, Column)) -> Result<Table> {
    let columns = table.iter().map(|(name, column)| (name.to_owned(), column.clone()));
    Table::new(columns.chain([target.clone()]).collect())
}

fn split_table(table: &Table, name: &str) -> Result<(Inputs, Column)> {
    let column = table.column(name).ok_or_else(|| table.unknown_column(name))?.clone();
    Ok((table.without(name)?.into(), column))
}

fn join_rows(rows: &Rows, name: &str, y: &[f64]) -> Result<Rows> {
    let values: Vec<f64> = (0..rows.nrows()).flat_map(|i| rows.row(i).iter().copied().chain([y[i]])).collect();
    let names = (0..rows.ncols()).map(|j| rows.name(j)).chain([name.to_owned()]).collect();
    Rows::new(values, rows.nrows(), rows.ncols() + 1)?.with_names(names)
}

fn split_rows(rows: &Rows, name: &str) -> Result<(Inputs, Column)> {
    let names: Vec<String> = (0..rows.ncols()).map(|j| rows.name(j)).collect();
    let at = names
        .iter()
        .position(|n| n == name)
        .ok_or_else(|| super::table::unknown_column(name, names.iter().map(String::as_str)))?;
    let keep = |row: &[f64]| [&row[..at], &row[at + 1..]].concat();
    let values: Vec<f64> = (0..rows.nrows()).flat_map(|i| keep(rows.row(i))).collect();
    let mut rest = names;
    rest.remove(at);
    let inputs = Rows::new(values, rows.nrows(), rest.len())?.with_names(rest)?;
    Ok((inputs.into(), rows.column(at)))
}
