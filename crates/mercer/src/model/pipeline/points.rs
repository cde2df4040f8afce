//! The points of a model as arrays.

use serde::{Deserialize, Serialize};

use crate::data::{Categories, Column, ColumnType, Csr, Inputs, Precomputed, Rows, Table};
use crate::error::Result;
use crate::save::{Reader, Writer};

/// What the arrays of the points are.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Points {
    /// `points`: rows×columns.
    Dense { rows: usize, columns: usize, names: Option<Vec<String>> },
    /// `points.starts`, `points.columns`, `points.values`: compressed rows.
    Sparse { rows: usize, entries: usize, width: usize },
    /// `points.J` for each column number J, see [`StoredColumn`].
    Table { rows: usize, columns: Vec<StoredColumn> },
    /// Only how many there are.
    Precomputed { rows: usize },
}

/// Numbers are one array `points.J`; categories are codes `points.J` into `levels`; structured values are arrays
/// `points.J.PART` as their type says: text is `points.J.offsets` into the UTF-8 of `points.J.bytes`, with a flag
/// in `points.J.missing` if some of it is missing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredColumn {
    name: String,
    #[serde(rename = "type")]
    column_type: ColumnType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    levels: Option<Vec<String>>,
}

impl Points {
    pub(super) fn of(inputs: &Inputs) -> Self {
        match inputs {
            Inputs::Dense(x) => Points::Dense {
                rows: x.nrows(),
                columns: x.ncols(),
                names: x.has_names().then(|| (0..x.ncols()).map(|j| x.name(j)).collect()),
            },
            Inputs::Sparse(x) => {
                let entries = (0..x.nrows()).map(|i| x.row(i).0.len()).sum();
                Points::Sparse { rows: x.nrows(), entries, width: x.ncols() }
            }
            Inputs::Table(x) => {
                let column = |(name, column): (&str, &Column)| StoredColumn {
                    name: name.to_owned(),
                    column_type: column.column_type(),
                    levels: column.categories().map(|c| c.levels().to_vec()),
                };
                Points::Table { rows: x.nrows(), columns: x.iter().map(column).collect() }
            }
            Inputs::Precomputed(x) => Points::Precomputed { rows: x.nrows() },
        }
    }

    /// Number of points.
    pub(super) fn rows(&self) -> usize {
        match self {
            Points::Dense { rows, .. }
            | Points::Sparse { rows, .. }
            | Points::Table { rows, .. }
            | Points::Precomputed { rows } => *rows,
        }
    }

    /// Reads the arrays, whose names begin so.
    pub(super) fn read(self, prefix: &str, reader: &mut Reader<'_>) -> Result<Inputs> {
        let name = |part: &str| format!("{prefix}{part}");
        Ok(match self {
            Points::Dense { rows, columns, names } => {
                let x = Rows::new(reader.numbers(&name("points"), &[rows, columns])?, rows, columns)?;
                names.map_or(Ok(x.clone()), |names| x.with_names(names))?.into()
            }
            Points::Sparse { rows, entries, width } => {
                let length = rows.checked_add(1).ok_or_else(|| reader.refuse("its points are too many"))?;
                let starts = positions(reader, &name("points.starts"), length)?;
                let columns = reader.codes(&name("points.columns"), entries)?;
                Csr::new(starts, columns, reader.numbers(&name("points.values"), &[entries])?, width)?.into()
            }
            Points::Table { rows, columns } => read_table(&name("points"), reader, rows, columns)?.into(),
            Points::Precomputed { rows } => Precomputed::new(Vec::new(), rows, 0)?.into(),
        })
    }
}

/// Adds the arrays of the points, with names that begin so.
pub(super) fn write(prefix: &str, inputs: &Inputs, writer: &mut Writer) {
    let name = |part: &str| format!("{prefix}{part}");
    match inputs {
        Inputs::Dense(x) => writer.numbers(&name("points"), &[x.nrows(), x.ncols()], x.values()),
        Inputs::Sparse(x) => {
            let (mut starts, mut columns, mut values) = (vec![0u64], Vec::new(), Vec::new());
            for i in 0..x.nrows() {
                columns.extend_from_slice(x.row(i).0);
                values.extend_from_slice(x.row(i).1);
                starts.push(columns.len() as u64);
            }
            writer.places(&name("points.starts"), &starts);
            writer.codes(&name("points.columns"), &columns);
            writer.numbers(&name("points.values"), &[values.len()], &values);
        }
        Inputs::Table(x) => {
            for (j, (_, column)) in x.iter().enumerate() {
                write_column(&name(&format!("points.{j}")), column, writer);
            }
        }
        Inputs::Precomputed(_) => {}
    }
}

fn write_column(name: &str, column: &Column, writer: &mut Writer) {
    match column {
        Column::Number(v) => writer.numbers(name, &[v.len()], v),
        Column::Category(c) => writer.codes(name, c.codes()),
        Column::Structured(values) => values.save(&mut writer.column(name)),
    }
}

fn read_table(points: &str, reader: &mut Reader<'_>, rows: usize, columns: Vec<StoredColumn>) -> Result<Table> {
    if columns.is_empty() {
        return Err(reader.refuse("its points are a table without columns"));
    }
    let mut read = Vec::with_capacity(columns.len());
    for (j, stored) in columns.into_iter().enumerate() {
        let name = format!("{points}.{j}");
        let column = match (stored.column_type, stored.levels) {
            (ColumnType::Number, None) => reader.numbers(&name, &[rows])?.into(),
            (ColumnType::Category, Some(levels)) => {
                let codes = reader.codes(&name, rows)?;
                let known = |c: &u32| *c == Categories::MISSING || (*c as usize) < levels.len();
                if let Some(code) = codes.iter().find(|c| !known(c)) {
                    return Err(reader.refuse(format!("the array `{name}` has the code {code}, which has no level")));
                }
                Categories::from_codes(codes, levels).into()
            }
            (ColumnType::Structured(kind), None) => (kind.load)(&mut reader.column(&name), rows)?.into(),
            (kind, _) => {
                let problem = format!("the column `{}` has the type {kind} and no matching levels", stored.name);
                return Err(reader.refuse(problem));
            }
        };
        read.push((stored.name, column));
    }
    Table::new(read)
}

fn positions(reader: &mut Reader<'_>, name: &str, length: usize) -> Result<Vec<usize>> {
    let places = reader.places(name, length)?;
    let places: std::result::Result<Vec<usize>, _> = places.into_iter().map(usize::try_from).collect();
    places.map_err(|_| reader.refuse(format!("the array `{name}` points outside the file")))
}
