//! Choosing and judging: splits, estimates of the error, and the main job from data to a model.

mod answered;
mod asked;
mod candidates;
mod choose;
mod class_scores;
mod default_kernel;
mod described;
mod estimate;
mod grid;
mod importance;
mod job;
mod process;
mod report;
mod rival;
mod rows;
mod scales;
mod scores;
mod split;
mod together;
mod units;
mod verdict;
mod weights;

pub(crate) use answered::{Answered, Drawn};
pub use asked::Asked;
pub use candidates::KernelChoice;
pub use class_scores::ClassScores;
pub use default_kernel::default_kernels;
pub use estimate::Estimate;
pub use grid::{Axis, GridSearch, Journal, Judged, NoJournal, Searched};
pub use importance::{ColumnImportance, Importance, Leading};
pub use job::{Candidate, Finished, Job};
pub use report::{FreeParameter, HowFitted, ProcessReport, Tried};
pub use scales::{ColumnScale, length_scales};
pub use scores::{Scores, StandardErrors};
pub use split::{Fold, Split};
pub use verdict::{Comparison, Verdict};
