//! Linear algebra: large buffers, operators, and a thin façade on faer.
//!
//! Matrices that Mercer makes are row-major slices; faer sees them through views without a copy.

mod ball;
mod buffer;
mod by_chance;
mod cholesky;
mod dense;
mod eigen;
mod inverse;
mod lanczos;
mod operator;
mod outer;
mod pivoted;
mod shared;
pub(crate) mod simd;
mod team;
mod tiles;
mod vector;

pub(crate) use crate::data::power_of_two;
pub use ball::{Ball, root_above};
pub(crate) use ball::{two_product, two_sum};
pub(crate) use buffer::zeros_on_large_pages;
pub use buffer::{Buffer, filled};
pub(crate) use by_chance::normal_vectors;
pub use cholesky::{
    CholeskyInfo, cholesky_in_place_with_jitter, inverse_diagonal, multiply_cholesky_lower, solve_cholesky,
    solve_cholesky_lower, solve_cholesky_lower_rows,
};
pub(crate) use dense::{Half, PARTS, add_weighted_outer, mirror, multiply_first_transposed_alone, transpose_in_place};
pub use dense::{
    largest_magnitude, multiply, multiply_first_transposed, multiply_transposed, solve_lower, solve_lower_transposed,
};
pub(crate) use eigen::fix_sign;
pub use eigen::{Eigen, eigen, eigenvalues, symmetric_eigenvalues};
pub use inverse::invert_cholesky_in_place;
pub use lanczos::largest_eigenvalue;
pub use operator::LinearOperator;
pub use outer::add_gram_of_columns;
pub use pivoted::{
    ColumnSource, PivotedCholesky, PivotedParams, PivotedStop, pivoted_cholesky, pivoted_cholesky_dense,
};
pub(crate) use shared::Shared;
pub(crate) use vector::dot;
