//! The steps of a chunk of rows.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::model::Learn;

use super::super::sgd::KernelSgd;
use super::{CHUNK, KernelSgdLearner};

/// The batches of n rows, b at a time.
fn batches(n: usize, b: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n).step_by(b.max(1)).map(move |start| start..(start + b).min(n))
}

impl KernelSgdLearner {
    /// The steps of a chunk whose own kernel values are known, b rows a step: how each coefficient
    /// moves, and that times the number of the step before.
    pub(super) fn along_rows(
        &mut self,
        own: &[f64],
        before: &[f64],
        y: &[f64],
        b: usize,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let (c, n) = (self.outputs, y.len() / self.outputs);
        let (mut moves, mut late) = (vec![0.0; n * c], vec![0.0; n * c]);
        let mut loss = 0.0;
        for batch in batches(n, b) {
            let (start, step) = (batch.start, self.next_step(b));
            let mut slopes = Vec::with_capacity(batch.len() * c);
            for i in batch {
                for o in 0..c {
                    let near: f64 = (0..start).map(|j| own[i * n + j] * moves[j * c + o]).sum();
                    let value = before[i * c + o] + near;
                    loss += self.loss.value(y[i * c + o], value);
                    slopes.push(self.loss.derivative(y[i * c + o], value));
                }
            }
            let earlier = (self.state.steps - 1) as f64;
            for (at, slope) in slopes.iter().enumerate() {
                moves[start * c + at] -= step * slope;
                late[start * c + at] -= step * slope * earlier;
            }
        }
        self.record(loss, n)?;
        Ok((moves, late))
    }

    /// The steps of a chunk in the coordinates of m landmarks, b rows a step.
    pub(super) fn along_features(&mut self, features: &[f64], m: usize, y: &[f64], b: usize) -> Result<()> {
        let (c, n) = (self.outputs, y.len() / self.outputs);
        let mut loss = 0.0;
        for batch in batches(n, b) {
            let step = self.next_step(b);
            let mut slopes = vec![0.0; batch.len() * c];
            for (i, slopes) in batch.clone().zip(slopes.chunks_mut(c)) {
                let phi = &features[i * m..(i + 1) * m];
                for (o, slope) in slopes.iter_mut().enumerate() {
                    let now = self.state.now.iter().skip(o).step_by(c);
                    let value: f64 = phi.iter().zip(now).map(|(p, u)| p * u).sum();
                    loss += self.loss.value(y[i * c + o], value);
                    *slope = self.loss.derivative(y[i * c + o], value);
                }
            }
            let earlier = (self.state.steps - 1) as f64;
            for (i, slopes) in batch.zip(slopes.chunks(c)) {
                for (j, phi) in features[i * m..(i + 1) * m].iter().enumerate() {
                    for (o, slope) in slopes.iter().enumerate() {
                        let moved = step * slope * phi;
                        self.state.now[j * c + o] -= moved;
                        self.state.late[j * c + o] -= moved * earlier;
                    }
                }
            }
        }
        self.record(loss, n)
    }

    /// The step of the next iteration over the rows of a batch. A batch at the end may have fewer: a
    /// row counts there as much as elsewhere.
    fn next_step(&mut self, b: usize) -> f64 {
        self.state.steps += 1;
        self.step(self.state.steps) / b as f64
    }

    /// The mean loss of rows before they were learnt from: an honest estimate of the risk.
    fn record(&mut self, loss: f64, rows: usize) -> Result<()> {
        let state = &mut self.state;
        state.seen += rows;
        let mean = loss / (rows * self.outputs) as f64;
        // The mean of all rows at first; later ones count as if CHUNK rows were remembered.
        state.running_loss += (mean - state.running_loss) * rows as f64 / state.seen.min(CHUNK.max(rows)) as f64;
        state.history.push(mean);
        match mean.is_finite() {
            true => Ok(()),
            false => {
                let must = "smaller: the descent diverged";
                Err(Error::invalid(KernelSgd::SPEC.title(), "step_size", state.step_size, must))
            }
        }
    }
}
