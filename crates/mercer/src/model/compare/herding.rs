//! Kernel herding: a few points whose mean in feature space is near the mean of all.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::gram::{KernelMatrix, apply};
use crate::kernel::KernelExpr;
use crate::linalg::ColumnSource;
use crate::run::Run;

use super::stein::Thinned;

/// Kernel herding (Chen, Welling & Smola 2010, *Super-samples from kernel herding*, eq. 8) among the points themselves: the row of
/// largest μ̂(x) − Σ k(x, xₛ)/(t + 1) over the t rows chosen already, `count` times, with μ̂(x) the mean of k(x, xᵢ) over all rows.
/// Ties go to the first row. Time n² kernel values once and n for each choice, memory n.
pub fn kernel_herding(points: &Inputs, kernel: &KernelExpr, count: usize, run: &Run) -> Result<Thinned> {
    if count == 0 || points.is_empty() {
        let (name, value) = if count == 0 { ("count", 0) } else { ("rows", 0) };
        return Err(Error::invalid("kernel herding", name, value, "≥ 1"));
    }
    let (kernel, _) = kernel.resolve(points, run)?;
    let gram = kernel.bind(points, run)?;
    let n = gram.nrows();
    let mut mean = vec![0.0; n];
    apply(&gram, &vec![1.0 / n as f64; n], 1, &mut mean, run)?;
    let mut herd = Herd { square: mean.iter().sum::<f64>() / n as f64, near: vec![0.0; n], mean, along: 0.0, own: 0.0 };
    let (mut indices, mut discrepancy, mut column) = (Vec::new(), Vec::new(), vec![0.0; n]);
    let task = run.task("herding", Some(count as u64));
    for t in 0..count {
        let chosen = herd.next(t);
        crate::gram::KernelColumns(&gram).column(chosen, &mut column, run)?;
        discrepancy.push(herd.take(chosen, &column, t + 1));
        indices.push(chosen);
        task.step_or_cancel()?;
    }
    Ok(Thinned { indices, discrepancy, kernel: kernel.to_string() })
}

/// The state of herding.
struct Herd {
    /// μ̂ at every row.
    mean: Vec<f64>,
    /// ‖μ̂‖².
    square: f64,
    /// Σ k(x, xₛ) over those chosen.
    near: Vec<f64>,
    /// Σ μ̂(xₛ) and Σ k(xₛ, xₜ) over those chosen.
    along: f64,
    own: f64,
}

impl Herd {
    /// The first row of the largest value.
    fn next(&self, t: usize) -> usize {
        let value = |i: usize| self.mean[i] - self.near[i] / (t + 1) as f64;
        (1..self.mean.len()).fold(0, |best, i| if value(i) > value(best) { i } else { best })
    }

    /// Takes a row whose kernel values are given; ‖μ̂ − μ̂_t‖ with it.
    fn take(&mut self, chosen: usize, column: &[f64], t: usize) -> f64 {
        self.along += self.mean[chosen];
        self.own += 2.0 * self.near[chosen] + column[chosen];
        self.near.iter_mut().zip(column).for_each(|(sum, k)| *sum += k);
        let t = t as f64;
        (self.square - 2.0 * self.along / t + self.own / (t * t)).max(0.0).sqrt()
    }
}
