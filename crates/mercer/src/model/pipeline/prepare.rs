//! From data to points: missing values, then scales; fitted once, applied the same way ever after.

use serde::{Deserialize, Serialize};

use crate::data::{
    Column, Dataset, Imputer, Inputs, MissingPolicy, Standardizer, Table, Target, Weights, check_complete,
    check_finite, check_present_finite, identifiers,
};
use crate::error::{Error, Result, quote_list};
use crate::kernel::KernelExpr;
use crate::model::regress::KernelQuantileRegressor;
use crate::model::{Answer, Model};
use crate::note::{Gaps, Note};

use super::{Pipeline, PipelineParts, Schema, TargetScaling, Task};

/// How data are prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepare {
    /// What to do about missing values in training; rows without a target are left out in any case. Rows to be predicted are
    /// never left out: with `drop`, a missing value there is an error, and
    /// [`Pipeline::answerable`](super::Pipeline::answerable) says which rows have none.
    pub missing: MissingPolicy,
    /// Whether to bring number columns to mean 0 and standard deviation 1.
    pub standardize: bool,
    /// Whether these columns have one scale together instead of one each: pixels, counts and shares are in one unit, and those that
    /// hardly vary say less.
    #[serde(default)]
    pub one_scale: bool,
    /// Whether to do the same with the targets of a regression; undone at prediction.
    pub scale_target: bool,
}

impl Default for Prepare {
    fn default() -> Self {
        Prepare { missing: MissingPolicy::Error, standardize: true, one_scale: false, scale_target: true }
    }
}

/// The fitted way from data to points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preparation {
    /// The columns there must be.
    pub schema: Schema,
    /// What was done about missing values in training.
    pub missing: MissingPolicy,
    /// What fills them, if they are filled.
    pub imputer: Option<Imputer>,
    /// The scales of the columns, if they are standardised.
    pub standardizer: Option<Standardizer>,
}

/// Data ready for an estimator.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// How it was done, to be done again.
    pub preparation: Preparation,
    /// What is predicted.
    pub task: Task,
    /// The scale of the targets.
    pub target_scaling: Option<TargetScaling>,
    /// The points.
    pub inputs: Inputs,
    /// What is to be predicted there, scaled.
    pub target: Target,
    /// The rows that are left of the data, in order.
    pub kept: Vec<usize>,
    /// Their weights.
    pub weights: Option<Weights>,
    /// What the user should know.
    pub notes: Vec<Note>,
}

impl Prepare {
    /// The same for a kernel that reads gaps: they are kept unless something else was asked for, and the kernel
    /// refuses those that it does not read.
    pub fn for_kernel(self, kernel: Option<&KernelExpr>) -> Self {
        match (self.missing, kernel) {
            (MissingPolicy::Error, Some(kernel)) if kernel.reads_gaps() => {
                Prepare { missing: MissingPolicy::Keep, ..self }
            }
            _ => self,
        }
    }

    /// Prepares a data set, with its target if it has one; `weights`, one a row, count rows.
    pub fn fit(&self, data: &Dataset, weights: Option<&Weights>) -> Result<Prepared> {
        self.fit_to(&data.inputs, data.target.as_slice(), weights)
    }

    /// Prepares points and their target columns, if there are any.
    pub fn fit_to(&self, x: &Inputs, y: &[(String, Column)], weights: Option<&Weights>) -> Result<Prepared> {
        check_lengths(x, y, weights)?;
        let kept = kept_rows(self.missing, x, y);
        let all = kept.len() == x.len();
        let mut notes = left_out(x.len(), kept.len(), y);
        let (x, y, weights) = match all {
            true => (x.clone(), y.to_vec(), weights.cloned()),
            false => {
                let y = y.iter().map(|(name, column)| (name.clone(), column.take(&kept))).collect();
                (x.take(&kept), y, weights.map(|w| w.take(&kept)).transpose()?)
            }
        };
        let (task, target) = Task::decide(&y)?;
        notes.extend(single_rows(&task, &target));
        notes.extend(copies(&x, &y));
        if let Inputs::Table(table) = &x {
            let columns = identifiers(table);
            notes.extend((!columns.is_empty()).then_some(Note::Identifiers { columns }));
            notes.extend(filled_columns(table).filter(|_| self.missing == MissingPolicy::Impute));
        }
        let (preparation, inputs) = self.fit_inputs(&x, weights.as_ref())?;
        notes.extend(preparation.constant_columns());
        let numbers = match (&target, self.scale_target) {
            (Target::Numbers(numbers), true) => Some(numbers),
            _ => None,
        };
        let target_scaling = numbers.map(|y| TargetScaling::fit(y, weights.as_ref())).transpose()?;
        let target = target_scaling.as_ref().map_or(Ok(target.clone()), |scaling| scaling.apply_to(&target))?;
        Ok(Prepared { preparation, task, target_scaling, inputs, target, kept, weights, notes })
    }

    /// Fits the preparation of points alone, and applies it.
    pub fn fit_inputs(&self, x: &Inputs, weights: Option<&Weights>) -> Result<(Preparation, Inputs)> {
        let mut preparation =
            Preparation { schema: Schema::of(x), missing: self.missing, imputer: None, standardizer: None };
        if let (Inputs::Table(table), MissingPolicy::Impute) = (x, self.missing) {
            preparation.imputer = Some(Imputer::fit(table, weights)?);
        }
        let filled = preparation.fill(x, &mut Vec::new())?;
        if self.standardize && !matches!(x, Inputs::Precomputed(_)) {
            let own = match self.missing {
                MissingPolicy::Keep => Standardizer::fit_present(&filled, weights)?,
                _ => Standardizer::fit(&filled, weights)?,
            };
            preparation.standardizer = Some(if self.one_scale { own.with_one_scale() } else { own });
        }
        let inputs = preparation.scale(filled)?;
        Ok((preparation, inputs))
    }
}

/// What is said of the rows that do not stay.
fn left_out(rows: usize, kept: usize, y: &[(String, Column)]) -> Vec<Note> {
    let without_target = (0..rows).filter(|i| !has_target(*i, y)).count();
    let others = rows - without_target - kept;
    let target = (without_target > 0).then_some(Note::RowsWithoutTarget { left_out: without_target, of: rows });
    target.into_iter().chain((others > 0).then_some(Note::RowsLeftOut { left_out: others, of: rows })).collect()
}

fn has_target(i: usize, y: &[(String, Column)]) -> bool {
    y.iter().all(|(_, c)| !c.is_missing(i))
}

/// The rows that stay: those with a target, and of them those without a missing value if such rows are to be dropped.
pub(super) fn kept_rows(missing: MissingPolicy, x: &Inputs, y: &[(String, Column)]) -> Vec<usize> {
    let here = |i: usize| match x {
        Inputs::Table(t) => t.iter().all(|(_, c)| !c.is_missing(i)),
        Inputs::Dense(x) => x.row(i).iter().all(|v| !v.is_nan()),
        Inputs::Sparse(x) => x.row(i).1.iter().all(|v| !v.is_nan()),
        Inputs::Precomputed(_) => true,
    };
    (0..x.len()).filter(|i| has_target(*i, y) && (missing != MissingPolicy::Drop || here(*i))).collect()
}

impl Preparation {
    /// The points of new data, and what is to be said about them: categories that were not seen in
    /// training, values that were filled.
    pub fn apply(&self, x: &Inputs) -> Result<(Inputs, Vec<Note>)> {
        let (selected, mut notes) = self.schema.select(x)?;
        let filled = self.fill(&selected, &mut notes)?;
        Ok((self.scale(filled)?, notes))
    }

    fn fill(&self, x: &Inputs, notes: &mut Vec<Note>) -> Result<Inputs> {
        let filled = match (x, &self.imputer) {
            (Inputs::Table(table), Some(imputer)) => {
                notes.extend(filled_columns(table));
                imputer.apply(table)?.into()
            }
            (Inputs::Table(table), None) if self.missing != MissingPolicy::Keep => {
                check_complete(table)?;
                x.clone()
            }
            _ => x.clone(),
        };
        match self.missing {
            MissingPolicy::Keep => check_present_finite(&filled)?,
            _ => check_finite(&filled)?,
        }
        Ok(filled)
    }

    fn scale(&self, x: Inputs) -> Result<Inputs> {
        self.standardizer.as_ref().map_or(Ok(x.clone()), |s| s.apply(&x))
    }

    fn constant_columns(&self) -> Option<Note> {
        let columns = self.standardizer.as_ref()?.constant_columns();
        (!columns.is_empty())
            .then(|| Note::ConstantColumns { columns: columns.iter().map(ToString::to_string).collect() })
    }

    pub(super) fn validate(&self) -> Result<()> {
        self.schema.validate()?;
        self.imputer.as_ref().map_or(Ok(()), Imputer::validate)?;
        self.standardizer.as_ref().map_or(Ok(()), Standardizer::validate)
    }
}

impl Prepared {
    /// An error of a fit to some of these rows. Where a class has one row, some rows are without it, and the error says which
    /// class that is instead of its code.
    pub fn explained(&self, error: Error) -> Error {
        let single = self.notes.iter().find_map(|note| match note {
            Note::SingleRowClasses { target, classes } => Some((target, classes)),
            _ => None,
        });
        match (&error, single) {
            (Error::Shape { what, .. }, Some((target, classes))) if what.starts_with("the labels") => Error::column(
                target,
                "at least two rows of every class, so that one can judge what the others teach",
                format!("one row of {}", quote_list(classes)),
                "add rows of such a class, join it with another, or leave its row out",
            ),
            _ => error,
        }
    }

    /// The pipeline of a model that was fitted to these points and targets.
    pub fn pipeline(self, model: Model) -> Result<Pipeline> {
        let mut notes = self.notes;
        for found in model.expansion().space().resolutions() {
            let (path, detail) = (found.path.clone(), found.detail.clone());
            notes.push(Note::RuleResolved { path, value: found.value, detail });
        }
        let quantiles = model.learner().get::<KernelQuantileRegressor>().map(|learner| learner.quantiles.clone());
        let (task, target_scaling) = match (self.task, quantiles) {
            (Task::Regression { mut targets }, Some(quantiles)) if targets.len() == 1 => {
                let outputs = quantiles.len();
                let task = Task::Quantiles { target: targets.swap_remove(0), quantiles };
                (task, self.target_scaling.map(|s| s.of_outputs(outputs)))
            }
            (Task::Regression { targets }, _) if model.second().is_some() => {
                let outputs = (0..model.outputs()).map(|o| format!("component_{}", o + 1)).collect();
                (Task::Views { targets, outputs }, self.target_scaling)
            }
            (Task::Points { .. }, _) => {
                let embeds = model.learner().spec().answers.contains(&Answer::Embedding);
                let name = |o: usize| if embeds { format!("component_{}", o + 1) } else { format!("f{o}") };
                (Task::Points { outputs: (0..model.outputs()).map(name).collect() }, None)
            }
            (task, _) => (task, self.target_scaling),
        };
        Pipeline::from_parts(PipelineParts {
            preparation: self.preparation,
            task,
            target_scaling,
            model,
            settings: serde_json::Map::new(),
            notes,
        })
    }
}

pub(super) fn check_lengths(x: &Inputs, y: &[(String, Column)], weights: Option<&Weights>) -> Result<()> {
    if let Some((name, column)) = y.iter().find(|(_, column)| column.len() != x.len()) {
        return Err(Error::shape(
            format!("the target `{name}`"),
            format!("{} rows, one a point", x.len()),
            column.len(),
        ));
    }
    weights.map_or(Ok(()), |w| w.check_len(x.len()))
}

fn filled_columns(table: &Table) -> Option<Note> {
    let gaps = |(name, c): (&str, &Column)| c.missing().map(|(_, missing)| Gaps { column: name.to_owned(), missing });
    let columns: Vec<Gaps> = table.iter().filter_map(gaps).collect();
    (!columns.is_empty()).then_some(Note::Filled { columns })
}

/// Classes that have one row: their folds cannot both teach and judge them.
fn single_rows(task: &Task, target: &Target) -> Option<Note> {
    let (Task::Classification { target: name, classes }, Target::Classes(labels)) = (task, target) else { return None };
    let mut counts = vec![0; classes.len()];
    labels.codes().iter().for_each(|code| counts[*code] += 1);
    let single = classes.iter().zip(counts).filter(|(_, n)| *n == 1).map(|(class, _)| class.clone());
    let classes: Vec<String> = single.collect();
    (!classes.is_empty()).then(|| Note::SingleRowClasses { target: name.clone(), classes })
}

/// Columns that are the target under another name: the same numbers, or the same words.
fn copies(x: &Inputs, y: &[(String, Column)]) -> Vec<Note> {
    let mut found = Vec::new();
    for (target, column) in y {
        let mut say = |name: &str| {
            found.push(Note::EqualsTarget { column: name.to_owned(), target: target.clone() });
        };
        match x {
            Inputs::Table(t) => t.iter().filter(|(_, c)| equals(c, column)).for_each(|(name, _)| say(name)),
            Inputs::Dense(x) => (0..x.ncols()).filter(|j| equals(&x.column(*j), column)).for_each(|j| say(&x.name(j))),
            _ => {}
        }
    }
    found
}

/// Whether a column is the target; classes that are whole numbers equal those numbers.
fn equals(column: &Column, target: &Column) -> bool {
    match (column.numbers(), target.numbers()) {
        (Some(own), Some(y)) => own == y,
        (_, Some(_)) => false,
        // Free text is compared with nothing: its words may be very many.
        _ if matches!(column, Column::Structured(_)) => false,
        (_, None) => column.as_categories().zip(target.as_categories()).is_some_and(|(own, y)| {
            own.levels().len() >= y.levels().len() && (0..y.len()).all(|i| own.get(i) == y.get(i))
        }),
    }
}
