//! Threads that stay awake between small pieces of work.
//!
//! A reduction of n columns meets its threads some thousand times, for microseconds each. Rayon puts a thread to sleep that finds
//! nothing to do, and waking it takes longer than the piece of work. So helpers are asked once, and then turn in place until there is
//! another piece. Nothing waits for a helper that has not come: whoever leads takes what nobody has taken. So a busy pool makes the work
//! slower, never stuck, and work inside of work is no danger.

use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Helpers at most: there is rarely work for more, and they cost time of the processor while they wait.
const HELPERS: usize = 31;
/// Turns after which a thread that waits lets others have the processor: some tens of microseconds.
const TURNS: u32 = 2_000;

/// One piece of work: what to do with part number i.
type Job<'a> = &'a (dyn Fn(usize) + Sync + 'a);

/// A leader and helpers.
pub(super) struct Team {
    helpers: usize,
    /// Whether there is a job.
    busy: AtomicBool,
    /// The number of the present job in the upper half, and how many of its parts nobody has taken in the lower.
    ticket: AtomicU64,
    /// Parts of the present job that are done.
    done: AtomicUsize,
    closed: AtomicBool,
    /// The present job and how many parts it has; read by those alone who have taken a part of it.
    job: UnsafeCell<Option<(Job<'static>, usize)>>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: `job` is written by who made the team busy, while no part is taken or to be taken, and read after a part was taken; `ticket`
// orders both.
unsafe impl Sync for Team {}

thread_local! {
    /// Whether this thread leads a team or does a part of its work. Then it helps no other: while it waits in rayon, it may be offered to,
    /// and would come back when that team has ended, which may wait for its own.
    static ENGAGED: Cell<bool> = const { Cell::new(false) };
}

/// A thread that is engaged until this is dropped.
struct Engaged(bool);

impl Engaged {
    fn new() -> Self {
        Engaged(ENGAGED.replace(true))
    }
}

impl Drop for Engaged {
    fn drop(&mut self) {
        ENGAGED.set(self.0);
    }
}

/// Lets helpers go, also where the work panics.
struct Close<'a>(&'a Team);

impl Drop for Close<'_> {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::Release);
    }
}

/// A place among others, each of which one thread alone looks at.
struct Places<T>(*mut T);

// SAFETY: every place is handed to one thread at a time, and what lies there may be sent to it.
unsafe impl<T: Send> Sync for Places<T> {}

impl<T> Places<T> {
    /// Place number i.
    ///
    /// # Safety
    /// It exists, and nobody else looks at it while the answer lives.
    #[allow(clippy::mut_from_ref)]
    unsafe fn at(&self, i: usize) -> &mut T {
        // SAFETY: the caller's word.
        unsafe { &mut *self.0.add(i) }
    }
}

impl Team {
    /// Does `work` with the threads of the present pool as helpers.
    pub(super) fn gather<R: Send>(work: impl FnOnce(&Team) -> R + Send) -> R {
        let team = Team::new((rayon::current_num_threads() - 1).min(HELPERS));
        let _engaged = Engaged::new();
        rayon::in_place_scope(|scope| {
            (0..team.helpers).for_each(|_| scope.spawn(|_| team.help()));
            let _close = Close(&team);
            work(&team)
        })
    }

    /// A leader without helpers, for work that is over before they come.
    pub(super) fn alone() -> Team {
        Team::new(0)
    }

    fn new(helpers: usize) -> Team {
        Team {
            helpers,
            busy: AtomicBool::new(false),
            ticket: AtomicU64::new(0),
            done: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            job: UnsafeCell::new(None),
            panic: Mutex::new(None),
        }
    }

    /// Does `work` for every part, with its number; who does which is a matter of chance. Work inside of such work is done by the
    /// calling thread alone.
    pub(super) fn each<T: Send>(&self, parts: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
        if parts.len() <= 1 || self.helpers == 0 || self.busy.swap(true, Ordering::Acquire) {
            return parts.iter_mut().enumerate().for_each(|(i, part)| work(i, part));
        }
        let places = Places(parts.as_mut_ptr());
        // SAFETY: `lead` gives every number below the length to one thread once, and returns when all are done.
        self.lead(parts.len(), &|i| work(i, unsafe { places.at(i) }));
        self.busy.store(false, Ordering::Release);
        if let Some(panic) = self.panic.lock().ok().and_then(|mut panic| panic.take()) {
            resume_unwind(panic);
        }
    }

    /// Posts a job, takes part in it and waits for its end.
    fn lead(&self, parts: usize, job: Job<'_>) {
        // SAFETY: only the lifetime is changed. The job is called by those who have taken a part of it, and this function does not
        // return before all parts are done.
        let job: Job<'static> = unsafe { std::mem::transmute::<Job<'_>, Job<'static>>(job) };
        // SAFETY: who made the team busy is the only one here, all parts of the job before are done, and no part of this one is there
        // to be taken.
        unsafe { *self.job.get() = Some((job, parts)) };
        self.done.store(0, Ordering::Relaxed);
        let number = (self.ticket.load(Ordering::Relaxed) >> 32).wrapping_add(1);
        self.ticket.store(number << 32 | parts as u64, Ordering::Release);
        while self.take() {}
        let mut turns = 0;
        while self.done.load(Ordering::Acquire) < parts {
            wait(&mut turns);
        }
    }

    /// What a helper does until it is let go.
    fn help(&self) {
        if ENGAGED.get() {
            return;
        }
        let _engaged = Engaged::new();
        let mut turns = 0;
        while !self.closed.load(Ordering::Acquire) {
            match self.take() {
                true => turns = 0,
                false => wait(&mut turns),
            }
        }
    }

    /// Takes a part and does it; false if there is none.
    fn take(&self) -> bool {
        let seen = self.ticket.load(Ordering::Acquire);
        let left = (seen & u64::from(u32::MAX)) as usize;
        if left == 0 {
            return false;
        }
        if self.ticket.compare_exchange(seen, seen - 1, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            return true;
        }
        // SAFETY: a part of the present job is ours, so that the leader writes no other until it is done.
        if let Some((job, parts)) = unsafe { *self.job.get() }
            && let Err(panic) = catch_unwind(AssertUnwindSafe(|| job(parts - left)))
            && let Ok(mut first) = self.panic.lock()
        {
            first.get_or_insert(panic);
        }
        self.done.fetch_add(1, Ordering::Release);
        true
    }
}

fn wait(turns: &mut u32) {
    *turns += 1;
    match *turns < TURNS {
        true => std::hint::spin_loop(),
        false => std::thread::yield_now(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn every_part_is_done_once_by_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let mut counts = vec![0usize; 37];
            pool.install(|| {
                Team::gather(|team| {
                    (0..500).for_each(|round| team.each(&mut counts[..round % 38], |i, count| *count += i + 1));
                });
            });
            let rounds = |i: usize| (0..500).filter(|round| round % 38 > i).count();
            counts.iter().enumerate().for_each(|(i, count)| assert_eq!(*count, (i + 1) * rounds(i)));
        }
    }

    #[test]
    fn teams_inside_of_parallel_work_and_of_teams_end() {
        let one = |_: usize| {
            Team::gather(|team| {
                let mut parts = vec![0; 9];
                team.each(&mut parts, |i, part| {
                    *part = Team::gather(|inner| {
                        let mut inside = vec![0; 3];
                        inner.each(&mut inside, |j, part| *part = i + j);
                        inside.iter().sum::<usize>()
                    })
                });
                let sums = rayon::join(|| parts[..4].iter().sum::<usize>(), || parts[4..].iter().sum::<usize>());
                sums.0 + sums.1
            })
        };
        let all: Vec<usize> = (0..40).into_par_iter().map(one).collect();
        assert_eq!(all, vec![(0..9).map(|i| 3 * i + 3).sum::<usize>(); 40]);
    }

    #[test]
    fn a_panic_of_a_part_reaches_the_leader() {
        let attempt = || {
            Team::gather(|team| {
                team.each(&mut [0; 64], |i, _| assert_ne!(i, 40, "part forty"));
            })
        };
        assert!(catch_unwind(attempt).is_err());
    }
}
