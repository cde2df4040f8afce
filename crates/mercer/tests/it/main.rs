//! The one integration binary: other libraries' numbers, laws and bad input.

mod bad_data;
mod columns;
mod data;
mod degenerate;
mod descent;
mod fuzz_checks;
mod fuzz_corpus;
mod geometry;
mod golden;
mod gp;
mod guide;
mod inputs;
mod job;
mod job_choices;
mod job_processes;
mod known_kernels;
mod layering;
mod limits;
mod loss;
mod lying;
mod mixed;
mod model_file;
mod numerics;
mod plot;
mod ridge;
mod validity;
