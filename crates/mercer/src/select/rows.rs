//! Rows to learn from and to judge by.

use crate::data::{Inputs, Target, Weights};
use crate::error::Result;
use crate::gram::RepairMethod;
use crate::metric::{Times, log_loss, mean_pinball};
use crate::model::pipeline::Prepared;
use crate::model::{Fitted, Learner, Model, OwnLoss};
use crate::run::Run;

use super::split::Split;

/// Points, what they say, and how much they count.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) x: Inputs,
    pub(super) target: Target,
    pub(super) weights: Option<Weights>,
    /// How matrices of kernel values that are not positive semi-definite are repaired, where they are.
    pub(super) repair: Option<RepairMethod>,
}

impl Rows {
    /// All rows of prepared data.
    pub(super) fn of(prepared: &Prepared) -> Self {
        let (x, target, weights) = (prepared.inputs.clone(), prepared.target.clone(), prepared.weights.clone());
        Rows { x, target, weights, repair: None }
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
        self.weights.as_ref().map_or(self.x.len() as f64, Weights::total)
    }

    /// How much these rows count among all, in a unit that is the same for all of them.
    pub(super) fn count(&self, rows: &[usize]) -> f64 {
        let of_weights = |w: &Weights| rows.iter().map(|i| w.relative_at(*i)).sum();
        self.weights.as_ref().map_or(rows.len() as f64, of_weights)
    }

    /// The same with weights over their mean, and the mean.
    pub(super) fn over_mean(&self) -> Result<(Self, f64)> {
        let Some(weights) = &self.weights else { return Ok((self.clone(), 1.0)) };
        let (weights, mean) = weights.over_mean()?;
        Ok((Rows { weights: Some(weights), ..self.clone() }, mean))
    }

    /// These rows of it.
    pub(super) fn take(&self, rows: &[usize]) -> Result<Rows> {
        let weights = self.weights.as_ref().map(|w| w.take(rows)).transpose()?;
        Ok(Rows { x: self.x.take(rows), target: self.target.take(rows)?, weights, repair: self.repair })
    }

    /// Fits a learner to them.
    pub(super) fn fit(&self, learner: &Learner, run: &Run) -> Result<Fitted> {
        match self.repair {
            Some(method) => learner.fit_repaired(&self.x, &self.target, self.weights.as_ref(), method, run),
            None => learner.fit(&self.x, &self.target, self.weights.as_ref(), run),
        }
    }

    /// The mean of a loss over them: of what a model says of their targets, each as often as its weight says.
    pub(super) fn mean_loss(&self, model: &Model, loss: &OwnLoss, run: &Run) -> Result<f64> {
        self.mean_loss_of(model.functions(&self.x, run)?, model, loss, run)
    }

    /// The same, of the values of the model's functions.
    pub(super) fn mean_loss_of(&self, functions: Vec<f64>, model: &Model, loss: &OwnLoss, run: &Run) -> Result<f64> {
        let times = Times::new(self.x.len(), self.weights.as_ref());
        if let OwnLoss::Log = loss
            && let Some(shares) = model.probabilities_of(&self.x, &functions, run)?
        {
            let labels = self.target.labels()?;
            let of_truth = |(i, c): (usize, &usize)| shares[i * labels.count() + c];
            let of_truth: Vec<f64> = labels.codes().iter().enumerate().map(of_truth).collect();
            return Ok(log_loss(&of_truth, self.weights.as_ref()));
        }
        let values = model.answer(functions);
        if let OwnLoss::Errors = loss {
            return self.share_of_errors(model, &values, &times);
        }
        let (y, c) = (self.target.numbers()?, model.outputs());
        let of_row = |i: usize| match loss {
            OwnLoss::Pinball(quantiles) => mean_pinball(quantiles, y.row(i), &values[i * c..(i + 1) * c], None),
            OwnLoss::Of(loss) => {
                let row = y.row(i).iter().zip(&values[i * c..(i + 1) * c]);
                row.map(|(y, f)| loss.value(*y, *f)).sum::<f64>() / c as f64
            }
            OwnLoss::Log | OwnLoss::Errors => f64::NAN,
        };
        Ok(times.mean((0..self.x.len()).map(of_row)))
    }

    /// How often the answer is not the class.
    fn share_of_errors(&self, model: &Model, values: &[f64], times: &Times<'_>) -> Result<f64> {
        let labels = self.target.labels()?;
        let answers = match model.answers() {
            1 => values.iter().map(|f| usize::from(*f > 0.0)).collect(),
            _ => model.largest(values),
        };
        let wrong = |(answer, code): (&usize, &usize)| f64::from(u8::from(answer != code));
        Ok(times.mean(answers.iter().zip(labels.codes()).map(wrong)))
    }
}
