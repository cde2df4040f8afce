//! The one integration binary: other libraries' numbers, laws and bad input.

mod data;
mod fuzz_checks;
mod fuzz_corpus;
mod geometry;
mod golden;
mod gp;
mod guide;
mod inputs;
mod job;
mod layering;
mod limits;
mod mixed;
mod model_file;
mod numerics;
mod ridge;
mod validity;
