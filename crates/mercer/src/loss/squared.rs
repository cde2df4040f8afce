//! Half the square of the residual.

use super::{Loss, Piece, each_within};
use crate::linalg::Ball;

/// ℓ(y, z) = ½(z − y)².
///
/// ℓ*(y, u) = u·y + ½u². The loss of ridge regression.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Squared;

impl Loss for Squared {
    fn name(&self) -> &str {
        "squared"
    }

    fn value(&self, y: f64, z: f64) -> f64 {
        0.5 * (z - y) * (z - y)
    }

    fn derivative(&self, y: f64, z: f64) -> f64 {
        z - y
    }

    fn curvature(&self, _: f64, _: f64) -> f64 {
        1.0
    }

    fn conjugate(&self, y: f64, u: f64) -> Option<f64> {
        Some(u * (y + 0.5 * u))
    }

    fn values_within(&self, y: &[f64], z: &[Ball]) -> Vec<Ball> {
        each_within(y, z, |y, z| {
            let r = z - Ball::from(y);
            r * r * 0.5
        })
    }

    fn conjugate_within(&self, y: f64, u: Ball) -> Option<Ball> {
        Some(u * (Ball::from(y) + u * 0.5))
    }

    fn pieces(&self, y: f64) -> Vec<Piece> {
        vec![Piece { low: f64::NEG_INFINITY, high: f64::INFINITY, shift: y, softness: 1.0 }]
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::losses::laws;

    #[test]
    fn laws_hold() {
        laws(&super::Squared, |y, z| 0.5 * (z - y).powi(2));
    }
}
