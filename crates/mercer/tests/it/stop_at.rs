//! Runs that are cancelled at a step of their work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use mercer::Run;
use mercer::run::{Event, Observer};

/// Raises the flag at a given step, and counts.
pub struct StopAt {
    step: u64,
    seen: AtomicU64,
    total: AtomicU64,
    cancel: Arc<AtomicBool>,
}

impl StopAt {
    /// Steps so far.
    pub fn seen(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }

    /// Steps that the last task announced.
    pub fn announced(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }
}

impl Observer for StopAt {
    fn on_event(&self, event: &Event<'_>) {
        match event {
            Event::Begin { total, .. } => self.total.store(total.unwrap_or(0), Ordering::Relaxed),
            Event::Step { .. } if self.seen.fetch_add(1, Ordering::Relaxed) + 1 >= self.step => {
                self.cancel.store(true, Ordering::Relaxed);
            }
            _ => {}
        }
    }
}

/// A run that is cancelled at a step, and what it counts.
pub fn stopped_at(step: u64) -> (Run, Arc<StopAt>) {
    let cancel = Arc::new(AtomicBool::new(false));
    let counter = StopAt { step, seen: AtomicU64::new(0), total: AtomicU64::new(0), cancel: Arc::clone(&cancel) };
    let counter = Arc::new(counter);
    (Run::new().with_cancel(cancel).with_observer(Arc::clone(&counter) as Arc<dyn Observer>), counter)
}
