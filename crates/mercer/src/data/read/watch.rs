//! A read under way: what it reports, what stops it, and the memory it holds.

use std::cell::RefCell;

use crate::error::Result;
use crate::run::{Reservation, Run, Work};

/// Bytes of a file that are read or parsed between two looks at the run.
pub(super) const BLOCK: usize = 1 << 20;

/// The run of one read.
pub(super) struct Watch<'a> {
    run: &'a Run,
    task: Work<'a>,
    /// Given back when the read ends: what it made belongs to the caller then.
    held: RefCell<Vec<Reservation>>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(run: &'a Run) -> Self {
        Watch { run, task: run.task("reading", None), held: RefCell::default() }
    }

    /// The run itself.
    pub(super) fn run(&self) -> &'a Run {
        self.run
    }

    /// One more block is done; fails if the run is to stop.
    pub(super) fn step(&self) -> Result<()> {
        self.task.step_or_cancel()
    }

    /// Counts bytes that the read keeps; fails if there are more than the run may use.
    pub(super) fn hold(&self, bytes: usize) -> Result<()> {
        let reserved = self.lend(bytes as u64)?;
        self.held.borrow_mut().push(reserved);
        Ok(())
    }

    /// Counts bytes that the read needs for a while.
    pub(super) fn lend(&self, bytes: u64) -> Result<Reservation> {
        let alternative = "read a part of it, or use a larger memory limit";
        self.run.reserve(bytes.into(), "reading the file", alternative)
    }
}
