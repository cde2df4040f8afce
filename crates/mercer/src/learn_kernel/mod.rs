//! Choosing the kernel from the data: parameters by the evidence, one length scale or one a column.

mod evidence;
mod fixed;
mod per_column;
mod tune;

pub use evidence::Evidence;
pub use per_column::per_column;
pub use tune::{Forms, TuneParams, TunedKernel, tune, tune_forms, tune_from, untuned};
pub(crate) use tune::{GAIN, tune_a_little, variance};
