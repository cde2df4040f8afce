//! The square of how much a margin of 1 is missed by.

use std::sync::Arc;

use super::convex::within;
use super::{Against, Convex, Loss, LossSpec, Piece, each_within, positive_part};
use crate::linalg::Ball;

/// ℓ(y, z) = max(0, 1 − y·z)² for y = ±1.
///
/// With a = −u·y, ℓ*(y, u) = −a + ¼a² for a ≥ 0.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SquaredHinge;

impl SquaredHinge {
    /// What the catalogue says of it.
    pub const SPEC: LossSpec = LossSpec {
        name: "squared_hinge",
        summary: "the square of how much a margin of 1 is missed by",
        definition: "max(0, 1 − yz)²",
        against: Against::Signs,
        classifies: true,
        parameter: None,
        largest_curvature: Some(2.0),
        build: |_| Ok(Arc::new(SquaredHinge)),
    };
}

impl Loss for SquaredHinge {
    fn name(&self) -> &str {
        Self::SPEC.name
    }

    fn against(&self) -> Against {
        Self::SPEC.against
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

    fn values_within(&self, y: &[f64], z: &[Ball]) -> Vec<Ball> {
        each_within(y, z, |y, z| {
            let short = (Ball::from(1.0) - z * y).positive_part();
            short * short
        })
    }

    fn convex(&self) -> Option<&dyn Convex> {
        Some(self)
    }
}

impl Convex for SquaredHinge {
    fn conjugate(&self, y: f64, u: f64) -> f64 {
        let a = -u * y;
        within(u, self.domain(y), a * (0.25 * a - 1.0))
    }

    fn domain(&self, y: f64) -> (f64, f64) {
        if y > 0.0 { (f64::NEG_INFINITY, 0.0) } else { (0.0, f64::INFINITY) }
    }

    fn conjugate_within(&self, y: f64, u: Ball) -> Ball {
        -(u * y) * (-(u * y) * 0.25 - Ball::from(1.0))
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
