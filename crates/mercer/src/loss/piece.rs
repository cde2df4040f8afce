//! The parts that piecewise linear and quadratic losses are sums of.

/// p(z) = sup over low ≤ u ≤ high of u·(z − shift) − ½·softness·u².
///
/// Linear on both sides of `shift` with slopes `low` and `high`, and, with a softness, a parabola
/// between them. Bounds may be infinite where the softness is positive.
///
/// ```
/// use mercer::loss::Piece;
/// let hinge = Piece { low: -1.0, high: 0.0, shift: 1.0, softness: 0.0 };
/// assert_eq!((hinge.value(3.0), hinge.value(-1.0)), (0.0, 2.0));
/// let half_square = Piece { low: f64::NEG_INFINITY, high: f64::INFINITY, shift: 1.0, softness: 1.0 };
/// assert_eq!(half_square.value(4.0), 4.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// The least slope, ≤ 0 or not.
    pub low: f64,
    /// The largest slope.
    pub high: f64,
    /// Where the slopes meet.
    pub shift: f64,
    /// Inverse of the curvature between the slopes.
    pub softness: f64,
}

impl Piece {
    /// The u that attains the supremum; where several do, 0 or the nearest to it.
    pub fn slope(&self, z: f64) -> f64 {
        let r = z - self.shift;
        if self.softness > 0.0 {
            return (r / self.softness).clamp(self.low, self.high);
        }
        match r {
            r if r > 0.0 => self.high,
            r if r < 0.0 => self.low,
            _ => 0f64.clamp(self.low, self.high),
        }
    }

    /// p(z).
    pub fn value(&self, z: f64) -> f64 {
        let u = self.slope(z);
        if u == 0.0 { 0.0 } else { u * (z - self.shift - 0.5 * self.softness * u) }
    }

    /// p(z) + p*(u) − u·z ≥ 0 for a slope u within the bounds, without cancellation.
    pub fn slack(&self, z: f64, u: f64) -> f64 {
        let best = self.slope(z);
        if best == u {
            return 0.0;
        }
        ((best - u) * (z - self.shift - 0.5 * self.softness * (best + u))).max(0.0)
    }
}
