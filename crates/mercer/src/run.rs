//! How work is run: progress, cancellation, deadline, threads and memory.
//!
//! A [`Run`] is handed down to everything that may take long. The core owns the [`Observer`]
//! trait, the faces own the rendering. There are no globals here, no environment variables and no
//! signal handlers; a thread remembers whom it works for while it computes what cannot take a run.

mod awake;

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::error::{Error, Result};

/// What happens while work runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event<'a> {
    /// A task begins.
    Begin {
        /// Its name.
        task: &'a str,
        /// How many steps it has, where known.
        total: Option<u64>,
    },
    /// A task has moved on.
    Step {
        /// Its name.
        task: &'a str,
        /// Steps done so far.
        done: u64,
        /// A number worth watching, such as a residual.
        metric: Option<f64>,
    },
    /// Something the user should know; the work goes on.
    Warning {
        /// The sentence.
        message: &'a str,
    },
    /// A task has ended, however it ended.
    End {
        /// Its name.
        task: &'a str,
    },
}

/// Receives [`Event`]s. Called from any thread.
pub trait Observer: Sync + Send {
    /// Takes one event; must return quickly.
    fn on_event(&self, event: &Event<'_>);
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn on_event(&self, _: &Event<'_>) {}
}

/// Why work stops before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The deadline has passed.
    Deadline,
    /// The cancel flag was raised.
    Interrupted,
}

impl StopReason {
    fn by(self) -> &'static str {
        match self {
            StopReason::Deadline => "the deadline",
            StopReason::Interrupted => "an interrupt",
        }
    }
}

/// Memory that may be used, and how much of it is reserved.
#[derive(Debug)]
struct Memory {
    limit: u64,
    used: AtomicU64,
}

/// The circumstances under which work is done.
///
/// Cheap to clone; clones share the cancel flag and the memory account.
#[derive(Clone)]
pub struct Run {
    observer: Arc<dyn Observer>,
    cancel: Arc<AtomicBool>,
    deadline: Option<Instant>,
    /// Whether a stop leaves no time for an answer.
    abrupt: bool,
    pool: Option<Arc<rayon::ThreadPool>>,
    memory: Arc<Memory>,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("deadline", &self.deadline)
            .field("threads", &self.threads())
            .field("memory_limit", &self.memory.limit)
            .finish_non_exhaustive()
    }
}

impl Default for Run {
    /// Silent, without deadline, on the shared thread pool, limited to 80 % of the memory that
    /// is free now (no limit where the system does not tell).
    fn default() -> Self {
        let limit = available_memory().map_or(u64::MAX, |free| free / 5 * 4);
        Run {
            observer: Arc::new(Silent),
            cancel: Arc::new(AtomicBool::new(false)),
            deadline: None,
            abrupt: false,
            pool: None,
            memory: Arc::new(Memory { limit, used: AtomicU64::new(0) }),
        }
    }
}

/// Runs `work` on the pool. Compiled once: what changes threads is a tenth of the code of a small function.
fn on_pool(pool: &rayon::ThreadPool, work: &mut (dyn FnMut() + Send)) {
    pool.install(work);
}

impl Run {
    /// The default circumstances.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sends events to `observer`.
    pub fn with_observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Stops when `cancel` becomes true.
    pub fn with_cancel(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel = cancel;
        self
    }

    /// Stops after `time` from now.
    pub fn with_deadline(mut self, time: Duration) -> Self {
        self.deadline = Instant::now().checked_add(time);
        self
    }

    /// The largest number of threads: more than any machine has cores, and few enough to start.
    pub const MAX_THREADS: usize = 1024;

    /// Uses exactly `threads` threads; results do not depend on the number.
    pub fn with_threads(mut self, threads: usize) -> Result<Self> {
        if !(1..=Self::MAX_THREADS).contains(&threads) {
            let must = format!("a number from 1 to {}", Self::MAX_THREADS);
            return Err(Error::invalid("the run", "threads", threads, must));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("mercer-{i}"))
            .build()
            .map_err(|e| Error::Unsupported {
                what: format!("a pool of {threads} threads ({e})"),
                alternative: "ask for fewer threads".into(),
            })?;
        self.pool = Some(Arc::new(pool));
        Ok(self)
    }

    /// Refuses to reserve more than `bytes` at a time.
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.memory = Arc::new(Memory { limit: bytes, used: AtomicU64::new(0) });
        self
    }

    /// The number of threads work will use.
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or_else(rayon::current_num_threads, |p| p.current_num_threads())
    }

    /// The memory limit in bytes.
    pub fn memory_limit(&self) -> u64 {
        self.memory.limit
    }

    /// Bytes that may still be reserved.
    pub fn memory_left(&self) -> u64 {
        self.memory.limit.saturating_sub(self.memory.used.load(Ordering::Relaxed))
    }

    /// Runs `work` on this run's threads.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let Some(pool) = &self.pool else { return work() };
        let (mut work, mut answer) = (Some(work), None);
        on_pool(pool, &mut || answer = work.take().map(|work| work()));
        answer.unwrap_or_else(|| unreachable!("the pool has run it, or has panicked"))
    }

    /// Runs `work` as one of this run's threads, for long work of many small parts. Where nothing else is known to run on them, the
    /// others stay awake for these parts.
    pub fn enter<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        // Work that is a part of another has neighbours, which want the other threads.
        let alone = rayon::current_thread_index().is_none();
        self.install(|| if alone { awake::with_others_awake(work) } else { rayon::scope(|_| work()) })
    }

    /// Reserves `bytes` for `purpose` until the answer is dropped, or fails before anything is
    /// allocated, saying how many bytes are needed and which `alternative` needs less.
    pub fn reserve(&self, bytes: u128, purpose: &str, alternative: &str) -> Result<Reservation> {
        let refuse = |needed: u128| Error::Memory {
            needed,
            limit: self.memory.limit,
            purpose: purpose.into(),
            alternative: alternative.into(),
        };
        let wanted = u64::try_from(bytes).map_err(|_| refuse(bytes))?;
        self.memory
            .used
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |used| {
                used.checked_add(wanted).filter(|sum| *sum <= self.memory.limit)
            })
            .map_err(|used| refuse(bytes + u128::from(used)))?;
        Ok(Reservation { memory: Arc::clone(&self.memory), bytes: wanted })
    }

    /// Tells the observer something the user should know.
    pub fn warn(&self, message: &str) {
        self.observer.on_event(&Event::Warning { message });
    }

    /// Whether to stop now, and why.
    pub fn stop_reason(&self) -> Option<StopReason> {
        reason(&self.cancel, self.deadline)
    }

    /// The time until the deadline, if there is one.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|d| d.saturating_duration_since(Instant::now()))
    }

    /// The same circumstances without deadline and cancel flag: for the short work that turns what
    /// has been reached into an answer.
    pub fn without_stops(&self) -> Run {
        match self.abrupt {
            true => self.clone(),
            false => Run { deadline: None, cancel: Arc::new(AtomicBool::new(false)), ..self.clone() },
        }
    }

    /// The same circumstances where a stop leaves no time to turn what has been reached into an answer: for work whose
    /// answer takes long, and whose caller has another.
    pub(crate) fn abrupt(&self) -> Run {
        Run { abrupt: true, ..self.clone() }
    }

    /// The same circumstances with so much time from now on, whatever was asked before: for an answer that gets better
    /// with time, once there is none left.
    pub(crate) fn for_a_moment(&self, time: Duration) -> Run {
        match self.abrupt {
            true => self.clone(),
            false => self.without_stops().with_deadline(time),
        }
    }

    /// The same run with warnings kept from its observer: for work whose warnings the caller passes on.
    pub fn without_warnings(&self) -> Run {
        Run { observer: Arc::new(Quiet(Arc::clone(&self.observer))), ..self.clone() }
    }

    /// Opens a task of `total` steps, where known. Dropping it ends it.
    pub fn task(&self, name: &'static str, total: Option<u64>) -> Work<'_> {
        self.observer.on_event(&Event::Begin { task: name, total });
        Work { run: self, name, total, done: AtomicU64::new(0) }
    }
}

thread_local! {
    /// The run that this thread works for inside of [`Work::watched`].
    static WATCHED: RefCell<Option<Watched>> = const { RefCell::new(None) };
}

/// A run on whose behalf a thread computes something that knows no run.
struct Watched {
    cancel: Arc<AtomicBool>,
    deadline: Option<Instant>,
    /// Why something was left off, once it was.
    left_off: Option<StopReason>,
}

/// Whether to leave off what is being computed, because the run that it is computed for is to stop. Nobody looks at what is left
/// off: whoever watches fails. Outside of [`Work::watched`] the answer is no.
pub(crate) fn leave_off() -> bool {
    WATCHED.with_borrow_mut(|watched| {
        let Some(watched) = watched else { return false };
        watched.left_off = watched.left_off.or_else(|| reason(&watched.cancel, watched.deadline));
        watched.left_off.is_some()
    })
}

/// Puts back what was watched before, also where the work panics.
struct Restore(Option<Watched>);

impl Drop for Restore {
    fn drop(&mut self) {
        WATCHED.set(self.0.take());
    }
}

fn reason(cancel: &AtomicBool, deadline: Option<Instant>) -> Option<StopReason> {
    if cancel.load(Ordering::Relaxed) {
        return Some(StopReason::Interrupted);
    }
    deadline.filter(|d| Instant::now() >= *d).map(|_| StopReason::Deadline)
}

/// An observer that hears no warnings.
struct Quiet(Arc<dyn Observer>);

impl Observer for Quiet {
    fn on_event(&self, event: &Event<'_>) {
        if !matches!(event, Event::Warning { .. }) {
            self.0.on_event(event);
        }
    }
}

/// A reservation of memory; dropping it gives the bytes back.
#[derive(Debug)]
#[must_use = "the bytes are given back when this is dropped"]
pub struct Reservation {
    memory: Arc<Memory>,
    bytes: u64,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.memory.used.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

/// A piece of work under way.
#[derive(Debug)]
pub struct Work<'a> {
    run: &'a Run,
    name: &'static str,
    total: Option<u64>,
    done: AtomicU64,
}

impl Work<'_> {
    /// Reports one more step and answers whether to stop. May be called from several threads.
    pub fn step(&self, metric: Option<f64>) -> Option<StopReason> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.run.observer.on_event(&Event::Step { task: self.name, done, metric });
        self.run.stop_reason()
    }

    /// Like [`step`](Self::step), for work that has nothing to give when it is stopped.
    pub fn step_or_cancel(&self) -> Result<()> {
        self.step(None).map_or(Ok(()), |reason| Err(self.cancelled(reason)))
    }

    /// Runs `work`, which may [leave off](leave_off) when this run is to stop, and fails if it did. It is for work that cannot
    /// take a run or fail, such as a block of a kernel matrix, and stays on this thread.
    pub(crate) fn watched<R>(&self, work: impl FnOnce() -> R) -> Result<R> {
        let watched = Watched { cancel: Arc::clone(&self.run.cancel), deadline: self.run.deadline, left_off: None };
        let restore = Restore(WATCHED.replace(Some(watched)));
        let done = work();
        let left_off = WATCHED.with_borrow(|watched| watched.as_ref().and_then(|w| w.left_off));
        drop(restore);
        left_off.map_or(Ok(done), |reason| Err(self.cancelled(reason)))
    }

    /// The error of being stopped here.
    pub fn cancelled(&self, reason: StopReason) -> Error {
        Error::Cancelled {
            stage: self.name.into(),
            done: self.done.load(Ordering::Relaxed),
            total: self.total,
            by: reason.by().into(),
        }
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        self.run.observer.on_event(&Event::End { task: self.name });
    }
}

/// Bytes of memory that can be had without swapping, where the system tells: the smaller of what
/// the machine has free and what a control group still allows.
pub fn available_memory() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|l| l.starts_with("MemAvailable:"))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
    });
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let group = number("/sys/fs/cgroup/memory.max")
        .zip(number("/sys/fs/cgroup/memory.current"))
        .map(|(max, current)| max.saturating_sub(current));
    match (machine, group) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_add_up_and_are_given_back() {
        let run = Run::new().with_memory_limit(100);
        let first = run.reserve(60, "a", "b").expect("60 of 100 fit");
        let refused = run.reserve(60, "the Gram matrix", "stream it").expect_err("120 of 100 do not");
        assert_eq!(refused.to_string(), "the Gram matrix needs 120 B, limit 100 B");
        assert_eq!(refused.hint().as_deref(), Some("stream it"));
        drop(first);
        assert!(run.reserve(100, "a", "b").is_ok());
        assert!(run.reserve(u128::MAX, "a", "b").is_err());
    }

    #[test]
    fn a_raised_flag_stops_the_task() {
        let cancel = Arc::new(AtomicBool::new(false));
        let run = Run::new().with_cancel(Arc::clone(&cancel));
        let task = run.task("loop", Some(3));
        assert_eq!(task.step(None), None);
        cancel.store(true, Ordering::Relaxed);
        assert_eq!(task.step(None), Some(StopReason::Interrupted));
        let error = task.step_or_cancel().expect_err("cancelled");
        assert_eq!(error.to_string(), "loop stopped by an interrupt at step 3 of 3");
    }

    #[test]
    fn absurd_numbers_of_threads_are_refused() {
        assert!(Run::new().with_threads(0).is_err());
        assert!(Run::new().with_threads(100_000).is_err());
        assert_eq!(Run::new().with_threads(3).map(|run| run.threads()).ok(), Some(3));
    }

    #[test]
    fn abrupt_work_has_no_time_for_an_answer() {
        let run = Run::new().with_deadline(Duration::ZERO);
        assert_eq!(run.without_stops().stop_reason(), None);
        assert_eq!(run.abrupt().without_stops().stop_reason(), Some(StopReason::Deadline));
        assert_eq!(run.for_a_moment(Duration::from_secs(3600)).stop_reason(), None);
    }

    #[test]
    fn watched_work_leaves_off_for_its_own_run_alone() {
        let run = Run::new().with_deadline(Duration::ZERO);
        let task = run.task("inner", None);
        assert!(!leave_off());
        assert!(matches!(task.watched(leave_off), Err(Error::Cancelled { .. })));
        // What was not left off is whole, even though the deadline is over.
        assert_eq!(task.watched(|| 7).ok(), Some(7));
        let calm = run.without_stops();
        let nested = task.watched(|| calm.task("outer", None).watched(leave_off).ok());
        assert_eq!(nested.ok(), Some(Some(false)));
        assert!(!leave_off());
    }

    #[test]
    fn a_deadline_in_the_past_stops_at_once() {
        let run = Run::new().with_deadline(Duration::ZERO);
        assert_eq!(run.stop_reason(), Some(StopReason::Deadline));
    }
}
