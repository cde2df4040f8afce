//! Answers for new data.

use std::collections::HashSet;

use crate::data::{Categories, Dataset, Inputs, MissingPolicy};
use crate::error::{Error, Result};
use crate::model::Link;
use crate::note::{Gaps, Note};
use crate::run::Run;

use super::prepare::kept_rows;
use super::{Pipeline, Task};

/// Rows without an answer that a note names.
const SHOWN: usize = 6;

/// What a pipeline says of some rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Predicted numbers in the units of the targets, or decision values of the classes; row-major:
    /// rows×outputs.
    pub values: Vec<f64>,
    /// Number of outputs.
    pub outputs: usize,
    /// The predicted classes, one a row.
    pub labels: Option<Categories>,
    /// The probability of each class, row-major: rows×classes, where the model says so.
    pub probabilities: Option<Vec<f64>>,
    /// What the user should know.
    pub notes: Vec<Note>,
}

/// A prediction with bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionInterval {
    /// The prediction.
    pub prediction: Prediction,
    /// The level that was asked for.
    pub level: f64,
    /// Lower bounds, row-major: rows×outputs; −∞ where the training rows are too few for the level.
    pub lower: Vec<f64>,
    /// Upper bounds; ∞ where the training rows are too few.
    pub upper: Vec<f64>,
}

impl Pipeline {
    /// Predicts every row. Extra columns are ignored, categories unseen in training are allowed and
    /// counted in the notes, missing values are filled if the fit filled them, read if the kernel reads gaps, and an error if not.
    pub fn predict(&self, x: &Inputs, run: &Run) -> Result<Prediction> {
        let (points, notes) = self.preparation().apply(x)?;
        self.answer(&points, notes, run)
    }

    /// The rows that have an answer: all where the fit filled missing values, else those without one that the kernel does not
    /// read; and a note about the others.
    pub fn answerable(&self, x: &Inputs) -> Result<(Vec<usize>, Option<Note>)> {
        let (selected, _) = self.schema().select(x)?;
        if self.preparation().imputer.is_some() {
            return Ok(((0..x.len()).collect(), None));
        }
        let rows = match self.preparation().missing {
            MissingPolicy::Keep => self.model().kernel().without_gaps(&selected),
            _ => kept_rows(MissingPolicy::Drop, &selected, &[]),
        };
        if rows.len() == x.len() {
            return Ok((rows, None));
        }
        let here: HashSet<usize> = rows.iter().copied().collect();
        let without: Vec<usize> = (0..x.len()).filter(|i| !here.contains(i)).collect();
        let note = Note::RowsNotAnswered {
            not_answered: without.len(),
            of: x.len(),
            rows: without.into_iter().take(SHOWN).collect(),
            columns: gaps(&selected),
        };
        Ok((rows, Some(note)))
    }

    /// Predicts every row of a data set; a target that stands apart is put back among the columns,
    /// since the pipeline may need it.
    pub fn predict_data(&self, data: &Dataset, run: &Run) -> Result<Prediction> {
        self.predict(&self.inputs_of(data)?, run)
    }

    /// The columns of a data set that this pipeline reads, its target among them if it is one.
    pub fn inputs_of(&self, data: &Dataset) -> Result<Inputs> {
        match &data.target {
            Some((name, _)) if self.schema().names().contains(&name.as_str()) => Ok(data.without_target()?.inputs),
            _ => Ok(data.inputs.clone()),
        }
    }

    /// Predictions with bounds of new targets: of a ridge regression that keeps all its rows by jackknife+
    /// and of a Gaussian process by its variance and noise ([`Model::interval`](crate::model::Model::interval)).
    pub fn predict_interval(&self, x: &Inputs, level: f64, run: &Run) -> Result<PredictionInterval> {
        if let Task::Classification { .. } = self.task() {
            let has = if self.model().has_probabilities() { "probabilities" } else { "decision values" };
            return Err(Error::Unsupported {
                what: "an interval for classes".into(),
                alternative: format!("predict without an interval; the {has} are in the prediction"),
            });
        }
        let (points, mut notes) = self.preparation().apply(x)?;
        if let Task::Quantiles { .. } = self.task() {
            return Err(Error::Unsupported {
                what: format!("an interval from `{}`", self.model().learner().spec().name),
                alternative: "predict without an interval: the outer quantiles are its bounds".into(),
            });
        }
        let interval = self.model().interval(&points, level, run)?;
        if self.model().prior().is_some() {
            notes.push(Note::ProcessBounds { level });
        }
        let (mut lower, mut upper) = (interval.lower, interval.upper);
        if let Some(scaling) = self.target_scaling() {
            scaling.undo(&mut lower);
            scaling.undo(&mut upper);
        }
        Ok(PredictionInterval { prediction: self.answer(&points, notes, run)?, level, lower, upper })
    }

    pub(super) fn answer(&self, points: &Inputs, notes: Vec<Note>, run: &Run) -> Result<Prediction> {
        let functions = self.model().functions(points, run)?;
        let probabilities = self.model().probabilities_of(points, &functions, run)?;
        let mut values = self.model().answer(functions);
        if let Some(scaling) = self.target_scaling().filter(|_| !matches!(self.task(), Task::Views { .. })) {
            scaling.undo(&mut values);
        }
        let labels = match &probabilities {
            // Of several classes of a process, the most probable need not have the largest latent mean.
            Some(p) if self.task().outputs() > 1 && self.model().support().is_none() => self.task().labels(p),
            // Votes are counted; what stands behind the point says only how sure they are.
            _ if self.model().link() == Link::Pairs => {
                self.task().labels(&values.iter().map(|v| v.round()).collect::<Vec<_>>())
            }
            _ => self.task().labels(&values),
        };
        Ok(Prediction { values, outputs: self.task().outputs(), labels, probabilities, notes })
    }
}

/// The columns with missing values.
fn gaps(x: &Inputs) -> Vec<Gaps> {
    let of = |column: &str, missing: usize| (missing > 0).then(|| Gaps { column: column.to_owned(), missing });
    match x {
        Inputs::Table(t) => t.iter().filter_map(|(name, c)| of(name, c.missing().map_or(0, |(_, n)| n))).collect(),
        Inputs::Dense(x) => {
            let count = |j: usize| (0..x.nrows()).filter(|i| x.row(*i)[j].is_nan()).count();
            (0..x.ncols()).filter_map(|j| of(&x.name(j), count(j))).collect()
        }
        _ => Vec::new(),
    }
}
