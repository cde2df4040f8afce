//! The losses of all rows, as Newton's method sees them.

use super::Loss;
use crate::linalg::Ball;

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

    /// Adds w·H to a matrix, row-major: outputs×outputs.
    fn add_curvature(&self, state: &[f64], w: f64, out: &mut [f64]);

    /// The mean eigenvalue of H.
    fn bends(&self, state: &[f64]) -> f64;

    /// ℓᵢ*(u), nothing if it is not known.
    fn conjugate(&self, i: usize, u: &[f64]) -> Option<f64>;

    /// Numbers that ℓᵢ(zᵢ) of every row is one of, for values that are known within balls.
    fn values_within(&self, z: &[Ball]) -> Vec<Ball>;

    /// A number that ℓᵢ*(u) is one of, for a u that has one and is known within balls.
    fn conjugate_within(&self, i: usize, u: &[Ball]) -> Option<Ball>;

    /// Not below the norm of ∇ℓᵢ at any value within `reach` of zᵢ in every row, into `out`.
    fn steepness(&self, z: &[f64], reach: f64, out: &mut [f64]);
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

    fn add_curvature(&self, state: &[f64], w: f64, out: &mut [f64]) {
        out[0] += w * state[0];
    }

    fn bends(&self, state: &[f64]) -> f64 {
        state[0]
    }

    fn conjugate(&self, i: usize, u: &[f64]) -> Option<f64> {
        let loss = self.loss.convex()?;
        let (low, high) = loss.domain(self.y[i]);
        // Rounding may put a slope outside by one digit of the last place; inside it is as good.
        let near = |bound: f64| (u[0] - bound).abs() <= 8.0 * f64::EPSILON * bound.abs().max(f64::MIN_POSITIVE);
        let u = if near(low) || near(high) { u[0].clamp(low, high) } else { u[0] };
        Some(loss.conjugate(self.y[i], u))
    }

    fn values_within(&self, z: &[Ball]) -> Vec<Ball> {
        self.loss.values_within(self.y, z)
    }

    fn conjugate_within(&self, i: usize, u: &[Ball]) -> Option<Ball> {
        self.loss.convex().map(|loss| loss.conjugate_within(self.y[i], u[0]))
    }

    /// The slope of a convex loss is largest at an end; one that lies on a kink is moved off it.
    fn steepness(&self, z: &[f64], reach: f64, out: &mut [f64]) {
        let mut slopes = vec![0.0; z.len()];
        out.fill(0.0);
        for side in [-1.0, 0.0, 1.0] {
            let moved: Vec<f64> = z.iter().map(|z| z + side * (reach + 4.0 * f64::EPSILON * z.abs())).collect();
            self.loss.derivatives(self.y, &moved, &mut slopes);
            out.iter_mut().zip(&slopes).for_each(|(o, s)| *o = o.max(s.abs() * (1.0 + 1e-12)));
        }
    }
}
