//! Studies: how methods behave on problems whose answer is known.
//!
//! A study makes its data, runs methods side by side and returns numbers; `plot` draws them.

mod gd_sgd;
mod methods;
mod problem;

pub use gd_sgd::{Curve, GdSgd, GdSgdStudy, StepCount};
pub use methods::MethodRow;
