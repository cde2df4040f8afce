//! How a command ends: outcomes, failures and their exit codes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use mercer::report::HasSchema;
use mercer::{Error, ErrorKind};
use serde::Serialize;

/// Why a command gave no result.
#[derive(Debug)]
pub enum Failure {
    /// An error of the library.
    Mercer(Error),
    /// A request that makes no sense, and what to do instead.
    Usage {
        /// What is wrong.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// The reader of standard output went away, which is its right.
    BrokenPipe,
}

/// What a command that asks a question found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Done, or yes.
    Yes,
    /// Done, and the answer is no.
    No,
    /// Done, without an answer.
    NotDecided,
}

impl Answer {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Answer::Yes => 0,
            Answer::No => 1,
            Answer::NotDecided => 5,
        }
    }
}

/// The result of a command.
pub type Outcome<T = ()> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match &error {
            Error::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Mercer(error),
        }
    }
}

impl Failure {
    /// The same of rows to be predicted, which are never left out.
    pub fn of_new_rows(self) -> Self {
        match &self {
            Failure::Mercer(error @ Error::NonFinite { what, .. }) if what == "missing" => {
                let hint =
                    "fill the values or leave the rows out; a model that was fitted with `--missing impute` fills them";
                Failure::usage(error.to_string(), hint)
            }
            _ => self,
        }
    }

    /// A request that makes no sense.
    pub fn usage(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure::Usage { problem: problem.into(), hint: hint.into() }
    }

    /// The exit code; `interrupted` tells an interrupt from a deadline.
    pub fn code(&self, interrupted: bool) -> u8 {
        match self {
            Failure::BrokenPipe => 0,
            Failure::Usage { .. } => 2,
            Failure::Mercer(error) => match error.kind() {
                ErrorKind::User | ErrorKind::Data => 2,
                ErrorKind::Numeric => 3,
                ErrorKind::Cancelled if interrupted => 130,
                ErrorKind::Cancelled => 5,
                _ => 4,
            },
        }
    }

    /// What to print, if anything.
    pub fn report(&self) -> Option<Report> {
        let (kind, message, hint) = match self {
            Failure::BrokenPipe => return None,
            Failure::Usage { problem, hint } => ("user", problem.clone(), Some(hint.clone())),
            Failure::Mercer(error) => (kind_name(error.kind()), error.to_string(), hint(error)),
        };
        Some(Report { kind, message, hint })
    }
}

/// A failure, for people and for JSON.
#[derive(Debug, Serialize)]
pub struct Report {
    kind: &'static str,
    /// What happened and where.
    pub message: String,
    /// How to go on.
    pub hint: Option<String>,
}

impl HasSchema for Report {
    const SCHEMA: &'static str = "mercer.error/1";
}

fn kind_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::User => "user",
        ErrorKind::Data => "data",
        ErrorKind::Numeric => "numeric",
        ErrorKind::Cancelled => "cancelled",
        _ => "internal",
    }
}

/// The library's hint, in the words of the command line where it has its own.
fn hint(error: &Error) -> Option<String> {
    match error {
        Error::NonFinite { what, .. } if what == "missing" => Some(
            "`--missing drop` leaves these rows out, `--missing impute` fills and marks them; `with_gaps(…)` around \
                  a kernel reads them"
                .into(),
        ),
        Error::Memory { purpose, alternative, .. } if purpose.starts_with("writing") => {
            Some(format!("raise `--memory`, or {alternative}"))
        }
        Error::Memory { .. } => Some("raise `--memory`, or use fewer rows or columns".into()),
        Error::Cancelled { by, .. } if by.contains("deadline") => Some("allow more time with `--deadline`".into()),
        _ => error.hint(),
    }
}

/// Runs `work`; a panic becomes the text to show instead of reaching the user.
pub fn guard<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static PLACE: Mutex<Option<String>> = Mutex::new(None);
    std::panic::set_hook(Box::new(|info| {
        let mut place = PLACE.lock().unwrap_or_else(|e| e.into_inner());
        // The first panic is the cause; others follow from it.
        place.get_or_insert_with(|| info.to_string());
    }));
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let place = PLACE.lock().unwrap_or_else(|e| e.into_inner()).take().unwrap_or_default();
        format!("this is a defect of Mercer, not of your data or your command\n{place}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_become_a_sentence() {
        let text = guard(|| panic!("a broken invariant")).expect_err("it panicked");
        assert!(text.starts_with("this is a defect of Mercer"), "{text}");
        assert!(text.contains("a broken invariant"), "{text}");
        assert_eq!(guard(|| 3), Ok(3));
    }

    #[test]
    fn codes_follow_the_kind_of_error() {
        let cancelled = || Error::Cancelled { stage: "gram".into(), done: 1, total: None, by: "the deadline".into() };
        let pivot = Error::NotPositiveDefinite { stage: "K".into(), pivot: 0, value: -1.0, jitter: 0.0 };
        let pipe = Error::io("-", std::io::ErrorKind::BrokenPipe.into());
        assert_eq!(Failure::from(cancelled()).code(false), 5);
        assert_eq!(Failure::from(cancelled()).code(true), 130);
        assert_eq!(Failure::from(pivot).code(false), 3);
        assert_eq!(Failure::from(pipe).code(false), 0);
        assert_eq!(Failure::from(Error::invalid("a", "b", 1, "c")).code(false), 2);
    }
}
