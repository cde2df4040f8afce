//! Mercer: kernel methods with a certificate on every answer.
//!

pub mod data;
pub mod error;
pub mod run;

pub use error::{Error, ErrorKind, Result};
pub use run::Run;
