//! What a kernel is bound to.

use super::{ColumnList, Csr, Names, Precomputed, Rows, Table};

/// Points of one of the kinds that Mercer knows, shared on clone.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Inputs {
    /// Dense rows of numbers.
    Dense(Rows),
    /// Sparse rows of numbers.
    Sparse(Csr),
    /// A table of named, typed columns.
    Table(Table),
    /// Kernel values made elsewhere.
    Precomputed(Precomputed),
}

impl Inputs {
    /// Number of points.
    pub fn len(&self) -> usize {
        match self {
            Inputs::Dense(x) => x.nrows(),
            Inputs::Sparse(x) => x.nrows(),
            Inputs::Table(x) => x.nrows(),
            Inputs::Precomputed(x) => x.nrows(),
        }
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the points are, for messages.
    pub fn describe(&self) -> &'static str {
        match self {
            Inputs::Dense(_) => "dense rows",
            Inputs::Sparse(_) => "sparse rows",
            Inputs::Table(_) => "a table",
            Inputs::Precomputed(_) => "a precomputed matrix",
        }
    }

    /// Names and types of the columns, in order.
    pub fn columns(&self) -> ColumnList {
        match self {
            Inputs::Dense(x) => ColumnList::numbers(x.names()),
            Inputs::Sparse(x) => ColumnList::numbers(Names::Numbered(x.ncols())),
            Inputs::Table(x) => ColumnList::typed(x.iter().map(|(n, c)| (n.to_owned(), c.column_type())).collect()),
            Inputs::Precomputed(_) => ColumnList::typed(Vec::new()),
        }
    }

    /// The points of the given indices, in that order.
    pub fn take(&self, indices: &[usize]) -> Self {
        match self {
            Inputs::Dense(x) => Inputs::Dense(x.take(indices)),
            Inputs::Sparse(x) => Inputs::Sparse(x.take(indices)),
            Inputs::Table(x) => Inputs::Table(x.take(indices)),
            Inputs::Precomputed(x) => Inputs::Precomputed(x.take(indices)),
        }
    }
}

impl From<Rows> for Inputs {
    fn from(x: Rows) -> Self {
        Inputs::Dense(x)
    }
}

impl From<Csr> for Inputs {
    fn from(x: Csr) -> Self {
        Inputs::Sparse(x)
    }
}

impl From<Table> for Inputs {
    fn from(x: Table) -> Self {
        Inputs::Table(x)
    }
}

impl From<Precomputed> for Inputs {
    fn from(x: Precomputed) -> Self {
        Inputs::Precomputed(x)
    }
}
