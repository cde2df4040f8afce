//! Choosing and judging: splits, estimates of the error, and the main job from data to a model.

mod choose;
mod default_kernel;
mod estimate;
mod fitting;
mod job;
mod learner;
mod process;
mod report;
mod split;
mod weights;

pub use default_kernel::default_kernels;
pub use estimate::{Estimate, Scores};
pub use job::{Candidate, Finished, Job};
pub use learner::Learner;
pub use report::{Choice, FitReport, FreeParameter, ProcessReport, Tried};
pub use split::{Fold, Split};
