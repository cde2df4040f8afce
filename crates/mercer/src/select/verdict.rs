//! What the error of a model says beside that of the simplest ones.

use serde::{Deserialize, Serialize};

use super::answered::{Answered, Drawn};
use super::scores::Scores;

/// A difference of so many standard errors is clear.
const CLEAR: f64 = 2.0;

/// What there is to conclude from an estimate, as a kind and a sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// What was found.
    pub kind: Comparison,
    /// The same in words.
    pub sentence: String,
}

/// How a model stands beside what predicts the same everywhere, and beside a linear model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Comparison {
    /// Clearly better than both.
    Better,
    /// Clearly better than what is the same everywhere; a linear model is as good within the error.
    LinearAsGood,
    /// A linear model is clearly better.
    LinearBetter,
    /// Better than what is the same everywhere, but not clearly.
    NotClear,
    /// No better than what is the same everywhere.
    NothingLearnt,
}

/// How one model stands beside another.
#[derive(PartialEq)]
enum Beside {
    ClearlyBetter,
    Better,
    NoBetter,
    ClearlyWorse,
}

fn beside(model: &Answered, other: &Answered, drawn: Drawn<'_>) -> Beside {
    let (gain, error) = model.gain_over(other, drawn);
    // Without an error nothing is clear.
    let clear = error.is_some_and(|error| gain.abs() > CLEAR * error);
    match (gain > 0.0, clear) {
        (true, true) => Beside::ClearlyBetter,
        (true, false) => Beside::Better,
        (false, false) => Beside::NoBetter,
        (false, true) => Beside::ClearlyWorse,
    }
}

impl Verdict {
    /// Of answers to the same rows; `kernel` is that of the linear model.
    pub(super) fn of(
        model: &Answered,
        constant: &Answered,
        linear: Option<(&Answered, &str)>,
        drawn: Drawn<'_>,
    ) -> Self {
        let plain = constant.constant_words();
        let by_constant = beside(model, constant, drawn);
        let by_linear = linear.map(|(linear, kernel)| (beside(model, linear, drawn), kernel));
        let linear_learns = linear.is_some_and(|(l, _)| beside(l, constant, drawn) == Beside::ClearlyBetter);
        let (kind, sentence) = match (by_constant, by_linear) {
            (_, Some((Beside::ClearlyWorse, kernel))) if linear_learns => (
                Comparison::LinearBetter,
                format!("a linear model predicts better than this one: take the kernel `{kernel}`"),
            ),
            (Beside::NoBetter | Beside::ClearlyWorse, Some((_, kernel))) if linear_learns => (
                Comparison::LinearBetter,
                format!("this model is no better than {plain}, and a linear one is: take the kernel `{kernel}`"),
            ),
            (Beside::NoBetter | Beside::ClearlyWorse, _) => (
                Comparison::NothingLearnt,
                format!("nothing was learnt: {plain} predict{} as well without any column", s(plain)),
            ),
            (Beside::Better, _) => (
                Comparison::NotClear,
                format!("it is not clear that anything was learnt: the gain over {plain} is below two standard errors"),
            ),
            (Beside::ClearlyBetter, None) => (Comparison::Better, format!("the model is clearly better than {plain}")),
            (Beside::ClearlyBetter, Some((Beside::ClearlyBetter, _))) => {
                (Comparison::Better, format!("the model is clearly better than {plain} and than a linear model"))
            }
            (Beside::ClearlyBetter, Some((_, kernel))) => (
                Comparison::LinearAsGood,
                format!("a linear model predicts as well, within the error, and is simpler: its kernel is `{kernel}`"),
            ),
        };
        Verdict { kind, sentence: sentence + &no_more_often_right(kind, model, constant, drawn) }
    }
}

/// The ending of a verb after "the shares", "the mean".
fn s(words: &str) -> &'static str {
    if words.starts_with("the mean") || words.starts_with("the most") { "s" } else { "" }
}

/// Of better probabilities that change no class: said, since many look at the classes only.
fn no_more_often_right(kind: Comparison, model: &Answered, constant: &Answered, drawn: Drawn<'_>) -> String {
    let right = |of: &Answered| match of.scores(drawn.weights) {
        Scores::Classification { accuracy, log_loss: Some(_) } => Some(accuracy),
        _ => None,
    };
    match (kind, right(model), right(constant)) {
        (Comparison::NothingLearnt, ..) => String::new(),
        (_, Some(own), Some(plain)) if own <= plain => {
            "; its classes are no more often right than the most frequent one".into()
        }
        _ => String::new(),
    }
}
