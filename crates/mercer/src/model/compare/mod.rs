//! Tests of hypotheses with kernels: do two samples come from one distribution?
//!
//! Every test gives a [`TestResult`]: the statistic and the name of its estimate, a p-value with its resolution, the null
//! distribution it was judged by, and the kernels with their numbers. `pvalue`, `draw` and `tail` hold what tests share: counting
//! with ties, permutations by chance, and tails of distributions; `moments` the mean and the variance over all permutations.
//!
//! The [`Mmd`] of two samples: `splits` (permutations as bits), `within` (sums over all pairs for many permutations at once),
//! `statistic` (MMD² from those sums, with its rounding), `permuted`, `wild` and `linear` (what it is judged by), `fuse` and
//! `family` (several kernels), `witness` (where the samples differ).

mod draw;
mod family;
mod fuse;
mod linear;
mod mmd;
mod moments;
mod permuted;
mod pvalue;
mod result;
mod splits;
mod statistic;
pub mod tail;
mod wild;
mod within;
mod witness;

pub use draw::Permutations;
pub use mmd::{Compared, Mmd, MmdEstimate, pool};
pub use moments::{CentredSums, Moments, permutation_moments};
pub use pvalue::{Counted, count, pvalue};
pub use result::{Approximation, Ended, Estimate, Null, TestResult, TestedKernel};
pub use witness::{Witness, WitnessRow};
