//! Losses with a penalty: golden objectives, laws of the learners, bad input.

mod bad_input;
mod bounds;
mod calibration;
mod golden;
mod learners;
mod low_rank;
mod weights;
