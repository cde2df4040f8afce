//! Predicting numbers.

mod quantiles;
mod regressor;
mod ridge;

pub use quantiles::KernelQuantileRegressor;
pub use regressor::KernelRegressor;
pub use ridge::{
    Alpha, AlphaScore, Considered, Interval, KernelRidge, KernelRidgeModel, LeaveOneOut, RidgeParts, RidgeReport,
    RidgeSolver,
};
