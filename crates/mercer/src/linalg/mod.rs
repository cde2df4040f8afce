//! Linear algebra: large buffers, operators, and a thin façade on faer.
//!
//! Matrices that Mercer makes are row-major slices; faer sees them through views without a copy.

mod buffer;
mod eigen;
mod operator;

pub use buffer::{Buffer, filled};
pub use eigen::symmetric_eigenvalues;
pub use operator::LinearOperator;
