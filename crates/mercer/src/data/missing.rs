//! Missing values: found and located, dropped, or filled.
//!
//! The default is an error. Filling is fitted once and travels with a model: the numbers that fill
//! a later table are those of the table it was fitted on.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, nearest};

use super::moments::Moments;
use super::{Categories, Column, ColumnType, Inputs, Table, Weights};

/// What to do about missing values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MissingPolicy {
    /// Refuse them, saying how many there are and where.
    #[default]
    Error,
    /// Leave out the rows that have any.
    Drop,
    /// Fill them: see [`Imputer`].
    Impute,
    /// Keep them for the kernel, which reads those inside `with_gaps(…)` and refuses others.
    Keep,
}

/// The words of the policies.
const WORDS: [&str; 4] = ["error", "drop", "impute", "keep"];

impl FromStr for MissingPolicy {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        match word {
            "error" => Ok(MissingPolicy::Error),
            "drop" => Ok(MissingPolicy::Drop),
            "impute" => Ok(MissingPolicy::Impute),
            "keep" => Ok(MissingPolicy::Keep),
            _ => {
                let one_of = format!("one of {}", WORDS.join(", "));
                let must = match nearest(word, WORDS) {
                    Some(near) => format!("{one_of}; the nearest is `{near}`"),
                    None => one_of,
                };
                Err(Error::invalid("the data", "missing", format!("`{word}`"), must))
            }
        }
    }
}

/// Fails if a value is missing, with the count over all columns and the place of the first.
///
/// ```
/// let penguins = mercer::data::load("penguins")?.table()?;
/// let error = mercer::data::check_complete(&penguins).unwrap_err();
/// assert!(error.to_string().starts_with("19 of 2752 values in the table"));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn check_complete(table: &Table) -> Result<()> {
    let found: Vec<(&str, usize, usize)> =
        table.iter().filter_map(|(name, c)| c.missing().map(|(first, count)| (name, first, count))).collect();
    let Some(&(name, first_row, count)) = found.first() else { return Ok(()) };
    let counts = || found.iter().map(|(name, _, n)| format!("{n} in `{name}`")).collect::<Vec<_>>().join(", ");
    Err(match found.len() {
        1 => missing(format!("column `{name}`"), count, table.nrows(), first_row),
        _ => {
            let total = table.nrows() * table.ncols();
            missing(format!("the table ({})", counts()), found.iter().map(|f| f.2).sum(), total, first_row)
        }
    })
}

fn missing(place: String, count: usize, total: usize, first_row: usize) -> Error {
    Error::NonFinite { place, count, total, first_row, what: "missing".into() }
}

/// Fails if a number is missing or infinite, or a category or text is missing.
pub fn check_finite(inputs: &Inputs) -> Result<()> {
    match inputs {
        Inputs::Table(table) => {
            check_complete(table)?;
            table.iter().try_for_each(|(name, column)| {
                column.numbers().map_or(Ok(()), |values| finite(&format!("column `{name}`"), values, 1))
            })
        }
        Inputs::Dense(rows) => finite("the dense rows", rows.values(), rows.ncols()),
        Inputs::Sparse(rows) => {
            (0..rows.nrows()).try_for_each(|i| finite(&format!("sparse row {i}"), rows.row(i).1, usize::MAX))
        }
        Inputs::Precomputed(matrix) => finite("the precomputed matrix", matrix.values(), matrix.ncols()),
    }
}

/// Fails if a number is infinite, in sparse rows and matrices also if one is missing: these have no gaps.
pub(crate) fn check_present_finite(inputs: &Inputs) -> Result<()> {
    match inputs {
        Inputs::Table(table) => table.iter().try_for_each(|(name, column)| {
            column.numbers().map_or(Ok(()), |values| not_infinite(&format!("column `{name}`"), values, 1))
        }),
        Inputs::Dense(rows) => not_infinite("the dense rows", rows.values(), rows.ncols()),
        Inputs::Sparse(_) | Inputs::Precomputed(_) => check_finite(inputs),
    }
}

fn finite(place: &str, values: &[f64], width: usize) -> Result<()> {
    none_of(place, values, width, |v| !v.is_finite())
}

fn not_infinite(place: &str, values: &[f64], width: usize) -> Result<()> {
    none_of(place, values, width, f64::is_infinite)
}

fn none_of(place: &str, values: &[f64], width: usize, bad: impl Fn(f64) -> bool) -> Result<()> {
    let Some(first) = values.iter().position(|v| bad(*v)) else { return Ok(()) };
    let what = if values[first].is_nan() { "NaN" } else { "infinite" };
    Err(Error::NonFinite {
        place: place.to_owned(),
        count: values.iter().filter(|v| bad(**v)).count(),
        total: values.len(),
        first_row: first / width.max(1),
        what: what.to_owned(),
    })
}

/// The rows without missing values, and their indices.
pub fn drop_missing(table: &Table) -> (Table, Vec<usize>) {
    let complete = |i: &usize| table.iter().all(|(_, column)| !column.is_missing(*i));
    let kept: Vec<usize> = (0..table.nrows()).filter(complete).collect();
    (table.take(&kept), kept)
}

/// What fills the gaps of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Fill {
    /// The mean of the numbers.
    Number(f64),
    /// The most frequent level.
    Category(String),
    /// The blank of a structured type, such as the empty string.
    #[serde(untagged)]
    Blank(ColumnType),
}

/// A fitted column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Filled {
    name: String,
    fill: Fill,
    indicator: bool,
}

/// Fills missing values with what it learnt: the mean of numbers, the most frequent level of
/// categories (the first in level order among equals), the empty string for text.
///
/// Every column that had gaps when it was fitted also gets an indicator column, `age_missing` for
/// `age`, which is 1 where the value was missing and 0 elsewhere; indicators stand last.
///
/// ```
/// use mercer::data::{Column, Imputer, Table};
/// let table = Table::new(vec![("age".into(), Column::Number([30.0, f64::NAN, 40.0].into()))])?;
/// let filled = Imputer::fit(&table, None)?.apply(&table)?;
/// assert_eq!(filled.names(), ["age", "age_missing"]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Imputer {
    columns: Vec<Filled>,
}

impl Imputer {
    /// Learns what fills each column; `weights`, one a row, count rows.
    pub fn fit(table: &Table, weights: Option<&Weights>) -> Result<Self> {
        let moments = Moments::new(weights, table.nrows())?;
        let fitted = table.iter().map(|(name, column)| {
            let indicator = column.missing().is_some();
            if indicator && table.column(&indicator_name(name)).is_some() {
                let problem = format!("`{}` twice: it would mark the gaps of `{name}`", indicator_name(name));
                return Err(Error::invalid("the data", "column names", problem, "distinct"));
            }
            Ok(Filled { name: name.to_owned(), fill: fill(name, column, &moments)?, indicator })
        });
        Ok(Imputer { columns: fitted.collect::<Result<_>>()? })
    }

    /// Fills `table`, which must have the columns of the fit.
    pub fn apply(&self, table: &Table) -> Result<Table> {
        let column = |f: &Filled| table.column(&f.name).ok_or_else(|| table.unknown_column(&f.name));
        let mut columns = Vec::with_capacity(self.columns.len());
        for fitted in &self.columns {
            columns.push((fitted.name.clone(), fitted.filled(column(fitted)?)?));
        }
        for fitted in self.columns.iter().filter(|f| f.indicator) {
            let gaps = column(fitted)?;
            let flags = (0..table.nrows()).map(|i| f64::from(u8::from(gaps.is_missing(i)))).collect();
            columns.push((indicator_name(&fitted.name), flags));
        }
        Table::new(columns)
    }

    /// Fails if the numbers of a file cannot have been fitted.
    pub(crate) fn validate(&self) -> Result<()> {
        let bad = |f: &Filled| match &f.fill {
            Fill::Number(mean) if !mean.is_finite() => Some((format!("no number in `{}`", f.name), "finite")),
            Fill::Blank(kind @ (ColumnType::Number | ColumnType::Category)) => {
                Some((format!("`{kind}` in `{}`", f.name), "a number, a level or a structured type"))
            }
            _ => None,
        };
        match self.columns.iter().find_map(bad) {
            None => Ok(()),
            Some((got, must)) => Err(Error::invalid("an imputer", "fill", got, must)),
        }
    }

    /// The columns that get an indicator.
    pub fn indicators(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(|f| f.indicator).map(|f| f.name.as_str())
    }
}

fn indicator_name(name: &str) -> String {
    format!("{name}_missing")
}

fn fill(name: &str, column: &Column, moments: &Moments<'_>) -> Result<Fill> {
    let present = |i: &usize| !column.is_missing(*i) && moments.at(*i) > 0.0;
    let rows: Vec<usize> = (0..column.len()).filter(present).collect();
    if rows.is_empty() {
        return Err(Error::Unsupported {
            what: match column.len() {
                1 => format!("filling column `{name}`, whose only value is missing,"),
                many => format!("filling column `{name}`, whose {many} values are all missing,"),
            },
            alternative: format!("leave out the column `{name}`"),
        });
    }
    Ok(match column {
        Column::Number(values) => Fill::Number(moments.mean(&rows, |i| values[i])),
        Column::Category(c) => Fill::Category(mode(c, &rows, moments)),
        Column::Structured(values) if column.missing().is_some() && values.structured_type().blank.is_none() => {
            return Err(no_blank(name, column.column_type()));
        }
        Column::Structured(_) => Fill::Blank(column.column_type()),
    })
}

fn mode(column: &Categories, rows: &[usize], moments: &Moments<'_>) -> String {
    let mut counts = vec![0.0; column.levels().len()];
    rows.iter().for_each(|&i| counts[column.codes()[i] as usize] += moments.at(i));
    let largest = counts.iter().copied().fold(0.0, f64::max);
    let first = counts.iter().position(|c| *c == largest).unwrap_or(0);
    column.levels().get(first).cloned().unwrap_or_default()
}

impl Filled {
    fn filled(&self, column: &Column) -> Result<Column> {
        Ok(match (column, &self.fill) {
            (column, _) if column.missing().is_none() && column.column_type() == self.column_type() => column.clone(),
            (Column::Number(v), Fill::Number(mean)) => v.iter().map(|x| if x.is_nan() { *mean } else { *x }).collect(),
            (Column::Category(c), Fill::Category(mode)) => with_level(c, mode).into(),
            (Column::Structured(v), Fill::Blank(kind)) if column.column_type() == *kind => {
                v.filled().ok_or_else(|| no_blank(&self.name, *kind))?.into()
            }
            _ => {
                let got = column.column_type();
                return Err(Error::shape(format!("column `{}`", self.name), self.column_type(), got));
            }
        })
    }

    fn column_type(&self) -> ColumnType {
        match self.fill {
            Fill::Number(_) => ColumnType::Number,
            Fill::Category(_) => ColumnType::Category,
            Fill::Blank(kind) => kind,
        }
    }
}

fn no_blank(name: &str, kind: ColumnType) -> Error {
    Error::Unsupported {
        what: format!("filling column `{name}`, as no {kind} stands for nothing,"),
        alternative: format!("leave out the rows without `{name}` (`drop`), or the column"),
    }
}

/// The column with its gaps at `level`, which is added to the levels if it is not there.
fn with_level(column: &Categories, level: &str) -> Categories {
    let mut levels = column.levels().to_vec();
    let code = levels.iter().position(|l| l == level).unwrap_or(levels.len()) as u32;
    if code as usize == levels.len() {
        levels.push(level.to_owned());
    }
    let codes = column.codes().iter().map(|&c| if c == Categories::MISSING { code } else { c }).collect();
    let filled = Categories::from_codes(codes, levels);
    // A level that is new has no place in the order.
    if column.order().is_some_and(|order| order.len() == filled.levels().len()) { filled.in_order() } else { filled }
}
