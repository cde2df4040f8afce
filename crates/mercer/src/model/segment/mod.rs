//! Change points: where the distribution of a sequence changes, whatever its points are.
//!
//! `table` has the costs of all segments with a level, `line_table` of those that follow a line, a block of ends at a time; `dynamic` searches
//! them exactly, for a number of changes or a penalty. `automatic` finds the number of changes in the data, from what they leave
//! (`left`), `find` whether segments are levels or lines, in columns where nothing stands far out (`limited`), `usual` a kernel;
//! `significance` tests changes; `binary` is for sequences too long for exact answers, `online` for streams.

mod automatic;
mod binary;
mod change_points;
mod directions;
mod dynamic;
mod find;
mod left;
mod limited;
mod line_table;
mod online;
mod path;
mod residual;
mod significance;
mod table;
mod usual;

pub use automatic::{AutomaticChoice, Compared};
pub use binary::LandmarkSegments;
pub use change_points::{ChangePoints, KernelChangePoint};
pub use find::{ChangeSearch, Found, Sliced};
pub use online::{KernelChangeDetector, Step, Watch};
pub use path::{CostPath, Segmentation, Segments};
pub use significance::{ChangeTest, Permutations};
pub use usual::usual_kernel;

#[cfg(test)]
mod tests;
