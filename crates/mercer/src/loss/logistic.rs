//! The negative logarithm of the probability of a class.

use std::sync::Arc;

use super::convex::within;
use super::enclosed::{entropy_within, hull};
use super::{Against, Convex, Loss, LossSpec, each_within};
use crate::kernel::elementary::exp;
use crate::linalg::Ball;

/// ℓ(y, z) = ln(1 + exp(−y·z)) for y = ±1.
///
/// With a = −u·y, ℓ*(y, u) = a·ln a + (1 − a)·ln(1 − a) for 0 ≤ a ≤ 1. P(y = 1) = 1/(1 + exp(−z)).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Logistic;

/// 1/(1 + exp(−f)), good to a few digits of the last place wherever it is a normal number.
pub(crate) fn logistic(f: f64) -> f64 {
    // Of a large negative f, exp(−f) is infinite and the quotient 0, as it should be.
    1.0 / (1.0 + exp(-f))
}

/// a·ln a, 0 at 0.
pub(super) fn entropy(a: f64) -> f64 {
    if a <= 0.0 { 0.0 } else { a * a.ln() }
}

impl Logistic {
    /// What the catalogue says of it.
    pub const SPEC: LossSpec = LossSpec {
        name: "logistic",
        summary: "the negative logarithm of the probability of a class",
        definition: "ln(1 + exp(−yz))",
        against: Against::Signs,
        classifies: true,
        parameter: None,
        largest_curvature: Some(0.25),
        build: |_| Ok(Arc::new(Logistic)),
    };
}

impl Loss for Logistic {
    fn name(&self) -> &str {
        Self::SPEC.name
    }

    fn against(&self) -> Against {
        Self::SPEC.against
    }

    fn value(&self, y: f64, z: f64) -> f64 {
        let m = y * z;
        (-m.abs()).exp().ln_1p() + (-m).max(0.0)
    }

    fn derivative(&self, y: f64, z: f64) -> f64 {
        -y * logistic(-y * z)
    }

    fn curvature(&self, y: f64, z: f64) -> f64 {
        logistic(y * z) * logistic(-y * z)
    }

    fn values_within(&self, y: &[f64], z: &[Ball]) -> Vec<Ball> {
        // It falls in y·z.
        each_within(y, z, |y, z| hull([z.below(), z.above()].map(|z| self.value(y, z))))
    }

    fn convex(&self) -> Option<&dyn Convex> {
        Some(self)
    }
}

impl Convex for Logistic {
    fn conjugate(&self, y: f64, u: f64) -> f64 {
        let a = -u * y;
        within(u, self.domain(y), entropy(a) + entropy(1.0 - a))
    }

    fn domain(&self, y: f64) -> (f64, f64) {
        if y > 0.0 { (-1.0, 0.0) } else { (0.0, 1.0) }
    }

    fn conjugate_within(&self, y: f64, u: Ball) -> Ball {
        let a = -u * y;
        entropy_within(a) + entropy_within(Ball::from(1.0) - a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::losses::laws;

    #[test]
    fn laws_hold() {
        laws(&Logistic, |y, z| (1.0 + (-y * z).exp()).ln());
    }

    #[test]
    fn far_values_neither_overflow_nor_vanish() {
        assert_eq!(Logistic.value(1.0, -1e6), 1e6);
        assert_eq!(Logistic.value(-1.0, -1e6), 0.0);
        assert!((Logistic.derivative(1.0, 700.0) / -(-700f64).exp() - 1.0).abs() < 1e-12);
        assert!((Logistic.curvature(1.0, -700.0) / (-700f64).exp() - 1.0).abs() < 1e-12);
    }
}
