//! Rows to learn from and to judge by.

use crate::data::{Inputs, Target};
use crate::error::Result;
use crate::metric::{log_loss, mean_pinball};
use crate::model::pipeline::Prepared;
use crate::model::{Fitted, Learner, Model, OwnLoss};
use crate::run::Run;

use super::split::Split;

/// Points, what they say, and how much they count.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) x: Inputs,
    pub(super) target: Target,
    pub(super) weights: Option<Vec<f64>>,
}

impl Rows {
    /// All rows of prepared data.
    pub(super) fn of(prepared: &Prepared) -> Self {
        Rows { x: prepared.inputs.clone(), target: prepared.target.clone(), weights: prepared.weights.clone() }
    }

    /// Rows drawn by chance, `most` of them where there are more; those of classes keep their shares.
    pub(super) fn some(&self, most: usize, seed: u64) -> Result<Vec<usize>> {
        let n = self.x.len();
        if n <= most {
            return Ok((0..n).collect());
        }
        Ok(Split::HoldOut(most as f64 / n as f64).folds(n, self.codes(), None, seed)?.swap_remove(0).test)
    }

    /// The class of each row, if that is what they say.
    pub(super) fn codes(&self) -> Option<&[usize]> {
        match &self.target {
            Target::Classes(labels) => Some(labels.codes()),
            _ => None,
        }
    }

    /// The number of rows, each as often as its weight says.
    pub(super) fn total(&self) -> f64 {
        self.weights.as_ref().map_or(self.x.len() as f64, |w| w.iter().sum())
    }

    /// These rows of it.
    pub(super) fn take(&self, rows: &[usize]) -> Result<Rows> {
        let weights = self.weights.as_ref().map(|w| rows.iter().map(|i| w[*i]).collect());
        Ok(Rows { x: self.x.take(rows), target: self.target.take(rows)?, weights })
    }

    /// Fits a learner to them.
    pub(super) fn fit(&self, learner: &Learner, run: &Run) -> Result<Fitted> {
        learner.fit(&self.x, &self.target, self.weights.as_deref(), run)
    }

    /// The mean of a loss over them: of what a model says of their targets, each as often as its weight says.
    pub(super) fn mean_loss(&self, model: &Model, loss: &OwnLoss, run: &Run) -> Result<f64> {
        let values = model.predict(&self.x, run)?;
        let weight = |i: usize| self.weights.as_ref().map_or(1.0, |w| w[i]);
        let mean = |losses: &[f64]| {
            let sum: f64 = losses.iter().enumerate().map(|(i, l)| weight(i) * l).sum();
            sum / self.total().max(f64::MIN_POSITIVE)
        };
        if let OwnLoss::Log = loss
            && let Some(shares) = model.probabilities_of(&self.x, &values, run)?
        {
            let labels = self.target.labels()?;
            let of_truth = labels.codes().iter().enumerate().map(|(i, c)| log_loss(&[shares[i * labels.count() + c]]));
            return Ok(mean(&of_truth.collect::<Vec<_>>()));
        }
        let (y, c) = (self.target.numbers()?, model.outputs());
        let of_row = |i: usize| match loss {
            OwnLoss::Pinball(quantiles) => mean_pinball(quantiles, y.row(i), &values[i * c..(i + 1) * c]),
            OwnLoss::Of(loss) => {
                let row = y.row(i).iter().zip(&values[i * c..(i + 1) * c]);
                row.map(|(y, f)| loss.value(*y, *f)).sum::<f64>() / c as f64
            }
            OwnLoss::Log => f64::NAN,
        };
        Ok(mean(&(0..self.x.len()).map(of_row).collect::<Vec<_>>()))
    }
}
