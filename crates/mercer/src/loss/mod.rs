//! Losses: what a value z = f(x) + b costs where y was seen.
//!
//! A loss is a function of one value, one a file: what the [catalogue](LossSpec) says of it, value, derivative and
//! curvature, and of a convex one the conjugate. Knows nothing of data, kernels or solvers. [`Softmax`] is the one loss
//! of several values.

mod absolute;
mod catalogue;
mod convex;
mod enclosed;
mod epsilon_insensitive;
mod hinge;
mod huber;
mod logistic;
mod named;
mod piece;
mod pinball;
mod rows;
mod softmax;
mod spec;
mod squared;
mod squared_hinge;
mod tanh;

use std::fmt;

use crate::linalg::Ball;

pub use catalogue::*;
pub use convex::Convex;
pub(crate) use logistic::logistic;
pub use named::NamedLoss;
pub use piece::Piece;
pub use rows::{RowLoss, ScalarRows};
pub use softmax::{Softmax, SoftmaxRows};
pub use spec::{LossParameter, LossSpec};

/// What a loss compares values with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// Any number.
    Numbers,
    /// Two classes, as −1 and 1.
    Signs,
}

/// ℓ(y, z), a function of the value z at a target y.
///
/// Users' own losses implement value, derivative and curvature, and are then fitted by Newton's
/// method. One that is convex says so by its [`Convex`] half: without a conjugate there is no lower
/// bound of the objective, and certificates hold the size of the gradient alone.
///
/// ```
/// use mercer::loss::Loss;
/// #[derive(Debug)]
/// struct LogCosh;
/// impl Loss for LogCosh {
///     fn name(&self) -> &str { "log_cosh" }
///     fn value(&self, y: f64, z: f64) -> f64 { let r = (z - y).abs(); r + (-2.0 * r).exp().ln_1p() - 2f64.ln() }
///     fn derivative(&self, y: f64, z: f64) -> f64 { (z - y).tanh() }
///     fn curvature(&self, y: f64, z: f64) -> f64 { 1.0 - (z - y).tanh().powi(2) }
/// }
/// assert!((LogCosh.value(1.0, 3.0) - 2f64.cosh().ln()).abs() < 1e-15);
/// assert!(LogCosh.convex().is_none());
/// ```
pub trait Loss: fmt::Debug + Send + Sync {
    /// Its name, as in reports.
    fn name(&self) -> &str;

    /// Its parameters, with their names.
    fn parameters(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// What the targets are.
    fn against(&self) -> Against {
        Against::Numbers
    }

    /// ℓ(y, z) ≥ 0.
    fn value(&self, y: f64, z: f64) -> f64;

    /// ∂ℓ/∂z; at a kink, a number between both sides.
    fn derivative(&self, y: f64, z: f64) -> f64;

    /// ∂²ℓ/∂z²; at a jump of the derivative, that of one side.
    fn curvature(&self, y: f64, z: f64) -> f64;

    /// ℓ(yᵢ, zᵢ) of every row, into `out`. A loss that is slow to call, such as one in another language,
    /// does them, and the derivatives, all at once.
    fn values(&self, y: &[f64], z: &[f64], out: &mut [f64]) {
        each(y, z, out, |y, z| self.value(y, z));
    }

    /// ∂ℓ/∂z of every row, into `out`.
    fn derivatives(&self, y: &[f64], z: &[f64], out: &mut [f64]) {
        each(y, z, out, |y, z| self.derivative(y, z));
    }

    /// ∂²ℓ/∂z² of every row, into `out`.
    fn curvatures(&self, y: &[f64], z: &[f64], out: &mut [f64]) {
        each(y, z, out, |y, z| self.curvature(y, z));
    }

    /// Numbers that ℓ(yᵢ, zᵢ) of every row is one of, for values that are known within balls. Unless a loss says
    /// better, what it gives at the ends and in the middle, and a little more: right where it is convex or monotone in
    /// z and computed to sixteen units of the last place.
    fn values_within(&self, y: &[f64], z: &[Ball]) -> Vec<Ball> {
        enclosed::at_ends(z, |z, out| self.values(y, z, out))
    }

    /// The loss with its conjugate, if it is convex and says so.
    fn convex(&self) -> Option<&dyn Convex> {
        None
    }
}

fn each(y: &[f64], z: &[f64], out: &mut [f64], of: impl Fn(f64, f64) -> f64) {
    out.iter_mut().zip(y.iter().zip(z)).for_each(|(o, (y, z))| *o = of(*y, *z));
}

fn each_within(y: &[f64], z: &[Ball], of: impl Fn(f64, Ball) -> Ball) -> Vec<Ball> {
    y.iter().zip(z).map(|(y, z)| of(*y, *z)).collect()
}

/// (z)₊ = max(z, 0).
fn positive_part(z: f64) -> f64 {
    z.max(0.0)
}
