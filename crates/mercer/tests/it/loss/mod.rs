//! Losses with a penalty: golden objectives, laws of the learners, bad input.

mod bad_input;
mod golden;
mod learners;
mod weights;
