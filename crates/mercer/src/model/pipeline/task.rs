//! What is predicted: numbers, or classes coded as numbers.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::data::{Categories, Column, ColumnType, Labels, Structured, Target, Targets};
use crate::error::{Error, Result, counted, quote_list};
use crate::loss::Pinball;
use crate::model::Link;

use super::schema::seen_levels;

/// One-hot codes of more classes than this are a table nobody meant.
const MOST_CLASSES: usize = 1000;

/// What the outputs of a model mean.
///
/// Two classes are one output, −1 for the first and 1 for the second. Several are an output each, 1 for
/// the class of the row and −1 elsewhere. Classes stand in the order of their numbers, or of their words.
///
/// ```
/// use mercer::{data::{Categories, Column}, model::pipeline::Task};
/// let column = Column::Category(Categories::from_values([Some("yes"), Some("no"), Some("yes")]));
/// let (task, target) = Task::decide(&[("won".into(), column)])?;
/// assert_eq!(target.numbers()?.values(), [1.0, -1.0, 1.0]);
/// assert_eq!(task.labels(&[0.3, -2.0]).and_then(|l| l.get(0).map(String::from)), Some("yes".into()));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Task {
    /// What a model says of points, whatever it means: their coordinates, their groups, or values whose target is known to
    /// the caller alone.
    Points {
        /// Names of the outputs.
        outputs: Vec<String>,
    },
    /// What points have in common with a second input.
    Views {
        /// Names of the columns of the second input.
        targets: Vec<String>,
        /// Names of the outputs.
        outputs: Vec<String>,
    },
    /// Numbers.
    Regression {
        /// Names of the target columns, one an output.
        targets: Vec<String>,
    },
    /// Quantiles of a number.
    Quantiles {
        /// Name of the target column.
        target: String,
        /// The quantiles, increasing, one an output.
        quantiles: Vec<f64>,
    },
    /// Classes.
    Classification {
        /// Name of the target column.
        target: String,
        /// The classes, at least two.
        classes: Vec<String>,
    },
}

impl Task {
    /// Decides by the type of the target: numbers are a regression; categories, and text that repeats,
    /// are classes. Several targets must all be numbers.
    pub fn decide(targets: &[(String, Column)]) -> Result<(Task, Target)> {
        let task = match targets {
            [] => return Ok((Task::Points { outputs: Vec::new() }, Target::None)),
            [(name, column)] if column.column_type() != ColumnType::Number => Self::classification(name, column)?,
            several => Self::Regression { targets: several.iter().map(|(name, _)| name.clone()).collect() },
        };
        let target = task.target(targets)?;
        Ok((task, target))
    }

    /// Target columns as this task wants them.
    pub fn target(&self, targets: &[(String, Column)]) -> Result<Target> {
        match self {
            Task::Points { .. } => Ok(Target::None),
            Task::Classification { .. } => Ok(Target::Classes(Labels::from_targets(&self.encode(targets)?)?)),
            Task::Regression { .. } | Task::Quantiles { .. } | Task::Views { .. } => {
                Ok(Target::Numbers(self.encode(targets)?))
            }
        }
    }

    /// Fails for a link whose values mean something else than this task asks for.
    pub(super) fn check_link(&self, link: Link) -> Result<()> {
        let fits = match (self, link) {
            (_, Link::Identity) | (Task::Points { .. } | Task::Views { .. }, _) => true,
            (Task::Classification { classes, .. }, Link::Logistic) => classes.len() == 2,
            (Task::Classification { classes, .. }, Link::Softmax | Link::Pairs) => classes.len() > 2,
            (Task::Quantiles { .. }, Link::Sorted) => true,
            _ => false,
        };
        match fits {
            true => Ok(()),
            false => Err(Error::invalid("a pipeline", "link", format!("{link:?}"), "one that fits its task")),
        }
    }

    /// The classes of a column. Numbers count as classes here because the caller says so.
    pub fn classification(name: &str, column: &Column) -> Result<Task> {
        check_complete(name, column)?;
        let words = Self::words(name, column)?;
        let mut classes = seen_levels(&words);
        sort(&mut classes);
        if let Column::Structured(values) = column {
            check_repeats(name, values.as_ref(), classes.len())?;
        }
        match classes.len() {
            0 | 1 => Err(Error::column(
                name,
                "at least two classes",
                classes.first().map_or_else(|| "no rows".into(), |only| format!("`{only}` in every row")),
                "choose another target, or data with more than one class",
            )),
            n if n > MOST_CLASSES => Err(Error::column(
                name,
                format!("at most {MOST_CLASSES} classes"),
                n,
                "choose another target, or read it as numbers",
            )),
            _ => Ok(Task::Classification { target: name.to_owned(), classes }),
        }
    }

    /// Codes target columns as this task wants them.
    pub fn encode(&self, targets: &[(String, Column)]) -> Result<Targets> {
        match (self, targets) {
            (Task::Points { .. }, _) => Err(Error::shape("the target of points", "none", targets.len())),
            (Task::Regression { .. } | Task::Views { .. }, columns) | (Task::Quantiles { .. }, columns @ [_]) => {
                numbers(columns)
            }
            (Task::Quantiles { .. }, several) => {
                Err(Error::shape("the target of quantiles", "1 column", several.len()))
            }
            (Task::Classification { classes, .. }, [(name, column)]) => codes(name, column, classes),
            (Task::Classification { .. }, several) => {
                Err(Error::shape("the target of a classification", "1 column", several.len()))
            }
        }
    }

    /// Number of outputs of a model of it.
    pub fn outputs(&self) -> usize {
        match self {
            Task::Points { outputs } | Task::Views { outputs, .. } => outputs.len(),
            Task::Regression { targets } => targets.len(),
            Task::Quantiles { quantiles, .. } => quantiles.len(),
            Task::Classification { classes, .. } if classes.len() == 2 => 1,
            Task::Classification { classes, .. } => classes.len(),
        }
    }

    /// Number of columns whose scale is the target's: those of a second input are no outputs.
    pub(super) fn scaled(&self) -> usize {
        match self {
            Task::Views { targets, .. } => targets.len(),
            other => other.outputs(),
        }
    }

    /// Names of the outputs: the targets, quantiles such as `q0.1`, or the classes whose values they are.
    pub fn names(&self) -> Vec<String> {
        match self {
            Task::Points { outputs } | Task::Views { outputs, .. } => outputs.clone(),
            Task::Regression { targets } => targets.clone(),
            Task::Quantiles { quantiles, .. } => quantiles.iter().map(|q| format!("q{q}")).collect(),
            Task::Classification { classes, .. } if classes.len() == 2 => vec![classes[1].clone()],
            Task::Classification { classes, .. } => classes.clone(),
        }
    }

    /// Names of the target columns.
    pub fn targets(&self) -> Vec<&str> {
        match self {
            Task::Points { .. } => Vec::new(),
            Task::Regression { targets } | Task::Views { targets, .. } => targets.iter().map(String::as_str).collect(),
            Task::Quantiles { target, .. } | Task::Classification { target, .. } => vec![target],
        }
    }

    /// The classes; nothing for a regression.
    pub fn classes(&self) -> Option<&[String]> {
        match self {
            Task::Points { .. } | Task::Views { .. } | Task::Regression { .. } | Task::Quantiles { .. } => None,
            Task::Classification { classes, .. } => Some(classes),
        }
    }

    /// The class of each row of outputs: the second of two where the output is above 0, of several the
    /// one of the largest output, the first among equals. Nothing for a regression.
    pub fn labels(&self, values: &[f64]) -> Option<Categories> {
        let classes = self.classes()?;
        let code = |row: &[f64]| match row {
            [value] => u32::from(*value > 0.0),
            row => (1..row.len()).fold(0, |best, i| if row[i] > row[best] { i } else { best }) as u32,
        };
        let codes = values.chunks(self.outputs().max(1)).map(code).collect();
        Some(Categories::from_codes(codes, classes.to_vec()))
    }

    /// The class of each row of a target column, as words: whole numbers without a point, 0 for −0.
    pub fn words(name: &str, column: &Column) -> Result<Categories> {
        match column {
            Column::Category(c) => Ok(c.clone()),
            Column::Structured(v) => Ok(Categories::from_values(v.cells())),
            Column::Number(v) => match v.iter().find(|x| !x.is_finite()) {
                Some(bad) => Err(Error::column(name, "finite numbers", bad, "leave out these rows")),
                // −0 and 0 are one class.
                None => Ok(Categories::from_values(v.iter().map(|x| Some((x + 0.0).to_string())))),
            },
        }
    }

    pub(super) fn validate(&self) -> Result<()> {
        let (names, least, most) = match self {
            Task::Quantiles { quantiles, .. } => return Pinball::several("a task", quantiles).map(drop),
            Task::Points { outputs } | Task::Views { outputs, .. } => (outputs, 1, usize::MAX),
            Task::Regression { targets } => (targets, 1, usize::MAX),
            Task::Classification { classes, .. } => (classes, 2, MOST_CLASSES),
        };
        let distinct: HashSet<&String> = names.iter().collect();
        if distinct.len() != names.len() || names.len() < least || names.len() > most {
            let shown = format!("{} names, {} distinct", names.len(), distinct.len());
            return Err(Error::invalid(
                "a task",
                "targets or classes",
                shown,
                "distinct and neither too few nor too many",
            ));
        }
        Ok(())
    }
}

fn check_complete(name: &str, column: &Column) -> Result<()> {
    let Some((first, count)) = column.missing() else { return Ok(()) };
    let got = format!("{count} of {} missing, first at row {first} (rows count from 0)", column.len());
    Err(Error::column(name, "a target in every row", got, "leave out the rows without a target (`drop`)"))
}

/// By number where all classes are numbers, by their words elsewhere: the order of rows has no say.
fn sort(classes: &mut [String]) {
    let number = |word: &String| word.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    match classes.iter().all(|c| number(c).is_some()) {
        true => classes.sort_by(|a, b| number(a).partial_cmp(&number(b)).unwrap_or(a.cmp(b)).then(a.cmp(b))),
        false => classes.sort(),
    }
}

/// Free text is no class: few values must cover the rows.
fn check_repeats(name: &str, values: &dyn Structured, classes: usize) -> Result<()> {
    let n = values.len();
    if classes <= (n / 20).max(20).min(n.div_ceil(2)) {
        return Ok(());
    }
    Err(Error::column(
        name,
        "numbers or a few repeated classes",
        format!(
            "free {}, {} in {}",
            values.structured_type().name,
            counted(classes, "value", "values"),
            counted(n, "row", "rows")
        ),
        format!("choose another target, or read it as classes: type `{name}` as category"),
    ))
}

fn numbers(columns: &[(String, Column)]) -> Result<Targets> {
    let mut all = Vec::with_capacity(columns.len());
    for (name, column) in columns {
        let Some(values) = column.numbers() else {
            let hint = "predict one class column at a time, or only numbers";
            return Err(Error::column(name, "numbers", column.column_type(), hint));
        };
        check_complete(name, column)?;
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            let got = format!("{} at row {i} (rows count from 0)", values[i]);
            return Err(Error::column(name, "finite numbers", got, "leave out these rows"));
        }
        check_varies(name, values)?;
        all.push(values);
    }
    let n = all.first().map_or(0, |v| v.len());
    if let Some(at) = all.iter().position(|v| v.len() != n) {
        return Err(Error::shape(format!("the target `{}`", columns[at].0), format!("{n} rows"), all[at].len()));
    }
    let values: Vec<f64> = (0..n).flat_map(|i| all.iter().map(move |v| v[i])).collect();
    Targets::new(values, all.len())
}

fn check_varies(name: &str, values: &[f64]) -> Result<()> {
    let hint = "choose another target: there is nothing to learn from this one";
    match values.first() {
        None => Err(Error::column(name, "a target in every row", "no rows", "give at least two rows")),
        Some(first) if values.len() > 1 && values.iter().all(|v| v == first) => {
            Err(Error::column(name, "a target that varies", format!("{first} in every row"), hint))
        }
        Some(_) => Ok(()),
    }
}

fn codes(name: &str, column: &Column, classes: &[String]) -> Result<Targets> {
    check_complete(name, column)?;
    let words = Task::words(name, column)?;
    let class = |level: &String| classes.iter().position(|c| c == level);
    let numbering: Vec<Option<usize>> = words.levels().iter().map(class).collect();
    let outputs = if classes.len() == 2 { 1 } else { classes.len() };
    let mut values = Vec::with_capacity(words.len() * outputs);
    for code in words.codes() {
        let Some(Some(at)) = numbering.get(*code as usize).copied() else {
            let got = words.levels().get(*code as usize).map_or_else(|| "a missing value".into(), |l| format!("`{l}`"));
            let expected = format!("one of the classes {}", quote_list(classes));
            return Err(Error::column(name, expected, got, "leave out these rows, or fit with them"));
        };
        match outputs {
            1 => values.push(if at == 1 { 1.0 } else { -1.0 }),
            _ => values.extend((0..outputs).map(|o| if o == at { 1.0 } else { -1.0 })),
        }
    }
    Targets::new(values, outputs)
}
