//! How much a margin of 1 is missed by.

use std::sync::Arc;

use super::convex::within;
use super::{Against, Convex, Loss, LossSpec, Piece, each_within, positive_part};
use crate::linalg::Ball;

/// ℓ(y, z) = max(0, 1 − y·z) for y = ±1.
///
/// With a = −u·y, ℓ*(y, u) = −a for 0 ≤ a ≤ 1. The loss of support vector machines.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Hinge;

impl Hinge {
    /// What the catalogue says of it.
    pub const SPEC: LossSpec = LossSpec {
        name: "hinge",
        summary: "how much a margin of 1 is missed by, of support vector machines",
        definition: "max(0, 1 − yz)",
        against: Against::Signs,
        classifies: true,
        parameter: None,
        largest_curvature: None,
        build: |_| Ok(Arc::new(Hinge)),
    };
}

impl Loss for Hinge {
    fn name(&self) -> &str {
        Self::SPEC.name
    }

    fn against(&self) -> Against {
        Self::SPEC.against
    }

    fn value(&self, y: f64, z: f64) -> f64 {
        positive_part(1.0 - y * z)
    }

    fn derivative(&self, y: f64, z: f64) -> f64 {
        if y * z < 1.0 { -y } else { 0.0 }
    }

    fn curvature(&self, _: f64, _: f64) -> f64 {
        0.0
    }

    fn values_within(&self, y: &[f64], z: &[Ball]) -> Vec<Ball> {
        each_within(y, z, |y, z| (Ball::from(1.0) - z * y).positive_part())
    }

    fn convex(&self) -> Option<&dyn Convex> {
        Some(self)
    }
}

impl Convex for Hinge {
    fn conjugate(&self, y: f64, u: f64) -> f64 {
        within(u, self.domain(y), u * y)
    }

    fn domain(&self, y: f64) -> (f64, f64) {
        if y > 0.0 { (-1.0, 0.0) } else { (0.0, 1.0) }
    }

    fn conjugate_within(&self, y: f64, u: Ball) -> Ball {
        u * y
    }

    fn pieces(&self, y: f64) -> Vec<Piece> {
        let (low, high) = self.domain(y);
        vec![Piece { low, high, shift: y, softness: 0.0 }]
    }
}

#[cfg(test)]
mod tests {
    use crate::testkit::losses::laws;

    #[test]
    fn laws_hold() {
        laws(&super::Hinge, |y, z| (1.0 - y * z).max(0.0));
    }
}
