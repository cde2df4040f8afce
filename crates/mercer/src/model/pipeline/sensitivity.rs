//! What the columns do to predictions.

use serde::Serialize;

use crate::data::{Categories, Column, Inputs, Rows, Table};
use crate::error::Result;
use crate::run::Run;

use super::Pipeline;

/// What a column does to the prediction of one row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnEffect {
    /// The column.
    pub column: String,
    /// What was looked at.
    #[serde(flatten)]
    pub effect: Effect,
    /// The effect, one number an output, in the units of the target.
    pub values: Vec<f64>,
}

/// How the effect of a column is measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// ∂f/∂x by central differences, in units of the target for each unit of the column. The step is
    /// ε^⅓ of a standard deviation. At a kink of f it is the mean of both sides.
    Slope {
        /// The standard deviation of the column in training.
        deviation: f64,
    },
    /// f with the column replaced, less f as it is.
    Replaced {
        /// The most frequent category among the points that the model keeps; of text, the empty one.
        by: String,
    },
}

/// A column moved one way and the other.
struct Change {
    effect: Effect,
    up: Column,
    down: Option<Column>,
    /// The distance of both in each row; 1 where nothing is divided.
    steps: Vec<f64>,
}

impl Pipeline {
    /// The effects of all columns on every row of data that have the columns of the schema; none for
    /// sparse rows and kernel values.
    pub(super) fn column_effects(&self, x: &Inputs, run: &Run) -> Result<Vec<Vec<ColumnEffect>>> {
        let mut effects = vec![Vec::new(); x.len()];
        if x.is_empty() || matches!(x, Inputs::Sparse(_) | Inputs::Precomputed(_)) {
            return Ok(effects);
        }
        let columns = columns(x);
        let as_it_is = self.scaled_values(x, run)?;
        let c = self.task().outputs();
        let task = run.task("columns", Some(columns.len() as u64));
        for (name, column) in &columns {
            let Some(change) = self.change(name, column) else { continue };
            let up = self.scaled_values(&with_column(x, name, &change.up)?, run)?;
            let down = match &change.down {
                Some(column) => &self.scaled_values(&with_column(x, name, column)?, run)?,
                None => &as_it_is,
            };
            for (i, row) in effects.iter_mut().enumerate() {
                // A number that is missing cannot move.
                if change.steps[i].is_nan() {
                    continue;
                }
                let value = |o: usize| (up[i * c + o] - down[i * c + o]) / change.steps[i];
                let values = (0..c).map(value).collect();
                row.push(ColumnEffect { column: name.clone(), effect: change.effect.clone(), values });
            }
            task.step_or_cancel()?;
        }
        Ok(effects)
    }

    /// Predictions in the units of the target, without its mean: differences lose no digits to it.
    fn scaled_values(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let (points, _) = self.preparation().apply(x)?;
        let mut values = self.model().predict(&points, run)?;
        if let Some(scaling) = self.target_scaling() {
            values.chunks_mut(scaling.scale.len()).for_each(|row| {
                row.iter_mut().zip(&scaling.scale).for_each(|(v, s)| *v *= s);
            });
        }
        Ok(values)
    }

    fn change(&self, name: &str, column: &Column) -> Option<Change> {
        let n = column.len();
        match column {
            Column::Number(values) => Some(moved(values, self.deviation(name))),
            Column::Category(_) => {
                let by = self.most_frequent(name)?;
                let up = Categories::from_codes(vec![0; n], vec![by.clone()]).into();
                Some(Change { effect: Effect::Replaced { by }, up, down: None, steps: vec![1.0; n] })
            }
            Column::Structured(values) => {
                let kind = values.structured_type();
                let by = kind.blank?;
                let up = kind.repeated(Some(by), n).ok()?.into();
                Some(Change { effect: Effect::Replaced { by: by.into() }, up, down: None, steps: vec![1.0; n] })
            }
        }
    }

    /// The standard deviation of a number column in training; of the points kept, if it was not scaled.
    fn deviation(&self, name: &str) -> f64 {
        let fitted = self.preparation().standardizer.as_ref();
        if let Some((_, _, scale)) = fitted.and_then(|s| s.columns().find(|(n, _, _)| *n == name)) {
            return scale;
        }
        let kept = columns(self.model().points()).into_iter().find(|(n, _)| n == name);
        kept.as_ref().and_then(|(_, column)| column.numbers()).map_or(1.0, deviation)
    }

    fn most_frequent(&self, name: &str) -> Option<String> {
        let Inputs::Table(points) = self.model().points() else { return None };
        let column = points.column(name)?.categories()?;
        let mut counts = vec![0usize; column.levels().len()];
        for code in column.codes() {
            if let Some(count) = counts.get_mut(*code as usize) {
                *count += 1;
            }
        }
        // The first among equals.
        let best = (0..counts.len()).rev().max_by_key(|&c| counts[c])?;
        column.levels().get(best).cloned()
    }
}

/// Numbers a small step up and down.
fn moved(values: &[f64], deviation: f64) -> Change {
    // Beside a number that is large for its deviation, a smaller step would be rounding alone.
    let step = |x: f64| f64::EPSILON.cbrt() * deviation.max(f64::EPSILON.sqrt() * x.abs());
    let up: Vec<f64> = values.iter().map(|x| x + step(*x)).collect();
    let down: Vec<f64> = values.iter().map(|x| x - step(*x)).collect();
    Change {
        effect: Effect::Slope { deviation },
        steps: up.iter().zip(&down).map(|(u, d)| u - d).collect(),
        up: up.into(),
        down: Some(down.into()),
    }
}

/// The standard deviation; 1 of numbers that do not vary.
fn deviation(values: &[f64]) -> f64 {
    let unit = values.iter().fold(0.0f64, |m, v| m.max(v.abs())).max(f64::MIN_POSITIVE);
    let n = values.len().max(1) as f64;
    let mean = values.iter().map(|v| v / unit).sum::<f64>() / n;
    let variance = values.iter().map(|v| (v / unit - mean).powi(2)).sum::<f64>() / n;
    let found = unit * variance.sqrt();
    if found.is_normal() { found } else { 1.0 }
}

pub(super) fn columns(x: &Inputs) -> Vec<(String, Column)> {
    match x {
        Inputs::Table(table) => table.iter().map(|(name, column)| (name.to_owned(), column.clone())).collect(),
        Inputs::Dense(x) => (0..x.ncols()).map(|j| (x.name(j), x.column(j))).collect(),
        _ => Vec::new(),
    }
}

/// The data with one column exchanged.
pub(super) fn with_column(x: &Inputs, name: &str, column: &Column) -> Result<Inputs> {
    match (x, column) {
        (Inputs::Table(table), _) => {
            let exchanged =
                |(n, own): (&str, &Column)| (n.to_owned(), if n == name { column.clone() } else { own.clone() });
            Ok(Table::new(table.iter().map(exchanged).collect())?.into())
        }
        (Inputs::Dense(rows), Column::Number(values)) => {
            let names: Vec<String> = (0..rows.ncols()).map(|j| rows.name(j)).collect();
            let cell = |i: usize, j: usize| if names[j] == name { values[i] } else { rows.row(i)[j] };
            let all: Vec<f64> = (0..rows.nrows())
                .flat_map(|i| (0..names.len()).map(move |j| (i, j)))
                .map(|(i, j)| cell(i, j))
                .collect();
            let changed = Rows::new(all, rows.nrows(), rows.ncols())?;
            Ok(if rows.has_names() { changed.with_names(names)? } else { changed }.into())
        }
        _ => Ok(x.clone()),
    }
}
