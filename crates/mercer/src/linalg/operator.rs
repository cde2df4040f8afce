//! Something that vectors are multiplied by.

use crate::error::Result;
use crate::run::Run;

/// A linear map, known only by its products.
pub trait LinearOperator: Sync {
    /// Length of the vectors it gives.
    fn nrows(&self) -> usize;

    /// Length of the vectors it takes.
    fn ncols(&self) -> usize;

    /// out = A·V for V: ncols×k and out: nrows×k, both row-major.
    fn apply(&self, v: &[f64], k: usize, out: &mut [f64], run: &Run) -> Result<()>;
}
