//! Support vector machines.

mod exchange;
mod forms;
mod hard_margin;
mod machines;
mod oracle;
mod shared;
