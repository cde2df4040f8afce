//! How far to go along the gradient.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::note::Note;
use crate::solver::SAFE_STEP;

/// The steps of a descent.
///
/// With μ₁ the largest eigenvalue of K/n, a step below 1/μ₁ makes every direction shrink without
/// changing sign, and one below 2/μ₁ makes every direction shrink.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StepSize {
    /// 0.95/μ₁.
    #[default]
    Auto,
    /// The same at every iteration.
    Constant(f64),
    /// One an iteration; the last of them from then on.
    Varying(Vec<f64>),
}

/// Steps as numbers, checked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Steps {
    list: Vec<f64>,
    pub(super) notes: Vec<Note>,
}

impl Steps {
    /// Fails where a direction would grow at every iteration for ever.
    pub(super) fn new(estimator: &str, size: &StepSize, largest: f64) -> Result<Self> {
        let list = match size {
            StepSize::Auto if largest > 0.0 => vec![SAFE_STEP / largest],
            StepSize::Auto => vec![1.0],
            StepSize::Constant(step) => vec![*step],
            StepSize::Varying(list) => list.clone(),
        };
        let bad = |value: String, must: &str| Err(Error::invalid(estimator, "step_size", value, must));
        if let Some(step) = list.iter().find(|s| !(**s > 0.0 && s.is_finite())) {
            return bad(step.to_string(), "finite and above 0");
        }
        let Some(last) = list.last() else { return bad("an empty list".into(), "at least one number") };
        let most = 2.0 / largest;
        if last * largest >= 2.0 {
            let must =
                format!("below {most:.6}, or the iteration diverges: the largest eigenvalue of K/n is {largest:.6}");
            return bad(last.to_string(), &must);
        }
        let mut notes = Vec::new();
        if list.iter().any(|s| s * largest >= 1.0) {
            notes.push(Note::StepsOvershoot { from: 1.0 / largest });
        }
        if list.iter().any(|s| s * largest >= 2.0) {
            notes.push(Note::StepsGrow { above: most });
        }
        Ok(Steps { list, notes })
    }

    /// The step of iteration number t, from 0.
    pub(super) fn at(&self, t: usize) -> f64 {
        self.list.get(t).or(self.list.last()).copied().unwrap_or(0.0)
    }

    /// The first ones of t steps, one by one, and how often the last follows them.
    pub(super) fn parted(&self, t: usize) -> (&[f64], f64, usize) {
        let apart = if self.list.iter().all(|s| *s == self.at(0)) { 0 } else { t.min(self.list.len()) };
        (&self.list[..apart], self.at(t), t - apart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_diverge_are_said_before_they_do() {
        let message = |size| Steps::new("X", &size, 0.5).expect_err("refused").to_string();
        assert!(message(StepSize::Constant(4.0)).contains("below 4.0"));
        assert!(message(StepSize::Constant(-1.0)).contains("above 0"));
        assert!(message(StepSize::Varying(vec![])).contains("empty"));
        assert!(message(StepSize::Varying(vec![1.0, f64::INFINITY])).contains("finite"));
        let large = Steps::new("X", &StepSize::Varying(vec![5.0, 3.0, 1.0]), 0.5).expect("the last is small");
        assert_eq!((large.notes.len(), large.at(1), large.at(9), large.parted(5).2), (2, 3.0, 1.0, 2));
        let auto = Steps::new("X", &StepSize::Auto, 0.5).expect("safe");
        assert!(auto.notes.is_empty() && auto.at(7) * 0.5 < 1.0);
    }
}
