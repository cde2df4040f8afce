//! Predicting numbers.

mod calibrate;
mod nu_svr;
mod quantiles;
mod regressor;
mod ridge;
mod svr;

pub use nu_svr::NuSvr;
pub use quantiles::KernelQuantileRegressor;
pub use regressor::KernelRegressor;
pub use ridge::{Alpha, KernelRidge, RidgeSolver};
pub(crate) use ridge::{Penalised, shared};
pub use svr::Svr;
