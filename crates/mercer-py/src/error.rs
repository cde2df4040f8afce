//! Errors of the core become Python exceptions.
//!
//! The classes are written in Python, in `mercer.errors`, because each derives from two others:
//! Mercer's base and the natural builtin.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use mercer::Error;
use pyo3::prelude::*;

/// Where the last panic was, and what it said.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Keeps what a panic says for the exception it becomes, instead of printing it.
pub(crate) fn catch_panics() {
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = Some(info.to_string());
        }
    }));
}

/// The exception of an error.
pub(crate) fn exception(py: Python<'_>, error: Error) -> PyErr {
    let error = match user_exception(error) {
        Ok(raised) => return raised,
        Err(error) => error,
    };
    let made = raise(py, class(&error), error.to_string(), error.hint());
    if let Error::NotSeparable { distance, witness, .. } = error {
        let told = made.value(py).call_method1("_witnessed", (distance, witness));
        return told.map_or_else(|e| e, |_| made);
    }
    made
}

/// The exception that a user's own function raised, with its traceback, if that is what happened.
fn user_exception(error: Error) -> Result<PyErr, Error> {
    match error {
        Error::Callback { name, source } => {
            source.downcast::<PyErr>().map(|e| *e).map_err(|source| Error::Callback { name, source })
        }
        other => Err(other),
    }
}

/// The exception of the class of this name in `mercer.errors`.
fn raise(py: Python<'_>, class: &str, message: String, hint: Option<String>) -> PyErr {
    let made = py.import("mercer.errors").and_then(|m| m.call_method1("from_core", (class, message, hint)));
    made.map_or_else(|e| e, PyErr::from_value)
}

fn class(error: &Error) -> &'static str {
    match error {
        Error::InvalidParameter { .. } => "InvalidParameterError",
        Error::Shape { .. } => "ShapeError",
        Error::Domain { .. } => "DomainError",
        Error::Formula(_) => "FormulaError",
        Error::Data { .. } | Error::Column { .. } => "DataError",
        Error::NonFinite { .. } => "NonFiniteError",
        Error::NotPositiveDefinite { .. } => "NotPositiveDefiniteError",
        Error::NotSeparable { .. } => "NotSeparableError",
        Error::Memory { .. } => "MemoryLimitError",
        Error::Unsupported { .. } => "UnsupportedError",
        Error::Format { .. } => "FormatError",
        Error::Io { .. } => "FileError",
        Error::Callback { .. } => "CallbackError",
        Error::Cancelled { by, .. } if by == "the deadline" => "DeadlineError",
        Error::Cancelled { .. } => "InterruptedRun",
        _ => "MercerError",
    }
}

/// The exception of a panic: a mistake of Mercer's, never of the user's.
fn internal(py: Python<'_>, payload: &(dyn Any + Send)) -> PyErr {
    let said = LAST_PANIC.lock().ok().and_then(|mut last| last.take()).unwrap_or_else(|| {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
    });
    let hint = "this is a bug in Mercer; please report it with the formula and the shape of the data";
    raise(py, "InternalError", format!("Mercer broke one of its own rules: {said}"), Some(hint.into()))
}

/// What work gives: an answer, an error, or a panic.
pub(crate) type Answer<T> = std::thread::Result<mercer::Result<T>>;

/// The answer, or the exception of its error or panic.
pub(crate) fn settled<T>(py: Python<'_>, answer: Answer<T>) -> PyResult<T> {
    match answer {
        Ok(answer) => answer.map_err(|e| exception(py, e)),
        Err(payload) => Err(internal(py, payload.as_ref())),
    }
}

/// Calls the core, turning errors and panics into exceptions.
pub(crate) fn guard<T>(py: Python<'_>, work: impl FnOnce() -> mercer::Result<T>) -> PyResult<T> {
    settled(py, catch_unwind(AssertUnwindSafe(work)))
}
