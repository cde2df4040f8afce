//! Solvers: each states its problem, takes parameters, and says how it ended.
//!
//! They know matrices and operators, not kernels.

mod cg;
pub(crate) mod dual;
mod filter;
pub(crate) mod k_means;
mod lbfgs;
pub mod penalized;
mod spectral;
mod top_eigen;

pub use cg::{CgInfo, CgParams, Identity, Preconditioner, System, conjugate_gradient};
pub use filter::Filter;
pub(crate) use filter::SAFE_STEP;
pub use lbfgs::{LbfgsInfo, LbfgsParams, Objective, lbfgs};
pub use spectral::{SpectralRidge, Spread};
pub use top_eigen::{TopEigen, TopEigenParams, top_eigen};
