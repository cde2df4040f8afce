//! Choosing and judging: splits, estimates of the error, and the main job from data to a model.

mod asked;
mod candidates;
mod choose;
mod class_scores;
mod default_kernel;
mod estimate;
mod grid;
mod job;
mod process;
mod report;
mod rows;
mod split;
mod weights;

pub use asked::Asked;
pub use candidates::KernelChoice;
pub use class_scores::ClassScores;
pub use default_kernel::default_kernels;
pub use estimate::{Estimate, Scores};
pub use grid::{Axis, GridSearch, Journal, Judged, NoJournal, Searched};
pub use job::{Candidate, Finished, Job};
pub use report::{FreeParameter, HowFitted, ProcessReport, Tried};
pub use split::{Fold, Split};
