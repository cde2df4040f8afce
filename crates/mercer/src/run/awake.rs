//! Threads that do not fall asleep between the parts of one work.
//!
//! Rayon's threads sleep when they find nothing to do for some microseconds, and waking one takes longer than many of the parts that an
//! iteration hands out between two steps on one thread. Here the others look for parts all the time, as long as the work
//! goes on: processor time is spent so that no part waits.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Threads that are kept awake beside the one that works; more come as they are woken.
const MOST: usize = 3;
/// Looks in vain after which the system may run something else.
const LOOKS: u32 = 64;

thread_local! {
    /// Whether this thread works or is kept awake already. One that waits for a part takes up what it finds, and must not come
    /// to wait here for a work that waits for it.
    static TAKEN: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, which hands out parts again and again, on a thread of rayon's, with some of the others kept awake.
pub(super) fn with_others_awake<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let others = (rayon::current_num_threads() - 1).min(MOST);
    let ended = AtomicBool::new(false);
    rayon::scope(|scope| {
        let _end = Ending(&ended);
        let _own = Taken::new();
        (0..others).for_each(|_| scope.spawn(|_| look_for_parts(&ended)));
        work()
    })
}

fn look_for_parts(ended: &AtomicBool) {
    if TAKEN.get() {
        return;
    }
    let _own = Taken::new();
    let mut looks = 0u32;
    while !ended.load(Ordering::Acquire) {
        if rayon::yield_now() != Some(rayon::Yield::Executed) {
            looks = looks.wrapping_add(1);
            std::hint::spin_loop();
            if looks.is_multiple_of(LOOKS) {
                std::thread::yield_now();
            }
        }
    }
}

/// Marks this thread as long as it lives.
struct Taken {
    before: bool,
}

impl Taken {
    fn new() -> Self {
        Taken { before: TAKEN.replace(true) }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        TAKEN.set(self.before);
    }
}

/// Lets the others go, also where the work panics.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use crate::run::Run;

    /// Parts inside of parts, from several callers at once, on few and many threads: all end, with the right sums.
    #[test]
    fn parts_are_done_whoever_waits_for_whom() {
        for threads in [1, 2, 3, 8] {
            let run = Run::new().with_threads(threads).unwrap();
            let one = |seed: u64| {
                run.enter(|| {
                    let sum = |n: u64| -> u64 {
                        (0..n)
                            .into_par_iter()
                            .map(|i| (0..40u64).into_par_iter().map(|j| i * j + seed).sum::<u64>())
                            .sum()
                    };
                    (0..50).map(|round| sum(round % 7)).sum::<u64>()
                })
            };
            let expected = |seed: u64| {
                (0..50u64).flat_map(|r| (0..r % 7).flat_map(move |i| (0..40).map(move |j| i * j + seed))).sum::<u64>()
            };
            std::thread::scope(|scope| {
                let callers: Vec<_> = (0..4).map(|seed| scope.spawn(move || (seed, one(seed)))).collect();
                for caller in callers {
                    let (seed, found) = caller.join().unwrap();
                    assert_eq!(found, expected(seed));
                }
            });
        }
    }

    #[test]
    fn a_panic_lets_the_others_go() {
        let run = Run::new().with_threads(3).unwrap();
        let broken = || {
            run.enter(|| {
                if run.threads() == 3 {
                    panic!("as it should")
                }
            })
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(broken)).is_err());
        assert_eq!(run.enter(|| (0..100).into_par_iter().sum::<i32>()), 4950);
    }
}
