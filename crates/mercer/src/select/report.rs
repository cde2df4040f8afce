//! What a fit has to say, whatever the learner.

use serde::Serialize;

use crate::certificate::Certificate;
use crate::model::gp::GpTuned;
use crate::model::regress::RidgeReport;
use crate::model::{AnyModel, MachineReport};

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
                format!("by {folds}-fold cross-validation of the {loss} on {rows} rows")
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

/// A value that was tried.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// alpha, or what else is chosen.
    pub value: f64,
    /// Its score; less is better.
    pub score: f64,
}

/// How a model was fitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FitReport {
    /// Number of rows of positive weight.
    pub rows: usize,
    /// What keeps the function simple: `alpha`, `iterations`, `passes`; nothing if the learner has none.
    pub parameter: Option<&'static str>,
    /// Its value.
    pub value: Option<f64>,
    /// How it was chosen.
    pub choice: Choice,
    /// The scores of all values that were tried, by value.
    pub path: Vec<Tried>,
    /// Whether the value is the first or last that could be tried, so that one beyond may be better.
    pub at_the_edge: bool,
    /// How far the answer is from the solution.
    pub certificate: Certificate,
    /// What a Gaussian process adds.
    pub process: Option<ProcessReport>,
    /// What the user should know, as sentences.
    pub notes: Vec<String>,
}

/// What a Gaussian process has to say of its fit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProcessReport {
    /// log p(y | X, θ) of all rows, of the targets as the process sees them: standardised, unless that was
    /// switched off. Of classes it is Laplace's approximation, summed over those against the rest.
    pub log_evidence: f64,
    /// The standard deviation of the noise, in units of the target; nothing for classes.
    pub noise: Option<f64>,
    /// The parameters that the evidence chose.
    pub parameters: Vec<FreeParameter>,
    /// How they were found, if any were looked for.
    pub tuned: Option<GpTuned>,
    /// One certificate for each output: of several classes, one a class.
    pub certificates: Vec<Certificate>,
}

/// A parameter that was tuned.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FreeParameter {
    /// Its path in the formula, or `alpha`.
    pub name: String,
    /// Its value.
    pub value: f64,
}

/// A value and what was seen on the way to it.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) value: f64,
    pub(super) choice: Choice,
    pub(super) path: Vec<Tried>,
    pub(super) at_the_edge: bool,
}

impl Chosen {
    pub(super) fn plain(value: f64, choice: Choice) -> Self {
        Chosen { value, choice, path: Vec::new(), at_the_edge: false }
    }
}

impl FitReport {
    /// alpha, if that is what was chosen.
    pub fn alpha(&self) -> Option<f64> {
        self.value.filter(|_| self.parameter == Some("alpha"))
    }

    /// Of a ridge regression. Of its two scores, the path has the one that chose.
    pub fn of_ridge(report: RidgeReport, without_path: Choice) -> Self {
        let (choice, path) = match report.path.len() {
            0 | 1 => (without_path, Vec::new()),
            _ => chooser(&report),
        };
        FitReport {
            rows: report.rows,
            parameter: Some("alpha"),
            value: Some(report.alpha),
            choice,
            path,
            at_the_edge: report.at_the_edge,
            certificate: report.certificate,
            process: None,
            notes: Vec::new(),
        }
    }

    /// Of another learner.
    pub(super) fn of_machine(
        (model, report): (&AnyModel, MachineReport),
        parameter: Option<&'static str>,
        chosen: Chosen,
    ) -> Self {
        FitReport {
            rows: report.rows,
            parameter,
            value: parameter.map(|_| chosen.value),
            choice: chosen.choice,
            path: chosen.path,
            at_the_edge: chosen.at_the_edge,
            certificate: model.certificate().clone(),
            process: None,
            notes: report.notes,
        }
    }
}

/// The score whose least value is at the alpha that was taken, and its values. The other may be far away
/// from it, as GCV is where a few rows have nearly all of the leverage.
fn chooser(report: &RidgeReport) -> (Choice, Vec<Tried>) {
    let loo: Vec<Tried> = report.path.iter().filter_map(|s| Some(Tried { value: s.alpha, score: s.loo? })).collect();
    let gcv: Vec<Tried> = report.path.iter().map(|s| Tried { value: s.alpha, score: s.gcv }).collect();
    let chose = |path: &[Tried]| {
        let least = path.iter().min_by(|a, b| a.score.total_cmp(&b.score));
        least.is_some_and(|best| path.iter().any(|t| t.value == report.alpha && t.score == best.score))
    };
    let by_loo = chose(&loo) || (!loo.is_empty() && !chose(&gcv));
    if by_loo { (Choice::LeaveOneOut, loo) } else { (Choice::Gcv, gcv) }
}
