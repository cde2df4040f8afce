//! Standard output and standard error: what goes where, and in which colour.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard};

use mercer::Note;
use mercer::report::HasSchema;

use crate::exit::{Failure, Outcome, Report};
use crate::visible::{visible, visible_json};

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
    out_terminal: bool,
    /// Stands in the colours of this process until they are written, so that those of a file are told from them.
    secret: String,
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
            out_terminal: io::stdout().is_terminal(),
            secret: format!("{:016x}", RandomState::new().build_hasher().finish()),
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
        self.painted(self.out_colour, style, text)
    }

    fn painted(&self, colour: bool, style: Style, text: &str) -> String {
        let mark = &self.secret;
        match colour && !text.is_empty() {
            true => format!("\x1b{mark}[{}m{text}\x1b{mark}[0m", style.code()),
            false => text.to_owned(),
        }
    }

    /// The text as a terminal may have it: with our own colours, and nothing else that it would obey.
    fn shown(&self, text: &str) -> String {
        let own = format!("\x1b{}", self.secret);
        let parts: Vec<String> = text.split(&own).map(|part| visible(part).into_owned()).collect();
        parts.join("\x1b")
    }

    /// Writes a result for people.
    pub fn out(&self, text: &str) -> Outcome {
        self.write(&self.shown(text))
    }

    /// Writes a result for programs, as it is; only a terminal is kept from obeying it.
    pub fn out_data(&self, text: &str) -> Outcome {
        if self.out_terminal { self.out(text) } else { self.write(text) }
    }

    fn write(&self, text: &str) -> Outcome {
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|e| Failure::from(mercer::Error::io("standard output", e)))
    }

    /// Writes a result as one JSON object.
    pub fn out_json(&self, report: &impl HasSchema) -> Outcome {
        let text = serde_json::to_string_pretty(&report.written())
            .map_err(|e| Failure::from(mercer::Error::io("standard output", e.into())))?;
        self.write(&format!("{}\n", visible_json(&text)))
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
            talk(&visible_json(&text));
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
            talk(&self.shown(message));
        }
    }

    /// A labelled line on standard error, whatever was asked for.
    pub fn err(&self, label: &str, style: Style, message: &str) {
        talk(&self.shown(&format!("{}: {message}", self.painted(self.err_colour, style, label))));
    }
}

/// A line on standard error; there is nowhere to say that it could not be written.
fn talk(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
