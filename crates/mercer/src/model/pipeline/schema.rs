//! The columns that a pipeline needs.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::data::{Categories, Column, ColumnType, Inputs, Table};
use crate::error::{Error, Result, counted};
use crate::note::Note;

/// Sparse rows may be this wide, as in the reader of LIBSVM files.
const WIDEST: usize = 100_000_000;

/// What data must look like to be predicted: the columns of the training data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Schema {
    /// Dense rows.
    Dense {
        /// Names of the columns; `x0`, `x1`, … where there were none.
        names: Vec<String>,
        /// Whether the names were given. Without names, columns go by position.
        named: bool,
    },
    /// Sparse rows.
    Sparse {
        /// Number of columns.
        width: usize,
    },
    /// A table.
    Table {
        /// Its columns.
        columns: Vec<ColumnSchema>,
    },
    /// Kernel values with the training points.
    Precomputed {
        /// Number of training points.
        points: usize,
    },
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnSchema {
    /// Its name.
    pub name: String,
    /// What it holds.
    #[serde(rename = "type")]
    pub column_type: ColumnType,
    /// The categories that were seen in training; nothing for other types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<String>,
}

impl Schema {
    /// The schema of these points.
    ///
    /// ```
    /// use mercer::model::pipeline::Schema;
    /// let cars = mercer::data::Rows::new(vec![4.0, 90.0], 1, 2)?.with_names(vec!["cylinders".into(), "power".into()])?;
    /// let schema = Schema::of(&cars.into());
    /// assert_eq!(schema.names(), ["cylinders", "power"]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn of(inputs: &Inputs) -> Self {
        match inputs {
            Inputs::Dense(x) => {
                Schema::Dense { names: (0..x.ncols()).map(|j| x.name(j)).collect(), named: x.has_names() }
            }
            Inputs::Sparse(x) => Schema::Sparse { width: x.ncols() },
            Inputs::Table(x) => Schema::Table { columns: x.iter().map(|(n, c)| ColumnSchema::of(n, c)).collect() },
            Inputs::Precomputed(x) => Schema::Precomputed { points: x.ncols() },
        }
    }

    /// Names of the columns; nothing for sparse rows and precomputed matrices.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Schema::Dense { names, .. } => names.iter().map(String::as_str).collect(),
            Schema::Table { columns } => columns.iter().map(|c| c.name.as_str()).collect(),
            _ => Vec::new(),
        }
    }

    /// Names and types, to read a later file as the training data were read
    /// ([`ReadOptions::types`](crate::data::ReadOptions::types)): few rows do not tell what a column is.
    pub fn types(&self) -> BTreeMap<String, ColumnType> {
        match self {
            Schema::Dense { names, .. } => names.iter().map(|n| (n.clone(), ColumnType::Number)).collect(),
            Schema::Table { columns } => columns.iter().map(|c| (c.name.clone(), c.column_type)).collect(),
            _ => BTreeMap::new(),
        }
    }

    /// What it asks for, for messages.
    pub fn describe(&self) -> String {
        match self {
            Schema::Dense { names, .. } => format!("dense rows of {}", counted(names.len(), "column", "columns")),
            Schema::Sparse { width } => format!("sparse rows of {}", counted(*width, "column", "columns")),
            Schema::Table { columns } => format!("a table with {}", counted(columns.len(), "column", "columns")),
            Schema::Precomputed { points } => format!("kernel values with the {points} training points"),
        }
    }

    /// Fails if names are repeated or the width is out of bounds.
    pub(super) fn validate(&self) -> Result<()> {
        if let Schema::Sparse { width } = self
            && *width > WIDEST
        {
            return Err(Error::shape("sparse rows", format!("at most {WIDEST} columns"), width));
        }
        let mut seen = HashSet::new();
        match self.names().into_iter().find(|n| !seen.insert(*n)) {
            None => Ok(()),
            Some(twice) => Err(Error::invalid("the schema", "column names", format!("`{twice}` twice"), "distinct")),
        }
    }

    /// Sentences about categories that were not seen in training.
    pub(super) fn unseen(&self, table: &Table) -> Vec<Note> {
        let Schema::Table { columns } = self else { return Vec::new() };
        columns.iter().filter_map(|c| c.unseen(table.column(&c.name)?)).collect()
    }
}

impl ColumnSchema {
    fn of(name: &str, column: &Column) -> Self {
        let levels = column.categories().map(seen_levels).unwrap_or_default();
        ColumnSchema { name: name.to_owned(), column_type: column.column_type(), levels }
    }

    fn unseen(&self, column: &Column) -> Option<Note> {
        let column = column.categories()?;
        let known: HashSet<&str> = self.levels.iter().map(String::as_str).collect();
        let new: Vec<bool> = column.levels().iter().map(|l| !known.contains(l.as_str())).collect();
        let is_new = |code: &u32| new.get(*code as usize).copied().unwrap_or(false);
        let rows = column.codes().iter().filter(|c| is_new(c)).count();
        let mut codes: Vec<u32> = column.codes().iter().copied().filter(is_new).collect();
        codes.sort_unstable();
        codes.dedup();
        let categories = codes.iter().map(|c| column.levels()[*c as usize].clone()).collect();
        (rows > 0).then(|| Note::UnseenCategories { column: self.name.clone(), rows, categories })
    }
}

/// The levels that a column uses, in their order.
pub(super) fn seen_levels(column: &Categories) -> Vec<String> {
    let mut used = vec![false; column.levels().len()];
    for code in column.codes() {
        if let Some(flag) = used.get_mut(*code as usize) {
            *flag = true;
        }
    }
    column.levels().iter().zip(used).filter(|(_, used)| *used).map(|(level, _)| level.clone()).collect()
}
