//! Approximations: low-rank factors, preconditioners, landmarks.

mod low_rank;
mod nystrom;
mod rp_cholesky;

pub use low_rank::LowRankPlusShift;
pub use nystrom::{Gradient, LandmarkData, LandmarkSystem, NystromParams, landmarks};
pub use rp_cholesky::{RpCholesky, RpCholeskyParams, rp_cholesky};
