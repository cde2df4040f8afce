//! Change points: where the distribution of a sequence changes, whatever its points are.
//!
//! `table` has the costs of all segments, a block of ends at a time; `dynamic` searches them exactly, for a number of changes or a
//! penalty. `automatic` finds the number of changes in the data, from what they and a slow movement leave (`left`), `usual` a kernel;
//! `significance` tests changes; `binary` is for sequences too long for exact answers, `online` for streams.

mod automatic;
mod binary;
mod change_points;
mod directions;
mod dynamic;
mod left;
mod online;
mod path;
mod significance;
mod table;
mod usual;

pub use automatic::AutomaticChoice;
pub use binary::LandmarkSegments;
pub use change_points::{ChangePoints, KernelChangePoint};
pub use online::{KernelChangeDetector, Step, Watch};
pub use path::{CostPath, Segmentation};
pub use significance::{ChangeTest, Permutations};
pub use usual::usual_kernel;

#[cfg(test)]
mod tests;
