//! What two inputs have in common.

mod cca;
mod pairs;
mod view;

pub use cca::KernelCca;
