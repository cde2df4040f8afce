//! What convex duality needs of a loss.

use super::{Loss, Piece, enclosed};
use crate::linalg::Ball;

/// A loss that is convex in z, with its conjugate: its fits have a lower bound of the objective, and a gap.
pub trait Convex: Loss {
    /// ℓ*(y, u) = sup over z of u·z − ℓ(y, z): ∞ outside the [`domain`](Self::domain).
    fn conjugate(&self, y: f64, u: f64) -> f64;

    /// The smallest and the largest u with a finite conjugate.
    fn domain(&self, _y: f64) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }

    /// A number that ℓ*(y, u) is one of, for a u inside the [`domain`](Self::domain) that is known within a ball.
    fn conjugate_within(&self, y: f64, u: Ball) -> Ball {
        enclosed::conjugate_at_ends(u, self.domain(y), |u| self.conjugate(y, u))
    }

    /// The pieces whose sum the loss is; none if it is no such sum. Where there are pieces, the
    /// problem is a quadratic program and is solved as one, kinks and all.
    fn pieces(&self, _y: f64) -> Vec<Piece> {
        Vec::new()
    }
}

/// `value` if u lies in the interval, else ∞.
pub(super) fn within(u: f64, (low, high): (f64, f64), value: f64) -> f64 {
    if (low..=high).contains(&u) { value } else { f64::INFINITY }
}
