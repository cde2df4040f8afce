//! Mercer: kernel methods with a certificate on every answer.
//!
//! Data is wrapped once ([`data`]); a kernel is a printable formula ([`kernel`]); binding a
//! formula to data gives a matrix that can be read in blocks ([`gram`]); the functions and distances
//! of a kernel live in its space ([`rkhs`]); estimators put these together and return a model
//! ([`model`]).

pub mod approx;
pub mod certificate;
pub mod chance;
pub mod data;
pub mod error;
pub mod gram;
pub mod interchange;
pub mod kernel;
pub mod learn_kernel;
pub mod linalg;
pub mod loss;
pub mod metric;
pub mod model;
mod note;
pub mod plot;
pub mod report;
pub mod rkhs;
pub mod run;
pub mod save;
pub mod select;
pub mod solver;
pub mod study;

pub mod testkit;

pub use error::{Error, ErrorKind, Result};
pub use kernel::KernelExpr;
pub use note::{Gaps, Note, SpoiledCell, TypedColumn};
pub use run::Run;

/// The code in the README and the guide, compiled and run.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/guide/formulas.md")]
    struct Formulas;
    #[doc = include_str!("../../../docs/guide/validity.md")]
    struct Validity;
    #[doc = include_str!("../../../docs/guide/main-job.md")]
    struct MainJob;
    #[doc = include_str!("../../../docs/guide/ridge.md")]
    struct Ridge;
    #[doc = include_str!("../../../docs/guide/figures.md")]
    struct Figures;
    #[doc = include_str!("../../../docs/guide/descent.md")]
    struct Descent;
    #[doc = include_str!("../../../docs/guide/losses.md")]
    struct Losses;
    #[doc = include_str!("../../../docs/guide/gaussian-processes.md")]
    struct GaussianProcesses;
    #[doc = include_str!("../../../docs/guide/structured.md")]
    struct Structured;
    #[doc = include_str!("../../../docs/guide/rkhs.md")]
    struct Rkhs;
}
