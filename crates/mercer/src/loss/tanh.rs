//! Least squares on a sigmoid: a bounded loss for two classes.

use std::sync::Arc;

use super::enclosed::hull;
use super::{Against, Loss, LossSpec, each_within};
use crate::linalg::Ball;

/// ℓ(y, z) = (tanh z − y)² for y = ±1.
///
/// Not convex: a far outlier costs at most 4, and there may be several minima. No conjugate, hence no
/// gap. Reference: Vandenberghe, *Kernel methods* (lecture notes), nonlinear least squares example.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Tanh;

impl Tanh {
    /// What the catalogue says of it.
    pub const SPEC: LossSpec = LossSpec {
        name: "tanh",
        summary: "least squares on a sigmoid: bounded, not convex",
        definition: "(tanh z − y)²",
        against: Against::Signs,
        classifies: true,
        parameter: None,
        largest_curvature: None,
        build: |_| Ok(Arc::new(Tanh)),
    };
}

impl Loss for Tanh {
    fn name(&self) -> &str {
        Self::SPEC.name
    }

    fn against(&self) -> Against {
        Self::SPEC.against
    }

    fn value(&self, y: f64, z: f64) -> f64 {
        (z.tanh() - y).powi(2)
    }

    fn derivative(&self, y: f64, z: f64) -> f64 {
        let t = z.tanh();
        2.0 * (t - y) * (1.0 - t * t)
    }

    fn curvature(&self, y: f64, z: f64) -> f64 {
        let t = z.tanh();
        let slope = 1.0 - t * t;
        2.0 * slope * (slope - 2.0 * t * (t - y))
    }

    /// (2/(1 + exp(2yz)))², which falls in y·z and in which nothing cancels.
    fn values_within(&self, y: &[f64], z: &[Ball]) -> Vec<Ball> {
        let value = |y: f64, z: f64| (2.0 / (1.0 + (2.0 * y * z).exp())).powi(2);
        each_within(y, z, |y, z| hull([z.below(), z.above()].map(|z| value(y, z))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::losses::derivatives;

    #[test]
    fn derivatives_hold_and_it_is_not_convex() {
        derivatives(&Tanh, |y, z| ((z.exp() - (-z).exp()) / (z.exp() + (-z).exp()) - y).powi(2));
        assert!(Tanh.curvature(1.0, -1.5) < 0.0);
        assert!(Tanh.convex().is_none());
    }
}
