//! Laplace's approximation of a classifier's evidence, with its gradient.
//!
//! log q(y | X, θ) = −½aᵀf + Σ wᵢ·log σ(yᵢfᵢ) − ½log det B at the mode f, summed over the outputs. Its
//! derivative along dK has an explicit part, ⟨½(aaᵀ − R), dK⟩ with R = √W·B⁻¹·√W, and one through the mode,
//! sᵀ(I − K·R)·dK·g with sᵢ = −½(1 − B⁻¹ᵢᵢ)(1 − 2πᵢ): together ⟨½(aaᵀ − R + v·gᵀ + g·vᵀ), dK⟩ with
//! v = (I − R·K)s, which is pulled back through the formula at once. Reference: Rasmussen & Williams
//! (2006), algorithm 5.1, whose sᵢ = −½Σᵢᵢ·Wᵢ(1 − 2πᵢ) is the same, as Wᵢ·Σᵢᵢ = 1 − B⁻¹ᵢᵢ.

use std::sync::Mutex;

use rayon::prelude::*;

use crate::certificate::Stop;
use crate::error::{Error, Result};
use crate::gram::{Bound, DenseGram, dense, pull_back_symmetric};
use crate::kernel::KernelExpr;
use crate::linalg::invert_cholesky_in_place;
use crate::loss::logistic;
use crate::model::Sample;
use crate::run::Run;

use super::evidence::{LogEvidence, bind};
use super::laplace::{Labels, Mode, find_mode, product};

/// Rows that count with their labels.
pub(super) struct LabelProblem {
    pub(super) training: Sample,
    /// ±1, output by output: outputs×n.
    pub(super) labels: Vec<f64>,
    pub(super) outputs: usize,
    /// The last modes, from which the next search begins.
    pub(super) last: Mutex<Vec<Vec<f64>>>,
}

impl LabelProblem {
    /// Labels and weights of one output.
    pub(super) fn output(&self, o: usize) -> Labels<'_> {
        let n = self.training.n;
        Labels { y: &self.labels[o * n..(o + 1) * n], weights: self.training.weights.as_deref() }
    }

    fn start(&self, o: usize) -> Option<Vec<f64>> {
        self.last.lock().ok().and_then(|last| last.get(o).cloned())
    }

    /// The mode of an output; those of earlier kernels are where the search begins.
    pub(super) fn mode(&self, k: &DenseGram<f64>, o: usize, run: &Run) -> Result<Mode> {
        let mode = find_mode(k, self.output(o), self.start(o).as_deref(), run)?;
        if let Ok(mut last) = self.last.lock() {
            last.resize(self.outputs, Vec::new());
            last[o].clone_from(&mode.a);
        }
        Ok(mode)
    }
}

impl LogEvidence for LabelProblem {
    fn at(&self, kernel: &KernelExpr, _: f64, gradient: Option<&mut Vec<f64>>, run: &Run) -> Result<f64> {
        let Some(bound) = bind(kernel, &self.training.x, run)? else {
            return Ok(f64::NEG_INFINITY);
        };
        let k = dense::<f64>(&bound, run)?;
        let (mut value, mut sum) = (0.0, Vec::new());
        for o in 0..self.outputs {
            let mode = match self.mode(&k, o, run) {
                Err(Error::NotPositiveDefinite { .. }) => return Ok(f64::NEG_INFINITY),
                other => other?,
            };
            if matches!(mode.stop, Stop::Deadline | Stop::Interrupted) {
                let by = run.stop_reason();
                return Err(by.map_or_else(|| unfinished(&mode), |reason| run.task("laplace", None).cancelled(reason)));
            }
            value += mode.log_evidence();
            if gradient.is_some() {
                add(&mut sum, &self.gradient(&bound, &k, mode, o, run)?);
            }
        }
        if let Some(gradient) = gradient {
            *gradient = sum;
        }
        Ok(value)
    }

    fn size(&self) -> f64 {
        self.training.total_weight() * self.outputs as f64
    }
}

fn unfinished(mode: &Mode) -> Error {
    let done = mode.history.len() as u64;
    Error::Cancelled { stage: "laplace".into(), done, total: None, by: "an interrupt".into() }
}

fn add(sum: &mut Vec<f64>, part: &[f64]) {
    sum.resize(part.len(), 0.0);
    sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
}

impl LabelProblem {
    fn gradient(&self, bound: &Bound, k: &DenseGram<f64>, mode: Mode, o: usize, run: &Run) -> Result<Vec<f64>> {
        let n = self.training.n;
        let Mode { a, f, slope: g, roots, mut factor, .. } = mode;
        debug_assert_eq!(self.output(o).y.len(), n);
        invert_cholesky_in_place(factor.values_mut(), n, run)?;
        // 1 − 2π = σ(−f) − σ(f).
        let s: Vec<f64> =
            (0..n).map(|i| -0.5 * (1.0 - factor.row(i)[i]) * (logistic(-f[i]) - logistic(f[i]))).collect();
        let scaled: Vec<f64> = product(k, &s, run)?.iter().zip(&roots).map(|(v, d)| v * d).collect();
        let inverse_times = symmetric_times(factor.values(), n, &scaled);
        let v: Vec<f64> = (0..n).map(|i| s[i] - roots[i] * inverse_times[i]).collect();
        let row = |(i, row): (usize, &mut [f64])| {
            for (j, w) in (i..n).zip(&mut row[i..]) {
                let explicit = a[i] * a[j] - roots[i] * *w * roots[j];
                *w = 0.5 * (explicit + v[i] * g[j] + g[i] * v[j]);
            }
        };
        run.install(|| factor.values_mut().par_chunks_mut(n).enumerate().for_each(row));
        pull_back_symmetric(bound, factor.values(), run)
    }
}

/// S·u for a symmetric matrix of which the upper triangle is there.
fn symmetric_times(upper: &[f64], n: usize, u: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; n];
    for (i, row) in upper.chunks(n).enumerate() {
        let mut sum = row[i] * u[i];
        for (j, s) in (i + 1..n).zip(&row[i + 1..]) {
            sum += s * u[j];
            out[j] += s * u[i];
        }
        out[i] += sum;
    }
    out
}
