//! The memory limit as a wall: what nobody counted does not get past it.
//!
//! Arrays are reserved under the limit of the run before they are made, and an error says what needs less. What libraries
//! make, copies on the way and spaces between are not counted there. So every allocation of the process is counted here,
//! and what the system says of the process is looked at before a large one, and by a thread that sleeps for as long as it
//! would take to fill what is left. Past the limit the process removes what it was writing, says so, and ends. It stays
//! below 1.1 times the limit plus what it has without data (docs/guide/data.md says how much).

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mercer::data::remove_unfinished;
use mercer::{Error, Run};

use crate::exit::Failure;
use crate::printer::Printer;
use crate::system::{end, give_back, resident};

/// The allocator of the command: the system's, counted.
pub struct Counted;

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// Bytes that are allocated, with what the allocator adds to each piece.
static LIVE: AtomicUsize = AtomicUsize::new(0);
/// Bytes that the process may have in memory. No wall stands before it is built, and none after it was hit.
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);
static HIT: AtomicBool = AtomicBool::new(false);
/// Who says it.
static TELLER: OnceLock<(Arc<Printer>, u64)> = OnceLock::new();

/// Bytes that are not looked at one by one: the thread sees their sum.
const SMALL: usize = 1 << 16;

/// Bytes for what no limit counts: buffers of files, lists of names, stacks of threads.
const OWN: usize = 4 << 20;

/// Bytes a second that a process can fill at most.
const FILLED: usize = 4 << 30;

// SAFETY: every call is handed on to the system's allocator as it is; counting touches two numbers, and `admit` returns or
// ends the process, without unwinding.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        admit(layout.size(), layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        admit(layout.size(), layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(taken(layout.size()), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_sub(taken(layout.size()), Relaxed);
        // A list that doubles fills its new half later, if at all.
        admit(size, 0);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(place, layout, size) }
    }
}

/// What a piece takes: its size and a word before it, in units of two words.
fn taken(size: usize) -> usize {
    size.saturating_add(8 + 15) & !15
}

/// Counts a piece of which `filled` bytes are written at once, or ends the process.
fn admit(size: usize, filled: usize) {
    let live = LIVE.fetch_add(taken(size), Relaxed).saturating_add(size);
    let most = MOST.load(Relaxed);
    if live > most && size > SMALL {
        let resident = resident().unwrap_or(live);
        if resident.saturating_add(filled) > most || live / 2 > most {
            hit(resident.saturating_add(size));
        }
    }
}

/// Builds the wall at the limit of a run, for what is allocated from here on.
pub fn build(run: &Run, printer: &Arc<Printer>) {
    let Some(limit) = usize::try_from(run.memory_limit()).ok().filter(|limit| *limit < usize::MAX / 4) else { return };
    let _ = TELLER.set((Arc::clone(printer), run.memory_limit()));
    let most = resident().unwrap_or(0) + OWN + limit + limit / 20;
    MOST.store(most, Relaxed);
    // Without it, large pieces are still seen.
    let _ = std::thread::Builder::new().name("memory".into()).stack_size(1 << 16).spawn(move || watch(most));
}

/// Looks at the process for as long as it lives.
fn watch(most: usize) {
    while let Some(mut own) = resident() {
        // What was freed in pieces is still the process's own until it is given back.
        if own > most / 10 * 9 && LIVE.load(Relaxed) < own / 10 * 8 || own > most {
            give_back();
            own = resident().unwrap_or(own);
        }
        if own > most {
            hit(own);
        }
        let left = most.saturating_sub(own) as f64 / FILLED as f64;
        std::thread::sleep(Duration::from_secs_f64(left.clamp(0.002, 0.1)));
    }
}

/// Ends the process: nothing can be undone where memory is missing.
fn hit(needed: usize) {
    if HIT.swap(true, Relaxed) {
        return;
    }
    // What is needed to say it is not counted.
    MOST.store(usize::MAX, Relaxed);
    let Some((printer, limit)) = TELLER.get() else { return };
    remove_unfinished();
    let failure = Failure::from(Error::Memory {
        needed: needed as u128,
        limit: *limit,
        purpose: "the command".into(),
        alternative: String::new(),
    });
    if let Some(report) = failure.report() {
        printer.failure(&report);
    }
    end(failure.code(false));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allocated_is_counted_and_given_back() {
        let before = LIVE.load(Relaxed);
        let piece = std::hint::black_box(vec![1u8; 64 << 20]);
        assert!(LIVE.load(Relaxed) >= before.saturating_sub(1 << 20) + piece.len());
        drop(piece);
        assert!(LIVE.load(Relaxed) < before + (32 << 20));
        assert_eq!((taken(1), taken(24), taken(25)), (16, 32, 48));
    }
}
