//! The square of how much a margin of 1 is missed by.

use super::{Against, Loss, Piece, each_within, positive_part, within};
use crate::linalg::Ball;

/// ℓ(y, z) = max(0, 1 − y·z)² for y = ±1.
///
/// With a = −u·y, ℓ*(y, u) = −a + ¼a² for a ≥ 0.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SquaredHinge;

impl Loss for SquaredHinge {
    fn name(&self) -> &str {
        "squared_hinge"
    }

    fn against(&self) -> Against {
        Against::Signs
    }

    fn value(&self, y: f64, z: f64) -> f64 {
        positive_part(1.0 - y * z).powi(2)
    }

    fn derivative(&self, y: f64, z: f64) -> f64 {
        -2.0 * y * positive_part(1.0 - y * z)
    }

    fn curvature(&self, y: f64, z: f64) -> f64 {
        if y * z < 1.0 { 2.0 } else { 0.0 }
    }

    fn conjugate(&self, y: f64, u: f64) -> Option<f64> {
        let a = -u * y;
        within(u, self.domain(y), a * (0.25 * a - 1.0))
    }

    fn domain(&self, y: f64) -> (f64, f64) {
        if y > 0.0 { (f64::NEG_INFINITY, 0.0) } else { (0.0, f64::INFINITY) }
    }

    fn values_within(&self, y: &[f64], z: &[Ball]) -> Vec<Ball> {
        each_within(y, z, |y, z| {
            let short = (Ball::from(1.0) - z * y).positive_part();
            short * short
        })
    }

    fn conjugate_within(&self, y: f64, u: Ball) -> Option<Ball> {
        Some(-(u * y) * (-(u * y) * 0.25 - Ball::from(1.0)))
    }

    fn pieces(&self, y: f64) -> Vec<Piece> {
        let (low, high) = self.domain(y);
        vec![Piece { low, high, shift: y, softness: 0.5 }]
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::losses::laws;

    #[test]
    fn laws_hold() {
        laws(&super::SquaredHinge, |y, z| (1.0 - y * z).max(0.0).powi(2));
    }
}
