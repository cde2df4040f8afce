//! How Python's calls are run: the work on a thread of its own, this thread watching for signals.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use mercer::Run;
use mercer::run::{Event, Observer};
use pyo3::prelude::*;

use crate::error::{Answer, guard, settled};

/// How often signals and progress are looked at.
const TICK: Duration = Duration::from_millis(20);

/// Threads, memory limit, deadline and progress of a call; `None` is the default of the core.
#[pyclass(frozen, module = "mercer._core")]
#[derive(Default)]
pub(crate) struct Options {
    threads: Option<usize>,
    memory_limit: Option<u64>,
    deadline: Option<f64>,
    progress: Option<Py<PyAny>>,
}

#[pymethods]
impl Options {
    #[new]
    #[pyo3(signature = (threads=None, memory_limit=None, deadline=None, progress=None))]
    fn new(
        threads: Option<usize>,
        memory_limit: Option<u64>,
        deadline: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> Self {
        Options { threads, memory_limit, deadline, progress }
    }
}

/// How many threads the system lets this process run at once: affinity and quotas are respected.
#[pyfunction]
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The process that loaded the shared thread pool. A forked child has the pool's data but none of
/// its threads, and would wait for them for ever.
static POOL_OWNER: OnceLock<u32> = OnceLock::new();

/// A call under way.
pub(crate) struct Job<'o> {
    pub(crate) run: Run,
    cancel: Arc<AtomicBool>,
    watcher: Arc<Watcher>,
    progress: Option<&'o Py<PyAny>>,
}

impl<'o> Job<'o> {
    pub(crate) fn new(py: Python<'_>, options: &'o Options) -> PyResult<Self> {
        let cancel = Arc::new(AtomicBool::new(false));
        let watcher = Arc::new(Watcher::default());
        let observer: Arc<dyn Observer> = Arc::clone(&watcher) as _;
        let run = guard(py, || configured(options))?.with_cancel(Arc::clone(&cancel)).with_observer(observer);
        Ok(Job { run, cancel, watcher, progress: options.progress.as_ref() })
    }

    /// Runs `work` on a thread of its own, without the interpreter. A signal handler that raises,
    /// or a progress callback that raises, cancels it.
    pub(crate) fn spawn<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Run) -> mercer::Result<T> + Send,
    ) -> PyResult<T> {
        let (answer, raised) = py.detach(|| self.watched(work));
        if let Some(raised) = raised {
            return Err(raised);
        }
        self.report(py)?;
        self.warnings(py)?;
        settled(py, answer)
    }

    /// Runs `work` on this thread, where a user's Python function may be called and interrupted.
    pub(crate) fn inline<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Run) -> mercer::Result<T> + Send,
    ) -> PyResult<T> {
        settled(py, py.detach(|| catch_unwind(AssertUnwindSafe(|| work(&self.run)))))
    }

    fn watched<T: Send>(&self, work: impl FnOnce(&Run) -> mercer::Result<T> + Send) -> (Answer<T>, Option<PyErr>) {
        let run = &self.run;
        std::thread::scope(|scope| {
            let (done, wait) = channel();
            let worker = scope.spawn(move || {
                let answer = catch_unwind(AssertUnwindSafe(|| work(run)));
                // The receiver lives until this thread is joined.
                let _ = done.send(());
                answer
            });
            let mut raised = None;
            while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(TICK) {
                if raised.is_none() {
                    raised = Python::attach(|py| self.poll(py)).err();
                    self.cancel.fetch_or(raised.is_some(), Ordering::Relaxed);
                }
            }
            (worker.join().and_then(|answer| answer), raised)
        })
    }

    fn poll(&self, py: Python<'_>) -> PyResult<()> {
        py.check_signals()?;
        self.report(py)
    }

    /// Tells the progress callback where the work is, if it has moved.
    fn report(&self, py: Python<'_>) -> PyResult<()> {
        match (self.progress, self.watcher.moved()) {
            (Some(progress), Some((task, done, total))) => progress.call1(py, (task, done, total)).map(|_| ()),
            _ => Ok(()),
        }
    }

    fn warnings(&self, py: Python<'_>) -> PyResult<()> {
        for message in self.watcher.warnings() {
            py.import("mercer._warn")?.call_method1("warn", (message,))?;
        }
        Ok(())
    }
}

/// The run that the options ask for.
fn configured(options: &Options) -> mercer::Result<Run> {
    let mut run = Run::new();
    if let Some(threads) = options.threads.or_else(after_fork) {
        run = run.with_threads(threads)?;
    }
    if let Some(bytes) = options.memory_limit {
        run = run.with_memory_limit(bytes);
    }
    if let Some(seconds) = options.deadline {
        let refuse = |_| mercer::Error::invalid("the run", "deadline", seconds, "a number of seconds ≥ 0");
        run = run.with_deadline(Duration::try_from_secs_f64(seconds).map_err(refuse)?);
    }
    Ok(run)
}

/// The number of threads of a pool of its own, where this process cannot use the shared one.
fn after_fork() -> Option<usize> {
    let here = std::process::id();
    (*POOL_OWNER.get_or_init(|| here) != here).then(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Keeps the latest step of the innermost task, and all warnings.
#[derive(Default)]
struct Watcher {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    task: String,
    done: u64,
    total: Option<u64>,
    moved: bool,
    warnings: Vec<String>,
}

impl Watcher {
    fn moved(&self) -> Option<(String, u64, Option<u64>)> {
        let mut state = self.state.lock().ok()?;
        std::mem::take(&mut state.moved).then(|| (state.task.clone(), state.done, state.total))
    }

    fn warnings(&self) -> Vec<String> {
        self.state.lock().map(|mut s| std::mem::take(&mut s.warnings)).unwrap_or_default()
    }
}

impl Observer for Watcher {
    fn on_event(&self, event: &Event<'_>) {
        let Ok(mut state) = self.state.lock() else { return };
        match event {
            Event::Begin { task, total } => {
                *state = State {
                    task: (*task).to_owned(),
                    total: *total,
                    moved: true,
                    warnings: std::mem::take(&mut state.warnings),
                    done: 0,
                };
            }
            // Steps of several threads may arrive out of order.
            Event::Step { task, done, .. } if *task == state.task => {
                state.done = state.done.max(*done);
                state.moved = true;
            }
            Event::Warning { message } => state.warnings.push((*message).to_owned()),
            _ => {}
        }
    }
}
