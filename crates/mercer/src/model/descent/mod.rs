//! Learning by going downhill, and by filters of the spectrum that do the same in one step.
//!
//! The risk (1/2n)·Σ(f(xᵢ) − yᵢ)² has the gradient (1/n)·Σ(f(xᵢ) − yᵢ)·k(xᵢ, ·) in the RKHS, so that
//! descent adds residuals: αᵢ ← αᵢ + (step/n)(yᵢ − f(xᵢ)). The values at the points are
//! Fᵗ = Y + (I − step·K/n)ᵗ(F⁰ − Y). Stopping early regularises: the number of iterations plays the
//! part of 1/λ.

mod attained;
mod empirical;
mod filter;
mod gradient;
mod outcome;
mod sgd;
mod step;
mod stochastic;
mod stopping;

pub use filter::SpectralFilter;
pub use gradient::KernelGradientDescent;
pub use sgd::{Dictionary, KernelSgd};
pub use step::StepSize;
pub use stochastic::{KernelSgdLearner, SgdState};
pub use stopping::Stopping;
