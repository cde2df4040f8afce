//! The one integration binary: other libraries' numbers, laws and bad input.

mod data;
mod golden;
mod guide;
mod inputs;
mod layering;
mod limits;
mod mixed;
mod numerics;
