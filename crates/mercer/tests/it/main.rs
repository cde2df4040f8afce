//! The one integration binary: other libraries' numbers, laws and bad input.

mod attack;
mod bad_data;
mod certificates;
mod cluster;
mod columns;
mod compare;
mod curves;
mod data;
mod degenerate;
mod depend;
mod descent;
mod estimate;
mod fuzz_checks;
mod fuzz_corpus;
mod gaps;
mod geometry;
mod golden;
mod gp;
mod guide;
mod inputs;
mod interchange;
mod job;
mod job_choices;
mod job_kernels;
mod job_processes;
mod known_kernels;
mod landmarks;
mod layering;
mod learners;
mod left_out;
mod limits;
mod loss;
mod lying;
mod mixed;
mod model_file;
mod numerics;
mod odd_values;
mod plot;
mod reduce;
mod repaired;
mod ridge;
mod second_input;
mod stop_at;
mod svm;
mod validity;
mod weights;

use mercer::data::Weights;

/// Numbers that are weights of rows.
fn weigh(values: &[f64]) -> Weights {
    Weights::new(values).unwrap_or_else(|e| panic!("{e}"))
}
