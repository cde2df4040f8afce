//! Gaussian processes: ridge regression and kernel logistic regression with a posterior.
//!
//! A process with kernel k and noise of variance alpha has as its mean the ridge function with that
//! alpha: both minimise Σ wᵢ·½(yᵢ − f(xᵢ))² + (alpha/2)‖f‖². What the process adds is how far the
//! function may be from its mean, and the evidence, by which the parameters of the kernel are chosen.
//!
//! `problem` puts targets in order, `evidence` says how probable they are, with gradients, `tuning`
//! maximises that, `posterior` gives variances and covariances from a factor, `sample` draws functions;
//! `laplace` finds the mode of a classifier and `average` its probabilities, `certify` holds answers to their
//! equations, `interval` gives bounds of new observations.

mod average;
mod certify;
mod classify;
mod classify_evidence;
mod classify_model;
mod evidence;
mod interval;
mod laplace;
mod leave_one_out;
mod posterior;
mod problem;
mod regress;
mod regress_model;
mod sample;
mod tuning;

pub use average::averaged_logistic;
pub use classify::{GaussianProcessClassifier, GpClassifierReport};
pub use classify_model::{GaussianProcessClassifierModel, GpClassifierParts};
pub use evidence::GpEvidence;
pub use leave_one_out::GpLeaveOneOut;
pub use regress::{GaussianProcessRegressor, GpReport};
pub use regress_model::{GaussianProcessModel, GpParts};
pub use sample::Samples;
pub use tuning::{AtBound, GpStart, GpTuned, GpTuning};
