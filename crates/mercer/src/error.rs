//! The one error type of Mercer.
//!
//! Variants hold data, not prose: [`Display`](fmt::Display) composes what happened and where,
//! [`Error::hint`] says how to fix it, [`Error::kind`] says who can. Faces print the hint on a
//! line of its own.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// `Result` with Mercer's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Who can fix an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller asked for something impossible.
    User,
    /// The data are not what was said of them.
    Data,
    /// The arithmetic failed.
    Numeric,
    /// Mercer broke one of its own invariants.
    Internal,
    /// The work was stopped before it had anything to give.
    Cancelled,
}

/// What went wrong, as data.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has a value outside its domain.
    InvalidParameter {
        /// The estimator, kernel or function that owns the parameter.
        owner: String,
        /// The parameter's name.
        name: String,
        /// The value that was given.
        value: String,
        /// What the value must be, completing the sentence "must be …".
        must: String,
    },
    /// Two sizes that must agree do not.
    Shape {
        /// What was measured, for example "`y`".
        what: String,
        /// The expected size, in words.
        expected: String,
        /// The size that was found, in words.
        got: String,
    },
    /// A kernel met data of a kind, or with values, that it is not defined on.
    Domain {
        /// The kernel, as a formula.
        kernel: String,
        /// What it needs.
        expected: String,
        /// What it got.
        got: String,
        /// The column, where one is to blame.
        column: Option<String>,
        /// The columns that would have fitted.
        candidates: Vec<String>,
    },
    /// A formula does not parse or has no meaning.
    Formula(Box<FormulaError>),
    /// A file's content is not what it should be.
    Data {
        /// The file, or the name the reader was given.
        path: PathBuf,
        /// Line in the file, counted from 1.
        line: Option<u64>,
        /// Name or number of the column.
        column: Option<String>,
        /// What is wrong there.
        problem: String,
        /// How to fix it.
        hint: Option<String>,
    },
    /// A column is not what a model needs it to be.
    Column {
        /// The column's name.
        name: String,
        /// What it must be, for example "a number column".
        expected: String,
        /// What it is.
        got: String,
        /// How to fix it.
        hint: String,
    },
    /// Values that must be finite are missing, NaN or infinite.
    NonFinite {
        /// What holds the values, for example "column `age`".
        place: String,
        /// How many of them are not finite.
        count: usize,
        /// How many values there are.
        total: usize,
        /// Row of the first one, counted from 0.
        first_row: usize,
        /// What they are: "missing", "NaN", "infinite".
        what: String,
    },
    /// A factorisation met a matrix that is not positive definite.
    NotPositiveDefinite {
        /// What was being factored.
        stage: String,
        /// The pivot that failed, counted from 0.
        pivot: usize,
        /// Its value.
        value: f64,
        /// The largest diagonal shift that was tried.
        jitter: f64,
    },
    /// No function of the kernel's space separates the classes.
    NotSeparable {
        /// The distance of a convex combination of one class to one of the other, at the level of rounding; without an
        /// intercept, the norm of a convex combination of all rows, those of the second class mirrored.
        distance: f64,
        /// The rows, counted from 0, and their weights, which add up to 1 in each class, without an intercept in all.
        witness: Vec<(usize, f64)>,
        /// Whether there was an intercept.
        intercept: bool,
    },
    /// The work needs more memory than its limit.
    Memory {
        /// Bytes needed in all, with what is already reserved.
        needed: u128,
        /// The limit in bytes.
        limit: u64,
        /// What the bytes are for.
        purpose: String,
        /// A way that needs less.
        alternative: String,
    },
    /// A combination that Mercer does not offer.
    Unsupported {
        /// The combination.
        what: String,
        /// What to do instead.
        alternative: String,
    },
    /// A file is not in the format, or the version of it, that it claims.
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The operating system refused.
    Io {
        /// The file.
        path: PathBuf,
        /// The system's own error.
        source: std::io::Error,
    },
    /// A user's own kernel or loss failed.
    Callback {
        /// The name of the user's function.
        name: String,
        /// Its own error, which faces may unwrap.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The work was stopped with nothing to give.
    Cancelled {
        /// The task that was running.
        stage: String,
        /// Steps done.
        done: u64,
        /// Steps there would have been, where known.
        total: Option<u64>,
        /// What stopped it: "an interrupt" or "the deadline".
        by: String,
    },
}

/// Characters of a formula that an error shows.
const WIDEST: usize = 400;

/// What is wrong with a formula, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaError {
    /// The whole formula.
    pub source: String,
    /// The bytes of `source` to blame.
    pub span: Range<usize>,
    /// What is wrong.
    pub problem: String,
    /// The nearest valid name or other help.
    pub help: Option<String>,
}

impl FormulaError {
    /// The formula, or of a long one what stands around the place, with a caret line under the place, as two lines.
    ///
    /// Control characters are shown as spaces so that the caret stays under its place.
    pub fn snippet(&self) -> String {
        let shown: Vec<char> = self.source.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let before = self.source.get(..self.span.start).unwrap_or(&self.source);
        let inside = self.source.get(self.span.clone()).unwrap_or("");
        let column = before.chars().count();
        let width = inside.chars().count().max(1);
        // A formula that holds a table is long: what stands around the place is enough.
        let from = if shown.len() > WIDEST { column.saturating_sub(WIDEST / 4) } else { 0 };
        let to = shown.len().min(from + WIDEST);
        let (left, right) = (if from > 0 { "…" } else { "" }, if to < shown.len() { "…" } else { "" });
        let indent = column - from + usize::from(from > 0);
        let carets = width.min(to.saturating_sub(column)).max(1);
        let shown: String = shown[from..to].iter().collect();
        format!("  {left}{shown}{right}\n  {}{}", " ".repeat(indent), "^".repeat(carets))
    }
}

impl Error {
    /// A parameter outside its domain: "`alpha` of KernelRidge must be > 0, got -1".
    pub fn invalid(
        owner: impl Into<String>,
        name: impl Into<String>,
        value: impl fmt::Display,
        must: impl Into<String>,
    ) -> Self {
        Error::InvalidParameter { owner: owner.into(), name: name.into(), value: value.to_string(), must: must.into() }
    }

    /// Two sizes that do not agree.
    pub fn shape(what: impl Into<String>, expected: impl fmt::Display, got: impl fmt::Display) -> Self {
        Error::Shape { what: what.into(), expected: expected.to_string(), got: got.to_string() }
    }

    /// A column that is not what a model needs.
    pub fn column(
        name: impl Into<String>,
        expected: impl fmt::Display,
        got: impl fmt::Display,
        hint: impl Into<String>,
    ) -> Self {
        Error::Column { name: name.into(), expected: expected.to_string(), got: got.to_string(), hint: hint.into() }
    }

    /// A file that could not be opened, read or written.
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Error::Io { path: path.into(), source }
    }

    /// Who can fix it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::InvalidParameter { .. }
            | Error::Shape { .. }
            | Error::Domain { .. }
            | Error::Formula(_)
            | Error::Memory { .. }
            | Error::Callback { .. }
            | Error::Unsupported { .. } => ErrorKind::User,
            Error::Data { .. }
            | Error::Column { .. }
            | Error::NonFinite { .. }
            | Error::NotSeparable { .. }
            | Error::Format { .. }
            | Error::Io { .. } => ErrorKind::Data,
            Error::NotPositiveDefinite { .. } => ErrorKind::Numeric,
            Error::Cancelled { .. } => ErrorKind::Cancelled,
        }
    }

    /// How to fix it, where Mercer knows.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Domain { candidates, .. } if !candidates.is_empty() => {
                Some(format!("columns that fit: {}", quote_list(candidates)))
            }
            Error::Domain { expected, .. } if expected.starts_with("to be positive semi-definite") => {
                Some("take another kernel, or a `repair`: `clip`, `flip` or `shift`".into())
            }
            Error::Formula(e) => e.help.clone(),
            Error::Data { hint, .. } => hint.clone(),
            Error::Column { hint, .. } => Some(hint.clone()),
            Error::NonFinite { what, .. } if what == "missing" => {
                Some(
                    "drop the rows (`drop`) or fill them with the mean or the most frequent value (`impute`); `with_gaps(…)` \
                     around a kernel reads them"
                        .into(),
                )
            }
            Error::NonFinite { .. } => Some("remove or replace these values before binding a kernel".into()),
            Error::NotPositiveDefinite { .. } => {
                Some("raise the diagonal shift, or check that the kernel is positive definite; `repair` makes kernel values so".into())
            }
            Error::NotSeparable { .. } => Some(
                "give a finite `C`, or a kernel that tells more points apart, such as one with a shorter length scale"
                    .into(),
            ),
            Error::Memory { alternative, .. } | Error::Unsupported { alternative, .. } => Some(alternative.clone()),
            Error::Io { source, .. } => io_hint(source.kind()).map(str::to_owned),
            _ => None,
        }
    }
}

/// What to do about a refusal of the system, where it tells.
fn io_hint(kind: std::io::ErrorKind) -> Option<&'static str> {
    use std::io::ErrorKind;
    match kind {
        ErrorKind::InvalidFilename => Some("choose a shorter name"),
        ErrorKind::PermissionDenied => Some("choose another place, or ask for permission to this one"),
        ErrorKind::ReadOnlyFilesystem => Some("choose another place, this one cannot be written to"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some("make room there, or choose another place"),
        ErrorKind::FileTooLarge => Some("raise the limit on the size of files (`ulimit -f`), or write less"),
        _ => None,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::InvalidParameter { owner, name, value, must } => {
                write!(f, "`{name}` of {owner} must be {must}, got {value}")
            }
            Error::Shape { what, expected, got } => write!(f, "{what}: expected {expected}, got {got}"),
            Error::Domain { kernel, expected, got, column, .. } => {
                write!(f, "kernel `{kernel}` needs {expected}, got {got}")?;
                column.as_ref().map_or(Ok(()), |c| write!(f, " (column `{c}`)"))
            }
            Error::Formula(e) => {
                let column = e.source.get(..e.span.start).map_or(0, |s| s.chars().count()) + 1;
                write!(f, "{} at column {column}\n{}", e.problem, e.snippet())
            }
            Error::Data { path, line, column, problem, .. } => {
                write!(f, "{}", path.display())?;
                line.map_or(Ok(()), |l| write!(f, ", line {l}"))?;
                column.as_ref().map_or(Ok(()), |c| write!(f, ", column `{c}`"))?;
                write!(f, ": {problem}")
            }
            Error::Column { name, expected, got, .. } => write!(f, "column `{name}`: expected {expected}, got {got}"),
            Error::NonFinite { place, count, total, first_row, what } => {
                let verb = if *count == 1 { "is" } else { "are" };
                write!(
                    f,
                    "{count} of {total} values in {place} {verb} {what}, first at row {first_row} (rows count from 0)"
                )
            }
            Error::NotPositiveDefinite { stage, pivot, value, jitter } => {
                write!(f, "{stage} failed at pivot {pivot} (value {value:e}) after jitter {jitter:e}")
            }
            Error::Memory { needed, limit, purpose, .. } => {
                write!(f, "{purpose} needs {}, limit {}", human_bytes(*needed), human_bytes(u128::from(*limit)))
            }
            Error::NotSeparable { distance, witness, intercept: true } => write!(
                f,
                "the classes are not separable in this feature space: convex combinations of {} come within \
                 {distance:.1e} of each other, so no half-margin above {:.1e} exists",
                counted(witness.len(), "row", "rows"),
                0.5 * distance
            ),
            Error::NotSeparable { distance, witness, intercept: false } => write!(
                f,
                "the classes are not separable in this feature space without an intercept: a convex combination of {} \
                 with signs has the norm {distance:.1e}, and no margin above that exists",
                counted(witness.len(), "row", "rows")
            ),
            Error::Unsupported { what, .. } => write!(f, "{what} is not supported"),
            Error::Format { path, problem } => write!(f, "{}: {problem}", path.display()),
            Error::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Error::Callback { name, source } => write!(f, "user kernel `{name}` failed: {source}"),
            Error::Cancelled { stage, done, total, by } => {
                write!(f, "{stage} stopped by {by} at step {done}")?;
                total.map_or(Ok(()), |t| write!(f, " of {t}"))
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            Error::Callback { source, .. } => Some(source.as_ref()),
            _ => None,
        }
    }
}

/// `12.5 GiB`: three significant digits and a binary unit.
pub fn human_bytes(bytes: u128) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} B"),
        _ if value < 9.995 => format!("{value:.2} {}", UNITS[unit]),
        _ if value < 99.95 => format!("{value:.1} {}", UNITS[unit]),
        _ => format!("{value:.0} {}", UNITS[unit]),
    }
}

/// The candidate nearest to `word` by edit distance, if it is near enough to be a typing slip.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = 1 + word.chars().count() / 3;
    candidates
        .into_iter()
        .map(|c| (edit_distance(&word.to_lowercase(), &c.to_lowercase()), c))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

/// Levenshtein distance, counting an exchange of neighbours as one step.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let substitute = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substitute.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// `1 row`, `3 rows`.
pub fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// "`a`, `b`, `c` and 4 more".
pub fn quote_list<S: AsRef<str>>(names: &[S]) -> String {
    const SHOWN: usize = 6;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|n| format!("`{}`", n.as_ref())).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        rest => format!("{} and {rest} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        let said = [0, 1, 2].map(|n| counted(n, "entry", "entries"));
        assert_eq!(said, ["0 entries", "1 entry", "2 entries"]);
    }

    #[test]
    fn bytes_have_three_digits_and_a_unit() {
        assert_eq!(human_bytes(17), "17 B");
        assert_eq!(human_bytes(800_000_000), "763 MiB");
        assert_eq!(human_bytes(20_000_000_000), "18.6 GiB");
    }

    #[test]
    fn nearest_finds_slips_and_refuses_strangers() {
        assert_eq!(nearest("mattern32", ["matern12", "matern32", "rbf"]), Some("matern32"));
        assert_eq!(nearest("lienar", ["linear", "laplace"]), Some("linear"));
        assert_eq!(nearest("zebra", ["linear", "laplace"]), None);
    }

    #[test]
    fn caret_counts_characters_not_bytes() {
        let e = FormulaError { source: "é + foo".into(), span: 5..8, problem: String::new(), help: None };
        assert_eq!(e.snippet(), "  é + foo\n      ^^^");
    }
}
