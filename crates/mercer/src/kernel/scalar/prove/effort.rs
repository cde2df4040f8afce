//! How much work all attempts together may be.

use std::cell::Cell;

/// Steps of all attempts at one expression; a few seconds at most.
const MAX_STEPS: usize = 200_000;
/// Steps between two questions whether to stop.
const PATIENCE: usize = 256;

/// Counts the steps of a search and asks its caller now and then whether to go on.
pub(in crate::kernel::scalar) struct Effort<'a> {
    steps: Cell<usize>,
    stopped: Cell<bool>,
    stop: &'a dyn Fn() -> bool,
}

impl<'a> Effort<'a> {
    pub(in crate::kernel::scalar) fn new(stop: &'a dyn Fn() -> bool) -> Self {
        Effort { steps: Cell::new(0), stopped: Cell::new(false), stop }
    }

    /// Counts a step; `None` when there have been too many or the caller wants to stop.
    pub(in crate::kernel::scalar) fn spend(&self) -> Option<()> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps.is_multiple_of(PATIENCE) {
            self.ask();
        }
        (steps <= MAX_STEPS && !self.stopped.get()).then_some(())
    }

    /// Asks now whether to stop.
    pub(in crate::kernel::scalar) fn ask(&self) -> bool {
        self.stopped.set(self.stopped.get() || (self.stop)());
        self.stopped.get()
    }

    /// Whether the caller wanted to stop.
    pub(in crate::kernel::scalar) fn was_stopped(&self) -> bool {
        self.stopped.get()
    }
}
