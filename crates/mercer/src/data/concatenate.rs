//! Points one after another.

use std::sync::Arc;

use crate::error::{Error, Result};

use super::{Categories, Column, Csr, Inputs, Rows, Structured, Table};

impl Inputs {
    /// The points of all parts, in order. Parts must be of one kind with the same columns.
    ///
    /// ```
    /// use mercer::data::{Inputs, Rows};
    /// let part = |v: f64| Rows::new(vec![v, -v], 1, 2).map(Inputs::from);
    /// let Inputs::Dense(all) = Inputs::concatenate(&[part(1.0)?, part(2.0)?])? else { panic!("dense") };
    /// assert_eq!(all.row(1), [2.0, -2.0]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn concatenate(parts: &[Inputs]) -> Result<Inputs> {
        let Some(first) = parts.first() else {
            return Err(Error::shape("the parts of a set of points", "at least 1", 0));
        };
        let columns = first.columns();
        if let Some(other) = parts.iter().find(|p| p.describe() != first.describe() || p.columns() != columns) {
            let shown = |p: &Inputs| format!("{} with {} columns", p.describe(), p.columns().len());
            return Err(Error::shape("the next part of a set of points", shown(first), shown(other)));
        }
        Ok(match first {
            Inputs::Dense(_) => dense(parts)?.into(),
            Inputs::Sparse(x) => sparse(parts, x.ncols())?.into(),
            Inputs::Table(x) => {
                let joined = x.names().iter().map(|name| Ok((name.clone(), column(parts, name)?)));
                Table::new(joined.collect::<Result<_>>()?)?.into()
            }
            Inputs::Precomputed(_) => {
                return Err(Error::Unsupported {
                    what: "joining precomputed matrices".into(),
                    alternative: "give one matrix of all points".into(),
                });
            }
        })
    }
}

fn dense(parts: &[Inputs]) -> Result<Rows> {
    let rows = || parts.iter().filter_map(|p| if let Inputs::Dense(x) = p { Some(x) } else { None });
    let values: Vec<f64> = rows().flat_map(|x| (0..x.nrows()).flat_map(|i| x.row(i).to_vec())).collect();
    let width = rows().next().map_or(0, Rows::ncols);
    Rows::new(values, rows().map(Rows::nrows).sum(), width)
}

fn sparse(parts: &[Inputs], width: usize) -> Result<Csr> {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for part in parts {
        let Inputs::Sparse(x) = part else { continue };
        for i in 0..x.nrows() {
            let (at, v) = x.row(i);
            columns.extend_from_slice(at);
            values.extend_from_slice(v);
            starts.push(values.len());
        }
    }
    Csr::new(starts, columns, values, width)
}

/// One column of all parts; categories are told by their words, whose codes may differ.
fn column(parts: &[Inputs], name: &str) -> Result<Column> {
    let tables = parts.iter().filter_map(|p| if let Inputs::Table(table) = p { Some(table) } else { None });
    let found = tables.map(|table| table.column(name).ok_or_else(|| table.unknown_column(name)));
    let columns = found.collect::<Result<Vec<&Column>>>()?;
    if let Some(Column::Structured(first)) = columns.first() {
        return structured(first, &columns[1..]);
    }
    let mut numbers: Vec<f64> = Vec::new();
    let mut words: Vec<Option<&str>> = Vec::new();
    for column in columns {
        match column {
            Column::Number(v) => numbers.extend_from_slice(v),
            Column::Category(c) => words.extend((0..c.len()).map(|i| c.get(i))),
            _ => {}
        }
    }
    Ok(match words.is_empty() {
        true => numbers.into(),
        false => Categories::from_values(words).into(),
    })
}

/// The types are equal, as was checked for all columns.
fn structured(first: &Arc<dyn Structured>, rest: &[&Column]) -> Result<Column> {
    let mut joined = Arc::clone(first);
    for column in rest {
        let Column::Structured(next) = column else { continue };
        let name = joined.structured_type().name;
        joined = joined
            .concatenate(next.as_ref())
            .ok_or_else(|| Error::shape("the next part of a column", name, next.structured_type().name))?;
    }
    Ok(joined.into())
}

#[cfg(test)]
mod tests {
    use super::super::Texts;
    use super::*;

    #[test]
    fn joined_parts_are_the_whole() {
        let words = [Some("b"), None, Some("a"), Some("b")];
        let table: Inputs = Table::new(vec![
            ("x".into(), Column::Number(vec![1.0, 2.0, 3.0, 4.0].into())),
            ("c".into(), Column::Category(Categories::from_values(words))),
            ("t".into(), Column::from(Texts::from_values(words))),
        ])
        .expect("4 rows")
        .into();
        let sparse: Inputs =
            Csr::new(vec![0, 1, 1, 3, 4], vec![2, 0, 1, 2], vec![1.0, 2.0, 3.0, 4.0], 3).expect("4").into();
        for whole in [table, sparse] {
            let joined = Inputs::concatenate(&[whole.take(&[0, 1]), whole.take(&[2, 3])]).expect("one kind");
            let both = Inputs::concatenate(&[whole.clone(), joined]).expect("one kind");
            assert_eq!((both.len(), both.distinct()), (8, vec![0, 1, 2, 3]), "the second half repeats the first");
        }
    }

    #[test]
    fn parts_of_two_kinds_are_refused() {
        let rows: Inputs = Rows::new(vec![1.0], 1, 1).expect("1×1").into();
        let wide: Inputs = Rows::new(vec![1.0, 2.0], 1, 2).expect("1×2").into();
        assert!(Inputs::concatenate(&[rows.clone(), wide]).is_err());
        assert!(Inputs::concatenate(&[]).is_err() && Inputs::concatenate(&[rows]).is_ok());
    }
}
