//! A stochastic gradient descent, part by part.
//!
//! Rows are taken in chunks. What the function says of a chunk before it is learnt from is one block
//! product; inside the chunk, steps follow each other on its own kernel values. The result is that
//! of step after step, to rounding, at the speed of matrix products.

mod basis;
mod rule;
mod state;
mod steps;

use std::sync::Arc;

use crate::certificate::{Algorithm, Certificate, Measure, Stop};
use crate::data::{Inputs, Targets};
use crate::error::{Error, Result};
use crate::loss::{Against, Loss};
use crate::model::{Expansion, Extra, Learn, Model, ModelParts, Report, Sample};
use crate::note::Note;
use crate::rkhs::Space;
use crate::run::Run;

use super::outcome::Outcome;
use super::sgd::{Dictionary, KernelSgd};
use basis::{Basis, local_gram};
pub use state::SgdState;

/// Rows whose kernel values are held at a time, unless a batch has more.
const CHUNK: usize = 1024;

/// A descent under way. What it has learnt is a [`Model`] at any time.
#[derive(Debug)]
pub struct KernelSgdLearner {
    choices: KernelSgd,
    loss: Arc<dyn Loss>,
    space: Space,
    outputs: usize,
    basis: Basis,
    /// All but the factor, which is in the basis.
    state: SgdState,
    stopped: Option<Stop>,
    /// Whether what was reached was worse than f = 0, and was given up for it.
    cleared: bool,
}

impl KernelSgdLearner {
    /// For points that are all known.
    pub(super) fn on(choices: &KernelSgd, training: &Sample, outputs: usize, run: &Run) -> Result<Self> {
        Self::new(choices, training, outputs, Basis::Rows(training.x.clone()), run)
    }

    /// For points that are still to come, after these first ones.
    pub(super) fn empty(choices: &KernelSgd, first: &Sample, outputs: usize, run: &Run) -> Result<Self> {
        let learner = Self::new(choices, first, outputs, Basis::Growing(Vec::new()), run)?;
        learner.check_step(&first.x, &(0..first.n).collect::<Vec<_>>(), run)?;
        Ok(learner)
    }

    /// On landmarks where the choices say so, and on this basis where not.
    fn new(choices: &KernelSgd, training: &Sample, outputs: usize, basis: Basis, run: &Run) -> Result<Self> {
        let basis = match choices.dictionary {
            Dictionary::Landmarks(count) => Basis::landmarks(training, count, choices.seed, run)?,
            _ => basis,
        };
        let zeros = vec![0.0; basis.len() * outputs];
        let state = SgdState {
            now: zeros.clone(),
            late: zeros,
            lower: None,
            steps: 0,
            seen: 0,
            step_size: 0.0,
            lowered_from: None,
            history: Vec::new(),
            running_loss: 0.0,
        };
        let (loss, choices, space) = (choices.loss.build()?, choices.clone(), training.space.clone());
        let mut learner =
            KernelSgdLearner { loss, choices, space, outputs, basis, state, stopped: None, cleared: false };
        learner.fit_step(&training.x, run)?;
        Ok(learner)
    }

    /// Learns from more points, in their order.
    pub fn learn(&mut self, x: &Inputs, y: &Targets, run: &Run) -> Result<()> {
        if x.len() != y.nrows() || y.outputs() != self.outputs {
            let expected = format!("{} rows of {} outputs", x.len(), self.outputs);
            return Err(Error::shape("the target", expected, format!("{} rows of {}", y.nrows(), y.outputs())));
        }
        if x.is_empty() {
            return Ok(());
        }
        self.check_targets(y)?;
        self.cleared = false;
        self.basis.open()?;
        self.fit_step(x, run)?;
        self.go_through(x, y, &(0..x.len()).collect::<Vec<_>>(), run)
    }

    /// Learns from every row of a fit, in this order.
    pub(super) fn pass(&mut self, training: &Sample, y: &Targets, order: &[usize], run: &Run) -> Result<()> {
        self.check_targets(y)?;
        self.go_through(&training.x, y, order, run)
    }

    fn go_through(&mut self, x: &Inputs, y: &Targets, order: &[usize], run: &Run) -> Result<()> {
        self.check_step(x, order, run)?;
        let b = self.choices.batch_size.min(order.len()).max(1);
        let size = (CHUNK / b).max(1) * b;
        let task = run.task("stochastic gradient descent", Some(order.len().div_ceil(size) as u64));
        for rows in order.chunks(size) {
            let targets: Vec<f64> = rows.iter().flat_map(|i| y.row(*i).to_vec()).collect();
            self.chunk(&x.take(rows), rows, &targets, b, run)?;
            if let Some(reason) = task.step(self.state.history.last().copied()) {
                self.stopped = Some(reason.into());
                break;
            }
        }
        Ok(())
    }

    fn check_targets(&self, y: &Targets) -> Result<()> {
        let strange = y.values().iter().find(|v| v.abs() != 1.0).filter(|_| self.loss.against() == Against::Signs);
        match strange {
            Some(value) => {
                let must = format!("−1 or 1 for the loss `{}`", self.loss.name());
                Err(Error::invalid(KernelSgd::SPEC.title(), "the target", value, must))
            }
            None => Ok(()),
        }
    }

    /// Learns from one chunk, b rows a step; `rows` are its places in the basis of all rows.
    fn chunk(&mut self, x: &Inputs, rows: &[usize], y: &[f64], b: usize, run: &Run) -> Result<()> {
        let c = self.outputs;
        if let Some((features, m)) = self.basis.features(&self.space, x, run)? {
            return self.along_features(&features, m, y, b);
        }
        let before = self.basis.values(&self.space, &self.state.now, x, c, run)?;
        let own = local_gram(&self.space, x, Some(rows), run)?;
        let (moves, late) = self.along_rows(&own, &before, y, b)?;
        match &mut self.basis {
            Basis::Rows(_) => {
                for (at, i) in rows.iter().enumerate() {
                    for o in 0..c {
                        self.state.now[i * c + o] += moves[at * c + o];
                        self.state.late[i * c + o] += late[at * c + o];
                    }
                }
            }
            Basis::Growing(parts) => {
                parts.push(x.clone());
                self.state.now.extend_from_slice(&moves);
                self.state.late.extend_from_slice(&late);
            }
            Basis::Landmarks { .. } => {}
        }
        Ok(())
    }

    /// Goes back to f = 0 where the mean loss on these rows is above that of f = 0, as steps that are too long for a loss
    /// can leave it. The rows are only looked at if the running loss gives cause.
    pub(super) fn clear_if_worse(&mut self, training: &Sample, y: &Targets, run: &Run) -> Result<()> {
        let of_zero = y.values().iter().map(|y| self.loss.value(*y, 0.0)).sum::<f64>() / y.values().len().max(1) as f64;
        let is_worse = |loss: f64| loss.is_nan() || loss > of_zero;
        if is_worse(self.state.running_loss)
            && is_worse(Outcome::of(&self.function()?, &*self.loss, &training.x, y, &run.without_stops())?.mean_loss)
        {
            self.state.now.fill(0.0);
            self.state.late.fill(0.0);
            self.cleared = true;
        }
        Ok(())
    }

    pub(super) fn stopped(&self) -> Option<Stop> {
        self.stopped
    }

    /// What is to be said of it.
    pub fn report(&self) -> Report {
        let now = self.state.step_size;
        let lowered = |from: f64| Note::StepLowered { from, to: now };
        Report {
            rows: self.state.seen,
            resolutions: self.space.resolutions().to_vec(),
            notes: self.state.lowered_from.map(lowered).into_iter().collect(),
            history: self.state.history.clone(),
            ..Report::default()
        }
    }

    /// The function that was learnt so far.
    fn function(&self) -> Result<Expansion> {
        let (state, averaging) = (&self.state, self.choices.averaging);
        let steps = state.steps.max(1) as f64;
        let mean = |(now, late): (&f64, &f64)| if averaging { now - late / steps } else { *now };
        let coordinates: Vec<f64> = state.now.iter().zip(&state.late).map(mean).collect();
        self.basis.expansion(&self.space, coordinates, self.outputs)
    }

    /// The model of what was learnt so far.
    pub fn model(&self) -> Result<Model> {
        self.model_with(self.certificate())
    }

    /// The same with a claim that it can be held to: its loss on the rows of the fit, and its norm.
    pub(super) fn claimed(&self, x: &Inputs, y: &Targets, run: &Run) -> Result<Model> {
        let found = Outcome::of(&self.function()?, &*self.loss, x, y, &run.without_stops())?;
        let certificate = self.certificate().with(Measure::MeanLoss, found.mean_loss).with(Measure::Norm, found.norm);
        self.model_with(certificate)
    }

    fn model_with(&self, certificate: Certificate) -> Result<Model> {
        Model::from_parts(ModelParts {
            learner: self.choices.with_kernel(self.space.kernel().clone()).into(),
            expansion: self.function()?,
            weights: None,
            extra: Extra::None,
            certificate,
        })
    }

    fn certificate(&self) -> Certificate {
        let reason = match &self.basis {
            Basis::Landmarks { points, .. } => format!("steps projected on the span of {} landmarks", points.len()),
            _ => "steps to the letter, with every point in the function".into(),
        };
        let zero = if self.cleared { "; what they reached is worse than f = 0, so f = 0 is the answer" } else { "" };
        let reason = format!("{reason}{zero}");
        let stop = self.stopped.unwrap_or(Stop::Direct);
        Certificate::new(Algorithm::StochasticGradientDescent, reason, stop)
            .with(Measure::RunningLoss, (self.state.seen > 0).then_some(self.state.running_loss))
            .with(Measure::StepSize, self.state.step_size)
            .count(Measure::Iterations, self.state.steps)
            .count(Measure::RowsSeen, self.state.seen)
    }
}
