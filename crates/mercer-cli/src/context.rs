//! What every command is given: a printer, a run, and the interrupt key.
//!
//! What is said of Ctrl-C holds for `SIGTERM` and `SIGHUP`, too: schedulers and terminals that go away use them.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mercer::data::remove_unfinished;
use mercer::{Result, Run};

use crate::args::Global;
use crate::printer::{Printer, Style};
use crate::progress::Progress;

/// The exit code of an interrupted process.
pub const INTERRUPTED: i32 = 130;

/// What happens on Ctrl-C: work that watches the flag is asked to stop and clean up; anything
/// else, and a second Ctrl-C, ends the process at once.
#[derive(Debug)]
pub struct Interrupt {
    raised: Arc<AtomicBool>,
    watched: AtomicBool,
    printer: Arc<Printer>,
}

impl Interrupt {
    /// Listens for Ctrl-C.
    pub fn listen(printer: &Arc<Printer>) -> Arc<Self> {
        let (raised, watched) = (Arc::default(), AtomicBool::new(false));
        let interrupt = Arc::new(Interrupt { raised, watched, printer: Arc::clone(printer) });
        let heard = Arc::clone(&interrupt);
        // Where there is no handler to be had, Ctrl-C ends the process as it always did.
        let _ = ctrlc::set_handler(move || heard.on_key());
        interrupt
    }

    fn on_key(&self) {
        let again = self.raised.swap(true, Ordering::SeqCst);
        if again || !self.watched.load(Ordering::SeqCst) {
            // Nobody comes back to what is half written.
            remove_unfinished();
            std::process::exit(INTERRUPTED);
        }
        if self.printer.is_talkative() {
            // Behind the bar, or the letters that a terminal shows for the key.
            if std::io::stderr().is_terminal() {
                self.printer.say("");
            }
            let heard = "stopping at the next step, with what there is by then; once more ends it at once";
            self.printer.err("note", Style::Cyan, heard);
        }
    }

    /// Whether Ctrl-C was pressed.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::SeqCst)
    }

    /// Runs work that watches the flag.
    pub fn watch<T>(&self, work: impl FnOnce() -> T) -> T {
        self.watched.store(true, Ordering::SeqCst);
        let done = work();
        self.watched.store(false, Ordering::SeqCst);
        done
    }
}

/// The circumstances of a command.
#[derive(Debug)]
pub struct Context {
    /// Where text goes.
    pub printer: Arc<Printer>,
    /// Progress, deadline, threads and memory.
    pub run: Run,
    /// Ctrl-C.
    pub interrupt: Arc<Interrupt>,
}

impl Context {
    /// The circumstances that the global flags describe.
    pub fn new(global: &Global, printer: Arc<Printer>, interrupt: Arc<Interrupt>) -> Result<Self> {
        let mut run = Run::new()
            .with_observer(Arc::new(Progress::new(Arc::clone(&printer))))
            .with_cancel(Arc::clone(&interrupt.raised));
        if let Some(time) = global.deadline {
            run = run.with_deadline(time);
        }
        if let Some(bytes) = global.memory {
            run = run.with_memory_limit(bytes);
        }
        if let Some(threads) = global.threads {
            run = run.with_threads(threads)?;
        }
        Ok(Context { printer, run, interrupt })
    }

    /// Fails if the run is to stop, at a place between two pieces of work.
    pub fn checkpoint(&self, stage: &'static str) -> Result<()> {
        match self.run.stop_reason() {
            None => Ok(()),
            Some(reason) => Err(self.run.task(stage, None).cancelled(reason)),
        }
    }
}
