//! Quadratic near the target, linear far from it.

use std::ops::Bound;
use std::sync::Arc;

use super::convex::within;
use super::{Against, Convex, Loss, LossParameter, LossSpec, Piece, each_within};
use crate::error::Result;
use crate::linalg::Ball;

const DELTA: LossParameter =
    LossParameter { name: "delta", default: 1.35, bounds: (Bound::Excluded(0.0), Bound::Unbounded) };

/// ℓ(y, z) = ½r² where |r| ≤ δ and δ(|r| − δ/2) beyond, r = z − y.
///
/// ℓ*(y, u) = u·y + ½u² for |u| ≤ δ. Reference: Huber (1964), *Robust estimation of a location
/// parameter*, Annals of Mathematical Statistics 35.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Huber {
    delta: f64,
}

impl Huber {
    /// What the catalogue says of it.
    pub const SPEC: LossSpec = LossSpec {
        name: "huber",
        summary: "quadratic near the target, linear far from it",
        definition: "½r² for |r| ≤ δ, δ(|r| − δ/2) beyond, r = z − y",
        against: Against::Numbers,
        classifies: true,
        parameter: Some(DELTA),
        largest_curvature: Some(1.0),
        build: |delta| Ok(Arc::new(Huber::new(delta)?)),
    };

    /// δ = 1.35, at which the fit keeps 95 % of its efficiency on normal residuals of deviation 1.
    pub fn usual() -> Self {
        Huber { delta: DELTA.default }
    }

    /// The loss that turns linear at δ > 0.
    pub fn new(delta: f64) -> Result<Self> {
        Ok(Huber { delta: DELTA.check("the Huber loss", delta)? })
    }
}

impl Loss for Huber {
    fn name(&self) -> &str {
        Self::SPEC.name
    }

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        vec![(DELTA.name, self.delta)]
    }

    fn value(&self, y: f64, z: f64) -> f64 {
        let r = (z - y).abs();
        if r <= self.delta { 0.5 * r * r } else { self.delta * (r - 0.5 * self.delta) }
    }

    fn derivative(&self, y: f64, z: f64) -> f64 {
        (z - y).clamp(-self.delta, self.delta)
    }

    fn curvature(&self, y: f64, z: f64) -> f64 {
        if (z - y).abs() <= self.delta { 1.0 } else { 0.0 }
    }

    fn values_within(&self, y: &[f64], z: &[Ball]) -> Vec<Ball> {
        each_within(y, z, |y, z| {
            let (r, delta) = ((z - Ball::from(y)).abs(), Ball::from(self.delta));
            let [inside, beyond] = [r * r * 0.5, delta * (r - delta * 0.5)];
            if r.above() <= self.delta {
                inside
            } else if r.below() >= self.delta {
                beyond
            } else {
                // The parabola lies above both.
                Ball::between(beyond.below(), inside.above())
            }
        })
    }

    fn convex(&self) -> Option<&dyn Convex> {
        Some(self)
    }
}

impl Convex for Huber {
    fn conjugate(&self, y: f64, u: f64) -> f64 {
        within(u, self.domain(y), u * (y + 0.5 * u))
    }

    fn domain(&self, _: f64) -> (f64, f64) {
        (-self.delta, self.delta)
    }

    fn conjugate_within(&self, y: f64, u: Ball) -> Ball {
        u * (Ball::from(y) + u * 0.5)
    }

    fn pieces(&self, y: f64) -> Vec<Piece> {
        vec![Piece { low: -self.delta, high: self.delta, shift: y, softness: 1.0 }]
    }
}

#[cfg(test)]
mod tests {
    use super::Huber;
    use crate::testkit::losses::laws;

    #[test]
    fn laws_hold() {
        for delta in [0.3, 1.35] {
            laws(&Huber::new(delta).expect("positive"), |y, z| {
                let r = (z - y).abs();
                if r <= delta { r * r / 2.0 } else { delta * (r - delta / 2.0) }
            });
        }
    }

    #[test]
    fn delta_is_positive() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Huber::new(bad).is_err(), "{bad}");
        }
    }
}
