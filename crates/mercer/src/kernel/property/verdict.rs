//! The answer to "is it a kernel".

use std::fmt;

use serde::Serialize;

use super::{Counterexample, Proof};

/// Whether a function is a positive definite kernel, with the evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "verdict", content = "evidence", rename_all = "snake_case")]
pub enum Verdict {
    /// It is, and this is the proof.
    PositiveDefinite(Proof),
    /// It is not, and these points show it.
    Refuted(Counterexample),
    /// It has no value at these points of the domain, so that the question has no answer.
    Undefined(Counterexample),
    /// Neither a proof nor a counterexample was found.
    Undecided {
        /// What was tried, and what may help.
        reason: String,
    },
}

impl Verdict {
    /// "positive definite", "not positive definite", "not defined" or "not decided".
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::PositiveDefinite(_) => "positive definite",
            Verdict::Refuted(_) => "not positive definite",
            Verdict::Undefined(_) => "not defined",
            Verdict::Undecided { .. } => "not decided",
        }
    }

    /// The proof, if there is one.
    pub fn proof(&self) -> Option<&Proof> {
        match self {
            Verdict::PositiveDefinite(proof) => Some(proof),
            _ => None,
        }
    }

    /// The counterexample, if there is one; also points where the function has no value.
    pub fn counterexample(&self) -> Option<&Counterexample> {
        match self {
            Verdict::Refuted(counterexample) | Verdict::Undefined(counterexample) => Some(counterexample),
            _ => None,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.word())?;
        match self {
            Verdict::PositiveDefinite(proof) => write!(f, "{proof}"),
            Verdict::Refuted(example) | Verdict::Undefined(example) => write!(f, "{example}"),
            Verdict::Undecided { reason } => write!(f, "{reason}"),
        }
    }
}
