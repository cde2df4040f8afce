//! Telling the usual from the unusual.

mod one_class;

pub use one_class::OneClassSvm;
