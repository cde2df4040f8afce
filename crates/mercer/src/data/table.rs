//! Named, typed columns.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};

use super::{Categories, ColumnType, Rows, Structured, Texts};

/// The values of one column, shared on clone. A missing number is NaN.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Column {
    /// Numbers; NaN is missing.
    Number(Arc<[f64]>),
    /// Categories.
    Category(Categories),
    /// Values with a structure of their own, such as text.
    Structured(Arc<dyn Structured>),
}

impl<S: Structured> From<S> for Column {
    fn from(values: S) -> Self {
        Self::Structured(Arc::new(values))
    }
}

impl From<Arc<dyn Structured>> for Column {
    fn from(values: Arc<dyn Structured>) -> Self {
        Self::Structured(values)
    }
}

impl From<Categories> for Column {
    fn from(values: Categories) -> Self {
        Self::Category(values)
    }
}

impl From<Vec<f64>> for Column {
    fn from(values: Vec<f64>) -> Self {
        Self::Number(values.into())
    }
}

impl FromIterator<f64> for Column {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Self::Number(values.into_iter().collect())
    }
}

impl Column {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Column::Number(v) => v.len(),
            Column::Category(v) => v.len(),
            Column::Structured(v) => v.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the column holds.
    pub fn column_type(&self) -> ColumnType {
        match self {
            Column::Number(_) => ColumnType::Number,
            Column::Category(_) => ColumnType::Category,
            Column::Structured(v) => ColumnType::Structured(v.structured_type()),
        }
    }

    /// Whether the value of row `i` is missing.
    pub fn is_missing(&self, i: usize) -> bool {
        match self {
            Column::Number(v) => v[i].is_nan(),
            Column::Category(v) => v.codes()[i] == Categories::MISSING,
            Column::Structured(v) => v.is_missing(i),
        }
    }

    /// Row of the first missing value and how many there are.
    pub fn missing(&self) -> Option<(usize, usize)> {
        let mut rows = (0..self.len()).filter(|&i| self.is_missing(i));
        rows.next().map(|first| (first, 1 + rows.count()))
    }

    /// The rows of the given indices, in that order.
    pub fn take(&self, indices: &[usize]) -> Self {
        match self {
            Column::Number(v) => indices.iter().map(|&i| v[i]).collect(),
            Column::Category(v) => v.take(indices).into(),
            Column::Structured(v) => v.take(indices).into(),
        }
    }

    /// The numbers, if it holds any.
    pub fn numbers(&self) -> Option<&[f64]> {
        match self {
            Column::Number(values) => Some(values),
            _ => None,
        }
    }

    /// The categories, if it holds any.
    pub fn categories(&self) -> Option<&Categories> {
        match self {
            Column::Category(values) => Some(values),
            _ => None,
        }
    }

    /// The structured values, as the Rust type that holds them.
    ///
    /// ```
    /// use mercer::data::{Column, Texts};
    /// let column = Column::from(Texts::from_values([Some("a word")]));
    /// assert_eq!(column.values_of::<Texts>().map(|t| t.get(0)), Some("a word"));
    /// ```
    pub fn values_of<S: Structured>(&self) -> Option<&S> {
        match self {
            Column::Structured(values) => values.downcast(),
            _ => None,
        }
    }

    /// The values, if they are plain words that no type has been given to.
    pub(crate) fn words(&self) -> Option<&Texts> {
        match self {
            Column::Structured(values) => values.words(),
            _ => None,
        }
    }
}

/// Named, typed columns of one length, shared on clone.
///
/// ```
/// use mercer::data::{Categories, Column, Table};
/// let table = Table::new(vec![
///     ("age".into(), Column::Number([31.0, 47.0].into())),
///     ("city".into(), Column::Category(Categories::from_values([Some("Rome"), Some("Oslo")]))),
/// ])?;
/// assert_eq!(table.nrows(), 2);
/// assert_eq!(table.names(), ["age", "city"]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    names: Arc<[String]>,
    columns: Arc<[Column]>,
    nrows: usize,
    /// Positions in the order of names, made when a column of a wide table is first asked for.
    order: Arc<OnceLock<Vec<usize>>>,
}

/// Columns up to which a name is looked for one after the other.
const FEW: usize = 32;

impl Table {
    /// Puts columns of one length and distinct names together.
    pub fn new(columns: Vec<(String, Column)>) -> Result<Self> {
        let nrows = columns.first().map_or(0, |(_, c)| c.len());
        for (name, column) in &columns {
            if column.len() != nrows {
                return Err(Error::shape(
                    format!("column `{name}`"),
                    format!("{nrows} rows, as in column `{}`", columns[0].0),
                    column.len(),
                ));
            }
        }
        let (names, columns): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        check_distinct(&names)?;
        Ok(Table { names: names.into(), columns: columns.into(), nrows, order: Arc::default() })
    }

    /// Number of rows.
    pub fn nrows(&self) -> usize {
        self.nrows
    }

    /// Number of columns.
    pub fn ncols(&self) -> usize {
        self.columns.len()
    }

    /// Column names, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.position(name).map(|j| &self.columns[j])
    }

    /// Where a name stands. Whoever asks for every column asks for as many names as there are, and a table may have a
    /// million: so these are sorted once.
    fn position(&self, name: &str) -> Option<usize> {
        if self.names.len() <= FEW {
            return self.names.iter().position(|n| n == name);
        }
        let order = self.order.get_or_init(|| {
            let mut order: Vec<usize> = (0..self.names.len()).collect();
            order.sort_unstable_by(|a, b| self.names[*a].cmp(&self.names[*b]));
            order
        });
        order.binary_search_by(|j| self.names[*j].as_str().cmp(name)).ok().map(|at| order[at])
    }

    /// Names and columns, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Column)> {
        self.names.iter().map(String::as_str).zip(self.columns.iter())
    }

    /// The rows of the given indices, in that order.
    pub fn take(&self, indices: &[usize]) -> Self {
        let columns = self.columns.iter().map(|c| c.take(indices)).collect();
        Table { names: Arc::clone(&self.names), columns, nrows: indices.len(), order: Arc::clone(&self.order) }
    }

    /// The columns of these names, in the given order.
    pub fn select<S: AsRef<str>>(&self, names: &[S]) -> Result<Self> {
        let chosen = names.iter().map(|n| {
            let name = n.as_ref();
            self.column(name).map(|c| (name.to_owned(), c.clone())).ok_or_else(|| self.unknown_column(name))
        });
        let mut table = Table::new(chosen.collect::<Result<_>>()?)?;
        table.nrows = self.nrows;
        Ok(table)
    }

    /// This table without the column of this name.
    pub fn without(&self, name: &str) -> Result<Self> {
        self.column(name).ok_or_else(|| self.unknown_column(name))?;
        let rest: Vec<&String> = self.names.iter().filter(|n| *n != name).collect();
        self.select(&rest)
    }

    /// All columns as dense rows; an error if one of them does not hold numbers.
    ///
    /// ```
    /// use mercer::data::{Column, Table};
    /// let column = |values: [f64; 2]| Column::Number(values.into());
    /// let table = Table::new(vec![("a".into(), column([1.0, 2.0])), ("b".into(), column([3.0, 4.0]))])?;
    /// assert_eq!(table.to_rows()?.values(), [1.0, 3.0, 2.0, 4.0]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn to_rows(&self) -> Result<Rows> {
        let number = |(name, column): (&str, &Column)| match column {
            Column::Number(values) => Ok(Arc::clone(values)),
            other => {
                let hint = "leave the column out, or read it as numbers";
                Err(Error::column(name, "a number column", format!("a {} column", other.column_type()), hint))
            }
        };
        let columns = self.iter().map(number).collect::<Result<Vec<_>>>()?;
        let values: Vec<f64> = (0..self.nrows).flat_map(|i| columns.iter().map(move |c| c[i])).collect();
        Rows::new(values, self.nrows, columns.len())?.with_names(self.names.to_vec())
    }

    /// The error of asking for a column that is not there.
    pub fn unknown_column(&self, name: &str) -> Error {
        unknown_column(name, self.names.iter().map(String::as_str))
    }
}

/// The error of asking for a column that is not among `names`.
pub(crate) fn unknown_column<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> Error {
    let near = crate::error::nearest(name, names.clone());
    let all: Vec<&str> = names.collect();
    let must = match near {
        Some(near) => format!("one of its columns; the nearest is `{near}`"),
        None => format!("one of its columns: {}", crate::error::quote_list(&all)),
    };
    Error::invalid("the table", "column", format!("`{name}`"), must)
}

/// Fails if two names are the same.
pub(crate) fn check_distinct(names: &[String]) -> Result<()> {
    let mut seen = HashSet::new();
    match names.iter().find(|n| !seen.insert(n.as_str())) {
        None => Ok(()),
        Some(twice) => Err(Error::invalid("the data", "column names", format!("`{twice}` twice"), "distinct")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table::new(vec![
            ("size".into(), Column::Number([1.0, f64::NAN, 3.0].into())),
            ("kind".into(), Column::Category(Categories::from_values([Some("a"), Some("b"), Some("a")]))),
            ("note".into(), Column::from(Texts::from_values([Some("x y"), None, Some("z")]))),
        ])
        .expect("valid")
    }

    #[test]
    fn taking_rows_keeps_types_and_levels() {
        let t = table().take(&[2, 1]);
        assert_eq!(t.nrows(), 2);
        assert_eq!(t.column("size").and_then(Column::missing), Some((1, 1)));
        let Some(Column::Category(kind)) = t.column("kind") else { panic!("a category column") };
        assert_eq!((kind.get(0), kind.get(1)), (Some("a"), Some("b")));
        let note = t.column("note").and_then(Column::values_of::<Texts>).expect("a text column");
        assert_eq!((note.get(0), note.is_missing(1)), ("z", true));
    }

    #[test]
    fn names_are_distinct_and_slips_are_pointed_out() {
        let twice = vec![("a".into(), Column::Number([].into())), ("a".into(), Column::Number([].into()))];
        assert!(Table::new(twice).is_err());
        let message = table().select(&["sise"]).expect_err("no such column").to_string();
        assert!(message.contains("`size`"), "{message}");
        assert_eq!(table().without("kind").expect("there").names(), ["size", "note"]);
    }
}
