//! The size of the residual.

use super::{Loss, Piece, each_within, within};
use crate::linalg::Ball;

/// ℓ(y, z) = |z − y|.
///
/// ℓ*(y, u) = u·y for |u| ≤ 1. The fit is a median.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Absolute;

impl Loss for Absolute {
    fn name(&self) -> &str {
        "absolute"
    }

    fn value(&self, y: f64, z: f64) -> f64 {
        (z - y).abs()
    }

    fn derivative(&self, y: f64, z: f64) -> f64 {
        if z == y { 0.0 } else { (z - y).signum() }
    }

    fn curvature(&self, _: f64, _: f64) -> f64 {
        0.0
    }

    fn conjugate(&self, y: f64, u: f64) -> Option<f64> {
        within(u, self.domain(y), u * y)
    }

    fn domain(&self, _: f64) -> (f64, f64) {
        (-1.0, 1.0)
    }

    fn values_within(&self, y: &[f64], z: &[Ball]) -> Vec<Ball> {
        each_within(y, z, |y, z| (z - Ball::from(y)).abs())
    }

    fn conjugate_within(&self, y: f64, u: Ball) -> Option<Ball> {
        Some(u * y)
    }

    fn pieces(&self, y: f64) -> Vec<Piece> {
        vec![Piece { low: -1.0, high: 1.0, shift: y, softness: 0.0 }]
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::losses::laws;

    #[test]
    fn laws_hold() {
        laws(&super::Absolute, |y, z| if z > y { z - y } else { y - z });
    }
}
