//! What the user should know, as data with a sentence.
//!
//! Faces look at the kind of a note and at its numbers, never into its sentence; the sentence is for people. As JSON a note
//! is an object: its `kind`, its data, and the `sentence`.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::certificate::Stop;
use crate::error::{counted, quote_list};

/// Something worth knowing about data, a fit, or a prediction.
///
/// ```
/// use mercer::Note;
/// let note = Note::RowsLeftOut { left_out: 2, of: 344 };
/// assert_eq!(note.to_string(), "left out 2 of 344 rows: a value is missing there");
/// let json = serde_json::to_value(&note).expect("JSON");
/// assert_eq!((json["kind"].as_str(), json["left_out"].as_u64()), (Some("rows_left_out"), Some(2)));
/// assert_eq!(serde_json::from_value::<Note>(json).expect("a note"), note);
/// ```
// The derived functions become inherent ones, so that those of the traits can add and skip the sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", remote = "Self")]
#[non_exhaustive]
#[allow(missing_docs, reason = "the sentence of a kind says what its fields are")]
pub enum Note {
    /// Numbers that are spelt in their own way, with an example.
    NumbersSpelt { column: String, spelling: String, cell: String, value: f64 },
    /// Cells that are no numbers, in a column whose other cells are.
    SpoiledNumbers { column: String, column_type: String, spoiled: usize, of: usize, cells: Vec<SpoiledCell> },
    /// Dates that became seconds since 1970, with the parts that became columns.
    DatesRead { column: String, cell: String, value: f64, parts: Vec<String> },
    /// Dates whose days may be months.
    DatesUnclear { column: String },
    /// Numbers that begin with 0, as codes do.
    LeadingZeros { column: String, cell: String },
    /// Lines of a file that are comments.
    CommentLines { lines: usize },
    /// A first column without a name that tells rows apart.
    RowNames { column: String },
    /// Columns that tell every row from all others.
    Identifiers { columns: Vec<String> },
    /// Numbers that are taken for classes.
    ClassesGuessed { target: String, classes: Vec<String> },
    /// Rows without a value.
    RowsLeftOut { left_out: usize, of: usize },
    /// Rows without a target.
    RowsWithoutTarget { left_out: usize, of: usize },
    /// Classes of a single row.
    SingleRowClasses { target: String, classes: Vec<String> },
    /// New rows that have no answer, the first of them by number.
    RowsNotAnswered { not_answered: usize, of: usize, rows: Vec<usize>, columns: Vec<Gaps> },
    /// A column that is the target under another name.
    EqualsTarget { column: String, target: String },
    /// Columns that hold one value only.
    ConstantColumns { columns: Vec<String> },
    /// Missing values that were filled.
    Filled { columns: Vec<Gaps> },
    /// Categories of new rows that no training row has.
    UnseenCategories { column: String, rows: usize, categories: Vec<String> },
    /// Entries of sparse rows beyond the last column of training.
    EntriesIgnored { entries: usize, last_column: String },
    /// Columns that no part of the kernel reads, and formulas that would.
    ColumnsUnread { columns: Vec<TypedColumn>, readers: String },
    /// Letters that the alphabet of a kernel does not know, in so many rows: windows that hold one are left out.
    UnknownLetters { column: String, kernel: String, alphabet: String, letters: usize, of: usize, rows: usize },
    /// What a rule of the kernel found.
    RuleResolved { path: String, value: f64, detail: String },

    /// A parameter that tuning left at a bound.
    AtBound { parameter: String, bound: f64, upper: bool },
    /// Tuning found no parameters at which the matrix can be factored.
    NothingToTune,
    /// Tuning ended before its tolerance.
    TuningStopped { stop: Stop },
    /// The solver ended before its tolerance.
    FitStopped { stop: Stop },
    /// The mode of a process of classes was not found to its tolerance.
    ModeStopped { stop: Stop },
    /// What was added to the diagonal of a process.
    JitterAdded { jitter: f64 },
    /// No function better than 0 was reached.
    NothingLearnt,
    /// Duality needs a positive definite kernel.
    NoDuality,
    /// A loss without a conjugate has no gap.
    NoConjugate { loss: String },
    /// A loss without a conjugate, minimised from several starts.
    BestOfStarts { loss: String, starts: usize, lowest: f64, highest: f64 },
    /// A bound of the norm that the answer does not reach.
    BoundSlack { bound: f64, norm: f64 },
    /// Quantiles moved so that they cover what they claim.
    Calibrated { folds: usize, shifts: Vec<f64> },
    /// Probabilities of a support vector machine that go through ½ where the class changes, and what the log-loss of held-out
    /// rows would be otherwise.
    Probabilities { folds: usize, log_loss: f64, free_log_loss: f64 },
    /// Probabilities of least squares, and the log-loss of rows left out one at a time.
    ProbabilitiesLeftOut { slope: f64, log_loss: f64 },
    /// How often the most probable class is not the one with most votes.
    VotesDisagree { share: f64 },
    /// The smoothness of a target that a filter rewards; nothing if there is no limit.
    Qualification { qualification: Option<f64> },
    /// The step that was chosen.
    StepChosen { step_size: f64 },
    /// The automatic step was lowered in a later part.
    StepLowered { from: f64, to: f64 },
    /// Steps that overshoot.
    StepsOvershoot { from: f64 },
    /// First steps at which directions grow.
    StepsGrow { above: f64 },
    /// Rows held out chose the number of iterations.
    HeldOut { iterations: usize, share: f64 },

    /// Some rows stand for all, since all cost too much.
    ManyRows { learner: String, rows: usize, landmarks: usize },
    /// Two learners of classes were compared, and which was taken.
    LearnersCompared { taken: String, loss: f64, left: String, other: f64 },
    /// Folds that took another learner than all rows do.
    FoldsTookOthers { learner: String, folds: usize, of: usize },
    /// The work was stopped before all rows were learnt from.
    InHaste { rows: usize, of: usize },
    /// alpha was held where the evidence would go below.
    AlphaHeld { alpha: f64 },
    /// The variance of what is behind classes was held where the evidence would go above.
    VarianceHeld { held: f64, evidence: f64 },
    /// The columns of numbers have one scale together.
    OneScale { error: f64, error_of_own: f64 },
    /// The weights were divided by their mean while the kernel was tuned.
    WeightsOverMean { mean: f64 },
    /// The error could not be estimated.
    NoEstimate { problem: String },
    /// Bounds that a process gives by itself.
    ProcessBounds { level: f64 },
    /// What is not in a picture.
    NotDrawn { why: String },

    /// What no face tells apart: the remark of one command or one learner.
    Remark { remark: String },
}

/// A cell that is no number, and its line in the file, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpoiledCell {
    /// The line.
    pub line: u64,
    /// What stands there.
    pub cell: String,
}

/// Missing values of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gaps {
    /// The column.
    pub column: String,
    /// How many are missing.
    pub missing: usize,
}

/// A column with its type, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypedColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub column_type: String,
}

impl From<String> for Note {
    fn from(remark: String) -> Self {
        Note::Remark { remark }
    }
}

impl From<&str> for Note {
    fn from(remark: &str) -> Self {
        Note::Remark { remark: remark.to_owned() }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}

impl Note {
    /// The sentence of every kind: a table.
    fn sentence(&self) -> String {
        match self {
            Note::NumbersSpelt { column, spelling, cell, value } => {
                format!("column `{column}` is read as {spelling}: `{cell}` is {value}")
            }
            Note::SpoiledNumbers { column, column_type, spoiled, of, cells } => {
                spoiled_numbers(column, column_type, (*spoiled, *of), cells)
            }
            Note::DatesRead { column, cell, value, parts } => {
                let also = match parts.is_empty() {
                    true => String::new(),
                    false => format!(", with columns for {}", parts.join(", ")),
                };
                format!("column `{column}` is read as dates, in seconds since 1970: `{cell}` is {value}{also}")
            }
            Note::DatesUnclear { column } => format!(
                "column `{column}` may hold dates, but no cell tells whether days or months stand first: it is read as words; write \
                 dates as 2024-01-31"
            ),
            Note::LeadingZeros { column, cell } => format!(
                "column `{column}` has cells with a leading 0, such as `{cell}`, and is read as numbers; if they are codes, type \
                 `{column}` as category"
            ),
            Note::CommentLines { lines } => {
                format!("{} with `#` left out", counted(*lines, "line that begins", "lines that begin"))
            }
            Note::RowNames { column } => format!(
                "the first column has no name and tells all rows apart: it is taken for names of rows and left out; give \
                 `{column}` a type to keep it"
            ),
            Note::Identifiers { columns } => format!(
                "{} {}: rows can be told apart by {} alone, which says nothing of new ones; exclude {} unless that is meant",
                if columns.len() == 1 { "column" } else { "columns" },
                quote_list(columns),
                if columns.len() == 1 { "it" } else { "each" },
                if columns.len() == 1 { "it" } else { "them" },
            ),
            Note::ClassesGuessed { target, classes } => format!(
                "`{target}` holds few whole numbers ({}) and is taken for classes; type `{target}` as number to predict numbers",
                classes.join(", ")
            ),
            Note::RowsWithoutTarget { left_out, of } => {
                format!("left out {left_out} of {}: the target is missing there", counted(*of, "row", "rows"))
            }
            Note::SingleRowClasses { target, classes } => single_rows(target, classes),
            Note::RowsNotAnswered { not_answered, of, rows, columns } => {
                let shown: Vec<String> = rows.iter().map(ToString::to_string).collect();
                let more = if rows.len() < *not_answered { ", …" } else { "" };
                format!(
                    "no answer for {not_answered} of {} ({} {}{more}, counted from 0): missing {}; a model that was fitted with \
                     `impute` fills them",
                    counted(*of, "row", "rows"),
                    if *not_answered == 1 { "row" } else { "rows" },
                    shown.join(", "),
                    list(columns, |c| format!("{} in `{}`", c.missing, c.column))
                )
            }
            Note::RowsLeftOut { left_out, of } => {
                format!("left out {left_out} of {}: a value is missing there", counted(*of, "row", "rows"))
            }
            Note::EqualsTarget { column, target } => {
                format!("column `{column}` equals the target `{target}` in every row; is it known in advance?")
            }
            Note::ConstantColumns { columns } => {
                format!("constant {}: {}", if columns.len() == 1 { "column" } else { "columns" }, quote_list(columns))
            }
            Note::Filled { columns } => {
                format!("missing values filled: {}", list(columns, |c| format!("{} in `{}`", c.missing, c.column)))
            }
            Note::UnseenCategories { column, rows, categories } => format!(
                "column `{column}`: {} a category unseen in training ({}), unlike every training row",
                counted(*rows, "row has", "rows have"),
                quote_list(categories)
            ),
            Note::EntriesIgnored { entries, last_column } => format!(
                "{} in columns after `{last_column}`, the last one of training; ignored",
                counted(*entries, "entry stands", "entries stand")
            ),
            Note::ColumnsUnread { columns, readers } => unread(columns, readers),
            Note::UnknownLetters { column, kernel, alphabet, letters, of, rows } => {
                let (rows_are, is) =
                    (if *rows == 1 { "row" } else { "rows" }, if *letters == 1 { "is" } else { "are" });
                format!(
                    "column `{column}`: {letters} of {of} letters, in {rows} {rows_are}, {is} unknown to the alphabet `{alphabet}`; \
                     `{kernel}` leaves out windows that hold one (`alphabet=protein` or `alphabet=bytes` knows others)"
                )
            }
            Note::RuleResolved { path, value, detail } => format!("{path} = {value}: {detail}"),
            Note::AtBound { parameter, bound, upper } => format!(
                "`{parameter}` ended at its {} bound, {:e}: widen the bound, or fix the parameter if it does not matter",
                if *upper { "upper" } else { "lower" },
                // The way to the log scale and back leaves digits nobody gave.
                format!("{bound:.6e}").parse().unwrap_or(*bound)
            ),
            Note::NothingToTune => {
                "no parameters were found at which the kernel matrix plus noise is positive definite \
                                    to rounding: the parameters are as given; raise alpha or its bounds"
                    .into()
            }
            Note::TuningStopped { stop } => format!("tuning ended before its tolerance was reached ({})", stop.name()),
            Note::FitStopped { stop } => {
                format!("stopped before the tolerance was reached ({}); the certificate says how far off", stop.name())
            }
            Note::ModeStopped { stop } => format!("the mode is not found to its tolerance ({})", stop.name()),
            Note::JitterAdded { jitter } => format!(
                "the kernel matrix plus noise is not positive definite to rounding: {jitter:e} was added to its diagonal, \
                 as if the noise were larger by that"
            ),
            Note::NothingLearnt => "no function was reached that is better than f = 0, so f = 0 is the answer".into(),
            Note::NoDuality => {
                "the kernel is not positive definite, so duality gives no lower bound of the objective".into()
            }
            Note::NoConjugate { loss } => format!("the loss `{loss}` has no conjugate, so the gap is not known"),
            Note::BestOfStarts { loss, starts, lowest, highest } => format!(
                "the loss `{loss}` has no conjugate, so the gap is not known and, if it is not convex, neither is the \
                 minimum; the best of {starts} starts is kept, whose objectives lie between {lowest:.6e} and {highest:.6e}"
            ),
            Note::BoundSlack { bound, norm } => {
                format!("the bound {bound:.6e} is slack: the norm of the answer is {norm:.6e}")
            }
            Note::Calibrated { folds, shifts } => format!(
                "the quantiles were calibrated by {folds} folds of the rows, and shifted by {}",
                list(shifts, |s| format!("{s:.3e}"))
            ),
            Note::Probabilities { folds, log_loss, free_log_loss } => format!(
                "probabilities were found from {folds} folds and are ½ where the class changes; their log-loss on held-out rows is \
                 {log_loss:.4}, and {free_log_loss:.4} if that were left open"
            ),
            Note::ProbabilitiesLeftOut { slope, log_loss } => format!(
                "probabilities are those of {slope:.4} times the values, the best for rows left out one at a time; their log-loss \
                 is {log_loss:.4} there"
            ),
            Note::VotesDisagree { share } => {
                format!(
                    "in {:.2} % of the training rows the most probable class is not the one with most votes",
                    100.0 * share
                )
            }
            Note::Qualification { qualification: Some(q) } => {
                format!("qualification {q}: smoothness of the target beyond it is not rewarded")
            }
            Note::Qualification { qualification: None } => "no limit to its qualification".into(),
            Note::StepChosen { step_size } => {
                format!("step_size = {step_size:.6}, which is 0.95 over the largest eigenvalue of K/n")
            }
            Note::StepLowered { from, to } => format!(
                "the automatic step was lowered from {from:.6} to {to:.6}, since k(x, x) is larger in a later part"
            ),
            Note::StepsOvershoot { from } => format!(
                "steps of {from:.6} and more overshoot in the leading direction; it shrinks while changing its sign"
            ),
            Note::StepsGrow { above } => format!("the first steps are above {above:.6}, where directions grow"),
            Note::HeldOut { iterations, share } => {
                let iterations = counted(*iterations, "iteration", "iterations");
                format!("{iterations} did best on the {} % of rows held out", 100.0 * share)
            }
            Note::ManyRows { learner, rows, landmarks } => format!(
                "at most {landmarks} of {rows} rows stand for all, since `{learner}` on all would take much memory and time; ask for \
                 it by name to have it"
            ),
            Note::LearnersCompared { taken, loss, left, other } => {
                format!("`{taken}` is taken and not `{left}`: the log-loss of folds is {loss:.4} and {other:.4}")
            }
            Note::FoldsTookOthers { learner, folds, of } => {
                format!("the error is that of choosing anew: {folds} of {of} folds took another model than `{learner}`")
            }
            Note::InHaste { rows, of } => format!(
                "the work was stopped before a model of all rows was there: this one knows {rows} of {of}, with what had been \
                 chosen by then"
            ),
            Note::AlphaHeld { alpha } => format!(
                "the kernel was tuned with alpha held at {alpha}: codes of classes have no noise, and the evidence would go below"
            ),
            Note::VarianceHeld { held, evidence } => format!(
                "the evidence would have functions of variance {evidence:.0}, where probabilities by Laplace's approximation are far too \
                 cautious: the kernel was scaled down to {held}"
            ),
            Note::OneScale { error, error_of_own } => format!(
                "the columns of numbers share one scale: rows that are left out are missed by {error:.3} of the standard deviation, and \
                 by {error_of_own:.3} where each has its own"
            ),
            Note::WeightsOverMean { mean } => format!(
                "the kernel was tuned with the weights divided by their mean, {mean:.6}: the evidence takes the copies that \
                 a weight stands for as data without noise"
            ),
            Note::NoEstimate { problem } => format!("its error cannot be estimated: {problem}"),
            Note::ProcessBounds { level } => format!(
                "the bounds hold a new observation with {} % by the process itself: mean ± a multiple of \
                 √(posterior variance + noise)",
                100.0 * level
            ),
            Note::NotDrawn { why } => why.clone(),
            Note::Remark { remark } => remark.clone(),
        }
    }
}

fn list<T>(items: &[T], words: impl Fn(&T) -> String) -> String {
    items.iter().map(words).collect::<Vec<_>>().join(", ")
}

fn spoiled_numbers(column: &str, column_type: &str, (spoiled, of): (usize, usize), cells: &[SpoiledCell]) -> String {
    let shown = list(cells, |c| format!("`{}` (line {})", c.cell, c.line));
    let more = if spoiled > cells.len() { format!(" and {} more", spoiled - cells.len()) } else { String::new() };
    format!(
        "column `{column}` is read as {column_type}, though {} of {of} cells are numbers; the others are {shown}{more}",
        of - spoiled
    )
}

fn single_rows(target: &str, classes: &[String]) -> String {
    match classes {
        [one] => format!(
            "class `{one}` of `{target}` has one row, which cannot both teach and judge: add rows of it, join it with another \
             class, or leave it out"
        ),
        several => format!(
            "{} classes of `{target}` have one row each ({}), which cannot both teach and judge: add rows of them, join them with \
             others, or leave them out",
            several.len(),
            quote_list(several)
        ),
    }
}

/// Columns that are named in a sentence.
const SHOWN: usize = 6;

fn unread(unread: &[TypedColumn], readers: &str) -> String {
    let shown = list(&unread[..unread.len().min(SHOWN)], |c| format!("`{}` ({})", c.name, c.column_type));
    let more = if unread.len() > SHOWN { format!(" and {} more", unread.len() - SHOWN) } else { String::new() };
    let (columns, them) = if unread.len() == 1 { ("column", "it") } else { ("columns", "them") };
    format!("no part of the kernel reads the {columns} {shown}{more}: add {readers}, or leave {them} out")
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Told<'a> {
            #[serde(flatten, with = "Note")]
            note: &'a Note,
            sentence: String,
        }
        Told { note: self, sentence: self.to_string() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Note {
    /// A kind that this version does not know is still a sentence to read.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Note::deserialize(&value).or_else(|_| {
            let sentence = value.get("sentence").and_then(Value::as_str);
            sentence.map(Note::from).ok_or_else(|| D::Error::custom("a note has a kind with its data, or a sentence"))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_note_of_a_later_version_is_its_sentence() {
        let later = json!({"kind": "seen_from_afar", "distance": 3, "sentence": "it is far"});
        assert_eq!(serde_json::from_value::<Note>(later).expect("a note"), Note::from("it is far"));
        assert!(serde_json::from_value::<Note>(json!({"kind": "seen_from_afar"})).is_err());
        assert!(serde_json::from_value::<Note>(json!("it is far")).is_err());
    }

    #[test]
    fn numbers_that_json_has_not_leave_the_sentence() {
        let note = Note::BoundSlack { bound: f64::INFINITY, norm: 1.0 };
        let read: Note = serde_json::from_value(serde_json::to_value(&note).expect("JSON")).expect("a note");
        assert_eq!(read.to_string(), note.to_string());
        assert_ne!(read, note);
    }
}
