//! A bar on standard error for work that takes long.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mercer::run::{Event, Observer};

use crate::printer::Printer;

/// Shows the innermost task as a bar, and passes warnings on. The bar is hidden when standard
/// error is no terminal.
#[derive(Debug)]
pub struct Progress {
    printer: Arc<Printer>,
    bars: Mutex<Vec<ProgressBar>>,
}

impl Progress {
    /// Progress that talks through `printer`.
    pub fn new(printer: Arc<Printer>) -> Self {
        Progress { printer, bars: Mutex::default() }
    }

    fn begin(&self, task: &str, total: Option<u64>) {
        let target = match self.printer.is_talkative() {
            true => ProgressDrawTarget::stderr_with_hz(10),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(total, target);
        let template = match total {
            Some(_) => "{msg} {bar:30} {percent:>3} %  {eta} left",
            None => "{spinner} {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸ "));
        }
        bar.set_message(title(task).to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        self.with_bars(|bars| bars.push(bar));
    }

    fn with_bars<T>(&self, act: impl FnOnce(&mut Vec<ProgressBar>) -> T) -> T {
        act(&mut self.bars.lock().unwrap_or_else(|e| e.into_inner()))
    }
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
            Event::Begin { task, total } => self.begin(task, *total),
            Event::Step { done, .. } => {
                self.with_bars(|bars| bars.iter().last().map(|b| b.set_position(*done))).unwrap_or(())
            }
            Event::Warning { message } => {
                let bar = self.with_bars(|bars| bars.last().cloned()).unwrap_or_else(ProgressBar::hidden);
                bar.suspend(|| self.printer.warn(message));
            }
            Event::End { .. } => self.with_bars(|bars| bars.pop().map(|b| b.finish_and_clear())).unwrap_or(()),
            _ => {}
        }
    }
}
