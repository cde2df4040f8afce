//! The size of the residual.

use std::sync::Arc;

use super::convex::within;
use super::{Against, Convex, Loss, LossSpec, Piece, each_within};
use crate::linalg::Ball;

/// ℓ(y, z) = |z − y|.
///
/// ℓ*(y, u) = u·y for |u| ≤ 1. The fit is a median.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Absolute;

impl Absolute {
    /// What the catalogue says of it.
    pub const SPEC: LossSpec = LossSpec {
        name: "absolute",
        summary: "the size of the residual: the fit is a median",
        definition: "|z − y|",
        against: Against::Numbers,
        classifies: false,
        parameter: None,
        largest_curvature: None,
        build: |_| Ok(Arc::new(Absolute)),
    };
}

impl Loss for Absolute {
    fn name(&self) -> &str {
        Self::SPEC.name
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

    fn values_within(&self, y: &[f64], z: &[Ball]) -> Vec<Ball> {
        each_within(y, z, |y, z| (z - Ball::from(y)).abs())
    }

    fn convex(&self) -> Option<&dyn Convex> {
        Some(self)
    }
}

impl Convex for Absolute {
    fn conjugate(&self, y: f64, u: f64) -> f64 {
        within(u, self.domain(y), u * y)
    }

    fn domain(&self, _: f64) -> (f64, f64) {
        (-1.0, 1.0)
    }

    fn conjugate_within(&self, y: f64, u: Ball) -> Ball {
        u * y
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
