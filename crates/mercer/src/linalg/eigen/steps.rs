//! Counting and stopping, for all stages.

use crate::error::Result;
use crate::run::{Run, Work};

/// The one task of a decomposition, seen from any of its stages and from any thread.
pub(super) struct Steps<'a> {
    pub(super) run: &'a Run,
    task: Work<'a>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(run: &'a Run, total: u64) -> Self {
        Steps { run, task: run.task("eigen", Some(total)) }
    }

    /// One more step is done; an error if the run is to stop.
    pub(super) fn step(&self) -> Result<()> {
        self.task.step_or_cancel()
    }

    /// An error if the run is to stop: for parts of a step.
    pub(super) fn check(&self) -> Result<()> {
        self.run.stop_reason().map_or(Ok(()), |reason| Err(self.task.cancelled(reason)))
    }
}
