//! The losses of all rows, as Newton's method sees them.

use super::Loss;

/// ℓᵢ(zᵢ) of every row i, where zᵢ holds one or several numbers.
pub trait RowLoss: Sync {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// Numbers that a value holds.
    fn outputs(&self) -> usize;

    /// ℓᵢ(zᵢ) of every row, into `out`.
    fn values(&self, z: &[f64], out: &mut [f64]);

    /// ∇ℓᵢ(zᵢ) of every row, into `out`.
    fn gradients(&self, z: &[f64], out: &mut [f64]);

    /// What [`bend`](Self::bend) needs to know of every row at zᵢ, into `states`: as many numbers as z has.
    fn locals(&self, z: &[f64], states: &mut [f64]);

    /// H·d for the curvature H ≥ 0 of a row's `state`, into `out`. Where the loss bends down, H is 0 there.
    fn bend(&self, state: &[f64], d: &[f64], out: &mut [f64]);

    /// The mean eigenvalue of H.
    fn bends(&self, state: &[f64]) -> f64;

    /// ℓᵢ*(u), nothing if it is not known.
    fn conjugate(&self, i: usize, u: &[f64]) -> Option<f64>;
}

/// One loss and its targets.
#[derive(Clone, Debug)]
pub struct ScalarRows<'a> {
    /// The loss.
    pub loss: &'a dyn Loss,
    /// A target a row.
    pub y: &'a [f64],
}

impl RowLoss for ScalarRows<'_> {
    fn rows(&self) -> usize {
        self.y.len()
    }

    fn outputs(&self) -> usize {
        1
    }

    fn values(&self, z: &[f64], out: &mut [f64]) {
        self.loss.values(self.y, z, out);
    }

    fn gradients(&self, z: &[f64], out: &mut [f64]) {
        self.loss.derivatives(self.y, z, out);
    }

    fn locals(&self, z: &[f64], states: &mut [f64]) {
        self.loss.curvatures(self.y, z, states);
        states.iter_mut().for_each(|s| *s = s.max(0.0));
    }

    fn bend(&self, state: &[f64], d: &[f64], out: &mut [f64]) {
        out[0] = state[0] * d[0];
    }

    fn bends(&self, state: &[f64]) -> f64 {
        state[0]
    }

    fn conjugate(&self, i: usize, u: &[f64]) -> Option<f64> {
        let (low, high) = self.loss.domain(self.y[i]);
        // Rounding may put a slope outside by one digit of the last place; inside it is as good.
        let near = |bound: f64| (u[0] - bound).abs() <= 8.0 * f64::EPSILON * bound.abs().max(f64::MIN_POSITIVE);
        let u = if near(low) || near(high) { u[0].clamp(low, high) } else { u[0] };
        self.loss.conjugate(self.y[i], u)
    }
}
