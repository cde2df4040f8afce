//! What fitting gives: a model, and what there is to say of it.

use serde::Serialize;

use crate::certificate::Certificate;
use crate::gram::Resolution;
use crate::note::Note;

use super::{Model, Sample, Tuned};

/// A model, and how it came about.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The result.
    pub model: Model,
    /// How it was found.
    pub report: Report,
}

/// The scores of one alpha, summed over the outputs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AlphaScore {
    /// alpha.
    pub alpha: f64,
    /// Σ wᵢeᵢ²/Σ wᵢ with eᵢ the residual at row i of the fit without row i, exactly.
    pub loo: Option<f64>,
    /// n·Σ wᵢrᵢ²/(n − tr H)².
    pub gcv: f64,
    /// tr H: the degrees of freedom of the fit, the intercept included.
    pub freedom: f64,
}

/// An algorithm that was considered, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Considered {
    /// The algorithm.
    pub algorithm: String,
    /// Why it was taken or left, as a sentence.
    pub verdict: String,
}

/// How a model was fitted, whatever the learner; what does not apply is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Number of rows of positive weight.
    pub rows: usize,
    /// Rows left out because their weight is 0.
    pub rows_of_weight_zero: usize,
    /// What the rules of the kernel found.
    pub resolutions: Vec<Resolution>,
    /// Algorithms that were considered.
    pub considered: Vec<Considered>,
    /// The scores of every alpha, where the solver gives them; in the order of the list.
    pub scores: Vec<AlphaScore>,
    /// Whether the chosen alpha is the first or last of its list, so that a wider list may be better.
    pub at_the_edge: bool,
    /// How free parameters were found, if they were looked for.
    pub tuned: Option<Tuned>,
    /// The objective, or what else was watched, after each iteration.
    pub history: Vec<f64>,
    /// The correlations of pairs of functions, of a learner of two inputs.
    pub correlations: Vec<f64>,
    /// Iterations of each function, of a learner that finds them one by one.
    pub iterations: Vec<u64>,
    /// One certificate for each output, where there are several; the model's is that of all.
    pub certificates: Vec<Certificate>,
    /// What the user should know.
    pub notes: Vec<Note>,
}

impl Report {
    /// One of this sample that has nothing else to say yet.
    pub fn of(sample: &Sample) -> Self {
        Report {
            rows: sample.n,
            rows_of_weight_zero: sample.all.len() - sample.n,
            resolutions: sample.space.resolutions().to_vec(),
            ..Report::default()
        }
    }
}
