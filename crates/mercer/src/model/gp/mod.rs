//! Gaussian processes: ridge regression and kernel logistic regression with a posterior.
//!
//! A process with kernel k and noise of variance alpha has as its mean the ridge function with that
//! alpha: both minimise Σ wᵢ·½(yᵢ − f(xᵢ))² + (alpha/2)‖f‖². What the process adds is how far the
//! function may be from its mean, and the evidence, by which the parameters of the kernel are chosen.
//!
//! `problem` puts targets in order, `evidence` says how probable they are, with gradients, `sample` draws functions;
//! `laplace` finds the mode of a classifier, `certify` holds answers to their equations. What models of processes can be
//! asked stands in `regress_model` and `classify_model`; `in_time` is what a stop leaves.

mod certify;
mod classify;
mod classify_evidence;
mod classify_model;
mod evidence;
mod in_time;
mod laplace;
mod leave_one_out;
mod problem;
mod regress;
mod regress_model;
mod sample;

use crate::error::Error;

use super::Model;
pub use super::average::averaged_logistic;
pub use classify::GaussianProcessClassifier;
pub use evidence::GpEvidence;
pub use leave_one_out::GpLeaveOneOut;
pub use regress::GaussianProcessRegressor;
pub use sample::Samples;

fn no_process(what: &str, model: &Model) -> Error {
    Error::Unsupported {
        what: format!("{what} from `{}`", model.learner().spec().name),
        alternative: "use a Gaussian process, or the logistic loss for probabilities".into(),
    }
}
