//! Predicting classes.

mod barycentre;

pub use barycentre::KernelBarycentre;
