//! The one number that keeps a function simple, and what a choice of it is judged by.

use std::sync::Arc;

use serde::Serialize;

use crate::error::counted;
use crate::loss::Loss;

/// What tuning walks over: alpha, a number of iterations, …
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complexity {
    /// Its name.
    pub name: &'static str,
    /// The least and the largest value worth trying.
    pub range: (f64, f64),
    /// Where a search begins that the evidence says nothing about; nothing where the evidence may say.
    pub start: Option<f64>,
    /// Whether it is a number of something.
    pub counted: bool,
    /// Its value now; nothing where it is still to be chosen.
    pub value: Option<f64>,
}

impl Complexity {
    /// alpha, the price of the norm.
    pub fn alpha(value: Option<f64>) -> Self {
        Complexity { name: "alpha", range: (1e-9, 1e6), start: None, counted: false, value }
    }

    /// A number of something, from 1 to the largest worth trying.
    pub fn counted(name: &'static str, most: f64, start: f64, value: Option<f64>) -> Self {
        Complexity { name, range: (1.0, most), start: Some(start), counted: true, value }
    }
}

/// How the number that keeps a function simple was chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Choice {
    /// By the user.
    Given,
    /// There is none to choose.
    Nothing,
    /// By exact leave-one-out.
    LeaveOneOut,
    /// By generalised cross-validation.
    Gcv,
    /// By the evidence, which chose it with the kernel.
    Evidence,
    /// On rows held out.
    HeldOut {
        /// Their share.
        share: f64,
    },
    /// By cross-validation of the learner's own loss.
    Folds {
        /// The number of folds.
        folds: usize,
        /// The rows that were looked at.
        rows: usize,
        /// The loss.
        loss: String,
    },
    /// As it is usual, since there was nothing to choose it by.
    Usual,
}

impl Choice {
    /// In words, after "chosen".
    pub fn describe(&self) -> String {
        match self {
            Choice::Given => "by you".into(),
            Choice::Nothing => "by nobody: there is none".into(),
            Choice::LeaveOneOut => "by exact leave-one-out".into(),
            Choice::Gcv => "by generalised cross-validation".into(),
            Choice::Evidence => "by the evidence".into(),
            Choice::HeldOut { share } => format!("on {} % of the rows, held out", (100.0 * share).round()),
            Choice::Folds { folds, rows, loss } => {
                format!("by {folds}-fold cross-validation of the {loss} on {}", counted(*rows, "row", "rows"))
            }
            Choice::Usual => "by habit: nothing was there to choose it by".into(),
        }
    }

    /// What the scores of the path are.
    pub fn score(&self) -> String {
        match self {
            Choice::LeaveOneOut => "leave-one-out error (mean square)".into(),
            Choice::Gcv => "GCV error (mean square)".into(),
            Choice::Folds { loss, .. } => format!("{loss} on rows left out"),
            _ => "score".into(),
        }
    }
}

/// What a learner judges its functions by.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum OwnLoss {
    /// −ln P(true class).
    Log,
    /// The share of wrong classes.
    Errors,
    /// The pinball losses of these quantiles, one an output.
    Pinball(Vec<f64>),
    /// A loss of one value, mean over the outputs.
    Of(Arc<dyn Loss>),
}

impl OwnLoss {
    /// Its name, in sentences.
    pub fn name(&self) -> String {
        match self {
            OwnLoss::Log => "log-loss".into(),
            OwnLoss::Errors => "share of errors".into(),
            OwnLoss::Pinball(_) => "pinball loss".into(),
            OwnLoss::Of(loss) => format!("{} loss", loss.name()),
        }
    }
}
