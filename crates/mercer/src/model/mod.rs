//! What users fit: estimators hold choices, models are their results.

mod any;
pub mod classify;
pub mod descent;
mod expansion;
pub mod gp;
mod least_squares_svm;
mod machine;
mod penalized;
pub mod pipeline;
pub mod regress;
mod repaired;
mod squares;
mod training;

pub use any::AnyModel;
pub use expansion::Expansion;
pub use least_squares_svm::LeastSquaresSvm;
pub(crate) use machine::Shifts;
pub use machine::{FittedMachine, KernelMachine, Link, MachineReport};
pub use penalized::Penalty;

/// A kind of model, and what fitting it has to say.
pub trait Model {
    /// What fitting reports.
    type Report;
}

/// A model, and how it came about.
#[derive(Clone, Debug)]
pub struct Fitted<M: Model> {
    /// The result.
    pub model: M,
    /// How it was found.
    pub report: M::Report,
}
