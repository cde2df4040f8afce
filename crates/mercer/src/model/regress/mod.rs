//! Predicting numbers.

mod calibrate;
mod quantiles;
mod regressor;
mod ridge;

pub use quantiles::KernelQuantileRegressor;
pub use regressor::KernelRegressor;
pub use ridge::{Alpha, KernelRidge, RidgeSolver};
pub(crate) use ridge::{Penalised, shared};
