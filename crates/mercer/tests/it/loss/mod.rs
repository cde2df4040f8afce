//! Losses with a penalty: golden objectives, laws of the learners, bad input.

mod golden;
