//! What a fit has to say, whatever the learner.

use serde::Serialize;

use crate::model::{AlphaScore, Choice, Fitted, Report};

/// A value that was tried.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// alpha, or what else is chosen.
    pub value: f64,
    /// Its score; less is better.
    pub score: f64,
}

/// How a model was fitted, and what keeps its function simple.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HowFitted {
    /// What the fit itself says.
    #[serde(flatten)]
    pub fit: Report,
    /// What keeps the function simple: `alpha`, `iterations`, `passes`; nothing if the learner has none.
    pub parameter: Option<&'static str>,
    /// Its value.
    pub value: Option<f64>,
    /// How it was chosen.
    pub choice: Choice,
    /// The scores of all values that were tried, by value.
    pub path: Vec<Tried>,
    /// What a Gaussian process adds.
    pub process: Option<ProcessReport>,
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
    /// Whether the learner chooses it while it is fitted, so that the value is not known before.
    pub(super) by_itself: bool,
}

impl Chosen {
    pub(super) fn plain(value: f64, choice: Choice) -> Self {
        Chosen { value, choice, path: Vec::new(), at_the_edge: false, by_itself: false }
    }

    /// The least score of what was tried.
    pub(super) fn least(&self) -> Option<f64> {
        self.path.iter().map(|tried| tried.score).reduce(f64::min)
    }

    /// By the learner itself.
    pub(super) fn by_itself(choice: Choice) -> Self {
        Chosen { by_itself: true, ..Chosen::plain(f64::NAN, choice) }
    }
}

impl HowFitted {
    /// alpha, if that is what was chosen.
    pub fn alpha(&self) -> Option<f64> {
        self.value.filter(|_| self.parameter == Some("alpha"))
    }

    /// Of a fit by itself, whose complexity was given or chosen by the learner.
    pub fn of_fit(fitted: &Fitted) -> Self {
        let name = fitted.model.learner().complexity().map(|c| c.name);
        Self::of(fitted, name, Chosen::by_itself(Choice::Given))
    }

    /// Of a fit whose complexity, of this name, was chosen so. Where the learner chose it from scores of its own, those
    /// are the path.
    pub(super) fn of(fitted: &Fitted, parameter: Option<&'static str>, chosen: Chosen) -> Self {
        let own = fitted.model.learner().complexity().and_then(|c| c.value);
        let value = if chosen.by_itself { own } else { Some(chosen.value) };
        let mut fit = fitted.report.clone();
        fit.at_the_edge |= chosen.at_the_edge;
        let (choice, path) = match fit.scores.len() {
            0 | 1 => (chosen.choice, chosen.path),
            _ if chosen.choice == Choice::Gcv => (Choice::Gcv, gcv(&fit.scores)),
            _ => chooser(&fit.scores, value.unwrap_or(f64::NAN)),
        };
        HowFitted { fit, parameter, value: value.filter(|_| parameter.is_some()), choice, path, process: None }
    }
}

fn gcv(scores: &[AlphaScore]) -> Vec<Tried> {
    scores.iter().map(|s| Tried { value: s.alpha, score: s.gcv }).collect()
}

/// The score whose least value is at the alpha that was taken, and its values. The other may be far away
/// from it, as GCV is where a few rows have nearly all of the leverage.
fn chooser(scores: &[AlphaScore], taken: f64) -> (Choice, Vec<Tried>) {
    let loo: Vec<Tried> = scores.iter().filter_map(|s| Some(Tried { value: s.alpha, score: s.loo? })).collect();
    let gcv = gcv(scores);
    let chose = |path: &[Tried]| {
        let least = path.iter().min_by(|a, b| a.score.total_cmp(&b.score));
        least.is_some_and(|best| path.iter().any(|t| t.value == taken && t.score == best.score))
    };
    let by_loo = chose(&loo) || (!loo.is_empty() && !chose(&gcv));
    if by_loo { (Choice::LeaveOneOut, loo) } else { (Choice::Gcv, gcv) }
}
