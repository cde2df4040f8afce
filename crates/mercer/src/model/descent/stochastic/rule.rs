//! How large a step may be.
//!
//! On a batch B of b rows, f ↦ (1/b)·Σ_B ℓ(y, f(x)) has a gradient that is Lipschitz in the RKHS with
//! the constant L = c·λ₁(K_B)/b, for ℓ'' ≤ c: it is the sum over B of ℓ'(y, ⟨f, k_x⟩)·k_x/b, and the
//! largest eigenvalue of Σ k_x⊗k_x is that of the matrix of ⟨k_x, k_x'⟩. For a convex ℓ a step below
//! 2/L brings no two functions further apart and lowers the loss of the batch; for the squared loss a
//! longer one makes the leading direction of the batch grow. λ₁(K_B)/b ≤ tr(K_B)/b ≤ max k(x, x), so
//! that what converges row by row converges in batches. Projecting on landmarks lowers λ₁ further.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::linalg::eigenvalues;
use crate::model::Learn;
use crate::model::sample::subset;
use crate::run::Run;

use super::super::sgd::KernelSgd;
use super::KernelSgdLearner;
use super::basis::local_gram;

impl KernelSgdLearner {
    /// Lowers the automatic step if these points need it.
    pub(super) fn fit_step(&mut self, x: &Inputs, run: &Run) -> Result<()> {
        if let Some(given) = self.choices.step_size {
            self.state.step_size = given;
            return Ok(());
        }
        let steep = largest(&self.space.diag(x, run)?).1 * self.choices.loss.spec().largest_curvature.unwrap_or(1.0);
        let safe = if steep > 0.0 { 1.0 / steep } else { 1.0 };
        let now = self.state.step_size;
        if now > 0.0 && steep > 0.0 && safe < now {
            self.state.lowered_from.get_or_insert(now);
        }
        self.state.step_size = if now > 0.0 && steep > 0.0 { safe.min(now) } else { now.max(safe) };
        Ok(())
    }

    /// Refuses a given step that makes a batch of these rows, taken in this order, grow.
    pub(super) fn check_step(&self, x: &Inputs, order: &[usize], run: &Run) -> Result<()> {
        let (Some(_), Some(curvature)) = (self.choices.step_size, self.choices.loss.spec().largest_curvature) else {
            return Ok(());
        };
        let step = self.step(self.state.steps + 1);
        let (row, own) = largest(&self.space.diag(x, run)?);
        if step * curvature * own < 2.0 {
            return Ok(());
        }
        let b = self.choices.batch_size.min(order.len()).max(1);
        let refuse = |bound: f64, why: String| {
            let most = 2.0 / (curvature * bound);
            let must = format!("below {most:.6}, or the descent diverges: {why}");
            Err(Error::invalid(KernelSgd::SPEC.title(), "step_size", step, must))
        };
        if b == 1 {
            return refuse(own, format!("k(x, x) is {own:.6} at row {row}"));
        }
        let task = run.task("largest eigenvalues of batches", Some(order.len().div_ceil(b) as u64));
        for rows in order.chunks(b) {
            if let Some(reason) = task.step(None) {
                return Err(task.cancelled(reason));
            }
            let gram = local_gram(&self.space, &subset(x, rows), None, run)?;
            let steep = steepest(&gram, rows.len(), b, |bound| step * curvature * bound < 2.0, run)?;
            if step * curvature * steep >= 2.0 {
                let first = rows[0];
                return refuse(
                    steep,
                    format!("K/{b} of the batch that begins with row {first} has the eigenvalue {steep:.6}"),
                );
            }
        }
        Ok(())
    }

    /// step·t^(−decay), of iteration t.
    pub(super) fn step(&self, t: usize) -> f64 {
        self.state.step_size * (t as f64).powf(-self.choices.decay)
    }
}

/// λ₁(K_B)/b, or a bound of it from above that is good enough: the largest sum of a row of |K_B|, or
/// the norm of K_B, which take no decomposition.
fn steepest(gram: &[f64], n: usize, b: usize, enough: impl Fn(f64) -> bool, run: &Run) -> Result<f64> {
    let rows = gram.chunks(n.max(1)).map(|row| row.iter().map(|k| k.abs()).sum::<f64>()).fold(0.0, f64::max);
    let bound = rows.min(gram.iter().map(|k| k * k).sum::<f64>().sqrt()) / b as f64;
    if enough(bound) {
        return Ok(bound);
    }
    Ok(eigenvalues(gram, n, run)?.last().copied().unwrap_or(0.0) / b as f64)
}

/// The place and the size of the largest of numbers above 0.
fn largest(values: &[f64]) -> (usize, f64) {
    values.iter().enumerate().fold((0, 0.0f64), |m, (i, k)| if *k > m.1 { (i, *k) } else { m })
}
