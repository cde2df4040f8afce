//! Columns of numbers brought to mean 0 and standard deviation 1.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

use super::missing::{check_finite, check_present_finite};
use super::moments::Moments;
use super::{Column, Csr, Inputs, Rows, Table, Weights, default_name};

/// The least scale of a column that nearly always has one value, over the root mean square by which others differ from it.
const LEAST: f64 = 1.0 / 3.0;

/// A fitted column: x becomes (x − mean) / scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Scaled {
    name: String,
    mean: f64,
    scale: f64,
    constant: bool,
}

/// What was fitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Dense,
    /// Means stay 0: centring would fill the zeros in. Only columns that have entries are kept, by
    /// index, ascending: rows may be a hundred million columns wide.
    Sparse {
        width: usize,
        indices: Vec<u32>,
    },
    Table,
}

/// Standardises columns with the weighted mean and standard deviation (divided by the sum of the
/// weights, not one less) of the points it was fitted on.
///
/// Of a column in which one value has more than half of the rows, the scale is at least a third of the root mean square by which
/// the others differ from it: a column that is nearly always 0 says the same whether one row in ten or one in a thousand has a 1,
/// and is not blown up until that row is far from all others.
///
/// Sparse rows are scaled and not centred; a column without entries keeps scale 1 and is not listed. In a table only the number columns change. A column that
/// does not vary keeps scale 1 and is listed by [`constant_columns`](Self::constant_columns).
///
/// ```
/// use mercer::data::{Inputs, Rows, Standardizer};
/// let x = Inputs::from(Rows::new(vec![1.0, 7.0, 3.0, 7.0], 2, 2)?);
/// let standardizer = Standardizer::fit(&x, None)?;
/// let Inputs::Dense(z) = standardizer.apply(&x)? else { unreachable!() };
/// assert_eq!(z.values(), [-1.0, 0.0, 1.0, 0.0]);
/// assert_eq!(standardizer.constant_columns(), ["x1"]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standardizer {
    kind: Kind,
    columns: Vec<Scaled>,
}

impl Standardizer {
    /// Learns means and scales; `weights`, one a row, count rows.
    pub fn fit(inputs: &Inputs, weights: Option<&Weights>) -> Result<Self> {
        check_finite(inputs)?;
        Self::fit_present(inputs, weights)
    }

    /// The same of the values that are there: missing ones, which dense rows and tables may have, count nothing and
    /// stay missing. A column without values keeps scale 1.
    ///
    /// ```
    /// use mercer::data::{Inputs, Rows, Standardizer};
    /// let x = Inputs::from(Rows::new(vec![1.0, f64::NAN, 3.0], 3, 1)?);
    /// let standardizer = Standardizer::fit_present(&x, None)?;
    /// assert_eq!(standardizer.columns().next(), Some(("x0", 2.0, 1.0)));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn fit_present(inputs: &Inputs, weights: Option<&Weights>) -> Result<Self> {
        let moments = Moments::new(weights, inputs.len())?;
        check_present_finite(inputs)?;
        if inputs.is_empty() {
            return Err(Error::shape("points to standardise", "at least 1 row", 0));
        }
        let used: Vec<usize> = (0..inputs.len()).filter(|&i| moments.at(i) > 0.0).collect();
        Ok(match inputs {
            Inputs::Dense(x) => {
                let column = |j| Scaled::fit(x.name(j), &used, &moments, |i| x.row(i)[j]);
                Standardizer { kind: Kind::Dense, columns: (0..x.ncols()).map(column).collect() }
            }
            Inputs::Table(table) => {
                let column = |(name, column): (&str, &Column)| match column {
                    Column::Number(v) => Some(Scaled::fit(name.to_owned(), &used, &moments, |i| v[i])),
                    _ => None,
                };
                Standardizer { kind: Kind::Table, columns: table.iter().filter_map(column).collect() }
            }
            Inputs::Sparse(x) => fit_sparse(x, &used, &moments),
            Inputs::Precomputed(_) => return Err(precomputed()),
        })
    }

    /// The same with one scale for all columns, the largest of theirs: as they are, but for their means and a unit.
    pub fn with_one_scale(mut self) -> Self {
        let varying = || self.columns.iter().filter(|c| !c.constant);
        let largest = varying().map(|c| c.scale).fold(0.0, f64::max);
        self.columns.iter_mut().filter(|c| !c.constant).for_each(|c| c.scale = largest);
        self
    }

    /// Standardises points that have the columns of the fit.
    pub fn apply(&self, inputs: &Inputs) -> Result<Inputs> {
        match (inputs, &self.kind) {
            (Inputs::Dense(x), Kind::Dense) => Ok(self.dense(x)?.into()),
            (Inputs::Sparse(x), Kind::Sparse { width, indices }) => Ok(self.sparse(x, *width, indices)?.into()),
            (Inputs::Table(x), Kind::Table) => Ok(self.table(x)?.into()),
            (Inputs::Precomputed(_), _) => Err(precomputed()),
            (other, kind) => {
                let expected = match kind {
                    Kind::Dense => "dense rows",
                    Kind::Sparse { .. } => "sparse rows",
                    Kind::Table => "a table",
                };
                Err(Error::shape("points to standardise", expected, other.describe()))
            }
        }
    }

    /// Fails if the numbers of a file cannot have been fitted.
    pub(crate) fn validate(&self) -> Result<()> {
        if let Kind::Sparse { width, indices } = &self.kind {
            let increasing = indices.windows(2).all(|w| w[0] < w[1]);
            let inside = indices.last().is_none_or(|&j| (j as usize) < *width);
            if indices.len() != self.columns.len() || !increasing || !inside {
                return Err(Error::shape("a standardizer", "increasing indices, one a column", "something else"));
            }
        }
        match self.columns.iter().find(|c| !(c.mean.is_finite() && c.scale.is_normal() && c.scale > 0.0)) {
            None => Ok(()),
            Some(c) => Err(Error::invalid("a standardizer", "scale", format!("{} in `{}`", c.scale, c.name), "> 0")),
        }
    }

    /// The columns that do not vary, which keep their scale.
    pub fn constant_columns(&self) -> Vec<&str> {
        self.columns.iter().filter(|c| c.constant).map(|c| c.name.as_str()).collect()
    }

    /// Name, mean and scale of every fitted column.
    pub fn columns(&self) -> impl Iterator<Item = (&str, f64, f64)> {
        self.columns.iter().map(|c| (c.name.as_str(), c.mean, c.scale))
    }

    fn dense(&self, x: &Rows) -> Result<Rows> {
        check_width(self.columns.len(), x.ncols())?;
        let names: Vec<String> = (0..x.ncols()).map(|j| x.name(j)).collect();
        if let Some(j) = (0..names.len()).find(|&j| names[j] != self.columns[j].name) {
            return Err(Error::shape(
                format!("column {j}"),
                format!("`{}`", self.columns[j].name),
                format!("`{}`", names[j]),
            ));
        }
        let scaled = |i: usize| x.row(i).iter().zip(&self.columns).map(|(v, c)| c.apply(*v));
        let values: Vec<f64> = (0..x.nrows()).flat_map(scaled).collect();
        let rows = Rows::new(values, x.nrows(), x.ncols())?;
        if x.has_names() { rows.with_names(names) } else { Ok(rows) }
    }

    fn sparse(&self, x: &Csr, width: usize, indices: &[u32]) -> Result<Csr> {
        check_width(width, x.ncols())?;
        let scale = |j: &u32| indices.binary_search(j).map_or(1.0, |at| self.columns[at].scale);
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..x.nrows() {
            let (row_columns, row_values) = x.row(i);
            columns.extend_from_slice(row_columns);
            values.extend(row_columns.iter().zip(row_values).map(|(j, v)| v / scale(j)));
            starts.push(columns.len());
        }
        Csr::new(starts, columns, values, x.ncols())
    }

    fn table(&self, table: &Table) -> Result<Table> {
        if let Some(c) = self.columns.iter().find(|c| table.column(&c.name).is_none()) {
            return Err(table.unknown_column(&c.name));
        }
        let known: HashMap<&str, _> = self.columns.iter().map(|c| (c.name.as_str(), c)).collect();
        let column = |(name, column): (&str, &Column)| {
            let fitted = known.get(name);
            let scaled = match (column, fitted) {
                (Column::Number(v), Some(c)) => v.iter().map(|x| c.apply(*x)).collect(),
                (Column::Number(_), None) => {
                    return Err(Error::shape(
                        format!("column `{name}`"),
                        "a column that was fitted",
                        "a new number column",
                    ));
                }
                (other, Some(_)) => {
                    return Err(Error::shape(format!("column `{name}`"), "numbers", other.column_type()));
                }
                (other, None) => other.clone(),
            };
            Ok((name.to_owned(), scaled))
        };
        Table::new(table.iter().map(column).collect::<Result<_>>()?)
    }
}

fn check_width(expected: usize, got: usize) -> Result<()> {
    match got == expected {
        true => Ok(()),
        false => Err(Error::shape("points to standardise", format!("{expected} columns"), got)),
    }
}

fn precomputed() -> Error {
    Error::Unsupported {
        what: "standardising a precomputed matrix".into(),
        alternative: "standardise the points before making the matrix".into(),
    }
}

impl Scaled {
    fn fit(name: String, rows: &[usize], moments: &Moments<'_>, value: impl Fn(usize) -> f64) -> Self {
        let rows: &[usize] = &rows.iter().copied().filter(|i| !value(*i).is_nan()).collect::<Vec<_>>();
        let first = rows.first().map_or(0.0, |&i| value(i));
        // Exact equality: rounding in the mean must not make noise out of a constant column.
        if rows.iter().all(|&i| value(i) == first) {
            return Scaled { name, mean: first, scale: 1.0, constant: true };
        }
        let mean = moments.mean(rows, &value);
        let deviation = moments.deviation(rows, mean, &value);
        let least = moments.majority(rows, &value).map_or(0.0, |usual| {
            let others: Vec<usize> = rows.iter().copied().filter(|i| value(*i) != usual).collect();
            LEAST * moments.deviation(&others, usual, &value)
        });
        Self::new(name, mean, deviation.max(least))
    }

    /// A column whose deviation is zero or out of the normal numbers cannot be divided by it.
    fn new(name: String, mean: f64, scale: f64) -> Self {
        match scale.is_normal() {
            true => Scaled { name, mean, scale, constant: false },
            false => Scaled { name, mean, scale: 1.0, constant: true },
        }
    }

    fn apply(&self, x: f64) -> f64 {
        (x - self.mean) / self.scale
    }
}

/// Scales of sparse columns, zeros counted, from the stored entries only.
fn fit_sparse(x: &Csr, used: &[usize], moments: &Moments<'_>) -> Standardizer {
    let total: f64 = used.iter().map(|&i| moments.at(i)).sum();
    let mut indices: Vec<u32> = used.iter().flat_map(|&i| x.row(i).0).copied().collect();
    indices.sort_unstable();
    indices.dedup();
    let n = indices.len();
    // Every column of a row in use is among the indices; from here on, j counts those.
    let place = |j: &u32| indices.binary_search(j).unwrap_or_default();
    let entries = || {
        used.iter().flat_map(|&i| {
            let (columns, values) = x.row(i);
            columns.iter().zip(values).map(move |(j, v)| (i, place(j), *v))
        })
    };
    // Units near each column's largest value keep squares in range, as in `Moments`.
    let mut units = vec![0.0f64; n];
    entries().for_each(|(_, j, v)| units[j] = units[j].max(v.abs()));
    units.iter_mut().for_each(|u| *u = super::weights::power_of_two(*u));
    let (mut means, mut seen) = (vec![0.0; n], vec![0.0; n]);
    entries().for_each(|(i, j, v)| {
        means[j] += moments.at(i) / total * (v / units[j]);
        seen[j] += moments.at(i) / total;
    });
    let mut variances: Vec<f64> = means.iter().zip(&seen).map(|(m, s)| (1.0 - s).max(0.0) * m * m).collect();
    entries().for_each(|(i, j, v)| variances[j] += moments.at(i) / total * (v / units[j] - means[j]).powi(2));
    let mut squares = vec![0.0; n];
    entries().for_each(|(i, j, v)| squares[j] += moments.at(i) / total * (v / units[j]).powi(2));
    // Zeros are the usual value of a column with few entries.
    let least = |j: usize| if seen[j] < 0.5 { LEAST * (squares[j] / seen[j]).sqrt() } else { 0.0 };
    let column = |j: usize| {
        // Below the rounding of the mean, the deviation of a constant column is noise.
        let deviation = variances[j].sqrt();
        let noise = 8.0 * f64::EPSILON * means[j].abs();
        Scaled::new(
            default_name(indices[j] as usize),
            0.0,
            if deviation > noise { deviation.max(least(j)) * units[j] } else { 0.0 },
        )
    };
    let columns = (0..n).map(column).collect();
    Standardizer { kind: Kind::Sparse { width: x.ncols(), indices }, columns }
}
