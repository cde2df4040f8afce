//! Gram matrices: formulas bound to data, computed in tiles, stored or streamed.
//!
//! [`KernelExpr::bind`](crate::KernelExpr::bind) is the only lowering from a formula to numbers.
//! The result is a [`KernelMatrix`] that knows its data but not its kernel; [`dense`] stores it,
//! [`apply`] multiplies by it without storing it. Values do not depend on the block they are
//! computed in, nor on the number of threads.

mod agreements;
mod audit;
mod bags;
mod bind;
mod blocks;
mod center;
mod columns;
mod dense;
mod doubled;
mod exponential;
mod factor_columns;
mod features;
mod filled;
mod gaps;
mod gradient;
mod leaf_gradient;
#[cfg(test)]
mod levels;
mod lower;
mod map;
mod matrix;
mod node;
mod once;
mod ordinal;
mod pairs;
mod pairwise;
mod panel;
mod picked;
mod points;
mod prepared_list;
mod products;
mod pull_back;
mod reads;
mod repair;
mod row_cache;
mod row_key;
mod rule;
mod shared_rows;
mod smoothed_words;
mod sparse;
mod store;
mod stream;
mod structured;
mod summary;
mod tfidf;
mod tiling;
mod transpose;
mod unknown_letters;
mod word_pairs;
mod word_table;

use crate::linalg::simd;

pub use audit::{Asymmetry, Audit, AuditParams, AuditVerdict, Conditional, NotFinite, Witness, audit, quadratic_form};
pub use bind::Bound;
pub use center::{Centered, Centering};
pub use dense::{DenseGram, Element, dense, dense_into, dense_into_uninit};
pub use doubled::product as doubled_product;
pub use factor_columns::KernelColumns;
pub(crate) use matrix::map_block;
pub use matrix::{KernelGradient, KernelMatrix, TileMut};
pub use pairwise::Pairwise;
pub use pull_back::{pull_back, pull_back_symmetric};
pub use repair::{Repair, RepairMethod, RepairReport};
pub(crate) use row_cache::RowCache;
pub use rule::Resolution;
pub(crate) use shared_rows::{AllPoints, Laid, Places, SharedRows};
pub(crate) use stream::apply_block;
pub use stream::{Streamed, apply, column};
pub(crate) use stream::{multiply as multiply_tile, multiply_transposed as multiply_tile_transposed};
pub use summary::{Degenerate, Extent, Gather, MatrixSummary};
pub use word_table::WordTable;
