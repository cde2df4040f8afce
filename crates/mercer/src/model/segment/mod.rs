//! Change points: where the distribution of a sequence changes, whatever its points are.
//!
//! `table` has the costs of all segments, a block of ends at a time; `dynamic` searches them exactly, for a number of changes or a
//! penalty.

mod change_points;
mod dynamic;
mod path;
mod table;

pub use change_points::{ChangePoints, KernelChangePoint};
pub use path::{CostPath, Segmentation};

#[cfg(test)]
mod tests;
