//! Choosing and judging: splits, estimates of the error, and the main job from data to a model.

mod default_kernel;
mod estimate;
mod job;
mod learner;
mod split;

pub use default_kernel::default_kernels;
pub use estimate::{Estimate, Scores};
pub use job::{Candidate, Finished, Job};
pub use learner::Learner;
pub use split::{Fold, Split};
