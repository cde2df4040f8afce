//! Tests of hypotheses with kernels: do two samples come from one distribution, are variables independent, do points come from a density?
//!
//! Every test gives a [`TestResult`]: the statistic and the name of its estimate, a p-value with its resolution, the null
//! distribution it was judged by, and the kernels with their numbers. `pvalue`, `draw` and `tail` hold what tests share: counting
//! with ties, permutations by chance, and tails of distributions; `moments` the mean and the variance over all permutations.
//!
//! The [`Mmd`] of two samples: `splits` (permutations as bits), `within` (sums over all pairs for many permutations at once),
//! `statistic` (MMD² from those sums, with its rounding), `permuted`, `wild` and `linear` (what it is judged by), `fuse` and
//! `family` (several kernels), `witness` (where the samples differ).
//! `variable` is one variable of a test of dependence; `judge` draws until enough is known; `multipliers`, `orders` and `product` are
//! what it draws and what the draws meet. `hsic`, `dhsic`, `kci` test dependence; `stein` the fit to a density; `herding` and
//! `stein` choose points.

mod dhsic;
mod draw;
mod family;
mod fuse;
mod herding;
mod hsic;
mod judge;
mod kci;
mod linear;
mod mmd;
mod moments;
mod multipliers;
mod orders;
mod permuted;
mod product;
mod pvalue;
mod result;
mod splits;
mod statistic;
mod stein;
pub mod tail;
mod variable;
mod wild;
mod within;
mod witness;

pub use dhsic::Dhsic;
pub use draw::Permutations;
pub use herding::kernel_herding;
pub use hsic::{Hsic, HsicEstimate, HsicNull};
pub use judge::Draws;
pub use kci::{Conditioning, Kci, KciNull, Side, Width};
pub use mmd::{Compared, Mmd, MmdEstimate, pool};
pub use moments::{CentredSums, Moments, permutation_moments};
pub use pvalue::{Counted, count, pvalue};
pub use result::{Approximation, Ended, Estimate, Null, TestResult, TestedKernel};
pub use stein::{Ksd, KsdEstimate, SteinBase, Thinned, stein_thinning};
pub use variable::Variable;
pub use witness::{Witness, WitnessRow};
