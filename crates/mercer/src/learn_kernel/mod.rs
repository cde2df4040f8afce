//! Choosing the kernel from the data: parameters by the evidence, one length scale or one a column.

mod evidence;
mod fixed;
mod per_column;
mod tune;

pub use evidence::Evidence;
pub use per_column::per_column;
pub(crate) use tune::GAIN;
pub use tune::{Forms, TuneParams, TunedKernel, Tuner, tune};
