//! Predicting numbers.

mod calibrate;
mod quantiles;
mod regressor;
mod ridge;

pub(crate) use calibrate::again as calibrated_again;
pub use quantiles::KernelQuantileRegressor;
pub use regressor::KernelRegressor;
pub use ridge::{
    Alpha, AlphaScore, Considered, Interval, KernelRidge, KernelRidgeModel, LeaveOneOut, RidgeParts, RidgeReport,
    RidgeSolver,
};
