//! A bar on standard error for work that takes long.
//!
//! One bar counts the outermost task, which is the whole job, and says what is being done inside of it. Tasks begin and end many thousand
//! times a second: what an event costs is a look at a clock, and nothing where nobody watches.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use mercer::run::{Event, Observer};

use crate::printer::Printer;

/// Between two words about what is being done.
const BETWEEN_WORDS: Duration = Duration::from_millis(150);
/// Between two pictures of the bar.
const TICK: Duration = Duration::from_millis(200);

/// Shows how far the outermost task is, and passes warnings on. There is no bar where standard error is no terminal.
#[derive(Debug)]
pub struct Progress {
    printer: Arc<Printer>,
    watched: bool,
    shown: Mutex<Shown>,
}

/// What is shown.
#[derive(Debug, Default)]
struct Shown {
    bar: Option<ProgressBar>,
    /// Tasks under way, and the name of the outermost.
    depth: usize,
    outermost: String,
    /// When a word was said last.
    said: Option<Instant>,
}

impl Progress {
    /// Progress that talks through `printer`.
    pub fn new(printer: Arc<Printer>) -> Self {
        let watched = printer.is_talkative() && std::io::stderr().is_terminal();
        Progress { printer, watched, shown: Mutex::default() }
    }

    fn with_shown<T>(&self, act: impl FnOnce(&mut Shown) -> T) -> T {
        act(&mut self.shown.lock().unwrap_or_else(|e| e.into_inner()))
    }
}

impl Shown {
    fn begin(&mut self, task: &str, total: Option<u64>) {
        self.depth += 1;
        if self.depth == 1 {
            self.outermost = task.to_owned();
            self.said = None;
            self.bar = Some(bar(task, total));
        } else if self.said.is_none_or(|then| then.elapsed() >= BETWEEN_WORDS) {
            self.said = Some(Instant::now());
            let bar = self.bar.iter();
            bar.for_each(|bar| bar.set_message(format!("{}: {}", title(&self.outermost), title(task))));
        }
    }

    fn step(&self, task: &str, done: u64) {
        if task == self.outermost {
            self.bar.iter().for_each(|bar| bar.set_position(done));
        }
    }

    fn end(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.bar.take().iter().for_each(ProgressBar::finish_and_clear);
        }
    }
}

fn bar(task: &str, total: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(10));
    let template = match total {
        Some(_) => "{bar:30} {percent:>3} %{left}  {msg}",
        None => "{spinner} {msg}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("left", left).progress_chars("━╸ "));
    }
    bar.set_message(title(task).to_owned());
    bar.enable_steady_tick(TICK);
    bar
}

/// The time that is left if what is left takes as long as what was done; nothing before the first step.
fn left(state: &ProgressState, out: &mut dyn Write) {
    let (done, total) = (state.pos(), state.len().unwrap_or(0));
    let Some(seconds) = seconds_left(state.elapsed(), done, total) else { return };
    // There is nowhere to say that it could not be written.
    let _ = match seconds {
        ..90 => write!(out, "  {seconds} s left"),
        90..5400 => write!(out, "  {} min left", (seconds + 30) / 60),
        _ => write!(out, "  {} h left", (seconds + 1800) / 3600),
    };
}

fn seconds_left(elapsed: Duration, done: u64, total: u64) -> Option<u64> {
    let rest = total.checked_sub(done).filter(|_| done > 0)?;
    Some((elapsed.as_secs_f64() * rest as f64 / done as f64).ceil() as u64)
}

/// What a task is called when people watch it.
fn title(task: &str) -> &str {
    match task {
        "gram" => "kernel matrix",
        other => other,
    }
}

impl Observer for Progress {
    fn on_event(&self, event: &Event<'_>) {
        match event {
            Event::Warning { message } => {
                let bar = self.with_shown(|shown| shown.bar.clone()).unwrap_or_else(ProgressBar::hidden);
                bar.suspend(|| self.printer.warn(message));
            }
            _ if !self.watched => {}
            Event::Begin { task, total } => self.with_shown(|shown| shown.begin(task, *total)),
            Event::Step { task, done, .. } => self.with_shown(|shown| shown.step(task, *done)),
            Event::End { .. } => self.with_shown(Shown::end),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_takes_as_long_as_what_was_done() {
        let second = Duration::from_secs(1);
        assert_eq!(seconds_left(second, 0, 6), None);
        assert_eq!(seconds_left(second, 1, 6), Some(5));
        assert_eq!(seconds_left(3 * second, 2, 6), Some(6));
        assert_eq!(seconds_left(9 * second, 6, 6), Some(0));
        assert_eq!(seconds_left(second, 7, 6), None);
    }

    #[test]
    fn the_outermost_task_is_counted() {
        let mut shown = Shown::default();
        shown.begin("fit", Some(6));
        shown.begin("tuning", Some(100));
        shown.step("tuning", 50);
        shown.step("fit", 2);
        assert_eq!(shown.bar.as_ref().map(|bar| (bar.position(), bar.length())), Some((2, Some(6))));
        shown.end();
        assert!(shown.bar.is_some());
        shown.end();
        assert!(shown.bar.is_none());
    }
}
