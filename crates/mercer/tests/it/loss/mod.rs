//! Losses with a penalty: golden objectives, laws of the learners, bad input.

mod bad_input;
mod bound_verified;
mod bounds;
mod calibration;
mod golden;
mod learners;
mod low_rank;
mod weights;
mod working_sets;
