//! Laws that every kernel and matrix must obey, named tolerances and fixtures.
//!
//! Public, so that a user's kernel can be held to the same laws. Functions
//! here panic when a law is broken: they are made to be called from tests.

pub mod laws;
mod learner;
pub mod losses;
pub mod points;
#[cfg(test)]
pub(crate) mod sequences;
pub mod tol;

#[cfg(test)]
mod new_type;
