//! Tests of hypotheses with kernels: do two samples come from one distribution?
//!
//! Every test gives a [`TestResult`]: the statistic and the name of its estimate, a p-value with its resolution, the null
//! distribution it was judged by, and the kernels with their numbers. `pvalue`, `draw` and `tail` hold what tests share: counting
//! with ties, permutations by chance, and tails of distributions; `moments` the mean and the variance over all permutations.

mod draw;
mod moments;
mod pvalue;
mod result;
pub mod tail;

pub use draw::Permutations;
pub use moments::{CentredSums, Moments, permutation_moments};
pub use pvalue::{Counted, count, pvalue};
pub use result::{Approximation, Ended, Estimate, Null, TestResult, TestedKernel};
