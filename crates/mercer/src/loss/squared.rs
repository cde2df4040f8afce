//! Half the square of the residual.

use std::sync::Arc;

use super::{Against, Convex, Loss, LossSpec, Piece, each_within};
use crate::linalg::Ball;

/// ℓ(y, z) = ½(z − y)².
///
/// ℓ*(y, u) = u·y + ½u². The loss of ridge regression.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Squared;

impl Squared {
    /// What the catalogue says of it.
    pub const SPEC: LossSpec = LossSpec {
        name: "squared",
        summary: "half the square of the residual",
        definition: "½(z − y)²",
        against: Against::Numbers,
        classifies: true,
        parameter: None,
        largest_curvature: Some(1.0),
        build: |_| Ok(Arc::new(Squared)),
    };
}

impl Loss for Squared {
    fn name(&self) -> &str {
        Self::SPEC.name
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

    fn values_within(&self, y: &[f64], z: &[Ball]) -> Vec<Ball> {
        each_within(y, z, |y, z| {
            let r = z - Ball::from(y);
            r * r * 0.5
        })
    }

    fn convex(&self) -> Option<&dyn Convex> {
        Some(self)
    }
}

impl Convex for Squared {
    fn conjugate(&self, y: f64, u: f64) -> f64 {
        u * (y + 0.5 * u)
    }

    fn conjugate_within(&self, y: f64, u: Ball) -> Ball {
        u * (Ball::from(y) + u * 0.5)
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
