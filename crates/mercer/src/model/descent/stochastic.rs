//! The state of a stochastic gradient descent, part by part.
//!
//! Rows are taken in chunks. What the function says of a chunk before it is learnt from is one block
//! product; inside the chunk, steps follow each other on its own kernel values. The result is that
//! of step after step, to rounding, at the speed of matrix products.

use std::sync::Arc;

use crate::approx::landmarks;
use crate::certificate::{Algorithm, Certificate, Stop};
use crate::data::{Inputs, Precomputed, Targets};
use crate::error::{Error, Result};
use crate::gram::{apply, dense};
use crate::linalg::{PivotedParams, pivoted_cholesky_dense, solve_lower, solve_lower_transposed};
use crate::loss::{Against, Loss, NamedLoss};
use crate::model::training::Training;
use crate::model::{Expansion, KernelMachine, Link, MachineReport};
use crate::rkhs::Space;
use crate::run::Run;

use super::sgd::{Dictionary, KernelSgd, NAME, SgdState};

/// Rows whose kernel values are held at a time.
const CHUNK: usize = 1024;
/// Rows among which landmarks are looked for, for each landmark.
const ROWS_A_LANDMARK: usize = 10;

/// A descent under way. What it has learnt is a [`KernelMachine`] at any time.
#[derive(Debug)]
pub struct KernelSgdLearner {
    choices: KernelSgd,
    loss: Arc<dyn Loss>,
    space: Space,
    outputs: usize,
    basis: Basis,
    /// The current coordinates and the sums that averaging needs, row-major: basis×outputs.
    now: Vec<f64>,
    late: Vec<f64>,
    /// Steps taken, rows seen, and the step in use.
    steps: usize,
    seen: usize,
    step_size: f64,
    history: Vec<f64>,
    notes: Vec<String>,
    stopped: Option<Stop>,
}

/// What coordinates belong to.
#[derive(Debug)]
enum Basis {
    /// All points of a fit, by row.
    Rows(Inputs),
    /// Points in the order in which they came.
    Growing(Vec<Inputs>),
    /// Landmarks z with K_zz = L·Lᵀ; coordinates are those of φ(x) = L⁻¹k_z(x).
    Landmarks { points: Inputs, lower: Vec<f64> },
}

impl KernelSgdLearner {
    /// What is needed to go on from its machine.
    pub fn state(&self) -> SgdState {
        SgdState {
            now: self.now.clone(),
            late: self.late.clone(),
            lower: match &self.basis {
                Basis::Landmarks { lower, .. } => Some(lower.clone()),
                _ => None,
            },
            steps: self.steps,
            seen: self.seen,
            step_size: self.step_size,
            history: self.history.clone(),
        }
    }

    /// The descent that had this state and gave this machine.
    pub fn resume(choices: &KernelSgd, machine: &KernelMachine, state: SgdState) -> Result<Self> {
        choices.validate()?;
        let (points, outputs) = (machine.expansion.points().clone(), machine.expansion.outputs());
        let (n, size) = (points.len(), points.len() * outputs);
        if state.now.len() != size || state.late.len() != size {
            let expected = format!("{n} points times {outputs} outputs");
            return Err(Error::shape("the state of a descent", expected, state.now.len()));
        }
        let basis = match state.lower {
            Some(lower) if lower.len() == n * n => Basis::Landmarks { points, lower },
            Some(lower) => return Err(Error::shape("the factor of a descent", format!("{n}×{n} values"), lower.len())),
            None => Basis::Rows(points),
        };
        Ok(KernelSgdLearner {
            loss: choices.loss.build()?,
            choices: choices.clone(),
            space: machine.expansion.space().clone(),
            outputs,
            basis,
            now: state.now,
            late: state.late,
            steps: state.steps,
            seen: state.seen,
            step_size: state.step_size,
            history: state.history,
            notes: Vec::new(),
            stopped: None,
        })
    }

    /// Lets points come after those of a fit.
    fn open(&mut self) -> Result<()> {
        match &self.basis {
            Basis::Rows(Inputs::Precomputed(_)) => Err(Error::Unsupported {
                what: "a precomputed matrix that comes in parts".into(),
                alternative: "fit to the whole matrix, or give the points".into(),
            }),
            Basis::Rows(points) => {
                self.basis = Basis::Growing(vec![points.clone()]);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// For points that are all known.
    pub(super) fn on(choices: &KernelSgd, training: &Training, outputs: usize, run: &Run) -> Result<Self> {
        let basis = match choices.dictionary {
            Dictionary::Landmarks(count) => landmark_basis(training, count, choices.seed, run)?,
            _ => Basis::Rows(training.x.clone()),
        };
        Self::new(choices, training, outputs, basis, run)
    }

    /// For points that are still to come.
    pub(super) fn empty(choices: &KernelSgd, first: &Training, outputs: usize, run: &Run) -> Result<Self> {
        let basis = match choices.dictionary {
            Dictionary::Landmarks(count) => landmark_basis(first, count, choices.seed, run)?,
            _ => Basis::Growing(Vec::new()),
        };
        Self::new(choices, first, outputs, basis, run)
    }

    fn new(choices: &KernelSgd, training: &Training, outputs: usize, basis: Basis, run: &Run) -> Result<Self> {
        let size = match &basis {
            Basis::Rows(x) => x.len(),
            Basis::Growing(_) => 0,
            Basis::Landmarks { points, .. } => points.len(),
        };
        let mut learner = KernelSgdLearner {
            loss: choices.loss.build()?,
            choices: choices.clone(),
            space: training.space.clone(),
            outputs,
            basis,
            now: vec![0.0; size * outputs],
            late: vec![0.0; size * outputs],
            steps: 0,
            seen: 0,
            step_size: 0.0,
            history: Vec::new(),
            notes: Vec::new(),
            stopped: None,
        };
        learner.step_size = learner.check_step(&training.x, run)?;
        Ok(learner)
    }

    /// The step for these points: as given, if it converges, or a safe one.
    fn check_step(&mut self, x: &Inputs, run: &Run) -> Result<f64> {
        let own = self.space.diag(x, run)?;
        let (row, largest) = own.iter().enumerate().fold((0, 0.0f64), |m, (i, k)| if *k > m.1 { (i, *k) } else { m });
        let curvature = curvature(&self.choices.loss);
        let steep = largest * curvature.unwrap_or(1.0);
        match self.choices.step_size {
            None if steep > 0.0 => Ok(if self.step_size > 0.0 { self.step_size.min(1.0 / steep) } else { 1.0 / steep }),
            None => Ok(1.0),
            Some(step) if curvature.is_some() && step * steep >= 2.0 => {
                let must =
                    format!("below {:.6}, or the descent diverges: k(x, x) is {largest:.6} at row {row}", 2.0 / steep);
                Err(Error::invalid(NAME, "step_size", step, must))
            }
            Some(step) => Ok(step),
        }
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
        self.open()?;
        self.step_size = self.check_step(x, run)?;
        let task = run.task("stochastic gradient descent", Some(x.len().div_ceil(CHUNK) as u64));
        for start in (0..x.len()).step_by(CHUNK) {
            let rows: Vec<usize> = (start..(start + CHUNK).min(x.len())).collect();
            let part = x.take(&rows);
            let targets: Vec<f64> = rows.iter().flat_map(|i| y.row(*i).to_vec()).collect();
            self.chunk(&part, None, &targets, run)?;
            if let Some(reason) = task.step(self.history.last().copied()) {
                self.stopped = Some(reason.into());
                break;
            }
        }
        Ok(())
    }

    /// Learns from every row of a fit, in this order.
    pub(super) fn pass(&mut self, training: &Training, y: &Targets, order: &[usize], run: &Run) -> Result<()> {
        self.check_targets(y)?;
        let task = run.task("stochastic gradient descent", Some(order.len().div_ceil(CHUNK) as u64));
        for rows in order.chunks(CHUNK) {
            let targets: Vec<f64> = rows.iter().flat_map(|i| y.row(*i).to_vec()).collect();
            self.chunk(&training.x.take(rows), Some(rows), &targets, run)?;
            if let Some(reason) = task.step(self.history.last().copied()) {
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
                Err(Error::invalid(NAME, "the target", value, must))
            }
            None => Ok(()),
        }
    }

    /// Learns from one chunk; `rows` are its places in the basis of all rows.
    fn chunk(&mut self, x: &Inputs, rows: Option<&[usize]>, y: &[f64], run: &Run) -> Result<()> {
        let c = self.outputs;
        if let Basis::Landmarks { points, lower } = &self.basis {
            let m = points.len();
            let mut features = dense::<f64>(&self.space.cross(x, points, run)?, run)?.into_values();
            solve_lower(lower, m, &mut features, run)?;
            return self.along_features(&features, m, y);
        }
        let before = self.values(x, run)?;
        let own = local_gram(&self.space, x, rows, run)?;
        let (moves, late) = self.along_rows(&own, &before, y)?;
        match (&mut self.basis, rows) {
            (Basis::Rows(_), Some(rows)) => {
                for (at, i) in rows.iter().enumerate() {
                    for o in 0..c {
                        self.now[i * c + o] += moves[at * c + o];
                        self.late[i * c + o] += late[at * c + o];
                    }
                }
            }
            (Basis::Growing(parts), _) => {
                parts.push(x.clone());
                self.now.extend_from_slice(&moves);
                self.late.extend_from_slice(&late);
            }
            _ => {}
        }
        Ok(())
    }

    /// f at the points of a chunk, as it is now.
    fn values(&self, x: &Inputs, run: &Run) -> Result<Vec<f64>> {
        let c = self.outputs;
        let mut values = vec![0.0; x.len() * c];
        let parts: Vec<(&Inputs, usize)> = match &self.basis {
            Basis::Rows(points) => vec![(points, 0)],
            Basis::Growing(parts) => {
                let starts = parts.iter().scan(0, |at, p| {
                    *at += p.len();
                    Some(*at - p.len())
                });
                parts.iter().zip(starts).collect()
            }
            Basis::Landmarks { .. } => Vec::new(),
        };
        for (points, start) in parts {
            let coefficients = &self.now[start * c..(start + points.len()) * c];
            let mut added = vec![0.0; values.len()];
            match x {
                // The rows of a precomputed matrix are kernel values with all points already.
                Inputs::Precomputed(k) => {
                    for (row, out) in (0..k.nrows()).map(|i| k.row(i)).zip(added.chunks_mut(c)) {
                        for (k, a) in row.iter().zip(coefficients.chunks(c)) {
                            out.iter_mut().zip(a).for_each(|(o, a)| *o += k * a);
                        }
                    }
                }
                _ => apply(&self.space.cross(x, points, run)?, coefficients, c, &mut added, run)?,
            }
            values.iter_mut().zip(&added).for_each(|(v, a)| *v += a);
        }
        Ok(values)
    }

    /// The steps of a chunk whose own kernel values are known: how each coefficient moves, and that
    /// times the number of the step before.
    fn along_rows(&mut self, own: &[f64], before: &[f64], y: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
        let (c, n) = (self.outputs, y.len() / self.outputs);
        let (mut moves, mut late) = (vec![0.0; n * c], vec![0.0; n * c]);
        let mut loss = 0.0;
        for start in (0..n).step_by(self.choices.batch_size) {
            let batch = start..(start + self.choices.batch_size).min(n);
            let step = self.next_step(batch.len());
            let mut slopes = Vec::with_capacity(batch.len() * c);
            for i in batch.clone() {
                for o in 0..c {
                    let near: f64 = (0..start).map(|j| own[i * n + j] * moves[j * c + o]).sum();
                    let value = before[i * c + o] + near;
                    loss += self.loss.value(y[i * c + o], value);
                    slopes.push(self.loss.derivative(y[i * c + o], value));
                }
            }
            for (at, slope) in slopes.iter().enumerate() {
                moves[start * c + at] -= step * slope;
                late[start * c + at] -= step * slope * (self.steps - 1) as f64;
            }
        }
        self.record(loss, n)?;
        Ok((moves, late))
    }

    /// The steps of a chunk in the coordinates of landmarks.
    fn along_features(&mut self, features: &[f64], m: usize, y: &[f64]) -> Result<()> {
        let (c, n) = (self.outputs, y.len() / self.outputs);
        let mut loss = 0.0;
        for start in (0..n).step_by(self.choices.batch_size) {
            let batch = start..(start + self.choices.batch_size).min(n);
            let step = self.next_step(batch.len());
            let mut slopes = vec![0.0; batch.len() * c];
            for (i, slopes) in batch.clone().zip(slopes.chunks_mut(c)) {
                for (o, slope) in slopes.iter_mut().enumerate() {
                    let phi = &features[i * m..(i + 1) * m];
                    let value: f64 = phi.iter().zip(self.now.iter().skip(o).step_by(c)).map(|(p, b)| p * b).sum();
                    loss += self.loss.value(y[i * c + o], value);
                    *slope = self.loss.derivative(y[i * c + o], value);
                }
            }
            let before = (self.steps - 1) as f64;
            for (i, slopes) in batch.zip(slopes.chunks(c)) {
                for (j, phi) in features[i * m..(i + 1) * m].iter().enumerate() {
                    for (o, slope) in slopes.iter().enumerate() {
                        let moved = step * slope * phi;
                        self.now[j * c + o] -= moved;
                        self.late[j * c + o] -= moved * before;
                    }
                }
            }
        }
        self.record(loss, n)
    }

    /// step·t^(−decay) over the rows of the batch, of the next iteration t.
    fn next_step(&mut self, batch: usize) -> f64 {
        self.steps += 1;
        self.step_size * (self.steps as f64).powf(-self.choices.decay) / batch as f64
    }

    /// The mean loss of rows before they were learnt from: an honest estimate of the risk.
    fn record(&mut self, loss: f64, rows: usize) -> Result<()> {
        self.seen += rows;
        let mean = loss / (rows * self.outputs) as f64;
        self.history.push(mean);
        match mean.is_finite() {
            true => Ok(()),
            false => Err(Error::invalid(NAME, "step_size", self.step_size, "smaller: the descent diverged")),
        }
    }

    pub(super) fn stopped(&self) -> Option<Stop> {
        self.stopped
    }

    /// What is to be said of it.
    pub fn report(&self) -> MachineReport {
        MachineReport {
            rows: self.seen,
            rows_of_weight_zero: 0,
            notes: self.notes.clone(),
            history: self.history.clone(),
        }
    }

    /// The function that was learnt so far.
    pub fn machine(&self) -> Result<KernelMachine> {
        let steps = self.steps.max(1) as f64;
        let mean = |(now, late): (&f64, &f64)| if self.choices.averaging { now - late / steps } else { *now };
        let coordinates: Vec<f64> = self.now.iter().zip(&self.late).map(mean).collect();
        let mut settings = serde_json::Map::new();
        settings.insert("loss".into(), serde_json::to_value(self.choices.loss).unwrap_or_default());
        settings.insert("step_size".into(), self.step_size.into());
        settings.insert("steps".into(), self.steps.into());
        settings.insert("rows_seen".into(), self.seen.into());
        settings.insert("averaging".into(), self.choices.averaging.into());
        Ok(KernelMachine {
            learner: "kernel_sgd".into(),
            expansion: self.expansion(coordinates)?,
            link: match (self.choices.loss, self.outputs) {
                (NamedLoss::Logistic, 1) => Link::Logistic,
                _ => Link::Identity,
            },
            certificate: self.certificate(),
            settings,
        })
    }

    fn expansion(&self, coordinates: Vec<f64>) -> Result<Expansion> {
        let none = vec![0.0; self.outputs];
        match &self.basis {
            Basis::Rows(Inputs::Precomputed(k)) => {
                let points = Precomputed::new(Vec::new(), k.nrows(), 0)?;
                Expansion::new(self.space.clone(), points.into(), coordinates, none)
            }
            Basis::Rows(points) => Expansion::new(self.space.clone(), points.clone(), coordinates, none),
            Basis::Growing(parts) => Expansion::new(self.space.clone(), Inputs::concatenate(parts)?, coordinates, none),
            Basis::Landmarks { points, lower } => {
                let mut coefficients = coordinates;
                solve_lower_transposed(lower, points.len(), &mut coefficients, self.outputs);
                Expansion::new(self.space.clone(), points.clone(), coefficients, none)
            }
        }
    }

    fn certificate(&self) -> Certificate {
        let last = self.history.last().copied();
        Certificate {
            algorithm: Algorithm::StochasticGradientDescent,
            reason: match &self.basis {
                Basis::Landmarks { points, .. } => format!("steps projected on the span of {} landmarks", points.len()),
                _ => "steps to the letter, with every point in the function".into(),
            },
            stop: self.stopped.unwrap_or(Stop::Direct),
            relative_residual: last.unwrap_or(f64::NAN),
            system: "none is solved: the mean loss of the last rows before they were learnt from".into(),
            primal: None,
            dual: None,
            iterations: Some(self.steps),
            jitter: 0.0,
            rank: None,
            condition: None,
        }
    }
}

/// The largest curvature of a loss, where it is what limits the step; margin losses without one are
/// limited by nothing.
fn curvature(loss: &NamedLoss) -> Option<f64> {
    match loss {
        NamedLoss::Squared | NamedLoss::Huber { .. } => Some(1.0),
        NamedLoss::Logistic => Some(0.25),
        NamedLoss::SquaredHinge => Some(2.0),
        _ => None,
    }
}

/// Landmarks among evenly spread rows.
fn landmark_basis(training: &Training, count: usize, seed: u64, run: &Run) -> Result<Basis> {
    if let Inputs::Precomputed(_) = &training.x {
        return Err(Error::Unsupported {
            what: "landmarks of a precomputed matrix in a stochastic gradient descent".into(),
            alternative: "use all points".into(),
        });
    }
    let (n, m) = (training.n, count.min(training.n));
    let sample = (ROWS_A_LANDMARK * m).min(n);
    let rows: Vec<usize> = (0..sample).map(|i| i * n / sample).collect();
    let near = training.x.take(&rows);
    let chosen = landmarks(&training.space.gram(&near, run)?, m, seed, run)?;
    let points = near.take(&chosen);
    let mut k_zz = dense::<f64>(&training.space.gram(&points, run)?, run)?.into_values();
    let factor = pivoted_cholesky_dense(&mut k_zz, points.len(), &PivotedParams::default(), run)?;
    Ok(Basis::Landmarks { points: points.take(factor.pivots()), lower: factor.triangle() })
}

/// The kernel values of a chunk with itself.
fn local_gram(space: &Space, x: &Inputs, rows: Option<&[usize]>, run: &Run) -> Result<Vec<f64>> {
    if let (Inputs::Precomputed(k), Some(rows)) = (x, rows) {
        return Ok((0..k.nrows()).flat_map(|i| rows.iter().map(move |&j| k.row(i)[j])).collect());
    }
    Ok(dense::<f64>(&space.gram(x, run)?, run)?.into_values())
}
