//! What the columns are worth: how much worse rows that chose nothing are predicted where a column is shuffled among them.

use serde::{Deserialize, Serialize};

use crate::chance::Chance;
use crate::data::{Inputs, Weights};
use crate::error::Result;
use crate::metric::{Times, of_mean, of_root_mean};
use crate::model::pipeline::{Pipeline, mixed};
use crate::run::Run;

use super::answered::{Answered, Drawn};
use super::split::Fold;

/// Rows that may be predicted for each row of training: a fold computes some twenty kernel matrices while it is tuned, and this adds
/// four more at most.
const PREDICTED_PER_ROW: usize = 4;
/// Rows that may be predicted in any case; so few take no time.
const PREDICTED_AT_LEAST: usize = 2000;
/// How often a column is shuffled, at most.
const SHUFFLES: usize = 3;
/// Rows of a fold that are looked at before columns are left out.
const FEWEST: usize = 50;
/// Of fewer rows in all there is nothing to be said.
const ENOUGH: usize = 10;

/// The measure that importance is told in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Leading {
    /// √(mean of squares).
    Rmse,
    /// The pinball loss.
    Pinball,
    /// −mean of ln P(true class).
    LogLoss,
    /// The share of rows whose class is wrong.
    ErrorRate,
}

impl Leading {
    /// As it is written in tables and pictures.
    pub fn words(self) -> &'static str {
        match self {
            Leading::Rmse => "RMSE",
            Leading::Pinball => "pinball loss",
            Leading::LogLoss => "log-loss",
            Leading::ErrorRate => "share of errors",
        }
    }

    /// The measure of rows with these losses.
    fn of(self, losses: &[f64], weights: Option<&Weights>) -> f64 {
        let mean = Times::new(losses.len(), weights).mean(losses.iter().copied());
        if self == Leading::Rmse { mean.sqrt() } else { mean }
    }

    /// What each row adds to it.
    fn influence(self, losses: &[f64], weights: Option<&Weights>) -> Vec<f64> {
        if self == Leading::Rmse { of_root_mean(losses, weights) } else { of_mean(losses, weights) }
    }
}

/// What the columns are worth to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Importance {
    /// The measure that errors are told in.
    pub measure: Leading,
    /// The error of the rows that were looked at, as they are.
    pub error: f64,
    /// The columns, the largest increase first.
    pub columns: Vec<ColumnImportance>,
    /// Rows that were looked at.
    pub rows: usize,
    /// How often each column was shuffled.
    pub shuffles: usize,
    /// Columns that were not looked at, the last ones: there are too many.
    pub left_out: usize,
}

/// An increase of so small a share of the error is rounding.
const NOTHING: f64 = 1e-6;

impl Importance {
    /// Whether what a column is worth is no more than rounding.
    pub fn is_nothing(&self, column: &ColumnImportance) -> bool {
        column.increase.abs().max(column.standard_error.unwrap_or(0.0)) <= NOTHING * self.error
    }
}

/// What one column is worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnImportance {
    /// Its name.
    pub column: String,
    /// The error where it is shuffled among the judged rows of a fold.
    pub error: f64,
    /// How much that is more than without; about 0, or a little below, for a column that says nothing.
    pub increase: f64,
    /// The standard error of the increase.
    pub standard_error: Option<f64>,
}

/// How much is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Plan {
    columns: usize,
    /// Of each fold, at most.
    rows: usize,
    shuffles: usize,
}

impl Plan {
    /// For folds of so many rows to learn from and to judge, and so many columns.
    fn new(train: usize, test: usize, columns: usize) -> Self {
        let most = (PREDICTED_PER_ROW * train).max(PREDICTED_AT_LEAST);
        let rows = (most / columns.max(1)).max(FEWEST).min(test.max(1));
        let columns = (most / rows).min(columns).max(1);
        Plan { columns, rows, shuffles: (most / (rows * columns)).clamp(1, SHUFFLES) }
    }
}

/// Shuffles columns fold by fold.
pub(super) struct Shuffler {
    plan: Plan,
    names: Vec<String>,
    seed: u64,
    /// Of each fold, the rows that were looked at.
    looked: Vec<Vec<usize>>,
    own: Vec<Answered>,
    /// For each column and shuffle, the answers of each fold.
    shuffled: Vec<Vec<Answered>>,
}

impl Shuffler {
    /// Nothing for points without columns.
    pub(super) fn new(x: &Inputs, folds: &[Fold], seed: u64) -> Option<Self> {
        let names: Vec<String> = match x {
            Inputs::Dense(rows) => (0..rows.ncols()).map(|j| rows.name(j)).collect(),
            Inputs::Table(table) => table.names().to_vec(),
            Inputs::Sparse(_) | Inputs::Precomputed(_) => return None,
        };
        if names.is_empty() || folds.is_empty() {
            return None;
        }
        let train = folds.iter().map(|f| f.train.len()).sum::<usize>() / folds.len();
        let test = folds.iter().map(|f| f.test.len()).max().unwrap_or(1);
        let plan = Plan::new(train, test, names.len());
        let shuffled = vec![Vec::new(); plan.columns * plan.shuffles];
        Some(Shuffler { plan, names, seed, looked: Vec::new(), own: Vec::new(), shuffled })
    }

    /// Predicts the rows of a fold with each column shuffled among them, all at once: binding the points of a model takes longer than
    /// a few rows do.
    pub(super) fn look(&mut self, x: &Inputs, truth: &Answered, pipeline: &Pipeline, run: &Run) -> Result<()> {
        let fold = self.looked.len() as u64;
        let mut chance = Chance::new(self.seed ^ (fold + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (mut rows, _) = chance.draw(x.len(), self.plan.rows);
        // A single row has nobody to change with.
        if rows.len() < 2 {
            rows.clear();
        }
        self.looked.push(rows.clone());
        if rows.is_empty() {
            return Ok(());
        }
        let m = rows.len();
        let blocks = 1 + self.shuffled.len();
        let from: Vec<Vec<usize>> = (0..self.shuffled.len()).map(|_| exchanged(&rows, &mut chance)).collect();
        let source = |column: usize, block: usize, at: usize| match block {
            0 => rows[at],
            _ if (block - 1) / self.plan.shuffles == column => from[block - 1][at],
            _ => rows[at],
        };
        let places = |j: usize| (0..blocks).flat_map(move |block| (0..m).map(move |at| (j, block, at)));
        let sources: Vec<Vec<usize>> =
            (0..self.names.len()).map(|j| places(j).map(|(j, block, at)| source(j, block, at)).collect()).collect();
        let stacked = mixed(x, &sources)?;
        let all = truth.truth_of(&rows.repeat(blocks));
        let all = all.with(&pipeline.predict(&stacked, run)?, pipeline.task());
        let part = |block: usize| all.take(&(block * m..(block + 1) * m).collect::<Vec<_>>());
        self.own.push(part(0));
        for (at, list) in self.shuffled.iter_mut().enumerate() {
            list.push(part(at + 1));
        }
        Ok(())
    }

    /// What was found; `judged` are all rows that are judged, with the groups and weights of each.
    pub(super) fn found(
        self,
        folds: &[Fold],
        weights: Option<&Weights>,
        groups: Option<&[usize]>,
    ) -> Option<Importance> {
        let looked = self.looked.iter().zip(folds);
        let rows: Vec<usize> = looked.flat_map(|(rows, fold)| rows.iter().map(|i| fold.test[*i])).collect();
        if rows.len() < ENOUGH {
            return None;
        }
        let weights = weights.map(|w| w.take(&rows)).transpose().ok()?;
        let groups: Option<Vec<usize>> = groups.map(|g| rows.iter().map(|i| g[*i]).collect());
        let drawn = Drawn { weights: weights.as_ref(), groups: groups.as_deref() };
        let own = Answered::joined(&self.own)?;
        let (measure, losses) = (own.leading(), own.losses());
        let error = measure.of(&losses, drawn.weights);
        let influence = measure.influence(&losses, drawn.weights);
        let column = |j: usize| {
            let shuffles = self.shuffled.iter().skip(j * self.plan.shuffles).take(self.plan.shuffles);
            let all: Vec<Vec<f64>> = shuffles.filter_map(|s| Some(Answered::joined(s)?.losses())).collect();
            let mean = |i: usize| all.iter().map(|l| l[i]).sum::<f64>() / all.len() as f64;
            let losses: Vec<f64> = (0..rows.len()).map(mean).collect();
            let shuffled = measure.of(&losses, drawn.weights);
            let change: Vec<f64> =
                measure.influence(&losses, drawn.weights).iter().zip(&influence).map(|(a, b)| a - b).collect();
            ColumnImportance {
                column: self.names[j].clone(),
                error: shuffled,
                increase: shuffled - error,
                standard_error: drawn.error(&change),
            }
        };
        let mut columns: Vec<ColumnImportance> = (0..self.plan.columns).map(column).collect();
        columns.sort_by(|a, b| b.increase.total_cmp(&a.increase));
        let left_out = self.names.len() - self.plan.columns;
        Some(Importance { measure, error, columns, rows: rows.len(), shuffles: self.plan.shuffles, left_out })
    }
}

/// Rows in another order, in which none keeps its place: one cycle through all of them.
fn exchanged(rows: &[usize], chance: &mut Chance) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    chance.shuffle(&mut order);
    let mut from = vec![0; rows.len()];
    for (at, place) in order.iter().enumerate() {
        from[*place] = rows[order[(at + 1) % order.len()]];
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_keeps_its_value() {
        let rows: Vec<usize> = (10..40).collect();
        for seed in 0..20 {
            let from = exchanged(&rows, &mut Chance::new(seed));
            assert!(from.iter().zip(&rows).all(|(a, b)| a != b));
            let mut sorted = from.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, rows);
        }
    }

    #[test]
    fn many_columns_get_fewer_shuffles_then_fewer_rows_then_are_left_out() {
        assert_eq!(Plan::new(120, 30, 4), Plan { columns: 4, rows: 30, shuffles: 3 });
        assert_eq!(Plan::new(120, 30, 60), Plan { columns: 60, rows: 30, shuffles: 1 });
        assert_eq!(Plan::new(1437, 360, 64), Plan { columns: 64, rows: 89, shuffles: 1 });
        assert_eq!(Plan::new(1600, 400, 784), Plan { columns: 128, rows: 50, shuffles: 1 });
        assert_eq!(Plan::new(4, 2, 1), Plan { columns: 1, rows: 2, shuffles: 3 });
        for (train, test, columns) in [(1, 1, 100_000), (100_000, 20_000, 3), (5, 1, 1)] {
            let plan = Plan::new(train, test, columns);
            let most = (PREDICTED_PER_ROW * train).max(PREDICTED_AT_LEAST);
            assert!(plan.columns * plan.rows * plan.shuffles <= most && plan.columns >= 1 && plan.rows >= 1);
        }
    }
}
