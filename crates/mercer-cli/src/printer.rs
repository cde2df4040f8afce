//! Standard output and standard error: what goes where, and in which colour.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard};

use mercer::Note;
use mercer::report::HasSchema;

use crate::exit::{Failure, Outcome, Report};

/// Colours and weights of text.
#[derive(Clone, Copy, Debug)]
pub enum Style {
    /// Headings.
    Bold,
    /// What may be passed over.
    Dim,
    /// Warnings.
    Yellow,
    /// Errors.
    Red,
    /// Hints.
    Cyan,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Yellow => "1;33",
            Style::Red => "1;31",
            Style::Cyan => "36",
        }
    }
}

/// Writes results to standard output and talk to standard error.
#[derive(Debug)]
pub struct Printer {
    json: bool,
    quiet: bool,
    out_colour: bool,
    err_colour: bool,
    notes: Mutex<Vec<Note>>,
    warnings: Mutex<Vec<String>>,
}

impl Printer {
    /// A printer for this process: colour on a terminal, unless `NO_COLOR` is set.
    pub fn new(json: bool, quiet: bool) -> Self {
        let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        let wanted = !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|t| t != "dumb");
        Printer {
            json,
            quiet,
            out_colour: wanted && io::stdout().is_terminal(),
            err_colour: wanted && io::stderr().is_terminal(),
            notes: Mutex::default(),
            warnings: Mutex::default(),
        }
    }

    /// Whether results are JSON.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Whether anything but results and errors is wanted.
    pub fn is_talkative(&self) -> bool {
        !self.json && !self.quiet
    }

    /// `text` in a style, on a standard output that shows it.
    pub fn paint(&self, style: Style, text: &str) -> String {
        paint(self.out_colour, style, text)
    }

    /// Writes a result.
    pub fn out(&self, text: &str) -> Outcome {
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|e| Failure::from(mercer::Error::io("standard output", e)))
    }

    /// Writes a result as one JSON object.
    pub fn out_json(&self, report: &impl HasSchema) -> Outcome {
        let text = serde_json::to_string_pretty(&report.written())
            .map_err(|e| Failure::from(mercer::Error::io("standard output", e.into())))?;
        self.out(&format!("{text}\n"))
    }

    /// Says something worth knowing.
    pub fn note(&self, note: impl Into<Note>) {
        let note = note.into();
        if self.is_talkative() {
            self.err("note", Style::Cyan, &note.to_string());
        }
        lock(&self.notes).push(note);
    }

    /// Says something that may be wrong; it counts under `--strict`.
    pub fn warn(&self, message: &str) {
        lock(&self.warnings).push(message.to_owned());
        if self.is_talkative() {
            self.err("warning", Style::Yellow, message);
        }
    }

    /// What was said so far, for JSON.
    pub fn notes(&self) -> Vec<Note> {
        lock(&self.notes).clone()
    }

    /// What was warned of so far.
    pub fn warnings(&self) -> Vec<String> {
        lock(&self.warnings).clone()
    }

    /// Prints a failure, its hint on a line of its own.
    pub fn failure(&self, report: &Report) {
        if self.json {
            let text = serde_json::to_string(&report.written()).unwrap_or_default();
            talk(&text);
            return;
        }
        self.err("error", Style::Red, &report.message);
        if let Some(hint) = &report.hint {
            self.err("hint", Style::Cyan, hint);
        }
    }

    /// Writes a line to standard error, without a label.
    pub fn say(&self, message: &str) {
        if self.is_talkative() {
            talk(message);
        }
    }

    /// A labelled line on standard error, whatever was asked for.
    pub fn err(&self, label: &str, style: Style, message: &str) {
        talk(&format!("{}: {message}", paint(self.err_colour, style, label)));
    }
}

/// A line on standard error; there is nowhere to say that it could not be written.
fn talk(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

fn paint(colour: bool, style: Style, text: &str) -> String {
    if colour && !text.is_empty() { format!("\x1b[{}m{text}\x1b[0m", style.code()) } else { text.to_owned() }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
