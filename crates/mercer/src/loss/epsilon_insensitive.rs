//! Residuals that are free up to a size.

use std::ops::Bound;
use std::sync::Arc;

use super::convex::within;
use super::{Against, Convex, Loss, LossParameter, LossSpec, Piece, each_within, positive_part};
use crate::error::Result;
use crate::linalg::Ball;

const EPSILON: LossParameter =
    LossParameter { name: "epsilon", default: 0.1, bounds: (Bound::Included(0.0), Bound::Unbounded) };

/// ℓ(y, z) = max(0, |z − y| − ε).
///
/// ℓ*(y, u) = u·y + ε|u| for |u| ≤ 1. The loss of support vector regression; reference: Vapnik
/// (1995), *The Nature of Statistical Learning Theory*, section 6.1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpsilonInsensitive {
    epsilon: f64,
}

impl EpsilonInsensitive {
    /// What the catalogue says of it.
    pub const SPEC: LossSpec = LossSpec {
        name: "epsilon_insensitive",
        summary: "the size of the residual beyond ε, of support vector regression",
        definition: "max(0, |z − y| − ε)",
        against: Against::Numbers,
        classifies: false,
        parameter: Some(EPSILON),
        largest_curvature: None,
        build: |epsilon| Ok(Arc::new(EpsilonInsensitive::new(epsilon)?)),
    };

    /// The loss that is 0 up to ε ≥ 0.
    pub fn new(epsilon: f64) -> Result<Self> {
        Ok(EpsilonInsensitive { epsilon: EPSILON.check("the epsilon-insensitive loss", epsilon)? })
    }
}

impl Loss for EpsilonInsensitive {
    fn name(&self) -> &str {
        Self::SPEC.name
    }

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        vec![(EPSILON.name, self.epsilon)]
    }

    fn value(&self, y: f64, z: f64) -> f64 {
        positive_part((z - y).abs() - self.epsilon)
    }

    fn derivative(&self, y: f64, z: f64) -> f64 {
        if (z - y).abs() > self.epsilon { (z - y).signum() } else { 0.0 }
    }

    fn curvature(&self, _: f64, _: f64) -> f64 {
        0.0
    }

    fn values_within(&self, y: &[f64], z: &[Ball]) -> Vec<Ball> {
        each_within(y, z, |y, z| ((z - Ball::from(y)).abs() - Ball::from(self.epsilon)).positive_part())
    }

    fn convex(&self) -> Option<&dyn Convex> {
        Some(self)
    }
}

impl Convex for EpsilonInsensitive {
    fn conjugate(&self, y: f64, u: f64) -> f64 {
        within(u, self.domain(y), u * y + self.epsilon * u.abs())
    }

    fn domain(&self, _: f64) -> (f64, f64) {
        (-1.0, 1.0)
    }

    fn conjugate_within(&self, y: f64, u: Ball) -> Ball {
        u * y + u.abs() * self.epsilon
    }

    fn pieces(&self, y: f64) -> Vec<Piece> {
        vec![
            Piece { low: 0.0, high: 1.0, shift: y + self.epsilon, softness: 0.0 },
            Piece { low: -1.0, high: 0.0, shift: y - self.epsilon, softness: 0.0 },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::EpsilonInsensitive;
    use crate::testkit::losses::laws;

    #[test]
    fn laws_hold() {
        for epsilon in [0.0, 0.25] {
            laws(&EpsilonInsensitive::new(epsilon).expect("not negative"), |y, z| ((z - y).abs() - epsilon).max(0.0));
        }
    }

    #[test]
    fn epsilon_is_not_negative() {
        for bad in [-1e-9, f64::NAN, f64::INFINITY] {
            assert!(EpsilonInsensitive::new(bad).is_err(), "{bad}");
        }
    }
}
