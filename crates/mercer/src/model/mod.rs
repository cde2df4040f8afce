//! What users fit: estimators hold choices, models are their results.

mod any;
mod expansion;
pub mod gp;
mod machine;
pub mod pipeline;
pub mod regress;
mod training;

pub use any::AnyModel;
pub use expansion::Expansion;
pub use machine::{FittedMachine, KernelMachine, Link, MachineReport};

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
