//! The loss whose fit is a quantile.

use std::ops::Bound;
use std::sync::Arc;

use super::convex::within;
use super::{Against, Convex, Loss, LossParameter, LossSpec, Piece, each_within};
use crate::error::{Error, Result};
use crate::linalg::Ball;

const QUANTILE: LossParameter =
    LossParameter { name: "quantile", default: 0.5, bounds: (Bound::Excluded(0.0), Bound::Excluded(1.0)) };

/// ℓ(y, z) = τ(y − z) where z < y and (1 − τ)(z − y) where z ≥ y.
///
/// ℓ*(y, u) = u·y for −τ ≤ u ≤ 1 − τ. Reference: Koenker & Bassett (1978), *Regression quantiles*,
/// Econometrica 46.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pinball {
    quantile: f64,
}

impl Pinball {
    /// What the catalogue says of it.
    pub const SPEC: LossSpec = LossSpec {
        name: "pinball",
        summary: "the loss whose fit is a quantile",
        definition: "τ(y − z) for z < y, (1 − τ)(z − y) otherwise",
        against: Against::Numbers,
        classifies: false,
        parameter: Some(QUANTILE),
        largest_curvature: None,
        build: |quantile| Ok(Arc::new(Pinball::new(quantile)?)),
    };

    /// The loss of the quantile τ, 0 < τ < 1.
    pub fn new(quantile: f64) -> Result<Self> {
        Ok(Pinball { quantile: QUANTILE.check("the pinball loss", quantile)? })
    }

    /// The losses of quantiles, each larger than the one before.
    pub fn several(owner: &str, quantiles: &[f64]) -> Result<Vec<Self>> {
        let losses: Vec<Self> = quantiles.iter().map(|q| Self::new(*q)).collect::<Result<_>>()?;
        match !losses.is_empty() && quantiles.windows(2).all(|w| w[0] < w[1]) {
            true => Ok(losses),
            false => {
                let given = format!("{quantiles:?}");
                Err(Error::invalid(owner, "quantiles", given, "at least one, each larger than the one before"))
            }
        }
    }
}

impl Loss for Pinball {
    fn name(&self) -> &str {
        Self::SPEC.name
    }

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        vec![(QUANTILE.name, self.quantile)]
    }

    fn value(&self, y: f64, z: f64) -> f64 {
        if z < y { self.quantile * (y - z) } else { (1.0 - self.quantile) * (z - y) }
    }

    fn derivative(&self, y: f64, z: f64) -> f64 {
        match z - y {
            r if r < 0.0 => -self.quantile,
            r if r > 0.0 => 1.0 - self.quantile,
            _ => 0.0,
        }
    }

    fn curvature(&self, _: f64, _: f64) -> f64 {
        0.0
    }

    fn values_within(&self, y: &[f64], z: &[Ball]) -> Vec<Ball> {
        each_within(y, z, |y, z| {
            let (r, tau) = (Ball::from(y) - z, Ball::from(self.quantile));
            // The larger one of both sides; where neither is known to be, both are near 0.
            let [up, down] = [r * tau, r * (tau - Ball::from(1.0))];
            if r.below() >= 0.0 {
                up
            } else if r.above() <= 0.0 {
                down
            } else {
                Ball::between(0.0, up.magnitude().max(down.magnitude()))
            }
        })
    }

    fn convex(&self) -> Option<&dyn Convex> {
        Some(self)
    }
}

impl Convex for Pinball {
    fn conjugate(&self, y: f64, u: f64) -> f64 {
        within(u, self.domain(y), u * y)
    }

    fn domain(&self, _: f64) -> (f64, f64) {
        (-self.quantile, 1.0 - self.quantile)
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
    use super::Pinball;
    use crate::testkit::losses::laws;

    #[test]
    fn laws_hold() {
        for tau in [0.05, 0.5, 0.8] {
            laws(&Pinball::new(tau).expect("inside"), |y, z| (tau * (y - z)).max((tau - 1.0) * (y - z)));
        }
    }

    #[test]
    fn the_quantile_lies_between_0_and_1() {
        for bad in [0.0, 1.0, -0.1, 1.5, f64::NAN] {
            assert!(Pinball::new(bad).is_err(), "{bad}");
        }
    }
}
