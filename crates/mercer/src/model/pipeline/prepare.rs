//! From data to points: missing values, then scales; fitted once, applied the same way ever after.

use serde::{Deserialize, Serialize};

use crate::data::{
    Column, Dataset, Imputer, Inputs, MissingPolicy, Standardizer, Table, Target, Weights, check_complete, check_finite,
};
use crate::error::{Error, Result};
use crate::model::regress::KernelQuantileRegressor;
use crate::model::{Answer, Model};
use crate::note::{Gaps, Note};

use super::{Pipeline, PipelineParts, Schema, TargetScaling, Task};

/// How data are prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepare {
    /// What to do about missing values in training. Rows to be predicted are never left out: with
    /// `drop`, a missing value there is an error.
    pub missing: MissingPolicy,
    /// Whether to bring number columns to mean 0 and standard deviation 1.
    pub standardize: bool,
    /// Whether to do the same with the targets of a regression; undone at prediction.
    pub scale_target: bool,
}

impl Default for Prepare {
    fn default() -> Self {
        Prepare { missing: MissingPolicy::Error, standardize: true, scale_target: true }
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
    /// Prepares a data set, with its target if it has one; `weights`, one a row, count rows.
    pub fn fit(&self, data: &Dataset, weights: Option<&Weights>) -> Result<Prepared> {
        self.fit_to(&data.inputs, data.target.as_slice(), weights)
    }

    /// Prepares points and their target columns, if there are any.
    pub fn fit_to(&self, x: &Inputs, y: &[(String, Column)], weights: Option<&Weights>) -> Result<Prepared> {
        check_lengths(x, y, weights)?;
        let kept = kept_rows(self.missing, x, y);
        let all = kept.len() == x.len();
        let mut notes = Vec::new();
        let (x, y, weights) = match all {
            true => (x.clone(), y.to_vec(), weights.cloned()),
            false => {
                notes.push(Note::RowsLeftOut { left_out: x.len() - kept.len(), of: x.len() });
                let y = y.iter().map(|(name, column)| (name.clone(), column.take(&kept))).collect();
                (x.take(&kept), y, weights.map(|w| w.take(&kept)).transpose()?)
            }
        };
        let (task, target) = Task::decide(&y)?;
        notes.extend(copies(&x, &y));
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
            preparation.standardizer = Some(Standardizer::fit(&filled, weights)?);
        }
        let inputs = preparation.scale(filled)?;
        Ok((preparation, inputs))
    }
}

/// The rows that stay: all of them, unless those with a missing value are to be dropped.
pub(super) fn kept_rows(missing: MissingPolicy, x: &Inputs, y: &[(String, Column)]) -> Vec<usize> {
    let here = |i: usize| match x {
        Inputs::Table(t) => t.iter().all(|(_, c)| !c.is_missing(i)),
        Inputs::Dense(x) => x.row(i).iter().all(|v| !v.is_nan()),
        Inputs::Sparse(x) => x.row(i).1.iter().all(|v| !v.is_nan()),
        Inputs::Precomputed(_) => true,
    };
    let complete = |i: &usize| here(*i) && y.iter().all(|(_, c)| !c.is_missing(*i));
    (0..x.len()).filter(|i| missing != MissingPolicy::Drop || complete(i)).collect()
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
            (Inputs::Table(table), None) => {
                check_complete(table)?;
                x.clone()
            }
            _ => x.clone(),
        };
        check_finite(&filled)?;
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

/// Number columns that are the target under another name.
fn copies(x: &Inputs, y: &[(String, Column)]) -> Vec<Note> {
    let mut found = Vec::new();
    for (target, column) in y {
        let Some(y) = column.numbers() else { continue };
        let mut say = |name: &str| {
            found.push(Note::EqualsTarget { column: name.to_owned(), target: target.clone() });
        };
        match x {
            Inputs::Table(t) => {
                t.iter().filter(|(_, c)| c.numbers() == Some(y)).for_each(|(name, _)| say(name));
            }
            Inputs::Dense(x) => {
                let same = |j: &usize| (0..x.nrows()).all(|i| x.row(i)[*j] == y[i]);
                (0..x.ncols()).filter(same).for_each(|j| say(&x.name(j)));
            }
            _ => {}
        }
    }
    found
}
