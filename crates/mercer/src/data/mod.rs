//! Data, wrapped once: the collection carries its meaning, not the caller.
//!
//! [`Inputs`] is what every kernel is bound to: plain dense [`Rows`], sparse rows ([`Csr`]), a
//! [`Table`] of named, typed columns, or a Gram matrix that was [`Precomputed`] elsewhere. All of
//! them are shared on clone, and taking rows never copies text.
//!
//! Absent on purpose: anything about kernels, and any decision about missing values that the
//! caller did not ask for.

mod atomic;
mod bag;
mod category;
mod column_type;
mod concatenate;
mod convert;
mod csr;
mod dataset;
mod describe;
mod distinct;
mod guess;
mod identify;
mod inputs;
#[cfg(test)]
pub(crate) mod interval;
mod labels;
mod missing;
mod moments;
mod names;
mod precomputed;
mod read;
mod rows;
mod set;
mod shipped;
mod sorted;
mod standardize;
mod structured;
mod table;
mod target;
mod targets;
mod temporary;
mod text;
mod values;
mod weights;
mod write;

pub use atomic::{check_writable, write_atomically};
pub use bag::{Bag, TYPE as BAG};
pub use category::Categories;
pub use column_type::ColumnType;
pub use csr::Csr;
pub use dataset::{Dataset, Origin};
pub use describe::{ColumnSummary, Detail, Summary, describe, describe_column};
pub use identify::identifiers;
pub use inputs::Inputs;
pub use labels::Labels;
pub(crate) use missing::check_present_finite;
pub use missing::{Imputer, MissingPolicy, check_complete, check_finite, drop_missing};
pub use names::{ColumnList, Names, default_name};
pub use precomputed::Precomputed;
pub(crate) use read::libsvm;
pub use read::{DateParts, FileFormat, HeldDates, MISSING_MARKERS, ReadOptions, date_parts, open, read, read_from};
pub use rows::Rows;
pub use set::{Set, TYPE as SET};
pub use shipped::{Purpose, Shipped, load, shipped};
pub use standardize::Standardizer;
pub use structured::{BadCell, ReadArrays, Structured, StructuredType, WriteArrays};
pub use table::{Column, Table};
pub use target::{Target, TargetKind};
pub use targets::Targets;
pub use temporary::remove_unfinished;
pub use text::{TYPE as TEXT, Texts};
pub use values::{CellValue, Values};
pub use weights::Weights;
pub(crate) use weights::{power_of_two, shares};
pub use write::{
    FillRows, MatrixFormat, MatrixShape, MatrixWriter, Precision, TableFormat, write_matrix, write_rows, write_table,
    write_table_csv,
};

/// A collection of points of one type, for kernels written as a Rust type.
pub trait PointSet: Sync {
    /// What a point is: `[f64]`, `str`, …
    type Point: ?Sized;

    /// How many points there are.
    fn len(&self) -> usize;

    /// The point of index `i`, which must be below [`len`](Self::len).
    fn point(&self, i: usize) -> &Self::Point;

    /// Whether there are no points.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl PointSet for Rows {
    type Point = [f64];

    fn len(&self) -> usize {
        self.nrows()
    }

    fn point(&self, i: usize) -> &[f64] {
        self.row(i)
    }
}

impl PointSet for Texts {
    type Point = str;

    fn len(&self) -> usize {
        Texts::len(self)
    }

    fn point(&self, i: usize) -> &str {
        self.get(i)
    }
}
