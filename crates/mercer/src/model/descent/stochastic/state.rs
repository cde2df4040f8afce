//! What a descent needs beside its function to go on.

use crate::error::{Error, Result};
use crate::model::{Learn, Model};

use super::super::sgd::KernelSgd;
use super::KernelSgdLearner;
use super::basis::Basis;

/// What a descent needs beside its function to go on, for files.
#[derive(Clone, Debug, PartialEq)]
pub struct SgdState {
    /// The current coordinates, row-major: points×outputs.
    pub now: Vec<f64>,
    /// The sums that averaging needs, likewise.
    pub late: Vec<f64>,
    /// The factor of the landmarks' kernel matrix, where there are landmarks.
    pub lower: Option<Vec<f64>>,
    /// Steps taken.
    pub steps: usize,
    /// Rows seen.
    pub seen: usize,
    /// The step in use.
    pub step_size: f64,
    /// The automatic step of the first part, where a later one lowered it.
    pub lowered_from: Option<f64>,
    /// The mean losses so far.
    pub history: Vec<f64>,
    /// The running mean of the loss.
    pub running_loss: f64,
}

impl KernelSgdLearner {
    /// What is needed to go on from its machine.
    pub fn state(&self) -> SgdState {
        let lower = match &self.basis {
            Basis::Landmarks { lower, .. } => Some(lower.clone()),
            _ => None,
        };
        SgdState { lower, ..self.state.clone() }
    }

    /// The descent that had this state and gave this machine.
    pub fn resume(choices: &KernelSgd, model: &Model, mut state: SgdState) -> Result<Self> {
        choices.validate()?;
        let (points, outputs) = (model.expansion().points().clone(), model.expansion().outputs());
        let (n, size) = (points.len(), points.len() * outputs);
        if state.now.len() != size || state.late.len() != size {
            let expected = format!("{n} points times {outputs} outputs");
            return Err(Error::shape("the state of a descent", expected, state.now.len()));
        }
        let basis = match state.lower.take() {
            Some(lower) if lower.len() == n * n => Basis::Landmarks { points, lower },
            Some(lower) => return Err(Error::shape("the factor of a descent", format!("{n}×{n} values"), lower.len())),
            None => Basis::Rows(points),
        };
        Ok(KernelSgdLearner {
            loss: choices.loss.build()?,
            choices: choices.clone(),
            space: model.expansion().space().clone(),
            outputs,
            basis,
            state,
            stopped: None,
            cleared: false,
        })
    }
}
