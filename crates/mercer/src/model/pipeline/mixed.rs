//! Rows put together from parts of others.

use crate::data::{Inputs, Rows, Table};
use crate::error::{Error, Result};

/// New rows made from those of `x`: in row i, column j has the value of row `sources[j][i]`. For points that have columns.
pub(crate) fn mixed(x: &Inputs, sources: &[Vec<usize>]) -> Result<Inputs> {
    match x {
        Inputs::Table(table) => {
            let columns = table.iter().zip(sources).map(|((name, column), rows)| (name.to_owned(), column.take(rows)));
            Ok(Table::new(columns.collect())?.into())
        }
        Inputs::Dense(rows) => {
            let n = sources.first().map_or(0, Vec::len);
            let values: Vec<f64> = (0..n)
                .flat_map(|i| sources.iter().enumerate().map(move |(j, source)| rows.row(source[i])[j]))
                .collect();
            let made = Rows::new(values, n, rows.ncols())?;
            let names = (0..rows.ncols()).map(|j| rows.name(j)).collect();
            Ok(if rows.has_names() { made.with_names(names)? } else { made }.into())
        }
        other => Err(Error::shape("points whose columns are mixed", "points with columns", other.describe())),
    }
}
