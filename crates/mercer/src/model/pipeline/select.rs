//! Finding the columns of a schema in new data.
//!
//! Columns go by name, extra ones are ignored, order does not matter. Dense rows without names go by
//! position and must have exactly the columns of the fit.

use std::collections::HashMap;

use crate::data::{Categories, Column, ColumnType, Csr, Inputs, Rows, Table, default_name};
use crate::error::{Error, Result, nearest};
use crate::note::Note;

use super::schema::{ColumnSchema, Schema};

impl Schema {
    /// The columns of this schema out of `inputs`, in its order, and what is to be said about it.
    pub fn select(&self, inputs: &Inputs) -> Result<(Inputs, Vec<Note>)> {
        let mut notes = Vec::new();
        let selected = match (self, inputs) {
            (Schema::Dense { names, named }, Inputs::Dense(x)) => dense(names, *named, x)?.into(),
            (Schema::Dense { names, named }, Inputs::Table(x)) => table_to_dense(names, *named, x)?.into(),
            (Schema::Table { columns }, Inputs::Table(x)) => table(columns, x)?.into(),
            (Schema::Table { columns }, Inputs::Dense(x)) => dense_to_table(columns, x)?.into(),
            (Schema::Sparse { width }, Inputs::Sparse(x)) => sparse(*width, x, &mut notes)?.into(),
            // Columns without names go by position, stored with their zeros or without.
            (Schema::Sparse { width }, Inputs::Dense(x)) if x.ncols() == *width && !x.has_names() => {
                x.to_sparse()?.into()
            }
            // The columns of sparse rows are called `x0`, `x1`, …, as those of a file without a header.
            (Schema::Sparse { width }, Inputs::Table(x)) if x.ncols() >= *width => {
                let names: Vec<String> = (0..*width).map(default_name).collect();
                table_to_dense(&names, true, x)?.to_sparse()?.into()
            }
            (Schema::Dense { names, named: false }, Inputs::Sparse(x)) if x.ncols() <= names.len() => {
                sparse(names.len(), x, &mut notes)?.to_dense()?.into()
            }
            (Schema::Precomputed { points }, Inputs::Precomputed(x)) if x.ncols() == *points => inputs.clone(),
            (Schema::Precomputed { .. }, Inputs::Precomputed(x)) => {
                return Err(Error::shape("the kernel values", self.describe(), format!("{} columns", x.ncols())));
            }
            (_, other) => return Err(Error::shape("the data", self.describe(), other.describe())),
        };
        if let Inputs::Table(table) = &selected {
            notes.extend(self.unseen(table));
        }
        Ok((selected, notes))
    }
}

/// The error of a column that is not there.
fn absent(name: &str, wanted: ColumnType, names: &[&str]) -> Error {
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("rename `{near}` to `{name}`, or add the column `{name}`"),
        None => format!("add the column `{name}`: the model was fitted with it"),
    };
    Error::column(name, format!("a {wanted} column, as in training"), "no column of this name", hint)
}

/// Where each of `names` stands among the columns of `x`; `None` means all of them as they stand.
fn places(names: &[String], named: bool, x: &Rows) -> Result<Option<Vec<usize>>> {
    let by_position = x.ncols() == names.len() && !(named && x.has_names());
    if by_position && !x.has_names() {
        return Ok(None);
    }
    if !named && !x.has_names() {
        return Err(Error::shape("the dense rows", format!("{} columns, as in training", names.len()), x.ncols()));
    }
    let own: Vec<String> = (0..x.ncols()).map(|j| x.name(j)).collect();
    let place: HashMap<&str, usize> = own.iter().enumerate().map(|(j, n)| (n.as_str(), j)).collect();
    match names.iter().find(|n| !place.contains_key(n.as_str())) {
        None => Ok(Some(names.iter().map(|n| place[n.as_str()]).collect())),
        Some(_) if by_position => Ok(None),
        Some(name) => {
            let own: Vec<&str> = own.iter().map(String::as_str).collect();
            Err(absent(name, ColumnType::Number, &own))
        }
    }
}

fn with_names(rows: Rows, names: &[String], named: bool) -> Result<Rows> {
    if named { rows.with_names(names.to_vec()) } else { Ok(rows) }
}

fn dense(names: &[String], named: bool, x: &Rows) -> Result<Rows> {
    let same = named == x.has_names() && x.ncols() == names.len() && (0..x.ncols()).all(|j| x.name(j) == names[j]);
    if same {
        return Ok(x.clone());
    }
    let values: Vec<f64> = match places(names, named, x)? {
        None => x.values().to_vec(),
        Some(places) => (0..x.nrows()).flat_map(|i| places.iter().map(move |j| x.row(i)[*j])).collect(),
    };
    with_names(Rows::new(values, x.nrows(), names.len())?, names, named)
}

fn table_to_dense(names: &[String], named: bool, x: &Table) -> Result<Rows> {
    let number = |name: &String| ColumnSchema { name: name.clone(), column_type: ColumnType::Number, levels: vec![] };
    let rows = table(&names.iter().map(number).collect::<Vec<_>>(), x)?.to_rows()?;
    if named { Ok(rows) } else { Rows::new(rows.values().to_vec(), rows.nrows(), rows.ncols()) }
}

fn dense_to_table(columns: &[ColumnSchema], x: &Rows) -> Result<Table> {
    if let Some(c) = columns.iter().find(|c| c.column_type != ColumnType::Number) {
        let hint = "give a table: a CSV, Parquet or Arrow file";
        return Err(Error::column(&c.name, format!("a {} column", c.column_type), "dense rows of numbers", hint));
    }
    let names: Vec<String> = columns.iter().map(|c| c.name.clone()).collect();
    let rows = dense(&names, true, x)?;
    Table::new(names.iter().enumerate().map(|(j, name)| (name.clone(), rows.column(j))).collect())
}

fn table(columns: &[ColumnSchema], x: &Table) -> Result<Table> {
    let names: Vec<&str> = x.names().iter().map(String::as_str).collect();
    let mut selected = Vec::with_capacity(columns.len());
    for wanted in columns {
        let Some(found) = x.column(&wanted.name) else {
            return Err(absent(&wanted.name, wanted.column_type, &names));
        };
        selected.push((wanted.name.clone(), converted(wanted, found)?));
    }
    if selected.is_empty() {
        return x.select::<&str>(&[]);
    }
    Table::new(selected)
}

/// The column as the type of the fit, where no value changes its meaning by it.
fn converted(wanted: &ColumnSchema, column: &Column) -> Result<Column> {
    let n = column.len();
    let empty = || column.missing().is_some_and(|(_, count)| count == n);
    Ok(match (wanted.column_type, column) {
        (wanted, column) if column.column_type() == wanted => column.clone(),
        (ColumnType::Category, Column::Structured(v)) => Categories::from_values(v.cells()).into(),
        // One row of `true` looks like text.
        (ColumnType::Number, Column::Category(_) | Column::Structured(_)) if truths(column).is_some() => {
            truths(column).unwrap_or_else(|| column.clone())
        }
        (ColumnType::Category, Column::Number(values)) if wanted.spells(values) => wanted.spelt(values),
        // A column without a value has no type of its own.
        (ColumnType::Number, _) if empty() => vec![f64::NAN; n].into(),
        (ColumnType::Category, _) if empty() => Categories::from_codes(vec![Categories::MISSING; n], vec![]).into(),
        (ColumnType::Structured(kind), _) if empty() => {
            kind.repeated(None, n).map_err(|bad| bad.error(kind.name))?.into()
        }
        (ColumnType::Structured(_), _) if column.reads_as(wanted.column_type) => {
            column.read_as(wanted.column_type).unwrap_or_else(|| column.clone())
        }
        (wanted_type, column) => {
            let hint = format!("read the column `{}` as {wanted_type}, as in training", wanted.name);
            let expected = format!("a {wanted_type} column, as in training");
            return Err(Error::column(&wanted.name, expected, format!("a {} column", column.column_type()), hint));
        }
    })
}

/// The numbers of a column of truths.
fn truths(column: &Column) -> Option<Column> {
    column.read_as(ColumnType::Category)?.read_as(ColumnType::Number)
}

impl ColumnSchema {
    /// The level that a number stands for: itself where levels are whole numbers, a truth for 0 and 1 where they are
    /// truths.
    fn level(&self, value: f64) -> Option<String> {
        let whole = |word: &String| word.trim().parse::<f64>().is_ok_and(|v| v.fract() == 0.0);
        if value.fract() == 0.0 && self.levels.iter().all(whole) {
            return Some((value + 0.0).to_string());
        }
        let truth = if value == 1.0 { "true" } else { "false" };
        let found = self.levels.iter().find(|level| level.eq_ignore_ascii_case(truth));
        found.filter(|_| value == 0.0 || value == 1.0).cloned()
    }

    /// Whether every number stands for a level.
    fn spells(&self, values: &[f64]) -> bool {
        values.iter().all(|v| v.is_nan() || self.level(*v).is_some())
    }

    /// The numbers as levels.
    fn spelt(&self, values: &[f64]) -> Column {
        Categories::from_values(values.iter().map(|v| self.level(*v))).into()
    }
}

/// Rows of the width of the fit: a file of few rows may not reach the last columns, or go past them.
fn sparse(width: usize, x: &Csr, notes: &mut Vec<Note>) -> Result<Csr> {
    if x.ncols() == width {
        return Ok(x.clone());
    }
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..x.nrows() {
        let (row_columns, row_values) = x.row(i);
        let kept = row_columns.partition_point(|c| (*c as usize) < width);
        columns.extend_from_slice(&row_columns[..kept]);
        values.extend_from_slice(&row_values[..kept]);
        starts.push(columns.len());
    }
    let ignored = x.nnz() - columns.len();
    if ignored > 0 {
        notes.push(Note::EntriesIgnored { entries: ignored, last_column: default_name(width.saturating_sub(1)) });
    }
    Csr::new(starts, columns, values, width)
}
