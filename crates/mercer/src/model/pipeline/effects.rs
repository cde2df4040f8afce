//! What each column adds to a prediction, on the way from the mean prediction to that of the row.
//!
//! From a training row to the row that is explained, columns are exchanged one after another, in an order by chance. What the
//! prediction changes by is the effect of that column; the mean over training rows and orders is an estimate of Shapley's value
//! (Štrumbelj & Kononenko 2014). Whatever the orders are, the effects add up to the prediction less the mean prediction.

use serde::Serialize;

use crate::chance::Chance;
use crate::data::{Inputs, Rows};
use crate::error::Result;
use crate::run::Run;

use super::mixed::mixed;
use super::{Pipeline, Task};

/// Training rows that the way begins at, at most and at least; between them, so many that predictions for one row stay below a number.
const STARTS: (usize, usize) = (50, 5);
const PREDICTIONS: usize = 20_000;

/// What a column adds to the prediction of one row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AddedEffect {
    /// The column.
    pub column: String,
    /// What it adds, one number an answer.
    pub values: Vec<f64>,
}

/// Training rows that a row is compared with.
pub(super) struct Background {
    pub(super) points: Inputs,
    /// The answers there, row by row.
    pub(super) answers: Vec<f64>,
    /// Columns as the data have them, with their places among those of the points.
    pub(super) columns: Vec<(String, Vec<usize>)>,
    outputs: usize,
}

impl Background {
    /// The mean of each answer.
    pub(super) fn mean(&self) -> Vec<f64> {
        let rows = self.points.len().max(1) as f64;
        let of = |o: usize| self.answers.iter().skip(o).step_by(self.outputs).sum::<f64>() / rows;
        (0..self.outputs).map(of).collect()
    }
}

impl Pipeline {
    /// Names of what effects speak of: classes where the model has probabilities, else the outputs.
    pub(super) fn answer_names(&self) -> Vec<String> {
        match self.task().classes().filter(|_| self.model().has_probabilities()) {
            Some(classes) => classes.to_vec(),
            None => self.task().names(),
        }
    }

    /// Probabilities of the classes, or values in the units of the target, at points as the kernel sees them.
    pub(super) fn answers_at(&self, points: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let found = self.answer(points, Vec::new(), run)?;
        Ok(found.probabilities.unwrap_or(found.values))
    }

    /// Some of the points that the model keeps; nothing for points without columns, and where values mean nothing by themselves.
    pub(super) fn background(&self, most: usize, run: &Run) -> Result<Option<Background>> {
        let kept = self.model().points();
        let columns = self.point_columns();
        let plain = matches!(kept, Inputs::Dense(_) | Inputs::Table(_)) && !matches!(self.task(), Task::Views { .. });
        if !plain || columns.is_empty() || kept.is_empty() {
            return Ok(None);
        }
        let (rows, _) = Chance::new(0).draw(kept.len(), most);
        let points = kept.take(&rows);
        let answers = self.answers_at(&points, run)?;
        Ok(Some(Background { outputs: self.answer_names().len(), points, answers, columns }))
    }

    /// The columns of the data with their places among those of the points; the mark of a missing value goes with its column.
    fn point_columns(&self) -> Vec<(String, Vec<usize>)> {
        let own = self.model().points().columns();
        let marked: Vec<&str> = self.preparation().imputer.iter().flat_map(|i| i.indicators()).collect();
        let place = |name: &str| own.find(name).map(|(at, _)| at);
        let of = |name: &str| {
            let mark = marked.contains(&name).then(|| place(&format!("{name}_missing"))).flatten();
            let places: Vec<usize> = place(name).into_iter().chain(mark).collect();
            (!places.is_empty()).then(|| (name.to_owned(), places))
        };
        self.schema().names().into_iter().filter_map(of).collect()
    }

    /// What every column adds to the answers of row `i` of `points`.
    pub(super) fn added_effects(
        &self,
        points: &Inputs,
        i: usize,
        answers: &[f64],
        background: &Background,
        run: &Run,
    ) -> Result<Vec<AddedEffect>> {
        let (d, c) = (background.columns.len(), background.outputs);
        let starts = background.points.len();
        let both = joined(&points.take(&[i]), &background.points)?;
        let mut chance = Chance::new(1);
        // The rank of each column in the order of each start.
        let ranks: Vec<Vec<usize>> = (0..starts).map(|_| ranks(d, &mut chance)).collect();
        let width = both.columns().len();
        let mut group = vec![None; width];
        background
            .columns
            .iter()
            .enumerate()
            .for_each(|(g, (_, places))| places.iter().for_each(|j| group[*j] = Some(g)));
        let source = |j: usize, b: usize, step: usize| match group[j] {
            Some(g) if ranks[b][g] >= step => b + 1,
            _ => 0,
        };
        let steps = |j: usize| (0..starts).flat_map(move |b| (0..d).map(move |s| (j, b, s)));
        let sources: Vec<Vec<usize>> =
            (0..width).map(|j| steps(j).map(|(j, b, s)| source(j, b, s)).collect()).collect();
        let values = self.answers_at(&mixed(&both, &sources)?, run)?;
        let at = |b: usize, step: usize, o: usize| if step == d { answers[o] } else { values[(b * d + step) * c + o] };
        let effect = |g: usize, o: usize| {
            let change = |b: usize| at(b, ranks[b][g] + 1, o) - at(b, ranks[b][g], o);
            (0..starts).map(change).sum::<f64>() / starts as f64
        };
        let of = |(g, (column, _)): (usize, &(String, Vec<usize>))| AddedEffect {
            column: column.clone(),
            values: (0..c).map(|o| effect(g, o)).collect(),
        };
        Ok(background.columns.iter().enumerate().map(of).collect())
    }

    /// Rows of training that the ways of an explanation begin at.
    pub(super) fn starts(&self) -> usize {
        let d = self.schema().names().len().max(1);
        (PREDICTIONS / d).clamp(STARTS.1, STARTS.0)
    }
}

fn ranks(d: usize, chance: &mut Chance) -> Vec<usize> {
    let mut order: Vec<usize> = (0..d).collect();
    chance.shuffle(&mut order);
    let mut ranks = vec![0; d];
    order.iter().enumerate().for_each(|(rank, column)| ranks[*column] = rank);
    ranks
}

/// One row, then others; joined dense rows lose their names, which kernels may read columns by.
fn joined(first: &Inputs, others: &Inputs) -> Result<Inputs> {
    let both = Inputs::concatenate(&[first.clone(), others.clone()])?;
    match (&both, others) {
        (Inputs::Dense(rows), Inputs::Dense(own)) if own.has_names() => {
            let names = (0..own.ncols()).map(|j| own.name(j)).collect();
            let rows: Rows = rows.clone().with_names(names)?;
            Ok(rows.into())
        }
        _ => Ok(both),
    }
}
