//! Predicting numbers.

mod ridge;

pub use ridge::{
    Alpha, AlphaScore, Considered, Interval, KernelRidge, KernelRidgeModel, LeaveOneOut, RidgeParts, RidgeReport,
    RidgeSolver,
};
