//! Change points: where the distribution of a sequence changes, whatever its points are.
//!
//! `table` has the costs of all segments, a block of ends at a time; `dynamic` searches them exactly, for a number of changes or a
//! penalty. `penalty` finds a penalty in the data, `usual` a kernel; `significance` tests changes; `binary` is for sequences too
//! long for exact answers, `online` for streams.

mod binary;
mod change_points;
mod dynamic;
mod online;
mod path;
mod penalty;
mod significance;
mod table;
mod usual;

pub use binary::LandmarkSegments;
pub use change_points::{ChangePoints, KernelChangePoint};
pub use online::{KernelChangeDetector, Step, Watch};
pub use path::{CostPath, Segmentation};
pub use penalty::AutomaticPenalty;
pub use significance::{ChangeTest, Permutations};
pub use usual::usual_kernel;

#[cfg(test)]
mod tests;
